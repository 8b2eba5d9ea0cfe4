package html_test

import (
	"fmt"
	stdhtml "html"
	"regexp"
	"strings"
	"testing"

	"tribunal/envelope"
)

// The envelopes here are made by hand: package verdict makes the real ones. The intervals are
// Wilson score intervals at 95 %, worked out apart from this module to three places.

func some[T any](v T) envelope.Opt[T] { return envelope.Some(v) }

// wilson95 are the intervals the samples need, by passed and counted.
var wilson95 = map[[2]int][2]float64{
	{1, 1}: {0.207, 1}, {1, 2}: {0.095, 0.905}, {1, 4}: {0.046, 0.699}, {3, 4}: {0.301, 0.954}, {4, 4}: {0.510, 1},
	{53, 54}: {0.902, 0.997}, {62, 68}: {0.821, 0.959}, {62, 82}: {0.653, 0.836},
}

func rateOf(passed, n int) *envelope.Rate {
	if n == 0 {
		return nil
	}
	i := wilson95[[2]int{passed, n}]
	return &envelope.Rate{Value: float64(passed) / float64(n), Lo: i[0], Hi: i[1], Method: "wilson", Confidence: 0.95}
}

// testOf is a test with a strip of outcomes, everything else as that implies.
func testOf(key envelope.Key, status envelope.Status, strip string) envelope.Test {
	t := envelope.Test{Key: key, Status: status, Trials: envelope.TrialCounts{Total: len(strip), Excluded: map[string]int{}}, Rows: new(envelope.Rows)}
	for i := range len(strip) {
		o := envelope.Outcome(strip[i])
		t.Rows.Outcome = append(t.Rows.Outcome, o)
		t.Rows.Given = append(t.Rows.Given, envelope.Given(o))
		if o.Counted() {
			t.Trials.Counted++
		}
		if o == envelope.Passed {
			t.Trials.Passed++
		}
	}
	n, c := t.Trials.Counted, t.Trials.Passed
	t.Flaky = c > 0 && c < n
	t.Rate.PerProtocol = rateOf(c, n)
	t.Verdict = &envelope.Verdict{Rule: "wilson", Threshold: some(0.9), Confidence: some(0.95), N: n, Passed: c,
		Reason: fmt.Sprintf("%d of %d trials passed", c, n)}
	return t
}

func failing() envelope.Test {
	t := testOf(envelope.Key{Suite: "checkout", Test: "pays with a stored card", Variant: "large"}, envelope.Fail, "PFFF")
	t.File, t.Line = "evals/checkout_test.py", 42
	t.Labels = map[string]string{"team": "payments", "area": "checkout"}
	t.Varies = []string{"seed"}
	t.Verdict.Interval = &envelope.Interval{Lo: 0.046, Hi: 0.699, Method: "wilson"}
	t.Verdict.Reason = "1 of 4 trials passed; the whole 95 % Wilson interval [0.046, 0.699] is below 0.9"
	t.Reliability = &envelope.Reliability{Runs: 4, PassAtK: 100, PassHatK: 0, VarianceAmplification: 87, GracefulDegradation: 10, Curve: []int{100, 25, 3, 0}}
	t.Score = &envelope.Score{Value: 0.31, Mean: 0.31, Min: 0, Max: 1, StdDev: some(0.46)}
	t.DurationMS = &envelope.Spread{Total: 9120, P50: some(2210.0), P95: some(3300.0)}
	t.CostUSD, t.Tokens, t.ToolCalls = some(0.0184), some(int64(12345)), some(int64(17))
	t.Details = []envelope.Detail{
		{Trial: 1, Attempt: some(int32(1)), Status: envelope.Fail, Message: "expected order state paid, got pending\n(after 3 polls)",
			Output: "\x1b[32mtool\x1b[0m get_card(user=mia_li_3668)\n\x1b[31merror\x1b[0m card 4242 declined\nagent: I could not find the card."},
		{Trial: 2, Attempt: some(int32(0)), Run: "shard-2", Status: envelope.Error, ErrorClass: "timeout", Message: "no answer after 30 s",
			Labels: map[string]string{"seed": "7"}},
		{Trial: 3, Attempt: some(int32(3)), Status: envelope.Fail, Message: "wrong amount: 12.00 instead of 21.00", Output: strings.Repeat("poll: pending\n", 40)},
	}
	return t
}

