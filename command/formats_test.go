package command

import (
	"bytes"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"tribunal/internal/verdict/gate"
	"tribunal/read"
)

// TestFormatsApart: a blank stands between the longest name of a format and its words.
func TestFormatsApart(t *testing.T) {
	var out bytes.Buffer
	if code := Main([]string{"tribunal", "formats"}, Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &out)
	}
	for _, f := range read.Formats {
		if !strings.Contains(out.String(), "\n  "+f.Name+" ") {
			t.Errorf("no line says %q and then what it is", f.Name)
		}
	}
}

// TestFormatsFor: what a file is, what is in it, and what is lost.
func TestFormatsFor(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.xml":     `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="a" outcome="Failed"/></Results></TestRun>`,
		"notes.txt": "hello\n",
	} {
		write(t, name, text)
	}
	for _, c := range []struct {
		path, want string
		code       int
	}{{"a.xml", "a.xml: trx (TRX of Visual Studio and dotnet test), recognised by its content\n  found  2 trials in 1 test\n  keeps  ", 0}, {"notes.txt", "notes.txt: of no known format\n", 2}, {"none", "", 2}} {
		var out, errs strings.Builder
		code := Main([]string{"tribunal", "formats", "--for", c.path}, Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		if code != c.code || !strings.HasPrefix(out.String(), c.want) || c.want == "" && !strings.Contains(errs.String(), "none: cannot open: ") {
			t.Errorf("%s: exit code %d\n%s%s", c.path, code, &out, &errs)
		}
	}
}

// inEmptyFolder runs the program in a folder with one file, in.ndjson.
func inEmptyFolder(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "in.ndjson", `{"test":"a","attempt":0,"status":"pass","labels":{"model":"opus"}}
{"test":"b","attempt":0,"status":"pass","labels":{"model":"haiku"}}
`)
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
		{"no such value", "compare in.ndjson --by model --base-value sonnet", "", `use one of "haiku", "opus"`},
		{"no such label", "compare in.ndjson --by color", "", "the only one here is"},
		{"one side is empty", "compare in.ndjson -", "", "no trial"},
		{"one side is missing", "compare in.ndjson", "", "BASE and CANDIDATE"},
		{"--base-value without --by", "compare in.ndjson in.ndjson --base-value x", "", "--by"},
		{"nothing to plan", "plan", "", "nothing to plan"},
		{"a plan of a broken input", "plan -", "{\"test\":\n", "1"},
		{"a plan for no trials", "plan --rule wilson --threshold 0.9 --trials 0", "", "trials"},
		{"no such schema", "schema nothing", "", "use one of"},
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

// TestWrongFlagsAreSaid: no flag of any command takes what it cannot take, or ends with exit code 2 in silence.
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
	eachCommand(newApp(Env{}, &behindDashes{}).Commands, nil, func(path []string, c *cli.Command) {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				try(path, dashed(name))
				tried++
			}
		}
		try(path, "--no-such-flag")
	})
	if tried < 100 {
		t.Errorf("only %d flags were found", tried)
	}
}

// longestHelp is how many characters the text of a flag has, without its choices and
// its default.
const longestHelp = 70

// choicesOf are the words that help lists at the end of a flag's text.
var choicesOf = regexp.MustCompile(`: [\w-]+(, [\w-]+)+$`)

func helpLine(f cli.Flag) string {
	says := described(f).says
	return choicesOf.ReplaceAllString(says, "")
}

// TestHelpFitsAScreen: no line of any help is wider than the terminal, every flag of a
// command is in it when all are asked for, and what is shown at once is a screen.
func TestHelpFitsAScreen(t *testing.T) {
	const screen = 56 // lines of a terminal on half of a common display
	found := map[string]int{}
	eachCommand(newApp(Env{}, &behindDashes{}).Commands, nil, func(path []string, c *cli.Command) {
		command := strings.Join(path, " ")
		copiesOfExamples(t, command, c)
		if len(c.Subcommands) > 0 {
			return
		}
		_, short, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help")...)
		_, all, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help", "all")...)
		for _, f := range c.VisibleFlags() {
			name := f.Names()[0]
			if name != "help" && !strings.Contains(all, "-"+name) {
				t.Errorf("%s --help all: there is no %s", command, name)
			}
			if says := helpLine(f); len([]rune(says)) > longestHelp {
				t.Errorf("%s --%s: %d characters: %s", command, name, len([]rune(says)), says)
			}
			if described(f).value == "VALUE" {
				t.Errorf("%s %s: add the flag to valueKinds", command, name)
			}
			if slices.Contains(needed[command], name) {
				found[command]++
			}
		}
		if n := found[command]; n != len(needed[command]) {
			t.Errorf("%s has %d of the flags that are needed most: %v", command, n, needed[command])
		}
		// A line that a pipe begins is an example as well, and one that is too long stands in two.
		example := regexp.MustCompile(`(?m)^   (\S.* )?tribunal `)
		shown, has := len(example.FindAllString(short, -1)), len(example.FindAllString(all, -1))
		if says := strings.Contains(short, "everything, with all examples"); says != (shown < has) {
			t.Errorf("%s --help shows %d of %d examples, and says that there are more: %v", command, shown, has, says)
		}
		if n := strings.Count(short, "\n"); n > screen {
			t.Errorf("%s --help has %d lines", command, n)
		}
	})
	for name := range needed {
		if found[name] == 0 {
			t.Errorf("no command is named %s", name)
		}
	}
	if code, _, errs := inEmptyFolder(t, "", "report", "--help", "verdct"); code != gate.ExitUnusable || !strings.Contains(errs, "did you mean verdict?") {
		t.Errorf("a group that is not there: exit %d, %s", code, errs)
	}
}

