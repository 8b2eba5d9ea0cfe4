package command

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/command/input"
	"tribunal/internal/verdict/gate"
	"tribunal/render"
)

// TestExisting: the report that is written is told how much is in the file of
// its second part, before that one is added.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 12), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int64{full: 12, filepath.Join(dir, "new"): 0, "": -1} {
		told := int64(7)
		format := render.Format{
			Write: func(_ io.Writer, _ *envelope.Envelope, s render.Settings) error {
				told = s.Existing
				return nil
			},
			Append: &render.Append[*envelope.Envelope]{Env: "SUMMARY"},
		}
		o := output[*envelope.Envelope]{path: input.Standard, format: format}
		if err := o.write(Env{Stdout: io.Discard, Getenv: func(string) string { return path }}, nil); err != nil || told != want {
			t.Errorf("%q: told %d (%v), want %d", filepath.Base(path), told, err, want)
		}
	}
}

// TestLarge: a report that its readers have trouble with is announced, one that
// they have not, or a format without a limit, is not.
func TestLarge(t *testing.T) {
	for large, want := range map[int64]string{3: "report.html: this html file has 0 MB, and above 0 MB", 4: "", 0: ""} {
		format := render.Format{Name: "html", Large: large, Write: func(w io.Writer, _ *envelope.Envelope, _ render.Settings) error {
			_, err := io.WriteString(w, "four")
			return err
		}}
		for path, place := range map[string]string{"report.html": "report.html", input.Standard: "standard output"} {
			t.Chdir(t.TempDir())
			var said strings.Builder
			o := output[*envelope.Envelope]{path: path, format: format}
			if err := o.write(Env{Stdout: io.Discard, Stderr: &said}, nil); err != nil {
				t.Fatal(err)
			}
			if got, want := said.String(), strings.Replace(want, "report.html", place, 1); !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("limit %d, to %s: %q, want %q in it", large, path, got, want)
			}
		}
	}
}