// review is a run as a reviewer gets it: every status, flag and part of the page.
func review() *envelope.Envelope {
	e := &envelope.Envelope{}
	e.Run.Header = envelope.Header{Name: "airline agent, nightly", ID: "4711", Commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
		StartedAt: "2026-03-01T02:00:00Z", PlannedTrials: some(int64(90)), Labels: map[string]string{"branch": "main"}}
	e.Run.Sources = []envelope.Source{{Input: "shard-1.ndjson", Format: "trials", Trials: 60}, {Input: "shard-2.ndjson.gz", Format: "trials", Trials: 24}}
	e.Policy.Policy = envelope.Policy{Rule: "wilson", RetryRule: "any", Threshold: some(0.9), ScoreThreshold: some(0.5), Confidence: some(0.95),
		MinTrials: some(4), TreatAs: "neutral", Adjust: "holm", Family: "run",
		Overrides: []envelope.Override{{Match: "smoke/*", Labels: map[string]string{"tier": "1"}, Policy: envelope.Policy{Rule: "all"}}}}
	e.Tests = reviewTests()
	for i := range e.Tests {
		e.Summary.Add(e.Tests[i].Status)
		if e.Tests[i].Flaky {
			e.Summary.Flaky++
		}
	}
	e.Summary.Trials = envelope.TrialCounts{Planned: some(int64(90)), Total: 84, Counted: 68, Passed: 62,
		Excluded: map[string]int{"infrastructure": 4, "idle-timeout": 10, "skip": 2}}
	e.Summary.Rate = envelope.Rates{PerProtocol: rateOf(62, 68), IntentToTreat: rateOf(62, 82), Bracket: &envelope.Bracket{Lo: 62.0 / 82, Hi: 76.0 / 82}}
	e.Summary.Clusters = &envelope.Clusters{By: "team", Count: 3, ICC: some(0.21), DesignEffect: some(2.4), EffectiveN: some(28.3),
		Rate: &envelope.Rate{Value: 62.0 / 68, Lo: 0.78, Hi: 0.97, Method: "cluster-robust", Confidence: 0.95}}
	e.Summary.CostPerSuccess, e.Summary.CostToVerdict = some(0.0199), some(0.98)
	e.Summary.DurationMS, e.Summary.CostUSD, e.Summary.Tokens = some(754_321.0), some(1.2345), some(int64(1_234_567))
	e.Metrics = []envelope.Metric{
		{Name: "pass_at_k", Params: map[string]any{"k": 4.0}, Value: some(0.7125), Mu: some(0.7043), Sigma: some(0.0311), Lo: some(0.6516), Hi: some(0.7734), TestsUsed: 5, TestsTotal: 7},
		{Name: "auc_at_k", Params: map[string]any{"k": 4.0, "powers": []int{1, 2}}, TestsUsed: 0, TestsTotal: 7, Variant: "small", Note: "no test has 4 counted trials"}}
	e.Suites = []envelope.Suite{{Name: "", Counts: envelope.Counts{Tests: 1, Skip: 1}},
		{Name: "checkout", Counts: envelope.Counts{Tests: 5, Pass: 3, Fail: 1, Inconclusive: 1}, Flaky: 4, DurationMS: some(500_000.0), CostUSD: some(0.9)},
		{Name: "search", Counts: envelope.Counts{Tests: 1, Error: 1}}}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1, Reasons: []string{"1 test failed, 1 errored", "gate passhat did not hold"},
		Gates: []envelope.GateResult{{Name: "passhat", Expr: "reliability.passhat_k >= 80", Status: envelope.Fail, Saw: "0 in checkout/pays with a stored card [large]"}}}
	e.Problems = []envelope.Problem{
		{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Message: "status is 7, not a string", Input: "shard-1.ndjson", Line: 12, Column: 34},
		{Severity: envelope.SeverityInfo, Code: envelope.CodeUnknown, Message: "fields nobody knows: colour", Input: "shard-2.ndjson.gz", Count: 24}}
	return e
}

