package tap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/internal/rendertest"
	"tribunal/render/tap"
)

func write(t *testing.T, e *envelope.Envelope, o tap.Options) []byte {
	t.Helper()
	return rendertest.Document(t, e, rendertest.With(tap.Write, o))
}

func options() []tap.Options {
	out := []tap.Options{{}}
	for _, version := range []int{13, 14} {
		for _, inconclusive := range []string{tap.Todo, tap.TodoNotOK, tap.SkipIt} {
			out = append(out, tap.Options{Version: version, Inconclusive: inconclusive})
		}
	}
	return out
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		for i, o := range options() {
			if i == 0 || name != "plain" && i > 1 {
				continue // the default is the first of the others
			}
			got := write(t, rendertest.Envelopes()[name], o)
			rendertest.Golden(t, fmt.Sprintf("%s.%d.%s.tap", name, o.Version, o.Inconclusive), got)
		}
	}
}

func TestContract(t *testing.T) {
	for name, e := range rendertest.Envelopes() {
		for _, o := range options() {
			t.Run(fmt.Sprintf("%s/%d/%s", name, o.Version, o.Inconclusive), func(t *testing.T) {
				stream := rendertest.Written(t, e, rendertest.With(tap.Write, o))
				compare(t, read(t, string(stream)), e, o)
			})
		}
	}
}

// compare holds what a parser reads against the envelope.
func compare(t *testing.T, got stream, e *envelope.Envelope, o tap.Options) {
	t.Helper()
	if want := max(13, o.Version); got.version != want {
		t.Errorf("version %d, want %d", got.version, want)
	}
	broken, unheld := rendertest.Beside(e)
	if (got.bail != "") != (broken > 0) {
		t.Errorf("bail out %q, broken is %d", got.bail, broken)
	}
	if len(got.points) != len(e.Tests)+unheld {
		t.Fatalf("%d points for %d tests, and %d for the gate", len(got.points), len(e.Tests), unheld)
	}
	if got.bail == "" && got.plan != len(got.points) {
		t.Errorf("plan of %d for %d points", got.plan, len(got.points))
	}
	for i, p := range got.points[:len(e.Tests)] {
		test := &e.Tests[i]
		wantOK, wantDirective := true, ""
		switch test.Status {
		case envelope.Fail, envelope.Error:
			wantOK = false
		case envelope.Skip:
			wantDirective = "SKIP"
		case envelope.Inconclusive:
			wantOK, wantDirective = o.Inconclusive != tap.TodoNotOK, "TODO"
			if o.Inconclusive == tap.SkipIt {
				wantDirective = "SKIP"
			}
			if p.reason != "inconclusive" {
				t.Errorf("%d: reason %q", i, p.reason)
			}
		}
		if p.ok != wantOK || p.directive != wantDirective {
			t.Errorf("%d %s: ok %t, directive %q", i, test.Status, p.ok, p.directive)
		}
		if (p.block != nil) != (test.Status != envelope.Pass && test.Status != envelope.Skip) {
			t.Errorf("%d %s: block %v", i, test.Status, p.block)
		}
		if p.block != nil && (p.block["verdict"] != string(test.Status) || fmt.Sprint(p.block["passed"]) != fmt.Sprint(test.Trials.Passed)) {
			t.Errorf("%d %s: block %v", i, test.Status, p.block)
		}
	}
}

