package command

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	write(t, "new/trials.ndjson", trials)
	write(t, "old/trials.ndjson", strings.Replace(trials, "no", "never", 1))
	for _, f := range render.Formats {
		dir := "with-" + f.Name
		write(t, dir+"/trials.ndjson", trials)
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
				told = told || p.Code == "same-input" && strings.Contains(p.Message, "has trials that no other input has")
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

// TestOwnReportsOfStreams: the sum that a report carries is that of the trials it was made from, whatever they hold, for
// the reader of the stream and the report find it by themselves.
func TestOwnReportsOfStreams(t *testing.T) {
	streams, err := filepath.Glob("../testdata/streams/*.ndjson")
	if err != nil || len(streams) < 10 {
		t.Fatal(streams, err)
	}
	run := func(args ...string) {
		Main(append([]string{"tribunal", "report", "--no-config", "-q"}, args...), Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	}
	trials := func(path string) (total, passed int) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Summary struct {
				Trials struct{ Total, Passed int }
			}
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(path, err)
		}
		return r.Summary.Trials.Total, r.Summary.Trials.Passed
	}
	for _, stream := range streams {
		dir := t.TempDir()
		alone, report, both := filepath.Join(dir, "alone.json"), filepath.Join(dir, "report.xml"), filepath.Join(dir, "both.json")
		run(stream, "-o", alone, "-o", "junit="+report)
		run(stream, report, "-o", both)
		total, passed := trials(alone)
		if n, p := trials(both); n != total || p != passed {
			t.Errorf("%s: %d of %d trials passed with its report beside it, %d of %d alone", stream, p, n, passed, total)
		}
	}
}