func reviewTests() []envelope.Test {
	undecided := testOf(envelope.Key{Suite: "checkout", Test: "splits a bill", Variant: "large"}, envelope.Inconclusive, "PPPF")
	undecided.Verdict.Reason = "the 95 % Wilson interval [0.301, 0.954] contains the threshold 0.9"
	undecided.Verdict.Changes = []envelope.Change{{Outcome: envelope.Pass, Trials: 31, Status: envelope.Pass}, {Outcome: envelope.Fail, Trials: 1, Status: envelope.Fail}}
	undecided.Details = []envelope.Detail{{Trial: 3, Status: envelope.Fail, Message: "the tip is missing"}}
	flaky := testOf(envelope.Key{Suite: "checkout", Test: "refunds", Variant: "large"}, envelope.Pass, "FP")
	flaky.Verdict.Rule, flaky.Quarantined = "any", true
	flaky.Verdict.Threshold = envelope.Opt[float64]{}
	long := testOf(envelope.Key{Suite: "checkout", Test: "refunds", Variant: "small"}, envelope.Pass, strings.Repeat("P", 40)+strings.Repeat("PX", 10)+"FPPP")
	long.Trials.Excluded["idle-timeout"] = 10
	long.CostLimited = true
	errored := testOf(envelope.Key{Suite: "search", Test: "finds flights", Variant: "small"}, envelope.Error, "XXXX")
	errored.Trials.Excluded["infrastructure"] = 4
	errored.Verdict = &envelope.Verdict{Rule: "wilson", Reason: "no trial could be counted: 4 infrastructure"}
	errored.Details = []envelope.Detail{{Trial: 0, Status: envelope.Error, ErrorClass: "infrastructure", Message: "503 from the simulator"}}
	skipped := testOf(envelope.Key{Test: "upgrades a seat"}, envelope.Skip, "SS")
	skipped.Trials.Excluded["skip"] = 2
	skipped.Verdict = &envelope.Verdict{Rule: "wilson", Reason: "all 2 trials were skipped"}
	plain := testOf(envelope.Key{Suite: "checkout", Test: "pays with a stored card", Variant: "small"}, envelope.Pass, "PPPP")
	plain.DurationMS, plain.CostUSD = &envelope.Spread{Total: 3204, P50: some(801.0), P95: some(850.0)}, some(0.00042)
	plain.Reliability = &envelope.Reliability{Runs: 4, PassAtK: 100, PassHatK: 100, AllPassed: 100, GracefulDegradation: 100, Curve: []int{100, 100, 100, 100}}
	return []envelope.Test{skipped, failing(), plain, flaky, long, undecided, errored}
}

// hostile is text that breaks out of anything that is not careful.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, "\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07",
	"a\u202eb\u2066c", "]]> --> <!--", "::error::x", "# | ` $(x)", "\x00\x07\x08\x7f", "\uFFFE\uFFFF", "\xff\xfe", "{{.}} {{template \"page\"}}", "javascript:alert(1)",
	"<style>*{display:none}</style></style>", "&lt;b&gt; &amp;#60;", "", strings.Repeat("n", 10_000), "\u2028\u2029\r\n\r", "</title></pre></details></main>",
}

// hostileRun puts every hostile text in every place that takes text.
func hostileRun() *envelope.Envelope {
	e := &envelope.Envelope{}
	all := strings.Join(hostile, "\n")
	e.Run.Header = envelope.Header{Name: all, ID: all, Commit: all, StartedAt: all, Labels: map[string]string{all: all}}
	e.Run.Headers = []envelope.Header{e.Run.Header}
	e.Run.Sources = []envelope.Source{{Input: all, Format: all}}
	e.Summary.Clusters = &envelope.Clusters{By: all, Note: all, Rate: &envelope.Rate{Method: all}}
	e.Policy.Policy = envelope.Policy{Metrics: all, ClusterBy: all, Gates: []envelope.GateExpr{{Name: all, Expr: all}}, Rule: all, RetryRule: all + "2", TreatAs: all, Adjust: all, Family: all, OnConflict: all, KeepDetails: all,
		Overrides: []envelope.Override{{Match: all, Labels: map[string]string{all: all}}}}
	e.Metrics = []envelope.Metric{{Name: all, Variant: all, Note: all, Params: map[string]any{all: all, "f": func() {}}}}
	e.Suites = []envelope.Suite{{Name: all}, {Name: all}}
	e.Gate = envelope.Gate{Status: envelope.Status(all), Reasons: []string{all, ""}, Gates: []envelope.GateResult{{Name: all, Expr: all, Saw: all, Status: envelope.Status(all)}}}
	e.Problems = []envelope.Problem{{Severity: envelope.Severity(all), Code: all, Message: all, Input: all, Line: -1, Count: -1}}
	for _, h := range hostile {
		e.Tests = append(e.Tests, hostileTest(h))
	}
	for _, s := range envelope.Statuses {
		e.Summary.Add(s)
	}
	e.Summary.Trials.Excluded = map[string]int{all: 1}
	return e
}

