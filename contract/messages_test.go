package contract_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/render"
)

// sinks are the functions, and the fields of a literal, whose texts a person reads: as an
// error, a warning or a note, or on the screen.
var sinks = regexp.MustCompile(`^(Errorf|New|Fatalf?|Sprintf|Fprintf|Fprintln|Fprint|WriteString|line|row|wrapped|say|[fF]ault|[pP]roblem|note|Reject|Explain|[fF]ail|[wW]arn|[rR]efused?|[uU]nreadable|Truncated|` +
	`[mM]alformed|report|mismatch|failed|Leave|passOver|once|advise|again|raise|unscored|Message|reason|why|Note)$`)

// ofTests are packages that only tests and benchmarks use. What packages of ofReports
// format is labels and headings, which goldens have, unless it is as long as a sentence.
var (
	ofTests   = regexp.MustCompile(`^(internal/hostile|(read|render)/internal/(read|render)test|scripts/bench/stream)(/|$)`)
	ofReports = regexp.MustCompile(`^(render|scripts)(/|$)`)
	formats   = regexp.MustCompile(`^(Sprintf|Fprint(f|ln)?|WriteString|line|row|wrapped|note|say|reason)$`)
	inWords   = regexp.MustCompile(`\pL{2,}`)
)

// longestLabel is the words of a label, without numbers and names.
const longestLabel = 7

// screens are the sinks that write more than messages. What they write of Markdown, JSON,
// XML and manual pages begins like ofMarkup.
var (
	screens  = regexp.MustCompile(`^(Fprint(f|ln)?|WriteString|line|row|wrapped)$`)
	ofMarkup = regexp.MustCompile("^([|<{\\[.#`\x1b]|\\*\\*|%%)")
)

// TestMessages: every text of an error, a warning or a note follows the rules that a
// machine can check, and testdata/messages.txt has them all, to read them in one go.
func TestMessages(t *testing.T) {
	rooms := messages(t)
	var all strings.Builder
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		fmt.Fprintf(&all, "\n# %s\n", room)
		for _, said := range slices.Compact(slices.Sorted(slices.Values(rooms[room]))) {
			all.WriteString(strings.ReplaceAll(said, "\n", `\n`) + "\n")
			for _, fault := range unlikeVoice(said) {
				t.Errorf("%s: %s: %q", room, fault, said)
			}
		}
	}
	compareGolden(t, "testdata/messages.txt", "write the list with -run Messages -update, and read what is new", []byte(all.String()))
}

var (
	capitals    = regexp.MustCompile(`^[A-Z][a-z]+ `)
	shouted     = regexp.MustCompile(`!$|\b(WARNING|MUST|NOT|NEVER|INVALID|FATAL)\b`)
	indented    = regexp.MustCompile(`(?m)^ .*$`) // an example, or what an exit code means
	verbs       = regexp.MustCompile(`%[-+#0]*[0-9]*(\.[0-9]+)?[a-zA-Z]`)
	laidOut     = regexp.MustCompile(`\n  found  |bytes left out …\n`) // a table, and a text that is cut
	properNames = regexp.MustCompile(`^(Tribunal|Jest|Meson|Newman|Playwright|Vitest|Mocha|Wrong Answer:|Every flag) `)
)

func unlikeVoice(said string) (faults []string) {
	plain := verbs.ReplaceAllString(codeSpan.ReplaceAllString(said, "x"), "x")
	faults = unclear(strings.ReplaceAll(plain, "; ", ". "))
	if capitals.MatchString(plain) && !strings.HasSuffix(plain, ".") && !properNames.MatchString(plain) { // a sentence of a page begins with a capital
		faults = append(faults, "begin in small letters")
	}
	if shouted.MatchString(plain) {
		faults = append(faults, "do not shout")
	}
	if strings.Count(strings.TrimSpace(said), "\n") > 1 && !laidOut.MatchString(said) {
		faults = append(faults, "use at most two lines")
	}
	return faults
}

// messages are the texts of all messages, by the package that has them.
func messages(t *testing.T) map[string][]string {
	t.Helper()
	rooms := map[string][]string{}
	paths := sources(t)
	for _, pattern := range []string{"../run/jetstream/*.go", "../scripts/*/*.go", "../scripts/bench/*/*.go"} { // modules of their own
		apart, err := filepath.Glob(pattern)
		if err != nil || len(apart) == 0 {
			t.Fatalf("no files of %s: %v", pattern, err)
		}
		paths = append(paths, apart...)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		room := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../"))
		if ofTests.MatchString(room) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name, texts := sinkOf(n)
			for _, text := range texts {
				said, is := textOf(text)
				if faults := unclear(indented.ReplaceAllString(said, "\n")); len(faults) > 0 && (name == "Description" || name == "Usage") {
					t.Errorf("%s --help: %s", path, faults)
				}
				said = strings.TrimPrefix(said, "tribunal: ")
				plain := verbs.ReplaceAllString(said, "x")
				short := len(strings.Fields(plain)) < 4 || // a part of a message, or a label
					ofReports.MatchString(room) && formats.MatchString(name) && len(inWords.FindAllString(plain, -1)) <= longestLabel
				if is && !short && sinks.MatchString(name) && !(screens.MatchString(name) && ofMarkup.MatchString(strings.TrimSpace(said))) {
					rooms[room] = append(rooms[room], strings.TrimRight(said, "\n"))
				}
			}
			return true
		})
	}
	return rooms
}

// sinkOf is the name of what a node calls or sets, and what it gives to that.
func sinkOf(n ast.Node) (string, []ast.Expr) {
	switch n := n.(type) {
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.Ident:
			return f.Name, n.Args
		case *ast.SelectorExpr:
			return f.Sel.Name, n.Args
		}
	case *ast.KeyValueExpr:
		if key, is := n.Key.(*ast.Ident); is {
			return key.Name, []ast.Expr{n.Value}
		}
	}
	return "", nil
}

// textOf is a text with … for each part that is not written out.
func textOf(e ast.Expr) (text string, is bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		before, left := textOf(e.X)
		behind, right := textOf(e.Y)
		return before + behind, left || right
	}
	return "…", false
}

// TestEveryFormatSaysWhatTheGateSays: that nothing was judged, or proved, stands in
// every report but the tables, which have a row per test or trial and no gate.
func TestEveryFormatSaysWhatTheGateSays(t *testing.T) {
	env := golden{streams: []string{"hostile"}, policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}}.envelope(t)
	if len(env.Gate.Notices) != 2 {
		t.Fatalf("%q: want NOTHING PROVED and NOTHING CAN PASS", env.Gate.Notices)
	}
	for _, f := range render.Formats {
		if slices.Contains([]string{"csv", "csv-trials"}, f.Name) {
			continue
		}
		var page bytes.Buffer
		if err := f.Write(&page, env, render.Settings{Options: f.Defaults()}); err != nil {
			t.Fatal(err)
		}
		for _, n := range env.Gate.Notices {
			if !bytes.Contains(page.Bytes(), []byte(n.Says)) {
				t.Errorf("%s does not say %s", f.Name, n.Says)
			}
		}
	}
}