// copiesOfExamples checks that each example is a whole command when it is copied from a
// terminal of 80 columns: it fits in a line, or each line but the last ends in a backslash.
func copiesOfExamples(t *testing.T, name string, c *cli.Command) {
	var screen strings.Builder
	for _, group := range [][]string{nil, {everyGroup}} {
		if err := showHelp(&screen, name, c, group, 80); err != nil {
			t.Error(err)
		}
	}
	for line := range strings.Lines(screen.String()) {
		if n := len([]rune(line)) - 1; n > 80 {
			t.Errorf("%s --help: a line of %d columns: %s", name, n, line)
		}
	}
	copied := regexp.MustCompile(` \\\n +`).ReplaceAllString(screen.String(), " ")
	for _, line := range regexp.MustCompile(`(?m)^   .*tribunal .*$`).FindAllString(c.Description, -1) {
		if example, _, _ := strings.Cut(line[3:], "   "); !strings.Contains(copied, "   "+example) {
			t.Errorf("%s --help: a copy of this breaks: %s", name, example)
		}
	}
}

func testApp() (*cli.App, Env) {
	env := Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}
	return newApp(env, &behindDashes{}), env
}

// eachCommand calls do with every command.
func eachCommand(commands []*cli.Command, above []string, do func(path []string, c *cli.Command)) {
	for _, c := range commands {
		path := append(slices.Clone(above), c.Name)
		do(path, c)
		eachCommand(c.Subcommands, path, do)
	}
}

// TestEveryFormatFlagIsCompleted: a command that writes formats, and is not known to the completion, is found.
func TestEveryFormatFlagIsCompleted(t *testing.T) {
	app, env := testApp()
	eachCommand(app.Commands, nil, func(path []string, c *cli.Command) {
		for _, f := range c.Flags {
			if f.Names()[0] == "format" && len(candidates(app, env, append(path, "-f"), "")) == 0 {
				t.Errorf("tribunal %s -f completes nothing", strings.Join(path, " "))
			}
		}
	})
}

// TestCompleted: what can stand where, by words that the tables and help have.
func TestCompleted(t *testing.T) {
	app, env := testApp()
	for _, c := range []struct {
		reason, line string
		has, not     []string
	}{
		{"commands", "", []string{"report", "history", "version"}, []string{"--help", "trend"}},
		{"commands below a command", "history ", []string{"trend", "release"}, []string{"report"}},
		{"flags by all names, the hidden ones left out", "run -", []string{"-n", "--trials", "--help"}, []string{"--cost-limit-usd"}},
		{"words of compare, which has an --adjust of its own", "compare a b --adjust ", []string{"holm"}, []string{"json"}},
		{"words of a setting", "run --stop ", []string{"full", "early"}, nil},
		{"an output begins with its format", "report -o ", []string{"junit="}, []string{"junit"}},
		{"a value behind =", "report --treat-as=", []string{"--treat-as=exit3"}, nil},
		{"an option of a format", "report --junit-profile ", []string{"gitlab", "jenkins"}, nil},
		{"inputs are files", "report ", nil, []string{"report"}},
		{"a test behind =, where no input is named", "report --explain=", nil, []string{"--explain="}},
		{"a file of formats, which is none of init's starters", "formats --for ", nil, []string{"agent"}},
		{"words of rank", "rank a --pairing ", []string{"auto"}, nil},
		{"what a run starts is no word of ours", "run -n 2 -- -", nil, []string{"--trials"}},
		{"a switch has no value", "report --lenient --r", []string{"--rule"}, nil},
	} {
		words := strings.Split(c.line, " ")
		var offered []string
		for _, v := range candidates(app, env, words[:len(words)-1], words[len(words)-1]) {
			offered = append(offered, v.word)
		}
		for _, want := range c.has {
			if !slices.Contains(offered, want) {
				t.Errorf("%s: %q does not offer %s, but %q", c.reason, c.line, want, offered)
			}
		}
		for _, not := range c.not {
			if slices.Contains(offered, not) {
				t.Errorf("%s: %q offers %s", c.reason, c.line, not)
			}
		}
	}
}

// TestBuilds: what the linker was told goes before what the Go tool recorded.
func TestBuilds(t *testing.T) {
	recorded := &debug.BuildInfo{Main: debug.Module{Version: "v0.3.1-0.20260102030405-9f2c1e7d4b8a+dirty"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "9f2c1e7d"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		reason string
		info   *debug.BuildInfo
		linked build
		want   string
	}{
		{"a release", recorded, build{Version: "v1.0.0", Commit: "41b6e0d2", Date: "2026-02-03T00:00:00Z"}, "tribunal v1.0.0\ncommit   41b6e0d2\ndate     2026-02-03T00:00:00Z\n"},
		{"go build in a checkout with changes", recorded, build{}, "tribunal v0.3.1-0.20260102030405-9f2c1e7d4b8a+dirty\ncommit   9f2c1e7d, with uncommitted changes\ndate     2026-01-02T03:04:05Z\n"},
		{"go install of a version", &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0"}}, build{}, "tribunal v1.0.0\n"},
		{"go run without version control", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, build{}, "tribunal development version\n"},
		{"nothing recorded", nil, build{}, "tribunal development version\n"},
	} {
		words := buildOf(c.info, c.linked).words()
		got, _, _ := strings.Cut(words, "built ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}