func hostileTest(h string) envelope.Test {
	t := testOf(envelope.Key{Suite: h, Test: h, Variant: h}, envelope.Status(h), "P?<F\x00E")
	t.File, t.Line, t.Labels, t.Varies = h, 1, map[string]string{h: h}, []string{h}
	t.Flaky, t.CostLimited, t.Quarantined = true, true, true
	t.Verdict = &envelope.Verdict{Rule: h, Reason: h, RawStatus: envelope.Status(h), Interval: &envelope.Interval{Method: h},
		Changes: []envelope.Change{{Outcome: envelope.Fail, Trials: 2, Status: envelope.Status(h)}, {Outcome: envelope.Status(h), Trials: -1}}}
	t.Trials.Excluded = map[string]int{h: 1}
	t.Details = []envelope.Detail{{Trial: 0, Run: h, Status: envelope.Status(h), ErrorClass: h, Message: h, Output: h, Labels: map[string]string{h: h}, Reasons: map[string]string{h: h}}}
	valid := strings.ToValidUTF8(h, "?") // as an envelope has it
	t.Checks = map[string]envelope.CheckRate{h: {N: 2, Passed: 1, Rate: rateOf(1, 2)}, h + "2": {N: 1, Passed: 1}}
	var is envelope.Inside
	is.Checks.Set(0, h, envelope.Checked{Given: envelope.Given(envelope.Failed)})
	t.Rows.SetInside(is)
	t.Parting = &envelope.Parting{Level: envelope.PartArguments, Depth: 1, Shared: []int{0, 7}, N: 2, Nodes: 3, P: some(0.01), Adjusted: some(0.03), Method: h,
		Branches: []envelope.Branch{{Name: h, Arguments: h, Passed: 1, N: 1, Lo: 0.2, Hi: 1, Trials: []int{0, 99}}, {Others: 2, N: 2}, {Ended: true, Passed: 1, N: 2}, {Unknown: true}}}
	call := envelope.ToolCall{ID: h, Name: valid, Arguments: valid}
	pairs := envelope.ToolCall{Name: valid, Arguments: `{"a":[1,{"b":"` + strings.Repeat("long ", 20) + `"}],"` + "`</script>" + `":null}`}
	t.Transcripts = []envelope.Transcript{envelope.NewTranscript(1, []envelope.Turn{
		{Role: envelope.RoleSystem, Text: valid}, {Role: valid, Agent: valid, Text: valid, Reasoning: valid}, {LeftOut: 3},
		{Role: envelope.RoleAssistant, ToolCalls: []envelope.ToolCall{call, pairs}, CostUSD: some(0.1), DurationMS: some(3.0)},
		{Role: envelope.RoleTool, Name: valid, Error: true, Text: strings.Repeat(valid+"\n", 30), Attachments: []envelope.Attachment{{Name: valid, URL: valid}, {Path: valid}}}})}
	return t
}

