package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestVerdictInWords(t *testing.T) {
	hypotheses := &envelope.Hypotheses{P0: 0.9, P1: 0.8, Alpha: 0.05, Beta: 0.2}
	interval := &envelope.Interval{Lo: 0.2, Hi: 0.8}
	for _, c := range []struct {
		reason string
		v      envelope.Verdict
		want   string
	}{
		{"a binary rule says it all in its reason", envelope.Verdict{Rule: "all", N: 3}, ""},
		{"both hypotheses and both error rates", envelope.Verdict{Rule: "sprt", N: 5, Hypotheses: hypotheses},
			"Tells a pass rate of 0.9 from one of 0.8: a test at 0.9 fails by chance at most 5 % of the time, one at 0.8 passes at most 20 %."},
		{"where it stopped", envelope.Verdict{N: 20, StoppedAt: some(14)}, "Decided at trial 14 of 20; the later ones do not change it."},
		{"stopped by its last trial", envelope.Verdict{N: 14, StoppedAt: some(14)}, ""},
		{"an interval rule", envelope.Verdict{Rule: "wilson", Threshold: some(0.7), Interval: interval},
			"Passes when the whole interval lies above 0.7, fails when it lies below, and is undecided between."},
		{"a credible interval decides nothing", envelope.Verdict{Rule: "bayes", Threshold: some(0.7), Confidence: some(0.95), Interval: interval},
			"Passes when the probability of a rate of 0.7 or more reaches 95 %, fails when that of a lower rate does and the rate seen is below, and is undecided between."},
		{"a rule of a later version", envelope.Verdict{Rule: "new", Threshold: some(0.7), Interval: interval}, ""},
		{"an adjustment that changed the verdict", envelope.Verdict{PValue: some(0.01), PAdjusted: some(0.2), RawStatus: envelope.Fail},
			"Adjusted for the number of tests: p 0.01 becomes 0.2, and FAIL does not stand."},
		{"and one that did not", envelope.Verdict{PValue: some(0.01), PAdjusted: some(0.02)}, "Adjusted for the number of tests: p 0.01 becomes 0.02."},
		{"valid under peeking", envelope.Verdict{ValidUnderPeeking: some(true)}, "Valid no matter how often you looked before stopping."},
		{"a sequential rule whose trials do not bear it", envelope.Verdict{Rule: "anytime", Hypotheses: hypotheses, ValidUnderPeeking: some(false)},
			"Tells a pass rate of 0.9 from one of 0.8: a test at 0.9 fails by chance at most 5 % of the time, one at 0.8 passes at most 20 %. Not valid under repeated looks here, as the reason says."},
		{"not valid under peeking", envelope.Verdict{ValidUnderPeeking: some(false)}, "Valid only if the number of trials was settled before looking at any."},
	} {
		if got := strings.ReplaceAll(strings.Join(verdictSentences(&c.v), " "), nbsp, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestLongTextsAreFolded(t *testing.T) {
	for _, c := range []struct {
		reason, text, folded string
	}{
		{"a line", "a", ""},
		{"colours are no bytes of the text", strings.Repeat("\x1b[31ma\x1b[0m", 2001), "Output: 1 line, 2,001 bytes"},
		{"25 lines fit a screen, and a newline at the end starts no other", strings.Repeat("a\n", 25), ""},
		{"26 do not", strings.Repeat("a\n", 26), "Output: 26 lines, 52 bytes"},
		{"nor does one long line", strings.Repeat("a", 2001), "Output: 1 line, 2,001 bytes"},
	} {
		if got := newOutput("Output", c.text); got.Folded != c.folded {
			t.Errorf("%s: %q, want %q", c.reason, got.Folded, c.folded)
		}
	}
	if newOutput("Output", "") != nil {
		t.Error("no text is a text")
	}
}

func TestManyTrialsAreFolded(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 9}, Rows: new(envelope.Rows)}
	for i := range 7 {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: "no " + fmt.Sprint(i)})
	}
	k := (&opener{}).newKept(&test)
	if len(k.Kept) != openTrials || len(k.More) != 2 || k.MoreText != "2 more trials" {
		t.Errorf("%d trials shown, %d behind %q", len(k.Kept), len(k.More), k.MoreText)
	}
}

