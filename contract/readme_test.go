package contract_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```")

// TestConsoleBlocksRun runs every console block of the documents: lines that
// start with $ are commands, what follows is their output. A last line of ...
// stands for the rest.
func TestConsoleBlocksRun(t *testing.T) {
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, path := range append(docs, "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
			blocks++
			for _, command := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				line, want, _ := strings.Cut(command, "\n")
				checkConsole(t, path, line, want)
			}
		}
	}
	if blocks == 0 {
		t.Error("no console block: the documents show nothing that runs")
	}
}

func checkConsole(t *testing.T, path, line, want string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = ".." // commands of the documents are run in a checkout
	cmd.Env = append(os.Environ(), "CI=true", "NO_COLOR=1")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Errorf("%s: $ %s: %v", path, line, err)
		return
	}
	got := string(out)
	if head, ok := strings.CutSuffix(want, "...\n"); ok && strings.HasPrefix(got, head) {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: $ %s (-document +program):\n%s", path, line, diff)
	}
}
