package contract_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/compare"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
)

// owners are the folders that may set something of the whole process: the
// program's own, and what main has to ask for by a call.
var owners = map[string][]string{
	"debug.SetGCPercent":   {"."},
	"debug.SetMemoryLimit": {},
	"debug.SetMaxStack":    {},
	"log.SetOutput":        {},
	"log.SetFlags":         {},
	"os.Chdir":             {},
	"os.Clearenv":          {},
	"os.Exit":              {".", "command", "internal/run/process"}, // process.WatcherMain
	"os.Setenv":            {},
	"os.Unsetenv":          {},
	"signal.Ignore":        {"command", "internal/run/process"},
	"signal.Notify":        {"command"},
	"signal.Reset":         {},
}

// TestLibraryLeavesItsHost: whoever imports the packages keeps the process that
// they have. A word that is used by a folder that owns nothing is a failure.
func TestLibraryLeavesItsHost(t *testing.T) {
	used := map[string]bool{}
	eachSource(t, func(path string, file *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			word := of.Name + "." + selector.Sel.Name
			folders, process := owners[word]
			used[word] = true
			if process && !slices.Contains(folders, folder) {
				t.Errorf("%s: %s sets something of the whole process, which only %q may", path, word, folders)
			}
			return true
		})
	})
	for word, folders := range owners {
		if len(folders) > 0 && !used[word] {
			t.Errorf("nothing calls %s any more: drop its owners", word)
		}
	}
}

// ownModule reports whether a folder is a module of its own, of which nothing is in
// the program.
func ownModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// eachSource calls do with every file of the module that is no test.
func eachSource(t *testing.T, do func(path string, file *ast.File)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path != "." && ownModule(filepath.Join("..", path)) || entry.Name() == "testdata"):
			return fs.SkipDir // no code of the program
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		do(path, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mostOfAPicture is how many bytes a picture of the documents may have.
const mostOfAPicture = 300_000

// TestDocumentsShowTheTerminal: the picture of the terminal is what the program
// writes to one. With -update it is drawn.
func TestDocumentsShowTheTerminal(t *testing.T) {
	const path = "../docs/images/terminal.svg"
	var out, errs bytes.Buffer
	command.Main([]string{"tribunal", "report", "--color", "always", "../testdata/streams/weather-agent.ndjson"},
		command.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutWidth: 120, Getenv: func(string) string { return "" }})
	if errs.Len() > 0 {
		t.Fatal(errs.String())
	}
	want := drawn("tribunal report testdata/streams/weather-agent.ndjson", strings.ReplaceAll(out.String(), "../testdata", "testdata"))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the program writes: draw it with go test ./contract -run Documents -update (%v)", path, err)
	}
	if err := xml.Unmarshal([]byte(want), new(struct{ XMLName xml.Name })); err != nil {
		t.Error(err)
	}
}

