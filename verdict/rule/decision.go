package rule

import (
	"tribunal/envelope"
	"tribunal/stats"
)

// Decide is what a rule says of counts alone. For a sequential rule it is what
// it says at one look: whoever stops at its first decision needs no more. For
// trials that go on after it, see Rule.Onward.
type Decide = func(passed, failed int) stats.Decision

// decisionOf compares an interval with a threshold, strictly.
func decisionOf(lo, hi, threshold float64) stats.Decision {
	switch {
	case lo > threshold:
		return stats.Pass
	case hi < threshold:
		return stats.Fail
	}
	return stats.Undecided
}

// StatusOf is the status a decision gives.
func StatusOf(d stats.Decision) envelope.Status {
	switch d {
	case stats.Pass:
		return envelope.Pass
	case stats.Fail:
		return envelope.Fail
	}
	return envelope.Inconclusive
}

// either decides at once.
func either(pass bool) stats.Decision {
	if pass {
		return stats.Pass
	}
	return stats.Fail
}

// undecided is what a rule says that cannot be used.
func undecided(_, _ int) stats.Decision { return stats.Undecided }
