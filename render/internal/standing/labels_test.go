package standing_test

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// TestMisjudged: a trial says what a person found and what the judge said; a test lists
// where they differ, of the trials that count, numbered from 1.
func TestMisjudged(t *testing.T) {
	columns := envelope.Columns{Given: []envelope.Given("PPFFEESP")}
	for i, label := range []envelope.Status{"pass", "fail", "pass", "fail", "pass", "fail", "pass"} {
		columns.Truth.Set(i, label)
	}
	rows := columns.Rows()
	rows.Outcome = envelope.Outcomes("PPFFEXSP")
	for trial, want := range map[int]string{
		0: "labelled pass", 1: "labelled fail, judged pass", 2: "labelled pass, judged fail", 3: "labelled fail",
		4: "labelled pass, judged error", 5: "labelled fail, judged excluded", 6: "labelled pass, judged skip", 7: "", 8: "", -1: "",
	} {
		if got := standing.Labelled(rows, trial); got != want {
			t.Errorf("trial %d: %q, want %q", trial, got, want)
		}
	}
	if got, want := standing.Misjudged(&envelope.Test{Rows: rows}), "labelled fail and judged pass: trial 2; labelled pass and not judged pass: trials 3, 5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	passing := envelope.Columns{Given: []envelope.Given(strings.Repeat("P", 13))}
	for i := range passing.Given {
		passing.Truth.Set(i, envelope.Fail)
	}
	many := passing.Rows()
	many.Outcome = envelope.Outcomes(strings.Repeat("P", 13))
	if got, want := standing.Misjudged(&envelope.Test{Rows: many}), "labelled fail and judged pass: trials 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := standing.Misjudged(&envelope.Test{Rows: &envelope.Rows{Outcome: envelope.Outcomes("PF")}}); got != "" {
		t.Errorf("without labels: %q", got)
	}
}

func TestParting(t *testing.T) {
	call := func(name, digest, arguments string, passed, n int) envelope.Branch {
		return envelope.Branch{Name: name, Digest: digest, Arguments: arguments, Passed: passed, N: n}
	}
	some := envelope.Some[float64]
	for _, c := range []struct {
		parting *envelope.Parting
		counted int
		want    string
		reason  string
	}{
		{nil, 4, "", "they do not part"},
		{&envelope.Parting{Level: envelope.PartArguments, Depth: 8, N: 4, Nodes: 3, Branches: []envelope.Branch{
			call("cancel", "aa11bb22", "ZXY", 2, 2), call("cancel", "cc33dd44", "", 0, 1), call("person", "ee55", "", 0, 1)}}, 4,
			"after 8 equal steps: cancel(ZXY) passed 2/2, cancel(#cc33dd) 0/1, person 0/1; exploratory",
			"arguments that were not kept are told by their digest, and only where the tool does not say it"},
		{&envelope.Parting{Level: envelope.PartNames, N: 5, Nodes: 2, P: some(0.0123456), Adjusted: some(0.0246912), Method: envelope.PExact,
			Branches: []envelope.Branch{{Ended: true, Passed: 2, N: 3}, {Unknown: true, N: 2}}}, 5,
			"at the first step: without further steps passed 2/3, further steps that are not kept 0/2; p 0.0123, 0.0247 adjusted for 2 places, exploratory", "p-values"},
		{&envelope.Parting{Level: envelope.PartNames, Depth: 1, N: 9, Nodes: 1, P: some(1.), Adjusted: some(1.), Method: envelope.PPermutations,
			Branches: []envelope.Branch{call("a", "", "", 1, 1), call("b", "", "", 1, 1), call("c", "", "", 0, 1), call("d", "", "", 0, 1), call("e", "", "", 0, 1), {Others: 3, N: 4}}}, 12,
			"after 1 step with the same tools of 9 of 12 trials: a passed 1/1, b 1/1, c 0/1, d 0/1, 4 other ways 0/5; p 1 by permutations, 1 adjusted for 1 place, exploratory",
			"a line names a few ways; nothing is lost from the counts"},
	} {
		if got := standing.Parting(&envelope.Test{Parting: c.parting, Trials: envelope.TrialCounts{Counted: c.counted}}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

func TestStepsUsed(t *testing.T) {
	for _, c := range []struct {
		used         []envelope.StepUse
		want, reason string
	}{
		{nil, "", "no tool"},
		{[]envelope.StepUse{{Name: "think", Tests: 1, P: 1, Adjusted: 1}}, "no call of a tool is linked to passing within a test (1 tool)", "nothing to say"},
		{[]envelope.StepUse{{Name: "search", Tests: 6, Difference: -0.579, P: 0.0234, Adjusted: 0.305}, {Name: "think", P: 1, Adjusted: 1}},
			"no call of a tool is linked to passing within a test (2 tools; the smallest p is 0.0234, of search, 0.305 adjusted)", "what does not stand is no story"},
		{[]envelope.StepUse{{Name: "search", Tests: 6, Difference: -0.579, P: 0.001, Adjusted: 0.002}, {Name: "think", P: 1, Adjusted: 1}},
			"trials that call it pass more or less often than others of their test: search -58 points in 6 tests, p 0.001, 0.002 adjusted for 2 tools; exploratory", "what stands"},
	} {
		if got := standing.StepsUsed(&envelope.Summary{StepsUsed: c.used}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

func TestFailingChecks(t *testing.T) {
	checks := map[string]envelope.CheckRate{"always": {N: 10, Passed: 10}, "never tried": {}, "cites": {N: 10, Passed: 3}, strings.Repeat("long ", 40): {N: 4, Passed: 2}}
	want := "cites in 7 of 10 trials, " + strings.Repeat("long ", 15) + "long… in 2 of 4 trials"
	if got := standing.FailingChecks(&envelope.Test{Checks: checks}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range strings.Fields("a b c d e f") {
		checks[name] = envelope.CheckRate{N: 1}
	}
	if got, want := standing.FailingChecks(&envelope.Test{Checks: checks}), "a in 1 of 1 trial, b in 1 of 1 trial, c in 1 of 1 trial, d in 1 of 1 trial, e in 1 of 1 trial and 3 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if lines := standing.Inside(&envelope.Test{}); lines != nil {
		t.Errorf("a test of which nothing is known: %q", lines)
	}
}

func TestSaved(t *testing.T) {
	for _, c := range []struct {
		reason      string
		summary     envelope.Summary
		saved, late string
	}{
		{"nothing was stopped", envelope.Summary{}, "", ""},
		{"the contract's words", envelope.Summary{Saved: &envelope.Savings{Trials: 1679, Of: 2500, CostUSD: envelope.Some(1679.0)}},
			words.Count(1679) + " of " + words.Count(2500) + " trials (" + words.Dollars(1679) + ") by stopping at verdicts", ""},
		{"costs that nobody knows are none", envelope.Summary{EarlySaves: &envelope.Savings{Trials: 7, Of: 10}}, "", "7 of 10 trials, which --stop early would not have started"},
	} {
		saved, late := standing.Saved(&c.summary), standing.EarlySaves(&c.summary)
		if saved != c.saved || late != c.late {
			t.Errorf("%s: %q and %q, want %q and %q", c.reason, saved, late, c.saved, c.late)
		}
	}
}
