package pretty

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"tribunal/envelope"
	corpus "tribunal/internal/hostile"
)

func lively(width, height int) Live {
	p, f := envelope.Passed, envelope.Failed
	return Live{
		Tests: []LiveTest{
			{Name: "refund", Strip: []envelope.Outcome{p, p, f, p}, Passed: 3, Counted: 4, InFlight: 2, Passes: 9, Failures: 1, SpentUSD: 1.5},
			{Name: "cases/a name that is longer than anybody wants to read", Strip: slices.Repeat([]envelope.Outcome{p}, 30), Passed: 30, Counted: 30, Passes: 1},
			{Name: "last", InFlight: 1},
		},
		Ended: 31, All: 50, Trials: 412, Running: 8, SpentUSD: envelope.Some(20.6), LimitUSD: envelope.Some(25.0),
		Elapsed: 95 * time.Second, Slowest: "agent/refund", SlowestRuns: 252 * time.Second, Width: width, Height: height, ASCII: true,
	}
}

// TestLiveOfCertainVerdicts: under rule all, a test that failed once has failed.
func TestLiveOfCertainVerdicts(t *testing.T) {
	l := Live{Width: 100, Height: 24, Trials: 10, Left: 20, Elapsed: 5 * time.Second, Tests: []LiveTest{
		{Counted: 3, Failures: 1, Certain: true, Left: 7}, {Passes: 1, Certain: true, Left: 7}, {Certain: true, Left: 6}}}
	got := strings.Join(l.Lines(), "\n")
	for _, want := range []string{"0/3  failed, 7 left", "0/0  passed, 7 left", "0/0  undecided, 6 left", "10 trials · at most 20 more in 10.0 s"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestLive: what stands in the lines, and that none is wider than the terminal or more than it is high.
func TestLive(t *testing.T) {
	wide := lively(120, 24).Lines()
	for i, want := range []string{
		"refund", "PPFP__", "3/4", "9 more passes or 1 failure", "$1.50",
	} {
		if !strings.Contains(wide[0], want) {
			t.Errorf("%d: %q lacks %q", i, wide[0], want)
		}
	}
	if !strings.Contains(wide[1], strings.Repeat("P", 20)+" ") || strings.Contains(wide[1], strings.Repeat("P", 21)) || !strings.HasSuffix(wide[1], "1 more pass") {
		t.Errorf("the last 20 of 30 outcomes, and what is needed: %q", wide[1])
	}
	if got, want := wide[3], "31/50 tests done | 412 trials | $20.60 of $25.00 | 8 running | 1m35s | SLOW 4m12s agent/refund"; got != want {
		t.Errorf("totals: %q, want %q", got, want)
	}
	for _, columns := range []int{1, 10, 40, 48, 60, 84, 100, 140} {
		for _, rows := range []int{1, 2, 3, 4, 24} {
			lines := lively(columns, rows).Lines()
			if len(lines) > max(1, rows-1) {
				t.Errorf("%d lines on a terminal of %d", len(lines), rows)
			}
			for _, line := range lines {
				if width(line) >= max(2, columns) {
					t.Errorf("%d columns: %q takes %d", columns, line, width(line))
				}
			}
		}
	}
	if got := lively(100, 4).Lines(); len(got) != 3 || !strings.Contains(got[1], "and 2 more open") {
		t.Errorf("of three tests there is room for one: %q", got)
	}
}

// TestLiveWidths: what a test still needs comes before its strip and most of a long
// name, the cost goes last; a slow trial is named before what runs is counted. Wide
// characters take two columns.
func TestLiveWidths(t *testing.T) {
	p := envelope.Passed
	l := lively(0, 24)
	l.Tests = []LiveTest{
		{Name: "agent/the customer asks for a refund", Strip: slices.Repeat([]envelope.Outcome{p}, 30), Passed: 30, Counted: 30, InFlight: 1, Passes: 12, Failures: 5, SpentUSD: 1.5},
		{Name: "agent/返金を求めるお客様", Strip: slices.Repeat([]envelope.Outcome{p}, 3), Passed: 3, Counted: 3, Passes: 9, Failures: 2, SpentUSD: 0.25},
	}
	for columns, want := range map[int]string{
		140: `
  agent/the customer asks for a refund  PPPPPPPPPPPPPPPPPPP_  30/30  12 more passes or 5 failures  $1.50
  agent/返金を求めるお客様              PPP                     3/3  9 more passes or 2 failures   $0.25
31/50 tests done | 412 trials | $20.60 of $25.00 | 8 running | 1m35s | SLOW 4m12s agent/refund`,
		80: `
  agent/the c...r a refund  PPPPPP_  30/30  12 more passes or 5 failures  $1.50
  agent/返金を求めるお客様  PPP        3/3  9 more passes or 2 failures   $0.25
31/50 tests done | 412 trials | $20.60 of $25.00 | SLOW 4m12s agent/refund`,
		60: `
  agent...efund  30/30  12 more passes or 5 failures  $1.50
  agent...客様     3/3  9 more passes or 2 failures   $0.25
31/50 tests done | 412 trials | SLOW 4m12s agent/refund`,
		40: `
  agent/...efund  30/30  12 pass/5 fail
  agent/...客様     3/3  9 pass/2 fail
31/50 tests done | SLOW 4m12s agent/...`,
		39: `
31/50 tests done | SLOW 4m12s agent...`,
		20: `
31/50 tests done`,
	} {
		l.Width = columns
		if got := "\n" + strings.Join(l.Lines(), "\n"); got != want {
			t.Errorf("%d columns:%s\nwant%s", columns, got, want)
		}
	}
}

// TestLiveNames: names that would be the same when they are cut are told apart.
func TestLiveNames(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		columns     int
	}{
		{[]string{"agent/case number 1 of the refunds", "agent/case number 2 of the refunds"}, []string{"...1 o...nds", "...2 o...nds"}, 12},
		{[]string{"agent/case number 1 of the refunds", "agent/case number 2"}, []string{"agent...unds", "agent...er 2"}, 12},
		{[]string{"a long name that is here twice", "a long name that is here twice"}, []string{"a lon...wice", "a lon...wice"}, 12},
		{[]string{"ábcdefghijklmnopqrstu", "abcdefghijklmnopqrstu"}, []string{"ábc...tu", "abc...tu"}, 8},
		{[]string{"prefix/日本語のテスト一番長い名前です", "prefix/日本語のテスト二番長い名前です"}, []string{"...一番...です", "...二番...です"}, 15},
		{[]string{"x", "agent/case number 1 of the refunds", "agent/case number 2 of the refunds"}, []string{"x", "agent...unds", "agent...unds"}, 12},
	} {
		var tests []LiveTest
		for _, name := range c.names {
			tests = append(tests, LiveTest{Name: name})
		}
		if got := liveNames(tests, c.columns, "..."); !slices.Equal(got, c.want) {
			t.Errorf("%d columns of %q: %q, want %q", c.columns, c.names, got, c.want)
		}
	}
}

// TestRows: a terminal breaks a line before the character that has no room left, so that
// a wide one may leave a column empty. Styles take none.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    int
	}{
		{"", 10, 1}, {"abc", 3, 1}, {"abcd", 3, 2}, {"abcdefg", 3, 3},
		{"金金", 4, 1}, {"金金", 3, 2}, {"a金金", 3, 2}, {"金金金金", 5, 2}, {"金", 1, 1},
		{"\x1b[31mabc\x1b[0m", 3, 1},
	} {
		if got := Rows(c.line, c.columns); got != c.want {
			t.Errorf("%q in %d columns takes %d rows, want %d", c.line, c.columns, got, c.want)
		}
	}
}

