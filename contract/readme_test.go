package contract_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/command"
	"tribunal/internal/run/process"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```")
	shellBlock   = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
)

// TestMain makes the program of the test binary when it is called by its name, as
// the commands of the documents do.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "tribunal" {
		process.WatcherMain()
		os.Exit(command.Main(os.Args, command.System()))
	}
	os.Exit(m.Run())
}

// TestConsoleBlocksRun runs every console block of the documents: lines that
// start with $ are commands, those with > go on with them, and what follows is their
// output. A last line of ... stands for the rest. Commands with testdata/ are run in the
// checkout; all others, in an empty folder of their document, and what they say on
// standard error is output as well.
func TestConsoleBlocksRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documents")
	}
	folders := map[string]string{}
	eachBlock(t, consoleBlock, func(path, block string) {
		if folders[path] == "" {
			folders[path] = folderOfDocument(t)
		}
		for _, command := range strings.Split("\n"+strings.TrimSuffix(block, "\n"), "\n$ ")[1:] {
			line, want, _ := strings.Cut(command+"\n", "\n")
			for strings.HasPrefix(want, "> ") {
				more, rest, _ := strings.Cut(want[len("> "):], "\n")
				line, want = line+"\n"+more, rest
			}
			checkConsole(t, path, line, want, folders[path])
		}
	})
}

// folderOfDocument is a folder with the program in its bin.
func folderOfDocument(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "bin"), 0o755), os.Symlink(program, filepath.Join(dir, "bin", "tribunal"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func inFolder(cmd *exec.Cmd, dir string) {
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func pages(t *testing.T) []string {
	t.Helper()
	top, errTop := filepath.Glob("../docs/*.md")
	below, errBelow := filepath.Glob("../docs/*/*.md")
	if err := errors.Join(errTop, errBelow); err != nil {
		t.Fatal(err)
	}
	return append(top, below...)
}

// topPages are the documents that a visitor of the repository sees first.
var topPages = []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}

// eachBlock calls do with every block of a kind in the documents, and wants one.
func eachBlock(t *testing.T, kind *regexp.Regexp, do func(path, block string)) {
	t.Helper()
	blocks := 0
	for _, path := range append(pages(t), "../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range kind.FindAllStringSubmatch(string(text), -1) {
			blocks++
			do(path, block[1])
		}
	}
	if blocks == 0 {
		t.Errorf("no block like %s: the documents show nothing that runs", kind)
	}
}

func checkConsole(t *testing.T, path, line, want, dir string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "CI=true", "NO_COLOR=1")
	inFolder(cmd, dir)
	output := cmd.CombinedOutput
	if strings.Contains(line, "testdata/") {
		cmd.Dir = ".."
		output = cmd.Output
	}
	out, err := output()
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

// TestShellBlocksRun runs every command of the program in the shell blocks of the
// documents, on files of the names that they use: a flag that is gone, or a value
// that is refused, is exit code 2. What a command prints is not held here, only
// that it ran and printed something or wrote a file.
func TestShellBlocksRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documents")
	}
	ran := 0
	eachBlock(t, shellBlock, func(path, block string) {
		dir := folderOfDocument(t)
		for name, text := range sampleFiles(t) {
			file := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, "tribunal ") && !strings.HasPrefix(line, "runner |") {
				continue // a script of the repository, which CI runs
			}
			ran++
			cmd := exec.Command("sh", "-c", line)
			cmd.Env = append(os.Environ(), "CI=true", "NO_COLOR=1", "CI_COMMIT_SHA=9f2c1e7d4b8a", "CI_JOB_ID=17")
			inFolder(cmd, dir)
			var errs strings.Builder
			cmd.Stderr = &errs
			err := cmd.Run()
			if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
				t.Errorf("%s: $ %s%v: %s", path, line, err, errs.String())
			}
		}
	})
	if ran < 15 {
		t.Errorf("only %d commands were found in the shell blocks", ran)
	}
}

// sampleFiles are what the commands of the documents read, by name.
func sampleFiles(t *testing.T) map[string]string {
	t.Helper()
	var trials, variants strings.Builder // the second with two values of a variant and of a label
	for i := range 40 {
		status := "pass"
		if i%9 == 4 {
			status = "fail"
		}
		fmt.Fprintf(&trials, `{"suite":"forecast","test":"names the right city","file":"tests/forecast.py","run":"r%d","status":%q}`+"\n", i, status)
		fmt.Fprintf(&variants, `{"suite":"forecast","test":"names the right city","variant":"v%d","run":"r%d","status":%q,"labels":{"model":%q}}`+"\n",
			i%2, i/2, status, []string{"opus", "haiku"}[i/2%2])
	}
	stream := trials.String()
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	if _, err := gz.Write([]byte(stream)); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"CODEOWNERS":        "/tests/ @acme/search\n",
		"tests/forecast.py": "",
		"bin/runner":        "#!/bin/sh\ncat trials.ndjson\n",
		"shard-1.ndjson.gz": packed.String(),
		"run.ndjson":        variants.String(),
		"runs.csv":          "name,passed\nnames the right city,true\n",
		"runs.json":         `{"results":[{"meta":{"name":"names the right city"},"result":{"ok":true},"run":0,"usage":{"cost":0.01},"latency":1.5}]}`,
	}
	for _, name := range []string{"trials.ndjson", "run.json", "main.json", "branch.json", "base.json", "candidate.json", "results/a.ndjson", "main/a.ndjson", "branch/a.ndjson"} {
		files[name] = stream
	}
	trx, err := os.ReadFile("../testdata/golden/weather-agent/trx")
	if err != nil {
		t.Fatal(err)
	}
	files["results.trx"] = string(trx)
	return files
}

var link = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)

// TestDocumentsAreLinked: every link of a document leads to a file, or a heading, and
// the index of a folder leads to every document in it.
func TestDocumentsAreLinked(t *testing.T) {
	docs := pages(t)
	indexed := map[string]bool{}
	for _, path := range append(docs, topPages...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range link.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(path), l[1])
			if l[1] == "" {
				to = path
			}
			target, err := os.ReadFile(to)
			if info, isFolder := os.Stat(to); isFolder == nil && info.IsDir() {
				continue
			}
			switch {
			case err != nil:
				t.Errorf("%s links to %s, which is not there", path, l[1])
			case l[2] != "" && !hasHeading(string(target), l[2][1:]):
				t.Errorf("%s links to %s%s, and there is no such heading", path, l[1], l[2])
			}
			if path == indexOf(to) {
				indexed[to] = true
			}
		}
	}
	for _, path := range docs {
		if !indexed[path] && path != "../docs/README.md" {
			t.Errorf("%s does not lead to %s", indexOf(path), path)
		}
	}
}

// indexOf is the page that leads to another: that of its folder, or for the page of a
// folder the one above.
func indexOf(page string) string {
	folder := filepath.Dir(page)
	if filepath.Base(page) == "README.md" {
		folder = filepath.Dir(folder)
	}
	return filepath.Join(folder, "README.md")
}

// hasHeading looks for a heading by the name that a link gives it.
func hasHeading(text, name string) bool {
	for line := range strings.Lines(text) {
		heading, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if words := strings.ToLower(strings.TrimSpace(heading)); is && strings.HasPrefix(line, "#") && strings.ReplaceAll(notInAnchors.ReplaceAllString(words, ""), " ", "-") == name {
			return true
		}
	}
	return false
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