// TestDocumentsHaveSmallPictures: every picture is shown somewhere, and loads fast.
func TestDocumentsHaveSmallPictures(t *testing.T) {
	var shown []byte
	for _, pattern := range []string{"../README.md", "../docs/*.md", "../docs/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		for _, page := range pages {
			text, failed := os.ReadFile(page)
			shown, err = append(shown, text...), errors.Join(err, failed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pictures, err := os.ReadDir("../docs/images")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		info, err := p.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > mostOfAPicture {
			t.Errorf("%s has %d bytes, more than %d", p.Name(), info.Size(), mostOfAPicture)
		}
		if !strings.Contains(string(shown), "images/"+p.Name()) {
			t.Errorf("%s is shown nowhere", p.Name())
		}
	}
}

// The size of a letter of the picture, and its colours.
const (
	mostLines                       = 60
	letterWidth, lineHeight, margin = 8.0, 18.0, 16.0
	paper, letters                  = "#16181d", "#e6e6e6"
)

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// drawn is a command and its output as SVG. Every run of one colour stands at its
// column, whatever letters the reader's machine has.
func drawn(line, output string) string {
	lines := strings.Split(strings.TrimRight("\x1b[38;5;244m$\x1b[0m \x1b[1m"+line+"\x1b[0m\n\n"+output, "\n"), "\n")
	lines = lines[:min(len(lines), mostLines)]
	columns := 0
	var texts strings.Builder
	for i, l := range lines {
		columns = max(columns, drawLine(&texts, l, margin+lineHeight*float64(i+1)-4))
	}
	width, height := 2*margin+letterWidth*float64(columns), 2*margin+lineHeight*float64(len(lines))
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]v" height="%[2]v" viewBox="0 0 %[1]v %[2]v" role="img" aria-label="%[3]s in a terminal">
<rect width="100%%" height="100%%" rx="8" fill="%[4]s"/>
<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.3">
%[5]s</g>
</svg>
`, width, height, line, paper, texts.String())
}

// drawLine writes the runs of a line and returns how many columns it has.
func drawLine(b *strings.Builder, line string, y float64) (column int) {
	fill, bold := letters, false
	for line != "" {
		at := sgr.FindStringSubmatchIndex(line)
		text := line
		if at != nil {
			text = line[:at[0]]
		}
		for _, word := range words.FindAllStringIndex(text, -1) { // blanks are no letters: SVG has one where there are many
			drawWord(b, text[word[0]:word[1]], column+displaywidth.String(text[:word[0]]), y, fill, bold)
		}
		column += displaywidth.String(text)
		if at == nil {
			break
		}
		fill, bold = styled(line[at[2]:at[3]], fill, bold)
		line = line[at[1]:]
	}
	return column
}

// words are what stands between two blanks and more.
var words = regexp.MustCompile(`\S+( \S+)*`)

func drawWord(b *strings.Builder, text string, column int, y float64, fill string, bold bool) {
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%v" y="%v" fill="%s"%s textLength="%v">`, margin+letterWidth*float64(column), y, fill, weight, letterWidth*float64(displaywidth.String(text)))
	xml.EscapeText(b, []byte(text))
	b.WriteString("</text>\n")
}

// styled is what a sequence makes of a style: 0 ends it, 1 is bold, 38;5;N a colour.
func styled(codes, fill string, bold bool) (string, bool) {
	words := strings.Split(codes, ";")
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "", "0":
			fill, bold = letters, false
		case "1":
			bold = true
		case "38":
			n, _ := strconv.Atoi(words[i+2])
			fill, i = colorOf(n), i+2
		}
	}
	return fill, bold
}

// colorOf is a colour of the 256 of xterm: a cube of 6 from 16 on, greys from 232 on.
func colorOf(n int) string {
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}

// reds are builds that are red though no test failed.
var reds = []golden{
	{"gate-of-run", "a number of the run", []string{"flaky"}, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{{Name: "sure", Expr: "summary.flaky == 0"}}}},
	{"gate-of-tests", "a number of each test", []string{"flaky"}, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{{Name: "steady", Expr: "reliability.passhat_k >= 80"}}}},
	{"run-below", "the threshold of the run", []string{"flaky"}, envelope.Policy{Rule: "any", RunThreshold: envelope.Some(0.99)}},
	{"run-undecided", "a run that is inconclusive, and that fails", []string{"flaky"}, envelope.Policy{Rule: "any", RunThreshold: envelope.Some(0.85), TreatAs: policy.TreatFail}},
	{"tests-undecided", "tests that are inconclusive, and that fails", []string{"skipped", "one-pass"}, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), TreatAs: policy.TreatFail}},
	{"nothing-can-pass", "a strict policy, and too few trials for it", []string{"one-pass"}, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), Strict: envelope.Some(true)}},
}