// bareOpener is that of a run of which nothing is known.
func bareOpener() *opener {
	o, _ := newOpener(&envelope.Envelope{}, Options{}) // no address that could be wrong
	return o
}

// Trials that said the same are one, with the others beside it.
func TestEqualTrialsAreOne(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 5}, Rows: new(envelope.Rows)}
	for i, message := range []string{"no", "no", "never", "no", "no"} {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: message, Output: strings.Repeat("of its own", i/4)})
	}
	k := bareOpener().newKept(&test)
	if len(k.Kept) != 3 || !slices.Equal(k.Kept[0].Same, []string{"Trial 2", "Trial 4"}) || k.Kept[1].Same != nil || k.Kept[2].Title != "Trial 5" {
		t.Errorf("%d trials shown, %q beside the first", len(k.Kept), k.Kept[0].Same)
	}
}

// Runners put the message into the trace, and attach files of the same name to each trial.
func TestMessagesInTracesStandOnce(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 3}, Rows: new(envelope.Rows)}
	for i, output := range []string{"\x1b[31mError: 1\x1b[0m\n\n  is not 2\n  at a.js:1", "\x1b[31mError: 1\x1b[0m\n\n  is not 2\n  at a.js:1", "Error: 3"} {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: "Error: 1\nis not 2", Output: output, Attachments: []envelope.Attachment{{Name: "shot"}}})
	}
	k := bareOpener().newKept(&test)
	if len(k.Kept) != 2 || k.Kept[0].Message != nil || !k.Kept[0].Output.Lead || k.Kept[1].Message == nil || k.Kept[1].Output.Lead {
		t.Fatalf("%+v", k.Kept)
	}
	if files := k.Kept[0].Files; len(files) != 2 || files[0].Note != "" || files[1].Note != "trial 2" {
		t.Errorf("files %+v", files)
	}
}

// A page of very many tests draws those that say something: the first ones as
// HTML, all of them in data.
func TestPicturesAreBudgeted(t *testing.T) {
	test := func(name, strip string) envelope.Test {
		rows := trialsOf(strip, 1, 2, 3, 4)
		passed := strings.Count(strip, "P")
		return envelope.Test{Key: envelope.Key{Test: name}, Status: envelope.Fail, Rows: rows, Trials: envelope.TrialCounts{Total: 4, Counted: 4, Passed: passed},
			Verdict: &envelope.Verdict{Rule: "wilson", Threshold: some(0.5), Changes: []envelope.Change{{Outcome: envelope.Pass, Trials: 2, Status: envelope.Pass}}}}
	}
	for _, c := range []struct {
		tests, asHTML, asData int
		reason                string
	}{
		{10, 10, 10, "few tests are all drawn"},
		{1200, picturesInHTML / 2, 1200, "every second of the first ones has trials that differ"},
		{picturesInData + 2, picturesInHTML / 2, picturesInData/2 + 1, "so many that data has only the tests that differ, too"},
	} {
		var tests []envelope.Test
		for i := range c.tests {
			tests = append(tests, test(fmt.Sprint(i), []string{"PPPF", "PPPP"}[i%2]))
		}
		l := newListing(tests, max(len(tests), DefaultStatic+1), bareOpener())
		asHTML, asData := 0, 0
		for place := range tests {
			r := l.row(place)
			if len(r.Detail.More.Charts) > 0 {
				asHTML++
			}
			if _, rest := l.body(place); len(rest.Charts) > 0 {
				asData++
			}
			if r.Detail.Change == "" {
				t.Errorf("test %d of %d does not say what would change it", place, c.tests)
			}
		}
		if asHTML != c.asHTML || asData != c.asData {
			t.Errorf("%s: %d drawn as HTML and %d as data, want %d and %d", c.reason, asHTML, asData, c.asHTML, c.asData)
		}
	}
}
