package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
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
		} else if c := env.Summary.Clusters; c != nil {
			result.Saw = "no rate by " + c.By + ": " + c.Note
		}
		return result, true
	}
	result.Saw = words.Percent(rate.Value) + " %, " + words.Level(rate.Confidence) + " interval " + words.PercentFromTo(rate.Lo, rate.Hi, p.RunThreshold.V)
	if why := biased(env); why != "" {
		result.Saw += "; it is no rate of these tests, because " + why + ": run a fixed number of all, without --stop early"
		return result, true
	}
	result.Status = OfRate(rate, p.RunThreshold.V)
	if p.RunScope != policy.ScopeLike {
		eachVariant(env, &result)
	}
	return result, true
}

// eachVariant judges a run of several variants by each of them, and all must hold: a good
// one does not make up for a bad one.
func eachVariant(env *envelope.Envelope, result *envelope.GateResult) {
	passed, counted := map[string]int{}, map[string]int{}
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Status == envelope.Skip {
			continue
		}
		passed[t.Variant] += t.Trials.Passed
		counted[t.Variant] += t.Trials.Counted
	}
	if len(counted) < 2 {
		return
	}
	var saw []string
	var states []envelope.Status
	confidence, threshold := env.Summary.Rate.PerProtocol.Confidence, env.Policy.RunThreshold.V
	for _, variant := range slices.Sorted(maps.Keys(counted)) {
		k, n, status, says := passed[variant], counted[variant], envelope.Inconclusive, "no trial counts"
		if n > 0 {
			lo, hi := stats.Wilson(k, n, stats.ConventionalZ(confidence))
			status = OfRate(&envelope.Rate{Lo: lo, Hi: hi}, threshold)
			says = words.Percent(float64(k)/float64(n)) + " %, " + words.Level(confidence) + " interval " + words.PercentFromTo(lo, hi, threshold)
		}
		states = append(states, status)
		saw = append(saw, cmp.Or(variant, "(no variant)")+" "+says)
	}
	result.Saw = strings.Join(saw, "; ")
	result.Status = envelope.Pass
	for _, status := range []envelope.Status{envelope.Inconclusive, envelope.Fail} {
		if slices.Contains(states, status) {
			result.Status = status
		}
	}
}

// biased says why the pass rate of all trials is none of the tests; empty where it is.
func biased(env *envelope.Envelope) string {
	switch s := env.Summary.Stopped; {
	case s == nil:
		return ""
	case s.P.OK:
		return "tests that failed have more or fewer trials than others beyond chance"
	default:
		return "the trials of " + words.Plural(s.Tests, "test", "tests") + " ended at a verdict"
	}
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
