package rule

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// OfThreshold is the rule where a threshold is given and no rule.
const OfThreshold = "anytime"

var anytimeRule = Rule{
	Name: OfThreshold, Doc: "tests threshold against threshold - gap with e-processes; valid no matter how often you look",
	ThreeWay: true, Sequential: true, Reports: "mean", Fill: fillSequential, Check: checkAnytime, Judge: judgeAnytime, Counts: countsAnytime,
	Onward: onwardAnytime, Hypotheses: hypothesesAnytime, PValue: anytimeP,
	Asks: asksSequential("anytime", hypothesesAnytime), Explains: explainHypotheses,
}

func anytimeOf(p envelope.Policy) (stats.Anytime, error) {
	if p.Gap.V <= 0 {
		return stats.Anytime{}, fmt.Errorf("gap %s is out of range for rule anytime: give a gap above 0, such as 0.1",
			words.Number(p.Gap.V))
	}
	return stats.NewAnytime(p.Threshold.V, p.Gap.V, p.Alpha.V, p.Beta.V)
}

func checkAnytime(p envelope.Policy) error {
	if err := needThreshold(p); err != nil {
		return err
	}
	if t := p.Threshold.V; t <= 0.01 {
		return &policy.KeyError{Key: "threshold", Value: words.Number(t), Text: "is too low for rule anytime: give more than 0.01, the lowest " +
			"rate that it can reject"}
	}
	_, err := anytimeOf(p)
	return err
}

func hypothesesAnytime(p envelope.Effective) *envelope.Hypotheses {
	test, _ := anytimeOf(p.Policy) // Resolve checked it
	return &envelope.Hypotheses{P0: test.P0, P1: test.P1, Alpha: test.Alpha, Beta: test.Beta}
}

func countsAnytime(p envelope.Effective) Decide {
	test, _ := anytimeOf(p.Policy) // Resolve checked it
	return func(passed, failed int) stats.Decision { return test.Decide(test.LogE(passed, failed)) }
}

// onwardAnytime keeps a fail, and a pass up to a fail.
func onwardAnytime(s *Sample, p envelope.Effective) Decide {
	test, _ := anytimeOf(p.Policy) // Resolve checked it
	before := test.Run(s.Outcomes).Decision
	return func(passed, failed int) stats.Decision {
		if before == stats.Fail {
			return stats.Fail
		}
		if now := test.Decide(test.LogE(s.Passed+passed, s.N()-s.Passed+failed)); now != stats.Undecided {
			return now
		}
		return before
	}
}

func judgeAnytime(s *Sample, p envelope.Effective) Judgement {
	test, err := anytimeOf(p.Policy)
	if err != nil { // Resolve checked it
		return Judgement{Status: envelope.Inconclusive, Verdict: envelope.Verdict{Reason: err.Error()}}
	}
	r := test.Run(s.Outcomes)
	j := sequential(r.Decision, r.Trials, p)
	lo, hi := stats.BetaMixtureCS(s.Passed, s.N(), p.Confidence.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "beta mixture confidence sequence"}
	j.Verdict.ValidUnderPeeking = envelope.Some(true)
	j.Verdict.Hypotheses = hypothesesAnytime(p)
	j.Verdict.Evidence = eValuePaths(test, s.Outcomes[:r.Trials])
	j.Verdict.Statistic = envelope.Some(r.At.LogFail)
	e := func(log float64) float64 { return math.Exp(min(log, 700)) } // a number
	says := fmt.Sprintf("e-value for a fail %.3g, required %.3g; for a pass %.3g, required %.3g", e(r.At.LogFail), e(r.Bounds.LogFail),
		e(r.At.LogPass), e(r.Bounds.LogPass))
	if r.Decision == stats.Pass {
		j.Verdict.Statistic = envelope.Some(r.At.LogPass)
	}
	overruled := ""
	if r.Overruled > 0 {
		overruled = fmt.Sprintf("; this overrides the pass it had after %s", words.Plural(r.Overruled, "trial", "trials"))
	}
	j.Verdict.Reason = fmt.Sprintf("%s (%s)%s", shown(r.Decision, r.Trials, j.Verdict.Hypotheses), says, overruled)
	return j
}

// eValuePaths are the paths of both log e-values up to the stop.
func eValuePaths(test stats.Anytime, outcomes []bool) []envelope.Evidence {
	fail, pass := make([]float64, len(outcomes)), make([]float64, len(outcomes))
	for i, e := range test.Path(outcomes) {
		fail[i], pass[i] = e.LogFail, e.LogPass
	}
	toFail, toPass := evidence("log_e_fail", len(outcomes), fail), evidence("log_e_pass", len(outcomes), pass)
	toFail.FailAt, toPass.PassAt = envelope.Some(test.Bounds().LogFail), envelope.Some(test.Bounds().LogPass)
	return []envelope.Evidence{toFail, toPass}
}

// anytimeP is 1 over the largest e-value for a fail: a p-value at any stopping time.
func anytimeP(s *Sample, p envelope.Effective) float64 {
	test, _ := anytimeOf(p.Policy) // Resolve checked it
	return test.Run(s.Outcomes).PFail()
}
