package gate

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
)

// wholeRun is the name of the gate that judges the run as a whole.
const wholeRun = "run"

// whole judges the run as a whole, where the policy has a threshold for it: three-way,
// by the interval of its pass rate on these tests or on tests like these.
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
	result.Status = OfRate(rate, p.RunThreshold.V)
	return result, true
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

// runAlone reports a run that is judged and names no rule for all tests: then
// they are shown as ever, and the build is that of the run. Under the default rule one
// failing trial of hundreds would fail what was asked to hold 90 %. Where no trial
// counts there is nothing of the run to judge.
func runAlone(env *envelope.Envelope) bool {
	p := &env.Policy
	return p.RunThreshold.OK && p.Rule == "all" && p.RetryRule == "any" && !p.RuleNamed.V && env.Summary.Trials.Counted > 0
}