// TestNoTextExcusesAReport: what a test says is no sum of its trials, whichever it names,
// and a report that failed is not passed over for it.
func TestNoTextExcusesAReport(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) (int, string) {
		var out strings.Builder
		code := Main(append([]string{"tribunal", "report", "--no-config"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		return code, out.String()
	}
	write(t, "passed.ndjson", `{"test":"a","status":"pass"}`+"\n")
	_, tap := run("passed.ndjson", "-f", "tap")
	_, sum, found := strings.Cut(tap, "# trials sum ")
	if !found {
		t.Fatal(tap)
	}
	sum, _, _ = strings.Cut(sum, "\n")
	for _, says := range []string{"# trials sum " + sum, `tribunal.trials.sum" value="` + sum, `runUser="tribunal ` + sum} {
		for _, name := range []string{"tap", "junit", "trx", "teamcity", "allure", "otlp"} {
			for _, field := range []string{"message", "test", "output"} {
				trial, err := json.Marshal(map[string]string{"suite": "s", "test": "b", "status": "fail", field: says})
				if err != nil {
					t.Fatal(err)
				}
				write(t, "failed.ndjson", string(trial)+"\n")
				if code, _ := run("failed.ndjson", "-q", "-o", name+"=failed."+name); code != 1 {
					t.Fatalf("%s: exit %d", name, code)
				}
				if code, out := run("passed.ndjson", "failed."+name, "-f", "minimal"); code != 1 {
					t.Errorf("%s with the %s %q: exit %d, want 1: %s", name, field, says, code, out)
				}
			}
		}
	}
}

// TestReportsKeepTheirErrors: a report of a stream that could not be read whole is none on the trials of another, or its
// error would be lost beside it; and one that was cut does not excuse the whole one behind it.
func TestReportsKeepTheirErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) (int, string) {
		var out strings.Builder
		code := Main(append([]string{"tribunal", "report", "--no-config", "-f", "minimal"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		return code, out.String()
	}
	const whole, broken = `{"test":"a","status":"pass"}` + "\n", "{\"test\":\n"
	for _, name := range []string{"json", "ndjson", "ctrf", "junit", "tap", "trx", "teamcity", "allure", "otlp"} {
		write(t, name+"/good.ndjson", whole)
		write(t, "broken.ndjson", whole+broken)
		run("broken.ndjson", "-o", name+"="+name+"/of-broken."+name)
		if code, out := run(name); code == 0 {
			t.Errorf("%s of a broken stream beside a whole one: exit 0: %s", name, out)
		}
		write(t, name+"/good.ndjson", whole+broken)
		if code, out := run(name); code != 2 || !strings.Contains(out, "1 trial") {
			t.Errorf("%s beside the broken stream it was made from: exit %d, want 2 and one trial: %s", name, code, out)
		}
	}

	write(t, "failed.ndjson", `{"test":"a","status":"fail"}`+"\n")
	run("failed.ndjson", "-o", "junit=cut/b.xml")
	text, err := os.ReadFile("cut/b.xml")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "<testcase")
	write(t, "cut/a.xml", head)
	if _, out := run("cut"); !strings.Contains(out, "1 test failed") && !strings.Contains(out, "FAIL") {
		t.Errorf("a report beside a copy of it that was cut: %s", out)
	}
}

// TestNamedReportsAreTold: a report that keeps all of its trials counts where somebody named it, for it may be of
// another run that was alike. Where trials count twice it is said, whichever comes first; where they are others, or are
// numbered and count once, it is not.
func TestNamedReportsAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		var out strings.Builder
		Main(append([]string{"tribunal"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
		return out.String()
	}
	for name, text := range map[string]string{
		"a.ndjson": `{"test":"a","status":"pass"}` + "\n" + `{"test":"a","status":"fail"}` + "\n", "b.ndjson": `{"test":"b","status":"pass"}` + "\n",
		"numbered.ndjson": `{"test":"a","status":"pass","attempt":0}` + "\n",
	} {
		write(t, name, text)
	}
	for _, made := range [][]string{{"a.ndjson", "-o", "a.json", "-o", "ndjson=a.lines", "-o", "ctrf=a.ctrf"}, {"a.ndjson", "b.ndjson", "-o", "c.json"}, {"b.ndjson", "-o", "b.json"}, {"numbered.ndjson", "-o", "numbered.json"}} {
		run(append([]string{"report", "-q"}, made...)...)
	}
	for _, c := range []struct {
		inputs []string
		twice  string // the input that is warned of
	}{
		{[]string{"a.ndjson", "a.json"}, "a.json: this has the same trials as a.ndjson"},
		{[]string{"a.json", "a.ndjson"}, "a.json: this has the same trials as a.ndjson"},
		{[]string{"a.ndjson", "a.lines"}, "a.lines: this has the same trials as a.ndjson"},
		{[]string{"a.ndjson", "a.ctrf"}, "a.ctrf: this has the same trials as a.ndjson"},
		{[]string{"a.json", "a.lines"}, ""}, // the same envelope, which counts once and is said
		{[]string{"a.ndjson", "b.ndjson", "c.json"}, "c.json: this has the same trials as the inputs before it"},
		{[]string{"c.json", "a.ndjson"}, "c.json: this has the same trials as a.ndjson"},
		{[]string{"a.ndjson", "c.json"}, "c.json: this has the same trials as a.ndjson"},
		{[]string{"a.ndjson", "b.json"}, ""},
		{[]string{"a.json", "b.json", "b.ndjson", "a.ndjson"}, "b.json: this has the same trials as b.ndjson"},
		{[]string{"numbered.ndjson", "numbered.json"}, ""},
	} {
		out := strings.Join(strings.Fields(run(append([]string{"report", "--no-config"}, c.inputs...)...)), " ")
		if told := strings.Contains(out, "same trials"); told != (c.twice != "") || !strings.Contains(out, c.twice) {
			t.Errorf("%v: want %q in\n%s", c.inputs, c.twice, out)
		}
	}
}

// TestHistoryAddsARunOnce: of a folder that holds runs and their reports the history takes each run once, and says what
// it passes over. Nights that were alike are nights, and what was broken is no report on what was not.
func TestHistoryAddsARunOnce(t *testing.T) {
	const passed, failed, broken = `{"test":"a","status":"pass"}` + "\n", `{"test":"a","status":"fail"}` + "\n", "{\"test\":\n"
	for _, c := range []struct {
		reason        string
		streams       map[string]string // what reports are made of
		kept          []string          // streams that are in the folder as well
		added, passed int
	}{
		{"a stream with its reports", map[string]string{"a": passed}, []string{"a"}, 1, 3},
		{"reports alone", map[string]string{"a": passed}, nil, 1, 2},
		{"other trials", map[string]string{"a": passed, "b": failed}, []string{"a"}, 2, 5},
		{"nights that were alike", map[string]string{"a": passed, "b": passed}, []string{"a", "b"}, 2, 6},
		{"nights that were alike, of which only the reports are here", map[string]string{"a": passed, "b": passed}, nil, 2, 4},
		{"a broken stream beside a whole one", map[string]string{"a": passed, "b": passed + broken}, []string{"a", "b"}, 2, 6},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Chdir(t.TempDir())
			run := func(args ...string) string {
				var out strings.Builder
				Main(append([]string{"tribunal"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
				return out.String()
			}
			for name, text := range c.streams {
				stream := name + ".ndjson"
				if slices.Contains(c.kept, name) {
					stream = filepath.Join("results", stream)
				}
				write(t, stream, text)
				at := filepath.Join("results", name)
				run("report", "-q", stream, "-o", at+".json", "-o", "junit="+at+".xml", "-o", "tap="+at+".tap")
			}
			out := run("history", "add", "results", "--db", "h.db")
			if added, passed := strings.Count("\n"+out, "\nadded "), strings.Count(out, "history add: skipped "); added != c.added || passed != c.passed {
				t.Errorf("%d runs added, want %d, and %d reports passed over, want %d:\n%s", added, c.added, passed, c.passed, out)
			}
		})
	}
}

// TestRunsOnceNamed: of several runs a side, one that is given twice is told.
func TestRunsOnceNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		var out strings.Builder
		Main(append([]string{"tribunal"}, args...), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
		return strings.Join(strings.Fields(out.String()), " ")
	}
	for name, text := range map[string]string{"a.ndjson": `{"test":"a","status":"pass"}` + "\n", "b.ndjson": `{"test":"a","status":"fail"}` + "\n"} {
		write(t, name, text)
	}
	run("report", "-q", "a.ndjson", "-o", "a.json")
	for second, want := range map[string]bool{"a.json": true, "b.ndjson": false} {
		out := run("compare", "--no-config", "--base", "a.ndjson", "--base", second, "--candidate", "b.ndjson")
		if told := strings.Contains(out, "a.json: this has the same trials as a.ndjson, but both count as runs"); told != want {
			t.Errorf("%s: told is %t:\n%s", second, told, out)
		}
	}
}
