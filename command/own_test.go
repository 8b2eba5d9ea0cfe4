package command

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/render"
)

// TestOwnReportsCountOnce: a report of ours beside what it was made from counts no
// trial again, whichever format it has; one on other trials counts, and is told.
func TestOwnReportsCountOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	// by hand: 2 tests, 4 trials without times or numbers, of which 2 passed
	const trials = `{"test":"a","status":"pass"}
{"test":"a","status":"fail","message":"no"}
{"test":"b","status":"pass"}
{"test":"b","status":"error","error_class":"timeout"}
`
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		var out strings.Builder
		Main(append([]string{"tribunal"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		return out.String()
	}
	type report struct {
		Summary struct {
			Trials struct{ Total, Passed int }
		}
		Problems []struct{ Code, Message string }
	}
	read := func(args ...string) (r report) {
		t.Helper()
		if err := json.Unmarshal([]byte(run(append(append([]string{"report"}, args...), "-f", "json")...)), &r); err != nil {
			t.Fatal(args, err)
		}
		return r
	}
	write("new/trials.ndjson", trials)
	write("old/trials.ndjson", strings.Replace(trials, "no", "never", 1))
	for _, f := range render.Formats {
		dir := "with-" + f.Name
		write(dir+"/trials.ndjson", trials)
		report := dir + "/report.out"
		run("report", "new", "-o", f.Name+"="+report)
		for _, args := range [][]string{{dir}, {dir + "/trials.ndjson", report}} {
			if args[0] != dir && f.Name != "junit" && f.Name != "tap" { // most cannot be read when they are named, or are merged as they were asked to be
				continue
			}
			if r := read(args...); r.Summary.Trials.Total != 4 || r.Summary.Trials.Passed != 2 {
				t.Errorf("%v: %d of %d trials passed, want 2 of 4", args, r.Summary.Trials.Passed, r.Summary.Trials.Total)
			}
		}
		run("report", "old", "-o", f.Name+"="+report)
		if r := read(dir); r.Summary.Trials.Total > 4 {
			told := false
			for _, p := range r.Problems {
				told = told || p.Code == "same-input" && strings.Contains(p.Message, "on trials that are not theirs")
			}
			if !told {
				t.Errorf("%s: a report on other trials counts as well, and nothing says so", f.Name)
			}
		} else if f.Name == "junit" || f.Name == "json" {
			t.Errorf("%s: a report on other trials was left out: it may be the only one that failed", f.Name)
		}
	}
	for _, name := range []string{"tap", "junit", "trx"} { // alone they are all there is
		run("report", "new", "-o", name+"=only/report."+name)
	}
	if r := read("only"); r.Summary.Trials.Total != 4 {
		t.Errorf("reports in three formats of one run: %d trials, want 4", r.Summary.Trials.Total)
	}
}
