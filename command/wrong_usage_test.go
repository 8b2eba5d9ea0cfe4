package command

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tribunal/verdict/gate"
)

// inEmptyFolder runs the program in a folder with one file, in.ndjson.
func inEmptyFolder(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in.ndjson", []byte(`{"test":"a","attempt":0,"status":"pass","labels":{"model":"opus"}}
{"test":"b","attempt":0,"status":"pass","labels":{"model":"haiku"}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = Main(append([]string{"tribunal"}, args...), Env{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	return code, out.String(), errs.String()
}

// TestUnusableIsSaid: whatever ends with exit code 2 says on standard error what
// was wrong, whether or not a report says it, too.
func TestUnusableIsSaid(t *testing.T) {
	for _, c := range []struct {
		reason string
		args   string
		stdin  string
		words  string
	}{
		{"no command of this name", "reprot", "", "did you mean report"},
		{"no input at all", "report -", "", "no trial"},
		{"a file that is not there", "report missing.ndjson", "", "missing.ndjson"},
		{"a glob that matches nothing", "report *.xml", "", "no file matches"},
		{"input of no known format", "report -", "hello\n", "format"},
		{"a broken line", "report -", "{\"test\":\"a\",\"status\":\"pass\"}\n{\"test\":\n", "2"},
		{"a line without a status", "report - --from native", "{\"test\":\"a\"}\n", "status"},
		{"fewer trials than planned", "report in.ndjson --expect-trials 3", "", "3"},
		{"fewer tests than planned", "report in.ndjson --expect-tests 3", "", "3"},
		{"strict, and nothing was judged", "report - --strict -f json", "{\"test\":\"a\",\"status\":\"skip\"}\n", "NOTHING JUDGED"},
		{"strict, and nothing was judged, in words", "report - --strict", "{\"test\":\"a\",\"status\":\"skip\"}\n", "NOTHING JUDGED"},
		{"strict, and nothing can pass", "report in.ndjson --strict --rule wilson --threshold 0.9", "", "NOTHING"},
		{"strict, and one trial came twice", "report in.ndjson in.ndjson --strict -f json", "", "in.ndjson"},
		{"a test that is not there", "report in.ndjson --explain zzz", "", "zzz"},
		{"an unwritable output", "report in.ndjson -o json=in.ndjson/x", "", "in.ndjson/x"},
		{"a wrong gate", "report in.ndjson --gate 1+", "", "gate"},
		{"no test in common", "compare in.ndjson --by model --base-value opus", "", "run the same tests with both values of model"},
		{"no test in common, for machines", "compare in.ndjson --by model --base-value opus -f json", "", "no test is on both sides"},
		{"no such value", "compare in.ndjson --by model --base-value sonnet", "", "known are haiku, opus"},
		{"no such label", "compare in.ndjson --by color", "", "known are"},
		{"one side is empty", "compare in.ndjson -", "", "no trial"},
		{"one side is missing", "compare in.ndjson", "", "BASE and CANDIDATE"},
		{"--base-value without --by", "compare in.ndjson in.ndjson --base-value x", "", "--by"},
		{"nothing to plan", "plan", "", "nothing to plan"},
		{"a plan of a broken input", "plan -", "{\"test\":\n", "1"},
		{"a plan for no trials", "plan --rule wilson --threshold 0.9 --trials 0", "", "trials"},
		{"no such schema", "schema nothing", "", "known are"},
		{"no schema", "schema", "", "name one of"},
		{"too much for formats", "formats x", "", "takes no argument"},
		{"too much for formats in Markdown", "formats --markdown x", "", "takes no argument"},
		{"no command of history", "history nothing", "", "unknown command"},
		{"no history", "history list", "", "there is no history yet"},
		{"no run is named", "history show", "", "name one run"},
		{"nothing to add", "history add -", "", "no trial"},
		{"a broken line to add", "history add -", "{\"test\":\"a\",\"status\":\"pass\"}\n{\"test\":\n", "2"},
		{"what to prune is not said", "history prune", "", "--keep"},
		{"a past without history", "report in.ndjson --history-window 3", "", "--history"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			code, out, errs := inEmptyFolder(t, c.stdin, strings.Fields(c.args)...)
			if code != gate.ExitUnusable || !strings.HasPrefix(errs, "tribunal: ") || !strings.Contains(errs, c.words) {
				t.Errorf("tribunal %s: exit %d, want 2 and %q on standard error:\n%s\nstandard output:\n%s", c.args, code, c.words, errs, out)
			}
		})
	}
}

// TestWrongFlagsAreSaid: no flag of any command takes what it cannot take, or
// ends with exit code 2 in silence.
func TestWrongFlagsAreSaid(t *testing.T) {
	try := func(path []string, flag string) {
		args := append(slices.Clone(path), flag, "\x00?")
		if code, _, errs := inEmptyFolder(t, "", args...); code > gate.ExitFailed && errs == "" {
			t.Errorf("tribunal %q: exit %d and not a word", args, code)
		}
		args = append(slices.Clone(path), flag) // without its value
		if code, _, errs := inEmptyFolder(t, "", args...); code > gate.ExitFailed && errs == "" {
			t.Errorf("tribunal %q: exit %d and not a word", args, code)
		}
	}
	tried := 0
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			path := append(slices.Clone(path), c.Name)
			walk(path, c.Subcommands)
			for _, f := range c.Flags {
				for _, name := range f.Names() {
					dashes := "--"
					if len(name) == 1 {
						dashes = "-"
					}
					try(path, dashes+name)
					tried++
				}
			}
			try(path, "--no-such-flag")
		}
	}
	walk(nil, newApp(Env{}, &behindDashes{}).Commands)
	if tried < 100 {
		t.Errorf("only %d flags were found", tried)
	}
}
