package pretty

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// Hostile texts are shown the way package text shows them everywhere; here they
// go through the whole report, as names and as the lines of an output.
func TestHostileTextsAreShown(t *testing.T) {
	for _, c := range []struct{ in, want, reason string }{
		{"plain name", "plain name", "nothing to do"},
		{"tests/a.py::test_b[1-2]", "tests/a.py::test_b[1-2]", "a pytest id is no command"},
		{"検索 é ñ 👩‍👧", "検索 é ñ 👩‍👧", "names in Unicode stay, joiners too"},
		{"a\x1b[1;31mb\x1b[0mc", "abc", "CSI"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", "OSC ended by ST"},
		{"\x1b]0;cut off", "␛]0;cut off", "an unended sequence hides nothing"},
		{"\x1b\x1b[0m[31mx", "␛[31mx", "stripping makes no new sequence"},
		{"a\x00b\bc\x7f", "a␀b␈c␡", "control characters are seen"},
		{"\u009b31mx", "x", "CSI in 8 bits"},
		{"x\u202egnp.exe", "x[U+202E]gnp.exe", "bidi override"},
		{"a\u200bb\ufeff", "a[U+200B]b[U+FEFF]", "zero width"},
		{"\ufffe\U0001ffff.", "\uFFFD\uFFFD.", "no characters"},
		{"\xffa", "\uFFFDa", "not UTF-8"},
		{"::error::x", ": :error::x", "GitHub command"},
		{"\x1b[0m::error::x", ": :error::x", "command behind a sequence"},
		{"###[x]", "### [x]", "the last two of three"},
		{"##vso[task.x]", "## vso[task.x]", "Azure logging command"},
		{"## heading #3", "## heading #3", "no command"},
	} {
		failing := because(test("", c.in, envelope.Fail, "FF"), "", envelope.Detail{Message: "m", Output: "first\n" + c.in + "\nlast"})
		out := render(t, &envelope.Envelope{Tests: []envelope.Test{failing}}, Options{Detailed: true})
		if !strings.Contains(out, "\n  "+c.want+"  ") {
			t.Errorf("%s: %q is not named %q:\n%s", c.reason, c.in, c.want, out)
		}
		if !strings.Contains(out, "\n        first\n        "+c.want+"\n        last\n") {
			t.Errorf("%s: the output has no line %q:\n%s", c.reason, c.want, out)
		}
	}
}

// What only a terminal needs: the lines of a text keep their shape.
func TestLinesKeepTheirIndentation(t *testing.T) {
	for _, c := range []struct {
		in     string
		want   []string
		reason string
	}{
		{"a\n  b\n\tc\td  ", []string{"a", "  b", "    c    d"}, "tabs become blanks, and blanks at the end go"},
		{"10 %\r20 %\r\ndone", []string{"10 %", "20 %", "done"}, "a bar of progress is lines, not one over the other"},
		{"a\n  ::error::x", []string{"a", "  : :error::x"}, "a command in any line"},
		{"\x1b[31m  red\x1b[0m", []string{"  red"}, "indentation behind a colour"},
	} {
		if diff := cmp.Diff(c.want, lines(c.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

func TestInterval(t *testing.T) {
	if got, want := interval(0.4902, 0.9433), "[49, 94]"; got != want {
		t.Errorf("15 of 20, the example everybody knows: got %q, want %q", got, want)
	}
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{cut("abcdef", 6, "…"), "abcdef", "fits"}, {cut("abcdef", 4, "…"), "abc…", "cut"}, {cut("漢字漢字", 6, "…"), "漢字…", "double width is not halved"},
		{cut("abc def", 5, "…"), "abc…", "no space before the mark"}, {cut("e\u0301e\u0301e\u0301", 2, "…"), "e\u0301…", "accents stay with their letter"},
		{cut("abc", 0, "…"), "", "no room"}, {cutLeft("abcdef", 4, "…"), "…def", "left"}, {cutMiddle("abcdefghij", 7, "…"), "abc…hij", "middle"},
		{pad("漢", 4, true), "  漢", "padded by columns"}, {pad("\x1b[1mab\x1b[0m", 3, false), "\x1b[1mab\x1b[0m ", "styles take no column"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in     string
		n      int
		want   []string
		reason string
	}{
		{"", 10, []string{""}, "nothing is one empty line"},
		{"one two three", 7, []string{"one two", "three"}, "between words"},
		{"abcdefghij k", 4, []string{"abcd", "efgh", "ij k"}, "a word wider than the line"},
		{"at 86 %, 9", 6, []string{"at", "86 %,", "9"}, "a number keeps its percent sign"},
		{"at pass^2" + together + "86" + together + "% z", 12, []string{"at", "pass^2 86 %", "z"}, "a metric keeps its value"},
		{"漢字漢字", 5, []string{"漢字", "漢字"}, "double width is not halved"},
		{"aa bb cc dd ee ff", 3, []string{"aa", "bb", "cc", "dd…"}, "the last line says that there is more"},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, c.n, 4, "…")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

func TestLines(t *testing.T) {
	if diff := cmp.Diff([]string{"a", " b"}, firstLines("\n\na\n \n b\nc", 2)); diff != "" {
		t.Errorf("blank lines do not count (-want +got):\n%s", diff)
	}
	got, more := lastLines("a\n\nb\nc\n\n", 2)
	if diff := cmp.Diff([]string{"b", "c"}, got); diff != "" || !more {
		t.Errorf("the last two, and there are more (-want +got):\n%s%v", diff, more)
	}
	if got, more := lastLines("\n", 2); len(got) > 0 || more {
		t.Errorf("blank text: %q %v", got, more)
	}
	if got, more := lastLines(strings.Repeat(" \n", longestText)+"end", 2); !cmp.Equal(got, []string{"end"}) {
		t.Errorf("blanks before the end: %q %v", got, more)
	}
	if got, more := lastLines("start\n"+strings.Repeat("x", 2*longestText), 1); len(got) != 1 || !more {
		t.Errorf("a line longer than is looked at: %d lines, %v", len(got), more)
	}
	if got := firstLines(strings.Repeat("\r\n", longestText)+"start", 1); !cmp.Equal(got, []string{"start"}) {
		t.Errorf("blank lines before the start: %q", got)
	}
}

// Details are added to the same rows, in the same order, with the same next command.
func TestDetailedOnlyAdds(t *testing.T) {
	commands := standing.Commands{Report: "run.json"}
	detailed := render(t, agents(), Options{Detailed: true, Width: 140, Commands: commands})
	for line := range strings.Lines(render(t, agents(), Options{Width: 140, Commands: commands})) {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "Undecided") {
			continue
		}
		at := strings.Index("\n"+detailed, "\n"+line)
		if at < 0 {
			t.Fatalf("%q is missing, or before another line, in\n%s", line, detailed)
		}
		detailed = detailed[at:]
	}
}

func TestPolicyInWords(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		p    envelope.Policy
		want string
	}{
		{envelope.Policy{Rule: "all", RetryRule: "any", Confidence: some(0.95), TreatAs: "neutral", Adjust: "none", MinCoverage: some(0)}, "all trials must pass; for retries: one trial must pass"},
		{envelope.Policy{Rule: "wilson", Threshold: some(0.9), Confidence: some(0.95), MinTrials: envelope.Some(5)}, "wilson: pass rate at least 0.90 at 95 % confidence, at least 5 trials"},
		{envelope.Policy{Rule: "mean", Threshold: some(0.75)}, "mean score at least 0.75"},
		{envelope.Policy{Rule: "sprt", Threshold: some(0.9), Gap: some(0.1), Alpha: some(0.05), Beta: some(0.2)}, "sprt: PASS shows a pass rate above 0.80, FAIL one below 0.90"},
		{envelope.Policy{Rule: "exact", Threshold: some(0.5), Adjust: "holm", Family: "run", TreatAs: "exit3", MinCoverage: some(0.8), Overrides: make([]envelope.Override, 2)},
			"exact: pass rate at least 0.50; adjusted for many tests: holm per run; at least 80 % of the trials counted; undecided exits with 3; 2 overrides"},
	} {
		if got := newReport(&envelope.Envelope{Policy: envelope.Effective{Policy: c.p}}, Options{Detailed: true}).policy(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The summary says how many tests are inconclusive only when there are any.
func TestInconclusiveInSummary(t *testing.T) {
	if out := render(t, agents(), Options{Detailed: true}); !strings.Contains(out, "1 error, 1 skipped, 1 undecided; 3 flaky\n") || !strings.Contains(out, "Undecided") {
		t.Errorf("inconclusive is missing:\n%s", out)
	}
	if out := render(t, allPass(), Options{Detailed: true}); strings.Contains(strings.ToLower(out), "inconc") {
		t.Errorf("inconclusive without a reason:\n%s", out)
	}
}

func TestMetricNames(t *testing.T) {
	type params = map[string]any
	for _, c := range []struct {
		m            envelope.Metric
		want, reason string
	}{
		{envelope.Metric{Name: "pass_at_k", Params: params{"k": 4}}, "pass@4", "as people write it"},
		{envelope.Metric{Name: "pass_at_k", Params: params{"k": 4.0}}, "pass@4", "as it comes back from JSON"},
		{envelope.Metric{Name: "pass_hat_k", Params: params{"k": 16}, Variant: "gpt"}, "pass^16 [gpt]", "of a variant"},
		{envelope.Metric{Name: "pass_at_k", Params: params{"k": 4, "tau": 0.5}}, "pass_at_k(k=4, tau=0.5)", "nothing may go unsaid"},
		{envelope.Metric{Name: "pass_at_k", Params: params{"k": "<b>"}}, "pass_at_k(k=<b>)", "no number"},
		{envelope.Metric{Name: "pass_at_k"}, "pass_at_k", "no k"},
		{envelope.Metric{Name: "g_pass_at_k_tau", Params: params{"tau": 0.5, "k": 4}}, "g_pass_at_k_tau(k=4, tau=0.5)", "sorted"},
		{envelope.Metric{Name: "avg"}, "avg", "no parameter"},
		{envelope.Metric{Name: "avg", Params: params{"w": []float64{0, 0.5}, "bounds": nil}}, "avg(bounds=null, w=[0,0.5])", "as JSON"},
	} {
		if got := newReport(&envelope.Envelope{}, Options{Detailed: true}).metricName(&c.m); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// The interval stands beside a value that may lie outside it, so whose it is has to be said wherever it is shown, and only there.
func TestWhoseInterval(t *testing.T) {
	some := envelope.Some[float64]
	e := &envelope.Envelope{Metrics: []envelope.Metric{{Name: "pass_hat_k", Params: map[string]any{"k": 4}, Value: some(0.655), Mu: some(0.5195), Lo: some(0.4052), Hi: some(0.6338), TestsUsed: 11, TestsTotal: 12}}}
	e.Policy.Confidence, e.Policy.Metrics = some(0.9), "all"
	out := render(t, e, Options{Detailed: true, Width: 80})
	want := "Metrics · the 90 % interval is of the posterior mean, except for avg; Value\n  may be outside it\n" +
		"Metric   Value  Posterior mean  Interval          Tests\n" + strings.Repeat("─", 55) + "\n" +
		"pass^4  0.6550          0.5195  [0.4052, 0.6338]  11/12\n"
	if !strings.Contains(out, want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if out := render(t, e, Options{Detailed: true, Width: 40}); strings.Contains(out, "interval is") || !strings.Contains(out, "0.5195") {
		t.Errorf("no interval where there is no room for one:\n%s", out)
	}
}

// Each of these lines is there when its numbers are, and not otherwise.
func TestSummaryLines(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		set          func(*envelope.Summary)
		want, reason string
	}{
		{func(s *envelope.Summary) { s.CostPerSuccess = some(0.0121) }, "Cost       $0.012 per passed trial\n", "no verdict cost"},
		{func(s *envelope.Summary) { s.CostPerSuccess, s.CostToVerdict = some(0.0121), some(1.08) }, "Cost       $0.012 per passed trial, $1.08 up to the verdicts\n", "both"},
		{func(s *envelope.Summary) { s.CostToVerdict = some(1.08) }, "Cost       $1.08 up to the verdicts\n", "nothing passed"},
		{func(s *envelope.Summary) {
			s.Clusters = &envelope.Clusters{By: "suite", Count: 4, ICC: some(0.214), DesignEffect: some(9.05), EffectiveN: some(11.93),
				Rate: &envelope.Rate{Value: 0.824, Lo: 0.351, Hi: 0.974, Method: "score", Confidence: 0.95}}
		}, "Clusters   4 by suite, ICC 0.21, design effect 9.05, effective n 11.9\n", "clusters"},
		{func(s *envelope.Summary) { s.Clusters = &envelope.Clusters{By: "team", Note: "one cluster only"} }, "Clusters   by team: one cluster only\n", "clusters that say nothing"},
	} {
		e := allPass()
		before := render(t, e, Options{Detailed: true})
		c.set(&e.Summary)
		out := render(t, e, Options{Detailed: true})
		if !strings.Contains(out, "\n"+c.want) {
			t.Errorf("%s: no %q in\n%s", c.reason, c.want, out)
		}
		if strings.Contains(before, "Cost") || strings.Contains(before, "luster") {
			t.Errorf("%s: there without its numbers:\n%s", c.reason, before)
		}
	}
}

func TestPValues(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		v            envelope.Verdict
		by           string
		want, reason string
	}{
		{envelope.Verdict{PValue: some(0.0107)}, "none", "", "nothing was adjusted"},
		{envelope.Verdict{PValue: some(0.0107), PAdjusted: some(0.21)}, "bonferroni", "p 0.0107, adjusted 0.21 (bonferroni)", "side by side"},
		{envelope.Verdict{PAdjusted: some(0.21)}, "", "p adjusted 0.21", "as little as is known"},
	} {
		r := newReport(&envelope.Envelope{Policy: envelope.Effective{Policy: envelope.Policy{Adjust: c.by}}}, Options{Detailed: true})
		if got := r.pValues(&c.v); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// A gate that does not hold is a reason as well; it is told once, with what it saw.
func TestGateIsToldOnce(t *testing.T) {
	e := allPass()
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1,
		Reasons: []string{"1 test failed", "gate no failures does not hold: summary.fail = 1"},
		Gates:   []envelope.GateResult{{Name: "no failures", Expr: "summary.fail == 0", Status: envelope.Fail, Saw: "summary.fail = 1"}}}
	want := "\n  FAIL    no failures: summary.fail == 0: summary.fail = 1\n"
	if out := render(t, e, Options{Detailed: true}); !strings.HasSuffix(out, want) || strings.Count(out, "no failures") != 1 {
		t.Errorf("got\n%s\nwant at the end\n%s", out, want)
	}
	e.Gate.Gates = nil
	if out := render(t, e, Options{Detailed: true}); !strings.Contains(out, "gate no failures does not hold") {
		t.Errorf("a reason that no line tells is missing:\n%s", out)
	}
}

func TestRateAndInterval(t *testing.T) {
	for _, c := range []struct {
		reason        string
		value, lo, hi float64
		rate, between string
	}{
		{"few trials: whole percentages", 0.8, 0.49, 0.943, "80", "[49, 94]"},
		{"many trials: the interval does not collapse", 0.900294, 0.8997, 0.90088, "90.03", "[89.97, 90.09]"},
		{"a thousand trials", 0.9, 0.889, 0.91, "90.0", "[88.9, 91.0]"},
		{"certainty stays a whole number", 1, 0.9999, 1, "100", "[>99.9, 100]"},
	} {
		if rate, between := rateAndInterval(c.value, c.lo, c.hi); rate != c.rate || between != c.between {
			t.Errorf("%s: %s %s, want %s %s", c.reason, rate, between, c.rate, c.between)
		}
	}
}