// nasty are texts that have broken reports elsewhere.
var nasty = []string{
	"", " ", "\n\n", "\x00", "a\x1b[31mred\x1b[0m", "\x1b]0;title\x07x", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "\x1b]unterminated",
	"\x1b[", "\x1b", "\x1bPq#0\x1b\\sixel", "\x1b\x1b[0m[31m", "\u009b31m", "\u009d0;t\u009c", "a\rb\r\nc", "back\b\b\bspace", "bell\a",
	"\u202egnp.exe", "\u2066iso\u2069", "zero\u200bwidth", "\ufeffbom", "\ufffe", "\U0001ffff", "\xff\xfe", "\u2028line", "tag\U000e0041",
	"::error file=x::boom", "  ::warning::x", "\x1b[0m::error::x", "a ::error::after a space that may wrap", "##[error]x", "###[group]", "##vso[task.setvariable]",
	"##teamcity[testFailed name='x']", "#\x1b[0m#[error]", "##\u200b[x]", "\x1b[0Ksection_start:0:x\r\x1b[0K", "]]>", "</script>", "`|`| # TODO",
	"%!s(int=3) %s %d", strings.Repeat("long name ", 1000), strings.Repeat("W", 10_000), strings.Repeat("::", 500), strings.Repeat("##[", 500),
	strings.Repeat("漢字", 3000), strings.Repeat("e\u0301", 3000), strings.Repeat("\u0301", 5000), "👩‍👩‍👧‍👦", "\u3164", "\ta\tb",
}

