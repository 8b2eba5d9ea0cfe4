package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostExcluded is the share of the trials of a test that may be excluded before its
// rates are in doubt.
const mostExcluded = 0.20

// exclusionProblems warns of tests whose rates may be biased: many trials were excluded, or
// outcomes decided how many trials there are.
func exclusionProblems(env *envelope.Envelope) (found []envelope.Problem) {
	var thin sign
	var first *envelope.Test
	for i := range env.Tests {
		t := &env.Tests[i]
		if left := excluded(t.Trials); t.Trials.Counted > 0 && float64(left) > mostExcluded*float64(left+t.Trials.Counted) {
			if thin.add(left, t); thin.tests == 1 {
				first = t
			}
		}
	}
	say := func(severity envelope.Severity, code, format string, args ...any) {
		found = append(found, envelope.Problem{Severity: severity, Code: code, Stage: envelope.StageJudge, Message: fmt.Sprintf(format, args...)})
	}
	if first != nil {
		c := first.Trials
		say(envelope.SeverityWarning, envelope.CodeExcluded, "more than a fifth of the trials is excluded in %s, first in %s; %s %% of the counted trials passed, %s %% of all; if a test causes its exclusions, both rates are wrong",
			words.Plural(thin.tests, "test", "tests"), thin.first, words.Percent(share(c.Passed, c.Counted)), words.Percent(share(c.Passed, c.Counted+excluded(c))))
	}
	if p := stoppedProblem(env.Summary.Stopped); p != nil {
		found = append(found, *p)
	}
	return found
}

func share(part, of int) float64 { return float64(part) / float64(of) }