// TestOwnReportsAreReplaced: every report may lie among the files of a directory
// that it is made from, in whichever form, and is written anew the next time.
func TestOwnReportsAreReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "results/trials.ndjson", `{"test":"a","status":"pass"}`+"\n"+`{"test":"b","status":"fail"}`+"\n")
	var forms [][]string
	for _, f := range render.Formats {
		forms = append(forms, []string{f.Name})
		for _, o := range f.Options {
			for _, value := range o.Values[min(1, len(o.Values)):] {
				forms = append(forms, []string{f.Name, "--" + o.Name + "=" + value})
			}
		}
	}
	for _, form := range forms {
		for _, packing := range []string{"", ".gz", ".zst"} {
			path := "results/report" + packing
			args := append([]string{"tribunal", "report", "results", "--no-config", "-f", "minimal", "-o", form[0] + "=" + path}, form[1:]...)
			for _, time := range []string{"first", "second"} {
				var out, errs strings.Builder
				code := Main(args, Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
				if code != 1 || !strings.Contains(out.String(), "2 tests: 1 passed, 1 failed") {
					t.Errorf("%s, the %s time: exit code %d\n%s%s", strings.Join(args, " "), time, code, &out, &errs)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNoReportConfirmsAGuess: of two runs that differ in a secret alone every report is
// the same, so that no digest, sum or order in it confirms a guess. A report has digests
// only where its format says that it shows rows. Deliveries of one trial that differ in a
// secret count once.
func TestNoReportConfirmsAGuess(t *testing.T) {
	t.Chdir(t.TempDir())
	report := func(format, trials, secret string) string {
		write(t, "trials.ndjson", strings.ReplaceAll(trials, "SECRET", "token="+secret)+"\n")
		Main([]string{"tribunal", "report", "--no-config", "-q", "trials.ndjson", "-o", format + "=report.out"},
			Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		text, err := os.ReadFile("report.out")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const secret, again = "q7Lw2ZpX9vRt4NbK8sMd", "Zm3Kc8Yt5HsW2QxJ7rPv"
	for name, trials := range map[string]string{
		"alone": `{"test":"a","status":"fail","message":"no","output":"GET /?SECRET failed"}`,
		"of one place": `{"test":"a","attempt":1,"status":"fail","output":"SECRET"}
{"test":"a","attempt":1,"status":"fail","output":"another"}
{"test":"a","attempt":1,"status":"pass"}`,
		"with a conversation": `{"test":"a","status":"fail","message":"SECRET","checks":[{"name":"c","status":"fail","reason":"SECRET"}],"transcript":[{"role":"user","text":"SECRET"}]}`,
	} {
		for _, f := range render.Formats {
			first := report(f.Name, trials, secret)
			for _, guess := range []string{again, "pD4gT9nVb6Xa1LzRk0Cu"} {
				if got := report(f.Name, trials, guess); got != first {
					t.Errorf("%s, %s: two secrets make two reports:\n%s\n%s", name, f.Name, first, got)
				}
			}
			if digests := strings.Contains(first, `digest"`) || strings.Contains(first, "digest&#34;"); name == "alone" && digests != f.Rows {
				t.Errorf("%s: digests %v, want %v", f.Name, digests, f.Rows)
			}
		}
	}
	const twice = `{"test":"a","attempt":1,"status":"fail","output":"SECRET"}
{"test":"a","attempt":1,"status":"fail","output":"token=` + again + `"}`
	if got := report("minimal", twice, secret); !strings.Contains(got, "0 of 1 trial passed") {
		t.Errorf("two deliveries of one trial: %s", got)
	}
}

// TestSumsOfTheFirstVersion: a report whose sum has digests, as earlier programs wrote it,
// is known beside what it was made from, and only there.
func TestSumsOfTheFirstVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	const trials = `{"test":"a","status":"pass"}
{"test":"a","status":"fail","message":"no"}
`
	for text, want := range map[string]string{trials: "1 of 2 trials", strings.Replace(trials, "no", "never", 1): "2 of 4 trials"} {
		for name, text := range map[string]string{"trials.ndjson": text, "report.tap": earlierTAP} {
			write(t, name, text)
		}
		var out strings.Builder
		Main([]string{"tribunal", "report", "--no-config", ".", "-f", "minimal"}, Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s, want %s", text, out.String(), want)
		}
	}
}

// earlierTAP is what the last program wrote that made sums of the first version.
const earlierTAP = `TAP version 13
1..1
not ok 1 - a
  ---
  verdict: "fail"
  passed: 1
  counted: 2
  trials: "PF"
  message: "no"
  ...
# trials sum 2-55202f47888446ac
# 1 of 2 counted trials passed over 1 tests
`

// TestACutRunOfAnExportCostsNoOther: an export may lose its end, or lines of a run in it.
func TestACutRunOfAnExportCostsNoOther(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, id := range []string{"1", "2", "3"} {
		write(t, id+".ndjson", `{"type":"run","id":"`+id+`"}`+"\n"+`{"test":"t","status":"pass"}`+"\n")
	}
	tribunal(t, gate.ExitOK, "history", "add", "--db", "whole.db", "1.ndjson", "2.ndjson", "3.ndjson")
	export, _ := tribunal(t, gate.ExitOK, "history", "export", "--db", "whole.db")
	lines := strings.SplitAfter(export, "\n") // three a run
	for _, c := range []struct {
		reason, export string
		cut            string
	}{
		{"the last run ends too early", strings.Join(lines[:8], ""), "its run 3: "},
		{"a line of the first run is cut, and the rest of it is gone", strings.Join(append([]string{lines[0], lines[1][:40] + "\n"}, lines[3:]...), ""), "its run 1: "},
		{"the second run has no end", strings.Join(append(lines[:5:5], lines[6:]...), ""), "its run 2: "},
	} {
		write(t, "cut.ndjson", c.export)
		out, errs := tribunal(t, gate.ExitUnusable, "history", "add", "--db", filepath.Join(t.TempDir(), "h.db"), "cut.ndjson")
		if strings.Count(out, "added ") != 2 || !strings.Contains(errs, "cut.ndjson: "+c.cut) || !strings.Contains(errs, "the run was not added") {
			t.Errorf("%s:\n%s%s", c.reason, out, errs)
		}
	}
}

// write writes a file, and the folder that it is in.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// tribunal runs the program and returns what it wrote.
func tribunal(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	if code := Main(append([]string{"tribunal"}, args...), env); code != want {
		t.Fatalf("%v: exit %d, want %d\n%s", args, code, want, errs.String())
	}
	return out.String(), errs.String()
}

// TestAnExportPartsBeforeEveryHeader: wherever in what is held a run begins, and
// however little is read at once. What merely looks like a header belongs to its run.
func TestAnExportPartsBeforeEveryHeader(t *testing.T) {
	for width := 1; width < 2*len(headerMark); width++ {
		padding := strings.Repeat("x", width)
		runs := []string{
			headerMark + padding + "}\n" + `{"message":"` + strings.ReplaceAll(headerMark, `"`, `\"`) + "\"}\n" + padding + headerMark + "\n",
			headerMark + "}\n\n\n",
			headerMark + headerMark[:width/2] + "\n" + headerMark[:width/2] + "\n",
			headerMark,
		}
		for _, asked := range []int{1, 7, 300} {
			in := bufio.NewReaderSize(strings.NewReader(strings.Join(runs, "")), 64)
			var got []string
			for more(in) {
				var run bytes.Buffer
				if _, err := io.CopyBuffer(struct{ io.Writer }{&run}, newEnvelopePart(in), make([]byte, asked)); err != nil {
					t.Fatal(err)
				}
				got = append(got, run.String())
			}
			if !slices.Equal(got, runs) {
				t.Fatalf("%d bytes between, %d read at once: %q, want %q", width, asked, got, runs)
			}
		}
	}
}

// TestConvert: what failed is written and reddens nothing; what cannot be read does.
func TestConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"good.xml":      `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="b" outcome="Failed"/></Results></TestRun>`,
		"cut.xml":       `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestRes`,
		"tribunal.yaml": "rule: wilson\nthreshold: 0.9\n",
	} {
		write(t, name, text)
	}
	for _, c := range []struct {
		args   []string
		code   int
		want   string // in the output, or in what is said
		reason string
	}{
		{[]string{"good.xml", "-f", "minimal"}, 0, "2 tests: 1 passed, 1 failed", "a test that failed; no policy of the configuration judges it"},
		{[]string{"good.xml", "-o", "junit=-"}, 0, `<failure `, "written as another format"},
		{[]string{"cut.xml", "-f", "minimal"}, 2, "reading the report stopped here", "an input that is cut"},
		{[]string{"none.xml"}, 2, "cannot open", "no input"},
		{[]string{"good.xml", "--threshold", "0.9"}, 2, "threshold", "nothing is judged"},
	} {
		var out, errs strings.Builder
		code := Main(append([]string{"tribunal", "convert"}, c.args...), Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.reason, code, c.code, &out, &errs)
		}
	}
}

// TestConvertToFiles: nobody who converts to a file reads FAIL (exit 1) of a command that ends with 0.
func TestConvertToFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in.xml", `<TestRun><Results><UnitTestResult testName="a" outcome="Failed"/></Results></TestRun>`)
	for _, c := range []struct{ args, want, reason string }{
		{"-o out.xml", "", "a file"},
		{"-o out.xml -f minimal", "1 test: 0 passed, 1 failed; 0 of 1 trial passed; FAIL, exit 0\n", "a file, and what -f asks for"},
	} {
		var out, errs strings.Builder
		code := Main(append([]string{"tribunal", "convert", "in.xml"}, strings.Fields(c.args)...), Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		if code != 0 || out.String() != c.want || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, %q", c.reason, code, &out, &errs)
		}
		if text, err := os.ReadFile("out.xml"); err != nil || !strings.Contains(string(text), "<failure ") {
			t.Errorf("%s: %s %v", c.reason, text, err)
		}
	}
}
