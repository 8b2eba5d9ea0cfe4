package contract_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLoopOfNextEnds runs the loop of docs/next.md with engines that do what they should,
// die halfway each time, and die without a word: it ends, and is green for none of those
// that gave no trial.
func TestLoopOfNextEnds(t *testing.T) {
	text, err := os.ReadFile("../docs/next.md")
	if err != nil {
		t.Fatal(err)
	}
	loop := regexp.MustCompile("(?s)```bash\n(.*?until.*?)```").FindSubmatch(text)
	if loop == nil {
		t.Fatal("docs/next.md has no loop")
	}
	const result = `sed 's/,"seed.*/,"status":"pass"}/'`
	for _, c := range []struct {
		engine string
		code   int
		says   string
		reason string
	}{
		{result, 0, "2 tests pass", "an engine that runs what it is asked for"},
		{"head -n 3 | " + result + "; exit 1", 0, "2 tests pass", "one that dies behind three trials each time"},
		{"exit 137", 2, "no trial of the last plan came back", "one that dies at once"},
		{"true", 2, "no trial of the last plan came back", "one that says nothing and that it is well"},
		{"echo '{\"test\":\"a\",'", 2, "trials may be missing", "one that dies in a line"},
	} {
		dir := folderOfDocument(t)
		for name, text := range map[string]string{"cases/a": "", "cases/b": "", "engine": "#!/bin/sh\n" + c.engine + "\n"} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a loop that does not end
		cmd := exec.CommandContext(ctx, "sh", "-c", string(loop[1]))
		cmd.Env = append(os.Environ(), "CI=true", "NO_COLOR=1")
		inFolder(cmd, dir)
		out, err := cmd.CombinedOutput()
		cancel()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, want exit code %d and %q:\n%s", c.reason, err, c.code, c.says, out)
		}
	}
}
