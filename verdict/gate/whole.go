package gate

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
)

// wholeRun is the name of the gate that judges the run as a whole.
const wholeRun = "run"

// whole judges the run as a whole, where the policy has a threshold for it: three-way,
// by the interval of its pass rate on these tests or on tests like these. Where tests
// ended at a verdict it is inconclusive: those that fail have then fewer trials than
// those that pass, and the rate of all trials is not that of the tests.
func whole(env *envelope.Envelope) (result envelope.GateResult, asked bool) {
	p := &env.Policy
	if !p.RunThreshold.OK {
		return result, false
	}
	rate, of := env.Summary.Rate.PerProtocol, "these tests"
	if p.RunScope == policy.ScopeLike {
		rate, of = nil, "tests like these"
		if like := env.Summary.Like; like != nil {
			rate = like.Rate
		}
	}
	result = envelope.GateResult{Name: wholeRun, Expr: "pass rate on " + of + " above " + words.Percent(p.RunThreshold.V) + " %", Status: envelope.Inconclusive}
	if rate == nil {
		result.Saw = "no rate: fewer than two tests have trials that count"
		if p.RunScope != policy.ScopeLike {
			result.Saw = "no rate: no trial counts"
		}
		return result, true
	}
	result.Saw = words.Percent(rate.Value) + " %, " + words.Level(rate.Confidence) + " interval " + words.PercentFromTo(rate.Lo, rate.Hi, p.RunThreshold.V)
	if n := stoppedByOutcome(env); n > 0 {
		result.Saw += "; it is no rate of these tests, because the trials of " + words.Plural(n, "test", "tests") + " ended at a verdict: run a fixed number of all, without --stop early"
		return result, true
	}
	result.Status = OfRate(rate, p.RunThreshold.V)
	return result, true
}

// stoppedByOutcome counts the tests whose outcomes said how many trials they have.
func stoppedByOutcome(env *envelope.Envelope) (n int) {
	for i := range env.Tests {
		if env.Tests[i].StoppedByOutcome(&env.Run) {
			n++
		}
	}
	return n
}

// OfRate judges a pass rate three-way by its interval.
func OfRate(rate *envelope.Rate, threshold float64) envelope.Status {
	switch {
	case rate.Lo > threshold:
		return envelope.Pass
	case rate.Hi < threshold:
		return envelope.Fail
	}
	return envelope.Inconclusive
}