// inside is a test of which the inside is known: trials diverge at their second step, and say why.
func inside() *envelope.Envelope {
	e := &envelope.Envelope{}
	e.Run.Name = "airline agent"
	e.Steps = []envelope.Step{{Name: "get_user", Digest: "00"}, {Name: "cancel", Digest: "01"}, {Name: "cancel", Digest: "02"}, {Name: "transfer", Digest: "03"}}
	t := testOf(envelope.Key{Test: "30"}, envelope.Fail, "FPFP")
	t.Verdict.Reason = "2 of 4 trials did not pass; all must"
	var is envelope.Inside
	for i, places := range [][]uint32{{0, 3}, {0, 1}, {0, 2}, {0, 1, 2}} {
		is.Steps.Set(i, places)
	}
	for i, given := range []envelope.Outcome{envelope.Failed, envelope.Passed, envelope.Failed, envelope.Passed} {
		is.Checks.Set(i, "cancels the right one", envelope.Checked{Given: envelope.Given(given)})
		is.Checks.Set(i, "is polite", envelope.Checked{Given: envelope.Given(envelope.Passed)})
	}
	t.Rows.SetInside(is)
	t.Rows.ClassifyChecks(envelope.CountingRules{})
	t.Checks = map[string]envelope.CheckRate{"cancels the right one": {N: 4, Passed: 2, Rate: rateOf(1, 2)}, "is polite": {N: 4, Passed: 4, Rate: rateOf(4, 4)}}
	t.Details = []envelope.Detail{{Trial: 0, Status: envelope.Fail, Message: "reward 0", Reasons: map[string]string{"cancels the right one": "handed over to a human"}}}
	t.Parting = &envelope.Parting{Level: envelope.PartArguments, Depth: 1, Shared: []int{0}, N: 4, Nodes: 3, Branches: []envelope.Branch{
		{Name: "cancel", Digest: "01", Arguments: "FDZ0T5", Passed: 2, N: 2, Lo: 0.342, Hi: 1, Trials: []int{1, 3}},
		{Name: "transfer", Digest: "03", N: 1, Hi: 0.793, Trials: []int{0}}, {Name: "cancel", Digest: "02", Arguments: "HSR97W", N: 1, Hi: 0.793, Trials: []int{2}}}}
	said := func(calls ...envelope.ToolCall) []envelope.Turn {
		turns := []envelope.Turn{{Role: envelope.RoleSystem, Text: "You are an agent of an airline."}, {Role: envelope.RoleUser, Text: "Cancel my flight, please."}}
		for _, c := range calls {
			turns = append(turns, envelope.Turn{Role: envelope.RoleAssistant, Text: "One moment.", ToolCalls: []envelope.ToolCall{c}, DurationMS: some(1200.0)},
				envelope.Turn{Role: envelope.RoleTool, Name: c.Name, Text: `{"done":true,"of":"` + c.Name + `"}`})
		}
		return append(turns, envelope.Turn{Role: envelope.RoleAssistant, Text: "Anything else?"})
	}
	user := envelope.ToolCall{Name: "get_user", Arguments: `{"id":"mia"}`}
	cancel := func(id string) envelope.ToolCall {
		return envelope.ToolCall{Name: "cancel", Arguments: `{"reservation":"` + id + `"}`}
	}
	t.Transcripts = []envelope.Transcript{
		envelope.NewTranscript(0, said(user, envelope.ToolCall{Name: "transfer", Arguments: `{"summary":"I do not know how"}`})),
		envelope.NewTranscript(1, said(user, cancel("FDZ0T5"))), envelope.NewTranscript(2, said(user, cancel("HSR97W")))}
	e.Tests = []envelope.Test{t}
	e.Summary.Add(envelope.Fail)
	e.Summary.Flaky = 1
	e.Summary.StepsUsed = []envelope.StepUse{{Name: "transfer", Tests: 1, Difference: -0.66, P: 0.5, Adjusted: 1, Method: envelope.PExact}}
	return e
}

// words is the page as somebody reads it who sees neither styles nor drawings.
func words(page string) string {
	page = regexp.MustCompile(`(?s)<(style|script)[^>]*>.*?</(style|script)>`).ReplaceAllString(page, "")
	page = regexp.MustCompile(`</?(span|bdi|b|small|a|i)\b[^>]*>`).ReplaceAllString(page, "") // these stand within a line
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	page = strings.ReplaceAll(stdhtml.UnescapeString(page), "\u00a0", " ")
	return strings.Join(strings.Fields(page), " ")
}