func TestDescriptions(t *testing.T) {
	for _, c := range []struct {
		reason string
		key    envelope.Key
		want   string
	}{
		{"suite, test and variant", envelope.Key{Suite: "s", Test: "t", Variant: "v"}, "ok 1 - s/t [v]"},
		{"no suite", envelope.Key{Test: "t"}, "ok 1 - t"}, {"a name like one with a variant", envelope.Key{Test: "t [v]"}, "ok 1 - t [v] []"},
		{"a directive in a name", envelope.Key{Test: "C# SKIP nothing"}, `ok 1 - C\# \SKIP nothing`},
		{"a backslash before a #", envelope.Key{Test: `a\# TODO b`}, `ok 1 - a\\\# \TODO b`},
		{"a directive without a blank, with others, in other letters", envelope.Key{Test: "#todo ##skipped #\u00a0\u2003Todo # \u017fKip # skİp"},
			"ok 1 - \\#\\todo \\#\\#\\skipped \\#\u00a0\u2003\\Todo \\# \\\u017fKip \\# \\skİp"},
		{"a directive that is broken already", envelope.Key{Test: `a # \TODO b`}, `ok 1 - a \# \\TODO b`},
		{"a backslash at the end", envelope.Key{Test: `a\`}, `ok 1 - a\\`},
		{"lines", envelope.Key{Test: "a\nnot ok 2\r\n1..0"}, "ok 1 - a not ok 2 1..0"},
		{"nothing to see", envelope.Key{Test: "\x1b[m"}, "ok 1"},
	} {
		e := hostile.Plain()
		e.Tests = e.Tests[:1] // a pass
		e.Tests[0].Key = c.key
		e.Problems = nil
		if got, want := string(write(t, e, tap.Options{})), "TAP version 13\n1..1\n"+c.want+"\n# trials sum "+e.TrialsSum().String()+"\n# 14 of 20 counted trials passed over 7 tests\n"; got != want {
			t.Errorf("%s: %q, want %q", c.reason, got, want)
		}
	}
}

func TestInconclusiveExactly(t *testing.T) {
	if got, want := string(write(t, hostile.Plain(), tap.Options{})), "\nok 7 - weather/unsure # TODO inconclusive\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

func TestUnknownOptions(t *testing.T) {
	for _, o := range []tap.Options{{Version: 12}, {Inconclusive: "maybe"}} {
		if err := tap.Write(&bytes.Buffer{}, hostile.Plain(), o); err == nil || !strings.Contains(err.Error(), "use ") {
			t.Errorf("%+v: error %v does not say what is known", o, err)
		}
	}
}

// stream is a TAP stream as a strict reader sees it, written from the specification of version
// 14 (which says how # and \ are escaped) and used for both versions.
type stream struct {
	version int
	plan    int
	bail    string
	points  []point
}

type point struct {
	ok                             bool
	description, directive, reason string
	block                          map[string]any
}

var (
	pointLine = regexp.MustCompile(`^(not )?ok (\d+)(?: - (.*?))?$`)
	// an unescaped # with a blank before it and TODO or SKIP behind it
	directive = regexp.MustCompile(`(?i)^((?:[^\\#]|\\.|#)*?)(?: |^)# ?(TODO|SKIP)\b ?(.*)$`)
	unescaped = regexp.MustCompile(`^(?:[^\\#]|\\[\\#tTsSſ])*$`) // the letters of directives that are broken
	// the grammar of a reader that knows no escapes, tappy 3.1 (tap/parser.py and tap/directive.py)
	plainDirective = regexp.MustCompile(`(?i)^(?:not )?ok\s*\d*\s*[^#]*#[\s\v\x1c-\x1f\x85\p{Z}]*(?:SK[iıİ]P|TODO\b)`)
	planLine       = regexp.MustCompile(`^1\.\.(\d+)( # SKIP .+)?$`)
	yamlLine       = regexp.MustCompile(`^  ([a-z_]+): (.+)$`)
)

func read(t *testing.T, s string) stream {
	t.Helper()
	if !strings.HasSuffix(s, "\n") || strings.ContainsAny(s, "\r\x1b\x00\u2028\u0085") {
		t.Errorf("not lines of text")
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	var out stream
	version, ok := strings.CutPrefix(lines[0], "TAP version ")
	plan := planLine.FindStringSubmatch(lines[1])
	if !ok || plan == nil {
		t.Fatalf("the stream starts with %q", lines[:2])
	}
	out.version, _ = strconv.Atoi(version)
	out.plan, _ = strconv.Atoi(plan[1])
	for i := 2; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "Bail out! "):
			out.bail = line
		case line == "  ---":
			end := i + 1
			for end < len(lines) && lines[end] != "  ..." {
				end++
			}
			last := &out.points[len(out.points)-1]
			last.block = yaml(t, lines[i+1:end])
			i = end
		default:
			out.points = append(out.points, readPoint(t, line, len(out.points)+1))
		}
	}
	return out
}

func readPoint(t *testing.T, line string, number int) point {
	t.Helper()
	m := pointLine.FindStringSubmatch(line)
	if m == nil && !directive.MatchString(line) {
		t.Fatalf("not a line of TAP: %q", line)
	}
	p := point{}
	if d := directive.FindStringSubmatch(line); d != nil {
		p.directive, p.reason = strings.ToUpper(d[2]), d[3]
		m = pointLine.FindStringSubmatch(d[1])
	}
	if m == nil || m[2] != strconv.Itoa(number) {
		t.Fatalf("not point %d: %q", number, line)
	}
	p.ok, p.description = m[1] == "", m[3]
	if p.directive == "" && plainDirective.MatchString(line) {
		t.Errorf("a name excuses its point for readers without escapes: %q", line)
	}
	if !unescaped.MatchString(p.description) || !unescaped.MatchString(p.reason) {
		t.Errorf("not escaped: %q", line)
	}
	return p
}

// yaml reads one-line scalars in JSON style.
func yaml(t *testing.T, lines []string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, line := range lines {
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a line of the block: %q", line)
		}
		var v any
		if err := json.Unmarshal([]byte(m[2]), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out[m[1]] = v
	}
	return out
}
