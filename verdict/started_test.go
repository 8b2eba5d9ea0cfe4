package verdict

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestStarted: a run that started its trials says of which tests more than a fifth of
// them was excluded, 1 of 4 being more and 1 of 5 not, with both rates; and that
// outcomes decided how many there are.
func TestStarted(t *testing.T) {
	for _, c := range []struct {
		reason, outcomes string
		how              envelope.How
		code, says       string // "" for none
	}{
		{"1 of 4 excluded, 1 of 3 and 1 of 4 passed", "PFFX", envelope.EndedFull, envelope.CodeExcluded, "more than a fifth of the trials is excluded in 1 test, first in t; 33 % of the counted trials passed, 25 % of all"},
		{"1 of 5 is no more than a fifth", "PPFFX", envelope.EndedFull, "", ""},
		{"what was skipped was not tried", "PPFFXSSS", envelope.EndedFull, "", ""},
		{"nothing counts: no rate to be in doubt", "XX", envelope.EndedInfrastructure, "", ""},
		{"stopped", "PPF", envelope.EndedEarly, envelope.CodeByOutcome, "the trials of 1 test ended at a verdict"},
		{"at the verdict of a sequential rule", "FF", envelope.EndedDecided, envelope.CodeByOutcome, "only describe"},
		{"a limit is no outcome", "PPF", envelope.EndedCost, "", ""},
	} {
		env := journaled(t, envelope.Policy{Rule: "all"}, c.outcomes, int64(len(c.outcomes)), c.how)
		var found []envelope.Problem
		for _, p := range env.Problems {
			if p.Code == envelope.CodeExcluded || p.Code == envelope.CodeByOutcome {
				found = append(found, p)
			}
		}
		switch {
		case c.code == "" && len(found) == 0:
		case c.code == "" || len(found) != 1 || found[0].Code != c.code || !strings.Contains(found[0].Message, c.says):
			t.Errorf("%s: %v, want %s: %s", c.reason, found, c.code, c.says)
		case (found[0].Severity == envelope.SeverityInfo) != (c.code == envelope.CodeByOutcome):
			t.Errorf("%s: %s", c.reason, found[0].Severity)
		}
	}
	report := trialsOf("", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	for i := range report[1:] {
		report[1+i].Status, report[1+i].ErrorClass = envelope.Error, envelope.ClassInfrastructure
	}
	env := sealRun(t, envelope.Policy{}, report...)
	if env.Tests[0].Status != envelope.Pass || !slices.ContainsFunc(env.Problems, func(p envelope.Problem) bool {
		return p.Code == envelope.CodeExcluded && strings.Contains(p.Message, "100 % of the counted trials passed, 10 % of all")
	}) {
		t.Errorf("a report of 9 excluded trials and one that passed: %s, %v", env.Tests[0].Status, env.Problems)
	}
	if p := priced(t, envelope.Policy{}, map[string][]float64{"t": {1, 1}}).Problems; slices.ContainsFunc(p, func(p envelope.Problem) bool { return p.Code == envelope.CodeByOutcome }) {
		t.Errorf("no run that starts its trials: %v", p)
	}
}
