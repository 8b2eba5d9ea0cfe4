package command

import (
	"os"
	"strings"
	"testing"
)

// TestFormatsFor: what a file is, what is in it, and what is lost.
func TestFormatsFor(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.xml":     `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="a" outcome="Failed"/></Results></TestRun>`,
		"notes.txt": "hello\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, want string
		code       int
	}{{"a.xml", "a.xml: trx (TRX of Visual Studio and dotnet test), recognised by its content\n  found  2 trials in 1 test\n  kept   ", 0}, {"notes.txt", "notes.txt: of no known format\n", 2}, {"none", "none: of no known format\n", 2}} {
		var out, errs strings.Builder
		code := Main([]string{"tribunal", "formats", "--for", c.path}, Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		if code != c.code || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.path, code, &out, &errs)
		}
	}
}