// TestRedIsRed: who looks at the tests of a report alone sees that the build is red.
func TestRedIsRed(t *testing.T) {
	for _, red := range reds {
		e := red.envelope(t)
		if c := e.Summary.Counts; c.Fail+c.Error > 0 || e.Gate.ExitCode == 0 {
			t.Fatalf("%s: %+v, exit code %d: the build is to be red, and no test", red.name, c, e.Gate.ExitCode)
		}
		if c := asCases(e); c.Fail+c.Error == 0 {
			t.Errorf("%s: nothing shows that the build is red: %s", red.name, red.reason)
		}
		for _, name := range []string{"junit", "tap", "gitlab", "ctrf", "sarif", "trx", "allure", "teamcity", "sonar"} {
			f, _ := render.Formats.ByName(name)
			if err := parsers[name](write(t, f, e), e); err != nil {
				t.Errorf("%s in %s: %s: %v", red.name, name, red.reason, err)
			}
		}
		f, _ := render.Formats.ByName("github")
		if log := string(write(t, f, e)); !strings.Contains(log, "\n::error ") {
			t.Errorf("%s in github: %s: no annotation is an error:\n%s", red.name, red.reason, log)
		}
	}
}

// TestGreenHasNoErrors: what is wrong and forgiven is a warning of a GitHub job that is
// green.
func TestGreenHasNoErrors(t *testing.T) {
	for _, green := range []golden{
		{"run-alone", "tests that failed where the run alone is judged", []string{"weather-agent"}, envelope.Policy{RunThreshold: envelope.Some(0.6)}},
		{"lenient", "records that cannot be read", []string{"problems"}, envelope.Policy{Rule: "any", Lenient: envelope.Some(true), RunThreshold: envelope.Some(0.1)}},
	} {
		e := green.envelope(t)
		f, _ := render.Formats.ByName("github")
		log := string(write(t, f, e))
		if e.Gate.ExitCode != 0 || strings.Contains(log, "::error ") || !strings.Contains(log, "::warning ") {
			t.Errorf("%s: exit code %d, %s:\n%s", green.name, e.Gate.ExitCode, green.reason, log)
		}
	}
}

// TestGateIsNoTest: what says that a gate does not hold is no test of a report that is
// read again. Where the report has no policy to judge it by, it is an error.
func TestGateIsNoTest(t *testing.T) {
	e := reds[0].envelope(t)
	for _, name := range []string{"json", "ndjson", "junit", "tap", "ctrf", "trx", "allure", "teamcity", "otlp"} {
		f, _ := render.Formats.ByName(name)
		b := count.NewBuilder(5, 0.5)
		read.Stream(b, name, bytes.NewReader(write(t, f, e)), "")
		run := b.Run("", 5)
		if len(run.Tests) != len(e.Tests) {
			t.Errorf("%s: %d tests of %d", name, len(run.Tests), len(e.Tests))
		}
		says := slices.ContainsFunc(run.Problems, func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError })
		if without := slices.Contains([]string{"tap", "trx", "allure", "teamcity", "otlp"}, name); says != without {
			t.Errorf("%s: an error: %v, want %v: %v", name, says, without, run.Problems)
		}
	}
}

// TestRedComparisonIsRed: a comparison may fail the build though nothing regressed.
func TestRedComparisonIsRed(t *testing.T) {
	base, candidate := reds[0].envelope(t), reds[0].envelope(t)
	candidate.Tests = candidate.Tests[1:]
	for failOn, fails := range map[string]bool{compare.OnRegressed: false, compare.OnGone: true, compare.OnUnresolved: true} {
		o := compare.Defaults()
		o.FailOn = []string{failOn}
		c, err := compare.Runs("", compare.Input{Envelope: base}, []compare.Input{{Envelope: candidate}}, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Gate.ExitCode == 1) != fails {
			t.Fatalf("--fail-on %s: exit code %d", failOn, c.Gate.ExitCode)
		}
		for format, red := range map[string]string{"github": "\n::error ", "gitlab": `"severity":"major"`} {
			f, _ := render.Comparisons.ByName(format)
			if out := string(written(t, f, c, render.Settings{})); strings.Contains(out, red) != fails {
				t.Errorf("--fail-on %s in %s: %s", failOn, format, out)
			}
		}
	}
}
