package command

import (
	"os"
	"strings"
	"testing"
)

// TestConvert: what failed is written and reddens nothing; what cannot be read does.
func TestConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"good.xml":      `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="b" outcome="Failed"/></Results></TestRun>`,
		"cut.xml":       `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestRes`,
		"tribunal.yaml": "rule: wilson\nthreshold: 0.9\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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

// TestConvertToFiles: nobody who converts to a file reads FAIL (exit 1) of a command that
// ends with 0.
func TestConvertToFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in.xml", []byte(`<TestRun><Results><UnitTestResult testName="a" outcome="Failed"/></Results></TestRun>`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want, reason string }{
		{"-o out.xml", "", "a file"},
		{"-o out.xml -f minimal", "1 test: 0 passed, 1 failed; 0 of 1 trial passed; FAIL, exit 1\n", "a file, and what -f asks for"},
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
