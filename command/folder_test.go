package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/render"
)

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

// TestFolder: a format that is a folder appears whole, replaces an earlier report of its own, and nothing that is none.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	report := func(trials, out string) (int, string) {
		t.Helper()
		write(t, "trials.ndjson", trials)
		var errs strings.Builder
		code := Main([]string{"tribunal", "report", "trials.ndjson", "--no-config", "-f", "minimal", "-o", out}, Env{Stdout: &strings.Builder{}, Stderr: &errs, Getenv: func(string) string { return "" }})
		return code, errs.String()
	}
	const two = `{"test":"a","status":"pass"}` + "\n" + `{"test":"b","status":"pass"}` + "\n"
	const one = `{"test":"a","status":"pass"}` + "\n"
	if code, errs := report(two, "allure=out/results/"); code != 0 || len(namesIn(t, "out/results")) != 3 || len(namesIn(t, "out")) != 1 {
		t.Fatalf("exit code %d: %s%q", code, errs, namesIn(t, "out"))
	}
	for _, name := range namesIn(t, "out/results") {
		if name == "environment.properties" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("out/results", name))
		if uuid, is := strings.CutSuffix(name, "-result.json"); err != nil || !is || !strings.Contains(string(text), `"uuid":"`+uuid+`"`) {
			t.Errorf("%s: %.200s", name, text)
		}
	}
	if code, errs := report(one, "allure=out/results/"); code != 0 || len(namesIn(t, "out/results")) != 2 {
		t.Errorf("written anew: exit code %d: %s%q", code, errs, namesIn(t, "out/results"))
	}
	var back strings.Builder
	if code := Main([]string{"tribunal", "report", "out/results", "--no-config", "-f", "minimal"}, Env{Stdout: &back, Stderr: &back, Getenv: func(string) string { return "" }}); code != 0 || back.String() != "1 test: 1 passed, 0 failed; 1 of 1 trial passed; PASS, exit 0\n" {
		t.Errorf("read back: exit code %d: %s", code, &back)
	}
	write(t, "out/results/mine.txt", "x")
	before := namesIn(t, "out/results")
	if code, errs := report(one, "allure=out/results/"); code != 2 || !strings.Contains(errs, "holds mine.txt, which is not from an earlier report of Tribunal") || !slices.Equal(namesIn(t, "out/results"), before) || len(namesIn(t, "out")) != 1 {
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
	if code, errs := report(one, "allure=out/otel/"); code != 2 || !strings.Contains(errs, "which is not from an earlier report of Tribunal") {
		t.Errorf("a folder of another format: exit code %d: %s", code, errs)
	}
	if code, errs := report(one, "junit=out/results/"); code != 2 || !strings.Contains(errs, "the path is a folder; name a file in it") {
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

// TestFolderSparesWhatIsNotIts: a folder that is written anew costs nobody a file, and
// is not read again as what it was made of.
func TestFolderSparesWhatIsNotIts(t *testing.T) {
	t.Chdir(t.TempDir())
	tribunal := func(args ...string) (int, string) {
		t.Helper()
		var said strings.Builder
		code := Main(append([]string{"tribunal", "convert"}, args...), Env{Stdout: &said, Stderr: &said, Getenv: func(string) string { return "" }})
		return code, said.String()
	}
	for _, dir := range []string{"in", "real", "reports"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "in/trials.ndjson", `{"test":"a","status":"pass"}`+"\n"+`{"test":"b","status":"fail"}`+"\n")
	for range 3 {
		if code, said := tribunal("in", "-f", "minimal", "-o", "allure=in/out/"); code != 0 || !strings.Contains(said, "2 tests: 1 passed, 1 failed; 1 of 2 trials passed") {
			t.Fatalf("exit code %d: what was written into the folder of the input counts again: %s", code, said)
		}
	}
	if code, said := tribunal("in/trials.ndjson", "-q", "-o", "reports/run.json"); code != 0 {
		t.Fatal(said)
	}
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{[]string{"-o", "allure=reports/"}, "holds run.json, which is not from", "a report of ours in another format"},
		{[]string{"-o", "allure=x/", "-o", "junit=x/junit.xml"}, "two reports go to one folder", "a file in a folder that the next run replaces"},
		{[]string{"-o", "junit=x/y/junit.xml", "-o", "allure=x/"}, "two reports go to one folder", "a file that the folder replaces at once"},
		{[]string{"-o", "otlp=x/y/", "-o", "allure=x/"}, "two reports go to one folder", "a folder in a folder"},
		{[]string{"-o", "otlp=x/", "-o", "allure=x/"}, "two reports", "two folders in one place"},
		{[]string{"-o", "allure=./"}, "would replace the input", "the folder of the input"},
	} {
		if code, said := tribunal(append([]string{"in/trials.ndjson", "-q"}, c.args...)...); code != 2 || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit code %d: %s", c.reason, code, said)
		}
	}
	for _, name := range []string{".", "..", "in/.."} {
		if _, err := folderAt(name); err == nil || !strings.Contains(err.Error(), "the working directory is this folder or in it") {
			t.Errorf("%s: whoever stands in a folder does not want it away: %v", name, err)
		}
	}
	if got := namesIn(t, "reports"); !slices.Equal(got, []string{"run.json"}) {
		t.Errorf("%q", got)
	}
	if code, said := tribunal("in/out", "-q", "-o", "allure=in/out/"); code != 2 || !strings.Contains(said, "would replace the input in/out") {
		t.Errorf("the input itself: exit code %d: %s", code, said)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip("no links here: ", err)
	}
	if code, said := tribunal("in/trials.ndjson", "-q", "-o", "allure=link/"); code != 0 || len(namesIn(t, "real")) != 3 {
		t.Errorf("a link is followed: exit code %d: %s%q", code, said, namesIn(t, "real"))
	}
	if info, err := os.Lstat("link"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is one no more")
	}
}

// TestStaleFolders: what a killed run left of a folder goes with the next one, and what another run is writing stays.
func TestStaleFolders(t *testing.T) {
	dir := t.TempDir()
	held, err := createTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{held.Name() + tempFolder, filepath.Join(dir, tempPrefix+"1-0"+tempSuffix+tempFolder)} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	removeStale(dir)
	base := filepath.Base(held.Name())
	if got := namesIn(t, dir); len(got) != 2 || !slices.Contains(got, base) || !slices.Contains(got, base+tempFolder) {
		t.Errorf("%q", got)
	}
	held.Close()
}

// TestFolderThatFails: of a folder that cannot be written whole, nothing is left, and the earlier one stays.
func TestFolderThatFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("out", 0o700); err != nil {
		t.Fatal(err)
	}
	format := render.Of[int]{FileOf: func(line []byte) string { return string(line[:1]) }}
	err := writeFolder("out", format, func(w io.Writer) error {
		if _, err := io.WriteString(w, "a1\nb2\n"); err != nil {
			return err
		}
		return errors.New("no space left on device")
	})
	if err == nil || len(namesIn(t, "out")) != 0 || len(namesIn(t, ".")) != 1 {
		t.Errorf("%v, %q and %q are left", err, namesIn(t, "out"), namesIn(t, "."))
	}
}
