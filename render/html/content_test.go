package html_test

import (
	stdhtml "html"
	"regexp"
	"strings"
	"testing"

	"tribunal/envelope"
)

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
		{"intent to treat excluded trials as not passed 75.6 % 65.3 to 83.6 %", "the second rate"},
		{"bracket excluded trials all failed, or all passed 75.6 to 92.7 %", "the bracket"},
		{"time 12m34s cost $1.23 cost per passed trial $0.02 cost up to the verdicts $0.98 tokens 1,234,567", "what it took"},
		{"clusters by team 3 intraclass correlation 0.21 design effect 2.4 effective trials 28.3", "how alike trials of a cluster are"},
		{"ERROR shard-1.ndjson:12:34 status is 7, not a string malformed-record 1", "a problem has its position"},
		{"pass_at_k k = 4 0.7125 0.7043 0.0311 0.6516 to 0.7734 5 of 7", "a metric with its interval"},
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
	text := words(render(t, onePass()))
	for _, unwanted := range []string{"$", "cost", "median", "tokens", "planned", "excluded:", "commit", "started", "Metrics", "Problems", "Variants", "Suites"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page says %q, and there is none", unwanted)
		}
	}
}

// TestLabelsOfTrials: trials say what a person found of them, those without kept texts in
// the sentence of their test.
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
		"Labelled fail and judged pass: trial 1; labelled pass and judged not: trial 2.", "labelled pass, judged fail", "labelled fail",
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
