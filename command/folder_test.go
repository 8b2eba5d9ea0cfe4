package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// namesIn are the names in a folder.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// TestFolder: a format that is a folder appears whole, replaces an earlier report of
// its own, and nothing that is none.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	report := func(trials, out string) (int, string) {
		t.Helper()
		if err := os.WriteFile("trials.ndjson", []byte(trials), 0o600); err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		code := Main([]string{"tribunal", "report", "trials.ndjson", "--no-config", "-f", "minimal", "-o", out}, Env{Stdout: &strings.Builder{}, Stderr: &errs, Getenv: func(string) string { return "" }})
		return code, errs.String()
	}
	const two = `{"test":"a","status":"pass"}` + "\n" + `{"test":"b","status":"pass"}` + "\n"
	const one = `{"test":"a","status":"pass"}` + "\n"
	if code, errs := report(two, "allure=out/results/"); code != 0 || len(namesIn(t, "out/results")) != 2 || len(namesIn(t, "out")) != 1 {
		t.Fatalf("exit code %d: %s%q", code, errs, namesIn(t, "out"))
	}
	for _, name := range namesIn(t, "out/results") {
		text, err := os.ReadFile(filepath.Join("out/results", name))
		if uuid, is := strings.CutSuffix(name, "-result.json"); err != nil || !is || !strings.Contains(string(text), `"uuid":"`+uuid+`"`) {
			t.Errorf("%s: %.200s", name, text)
		}
	}
	if code, errs := report(one, "allure=out/results/"); code != 0 || len(namesIn(t, "out/results")) != 1 {
		t.Errorf("written anew: exit code %d: %s%q", code, errs, namesIn(t, "out/results"))
	}
	var back strings.Builder
	if code := Main([]string{"tribunal", "report", "out/results", "--no-config", "-f", "minimal"}, Env{Stdout: &back, Stderr: &back, Getenv: func(string) string { return "" }}); code != 0 || back.String() != "1 test: 1 passed, 0 failed; 1 of 1 trial passed; PASS, exit 0\n" {
		t.Errorf("read back: exit code %d: %s", code, &back)
	}
	if err := os.WriteFile("out/results/mine.txt", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := namesIn(t, "out/results")
	if code, errs := report(one, "allure=out/results/"); code != 2 || !strings.Contains(errs, "holds mine.txt, which is no report of ours") || !slices.Equal(namesIn(t, "out/results"), before) || len(namesIn(t, "out")) != 1 {
		t.Errorf("exit code %d: %s%q", code, errs, namesIn(t, "out/results"))
	}
	for range 2 { // the second replaces the first, and nothing is added to it
		if code, errs := report(two, "otlp=out/otel/"); code != 0 || !slices.Equal(namesIn(t, "out/otel"), []string{"metrics.jsonl", "traces.jsonl"}) {
			t.Fatalf("exit code %d: %s%q", code, errs, namesIn(t, "out/otel"))
		}
		for name, want := range map[string]int{"metrics.jsonl": 2, "traces.jsonl": 1} { // gauges of the run and of tests are a request each
			if text, err := os.ReadFile(filepath.Join("out/otel", name)); err != nil || strings.Count(string(text), "\n") != want {
				t.Errorf("%s: %v, %d lines", name, err, strings.Count(string(text), "\n"))
			}
		}
	}
	if code, errs := report(one, "allure=out/otel/"); code != 2 || !strings.Contains(errs, "which is no report of ours") {
		t.Errorf("a folder of another format: exit code %d: %s", code, errs)
	}
	if code, errs := report(one, "junit=out/results/"); code != 2 || !strings.Contains(errs, "the path is a directory; name a file in it") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestSplitter: lines make files however they come.
func TestSplitter(t *testing.T) {
	dir := t.TempDir()
	s := &splitter{dir: dir, fileOf: func(line []byte) string { return "../" + string(line[:1]) }}
	for _, part := range []string{"a1", "\nb", "2\nc3\n"} {
		if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := namesIn(t, dir); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q: a name never leads out of the folder", got)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "b")); string(text) != "b2\n" {
		t.Errorf("%q", text)
	}
}
