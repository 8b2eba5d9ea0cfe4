package standing

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Broken says what is wrong with a run beside its tests: none could be judged, not all
// of the input could be read, so that tests and trials may be missing, or a strict policy
// takes what was judged for nothing. It is "" of a sound run.
func Broken(e *envelope.Envelope) string {
	switch {
	case len(e.Tests) == 0 && e.Gate.Status == envelope.Error:
		return "no test was judged: " + WhyBroken(e.Gate.Reasons, e.Problems)
	case e.Gate.InputErrors > 0:
		return words.Plural(e.Gate.InputErrors, "error", "errors") + " in the input: " + WhyBroken(e.Gate.Reasons, e.Problems)
	case e.Gate.Status == envelope.Error:
		return WhyBroken(e.Gate.Reasons, nil)
	}
	return ""
}

// Unheld says why a build is red beside its tests: gates that do not hold, and what is
// inconclusive where the policy treats that as failed. Reports of tests that leave it out
// are green of a red build. It is "" where nothing of that is so.
func Unheld(g *envelope.Gate) string {
	var says []string
	for i := range g.Gates {
		if result := &g.Gates[i]; result.Status == envelope.Fail {
			says = append(says, result.Unheld())
		}
	}
	return strings.Join(append(says, Treated(g)...), "; ")
}

// Treated says what is inconclusive where the policy treats that as failed, a line each.
func Treated(g *envelope.Gate) (says []string) {
	for _, reason := range g.Reasons {
		if strings.HasSuffix(reason, envelope.TreatedAsFailed) {
			says = append(says, reason)
		}
	}
	return says
}

// WhyBroken is why nothing could be judged: the first error of the input, or
// else the first reason of the gate.
func WhyBroken(reasons []string, problems []envelope.Problem) string {
	for _, p := range problems {
		if p.Severity == envelope.SeverityError {
			return p.String()
		}
	}
	if len(reasons) > 0 {
		return reasons[0]
	}
	return "the run is broken"
}
