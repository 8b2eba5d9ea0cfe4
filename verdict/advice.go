package verdict

import (
	"fmt"
	"math"

	"tribunal/envelope"
)

const (
	manyForAll  = 10   // trials from which rule all asks a poor question
	nearlyAll   = 0.8  // of its trials a flaky test passes, for a rate to be the better question
	goodRate    = 0.98 // of the test that the advice speaks of
	fewestWald  = 20   // trials below which Wald's interval is too short
	adviceAll   = "under rule all, a test that passes %.0f %% of the time fails %.0f %% of runs of %d trials; `--threshold 0.9` requires a rate instead"
	adviceShort = "rule wald promises too much below %d trials; `--rule wilson` asks the same and keeps its promise"
)

// ruleAdvice has a note for each rule that does not suit the trials.
func ruleAdvice(env *envelope.Envelope) (notes []envelope.Problem) {
	flaky, wald := 0, false
	for i := range env.Tests {
		t := &env.Tests[i]
		n, passed := t.Trials.Counted, t.Trials.Passed
		switch {
		case t.Verdict.Rule == "all" && n >= manyForAll && passed < n && float64(passed) >= nearlyAll*float64(n):
			flaky = max(flaky, n)
		case t.Verdict.Rule == "wald" && n > 0 && n < fewestWald:
			wald = true
		}
	}
	note := func(format string, args ...any) {
		notes = append(notes, envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeAdvice, Stage: envelope.StageJudge, Message: fmt.Sprintf(format, args...)})
	}
	if flaky > 0 {
		note(adviceAll, 100*goodRate, 100*(1-math.Pow(goodRate, float64(flaky))), flaky)
	}
	if wald {
		note(adviceShort, fewestWald)
	}
	return notes
}