// hostile carries a nasty text in every field there is.
func hostile() *envelope.Envelope {
	e := &envelope.Envelope{}
	for i, s := range nasty {
		next := nasty[(i+7)%len(nasty)]
		status := envelope.Statuses[i%len(envelope.Statuses)]
		t := because(test(next, s, status, "PFEXS"[:1+i%2]), s,
			envelope.Detail{Trial: i - 3, Run: s, ErrorClass: next, Message: s + "\n" + next, Output: strings.Repeat(s+"\n", 3)})
		t.Variant, t.File, t.Line = s, next, -i
		t.Rate.PerProtocol = &envelope.Rate{Value: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Method: s, Confidence: float64(i)}
		t.DurationMS, t.CostUSD = &envelope.Spread{P50: envelope.Some(math.Pow(-10, float64(i)))}, envelope.Some(math.Pow(-10, float64(i-10)))
		t.CostLimited, t.Quarantined = i%3 == 0, i%4 == 0
		e.Tests = append(e.Tests, t)
		t.Verdict.PValue, t.Verdict.PAdjusted = envelope.Some(math.NaN()), envelope.Some(math.Inf(i%2))
		e.Tests[i] = t
		e.Metrics = append(e.Metrics, envelope.Metric{Name: s, Variant: next, Note: s, Params: map[string]any{s: next, "k": map[string]any{s: s}},
			Value: envelope.Some(math.Inf(1)), Mu: envelope.Some(math.Inf(-1)), Lo: envelope.Some(math.NaN()), Hi: envelope.Some(1e300)})
		e.Problems = append(e.Problems, envelope.Problem{Severity: envelope.Severity([]string{"error", "warning", "info", s}[i%4]), Code: s, Message: s, Input: next, Line: i})
		e.Gate.Reasons = append(e.Gate.Reasons, s)
		e.Gate.Gates = append(e.Gate.Gates, envelope.GateResult{Name: s, Expr: next, Status: envelope.Status(s), Saw: s})
		e.Policy.Overrides = append(e.Policy.Overrides, envelope.Override{Match: s})
	}
	e.Tests[3].Rows.Outcome = envelope.Outcomes("\x1b\x00Z")
	e.Tests[4].Status, e.Tests[5].Status = "\x1b[31m", "::error"
	e.Run.Name, e.Run.Commit, e.Run.ID = "::error::name that is "+strings.Repeat("long and ::error::x ", 30), nasty[6], nasty[4]
	e.Policy.Rule, e.Policy.RetryRule, e.Policy.Adjust, e.Policy.Family = nasty[5], nasty[31], nasty[32], nasty[33]
	e.Summary.Trials.Excluded = map[string]int{nasty[4]: -5, nasty[30]: math.MaxInt}
	e.Summary.Rate.PerProtocol = &envelope.Rate{Method: nasty[34]}
	e.Summary.Clusters = &envelope.Clusters{By: nasty[5], Count: -1, ICC: envelope.Some(math.NaN()), DesignEffect: envelope.Some(math.Inf(1)),
		EffectiveN: envelope.Some(-1e300), Rate: &envelope.Rate{Method: nasty[30]}, Note: nasty[31]}
	e.Summary.CostPerSuccess, e.Summary.CostToVerdict = envelope.Some(math.NaN()), envelope.Some(-1e-300)
	e.Gate.Status = "\x1b]0;x\x07"
	return e
}

var looks = []Options{{}, {Width: 1}, {Width: 20}, {Width: 40}, {Width: 60}, {Width: 80}, {Width: 120}, {Width: 120, Kept: true}, {Width: 200}, {ASCII: true}, {Width: 80, ASCII: true}}