func TestTheWordsSayEverything(t *testing.T) {
	text := words(render(t, review()))
	for _, c := range []struct{ want, reason string }{
		{"airline agent, nightly FAIL 2 of 7 tests fail: ", "the name and the headline come first"},
		{"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "the whole commit, to search for"},
		{"started 2026-03-01 02:00:00 UTC", "a time says its zone"},
		{"Judged by the rule wilson at threshold 0.9, confidence 95 %, at least 4 trials; tests that were retried by the rule any. Adjusted for many tests by holm", "the policy in words"},
		{"exit code 1", "what the run does to the build"},
		{"62 of 68 counted trials passed.", "the trials"},
		{"planned 90 total 84 counted 68 passed 62 excluded: idle-timeout 10 excluded: infrastructure 4 skipped 2", "what became of all trials"},
		{"on these tests per protocol: excluded trials left out 91.2 % 82.1 to 95.9 % wilson, 95 %", "the first rate, its interval and how that was made"},
		{"intent to treat excluded trials count as failed 75.6 % 65.3 to 83.6 %", "the second rate"},
		{"bracket if all excluded trials had failed, or passed 75.6 to 92.7 %", "the bracket"},
		{"time 12m34s cost $1.23 cost per passed trial $0.02 cost up to the verdicts $0.98 tokens 1,234,567", "what it took"},
		{"clusters by team 3 intraclass correlation 0.21 design effect 2.4 effective trials 28.3", "how alike trials of a cluster are"},
		{"ERROR shard-1.ndjson:12:34 status is 7, not a string malformed-record 1", "a problem has its position"},
		{"pass_at_k k = 4 0.7125 0.7043 0.6516 to 0.7734 0.0311 5 of 7", "a metric with its interval"},
		{"no test has 4 counted trials", "a metric that could not be computed says why"},
		{"shard-2.ndjson.gz trials 24", "where the trials came from"},
		{"upgrades a seat SKIP 0/0 not run not run checkout/pays with a stored card not run FAIL 1/4 PASS 4/4", "the matrix"},
		{"flaky checkout/pays with a stored card [large] 3× expected order state paid, got pending PFFF passed 1/4 25 % [5–70] median 2.2 s $0.018", "the line of a test"},
		{"Trial 3 ERROR · attempt 1 · run shard-2 · timeout no answer after 30 s seed 7", "a trial by its place, attempts counted from 1"},
		{"tool get_card(user=mia_li_3668) error card 4242 declined", "output without its terminal sequences"},
		{"rule wilson threshold 0.9 confidence 95 % judged 1 of 4 trials passed interval 0.046 to 0.699, wilson", "the verdict in numbers"},
		{"runs 4 pass@k 100 % rate^k 0 % all passed 0 % variance amplification 87 % graceful degradation 10 %", "the reliability targets"},
		{"rate^k, the pass rate of the first k trials to the power k 0 % 100 % k = 1 4 From k = 1: 100, 25, 3, 0 % at k = 4.", "the curve, drawn and in words"},
		{"Defined in evals/checkout_test.py:42", "where the test is"},
		{"area checkout team payments labels that vary seed", "the labels of a test"},
		{"undecided checkout/splits a bill [large] the 95 % Wilson interval [0.301, 0.954] contains the threshold 0.9 PPPF passed 3/4 75 % [30–95]", "an undecided test says why"},
		{"What would change it: 31 more passes in a row would make it PASS, 1 more failure would make it FAIL.", "how far an undecided test is from a decision"},
		{"passes, flaky checkout/refunds [large] QUARANTINED", "flags beside the name"},
		{"checkout/refunds [small] COST", "the cost limit too"},
		{"median 801 ms $0.00042", "a passing test"},
	} {
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: the page does not say %q", c.reason, c.want)
		}
	}
}

func TestWhatNeedsLookingAtComesFirst(t *testing.T) {
	text := words(render(t, review()))
	last := strings.Index(text, "2 of 7 tests fail")
	for _, group := range []string{"Flaky 1", "Error 1", "Undecided 1", "Passes, flaky 2", "Skipped 1", "Passes 1"} {
		at := strings.Index(text, group)
		if at < last {
			t.Errorf("%q is at %d, before what should come before it at %d", group, at, last)
		}
		last = at
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	text := strings.ReplaceAll(words(render(t, onePass())), "cost limit", "") // which the glossary names
	for _, unwanted := range []string{"$", "cost", "median", "tokens", "planned", "excluded:", "commit", "started", "Metrics", "Problems", "Variants", "Suites"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page says %q, and there is none", unwanted)
		}
	}
}

// TestLabelsOfTrials: trials say what a person found of them, those without kept texts in the sentence of their test.
func TestLabelsOfTrials(t *testing.T) {
	test := failing() // PFFF, with texts of the last three
	test.Rows = test.Rows.Changed(func(c *envelope.Columns) {
		for i, label := range []envelope.Status{envelope.Fail, envelope.Pass, "", envelope.Fail} {
			c.Truth.Set(i, label)
		}
	})
	e := &envelope.Envelope{Tests: []envelope.Test{test}}
	e.Summary.Add(envelope.Fail)
	text := words(render(t, e))
	for _, want := range []string{
		"Labelled fail and judged pass: trial 1; labelled pass and not judged pass: trial 2.", "labelled pass, judged fail", "labelled fail",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if without := words(render(t, &envelope.Envelope{Tests: []envelope.Test{failing()}})); strings.Contains(without, "abelled") {
		t.Error("a run without labels speaks of them")
	}
}

func TestFewFailuresAreOpen(t *testing.T) {
	for _, c := range []struct {
		failures int
		open     bool
		reason   string
	}{{3, true, "few enough to read at once"}, {4, false, "the list is the overview then"}} {
		e := &envelope.Envelope{}
		for range c.failures {
			e.Tests = append(e.Tests, failing())
			e.Summary.Add(envelope.Fail)
		}
		open := len(regexp.MustCompile(`<details class="test"[^>]* open>`).FindAllString(render(t, e), -1))
		if (open == c.failures) != c.open {
			t.Errorf("%s: %d of %d failing tests are open", c.reason, open, c.failures)
		}
	}
}
