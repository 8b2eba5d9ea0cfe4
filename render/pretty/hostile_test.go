package pretty

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tribunal/envelope"
	corpus "tribunal/internal/hostile"
)

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

// disarmed checks that nothing in a report without colour controls a terminal
// or commands a build server.
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

// The verdict must not hang on the colour: without the styles the report is the
// report without colour.
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