func TestHostileTexts(t *testing.T) {
	for _, o := range looks {
		out := render(t, hostile(), o)
		disarmed(t, o, out)
		disarmed(t, o, render(t, corpus.All(), o))
	}
	for _, s := range nasty { // alone, so that the method becomes the title of its column
		e := &envelope.Envelope{Tests: []envelope.Test{test("", "t", envelope.Pass, "PPP")}}
		e.Tests[0].Rate.PerProtocol.Method = s
		disarmed(t, looks[5], render(t, e, looks[5]))
	}
	for seed := range uint64(50) {
		disarmed(t, looks[5], render(t, corpus.Random(seed, 20), looks[5]))
	}
}

// disarmed checks that nothing in a report without colour controls a terminal or commands a build server.
func disarmed(t *testing.T, o Options, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%+v: not UTF-8", o)
	}
	for n, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("%+v line %d begins a command: %q", o, n+1, line)
		}
		for _, command := range []string{"##[", "##vso[", "##teamcity[", "section_start:", "section_end:", "\x1b"} {
			if strings.Contains(line, command) || command[0] == '#' && strings.Contains(strings.ToLower(line), command) { // GitLab heeds case
				t.Errorf("%+v line %d has %q: %.200q", o, n+1, command, line)
			}
		}
		for _, c := range line {
			if unicode.IsControl(c) || c == 0xfffe || unicode.Is(unicode.Bidi_Control, c) || c == 0x200b || c == 0xfeff {
				t.Errorf("%+v line %d has %U: %.200q", o, n+1, c, line)
			}
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add("secTion_start:0:x", "SECTION_END:", 80)
	for i, s := range nasty {
		f.Add(s, nasty[(i+3)%len(nasty)], 40+i)
	}
	f.Fuzz(func(t *testing.T, s, other string, columns int) {
		e := agents()
		one := &e.Tests[1]
		one.Suite, one.Test, one.Verdict.Reason, e.Run.Name = other, s, s+other, s
		one.Details[0].Message, one.Details[0].Output, one.Details[0].Run = other+"\n"+s, s+"\n"+other, s
		e.Problems[0].Message, e.Gate.Reasons, e.Metrics[0].Name, e.Summary.Clusters.By = s, []string{other, s}, s, other
		e.Gate.Gates[0].Saw = s
		o := Options{Width: columns % 300}
		disarmed(t, o, render(t, e, o))
	})
}

// With colour, the only escape sequences are those that set a style.
func TestHostileTextsInColor(t *testing.T) {
	out := render(t, hostile(), Options{Width: 100, Color: true})
	disarmed(t, Options{Width: 100, Color: true}, style.ReplaceAllString(out, ""))
}

var style = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for name, e := range map[string]*envelope.Envelope{"agents": agents(), "wide": wide(), "hostile": hostile(), "many": many(1000), "empty": {}, "all pass": allPass()} {
		for _, o := range []Options{{Width: 40}, {Width: 41}, {Width: 60}, {Width: 80}, {Width: 81}, {Width: 100}, {Width: 120},
			{Width: 60, Color: true}, {Width: 40, ASCII: true}, {Width: 80, ASCII: true}} {
			for n, line := range strings.Split(render(t, e, o), "\n") {
				if got := width(line); got > o.Width {
					t.Errorf("%s %+v line %d has %d columns: %.300q", name, o, n+1, got, line)
				}
			}
		}
	}
}

// The verdict must not hang on the colour: without the styles the report is the report without colour.
func TestColorTellsNothing(t *testing.T) {
	colored := render(t, agents(), Options{Width: 100, Color: true})
	if got := style.ReplaceAllString(colored, ""); got != render(t, agents(), Options{Width: 100}) {
		t.Errorf("the texts differ:\n%s", got)
	}
}

func TestHugeTexts(t *testing.T) {
	huge := strings.Repeat("##[\x1b[31m::漢 ", 10<<20/14)
	e := agents()
	e.Run.Name, e.Tests[1].Test, e.Tests[1].Verdict.Reason = huge, huge, huge
	e.Tests[1].Details[0].Message, e.Tests[1].Details[0].Output = huge, huge
	e.Gate.Reasons, e.Problems[0].Message = []string{huge}, huge
	if out := render(t, e, Options{Width: 80}); len(out) > 64<<10 {
		t.Errorf("%d bytes for a bounded report", len(out))
	}
	render(t, e, Options{})
}
