package rule

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

var bayesRule = Rule{
	Name: "bayes", Doc: "passes when the probability that the rate reaches the threshold is at least --confidence, from a uniform prior",
	ThreeWay: true, Reports: "mean", Check: needThreshold, Judge: judgeBayes, Counts: countsBayes, PValue: binomialP,
	Asks: asks("bayes: pass rate at least"), Explains: explainBayes,
}

func judgeBayes(s *Sample, p envelope.Effective) Judgement {
	probability := stats.BayesProbAtLeast(s.Passed, s.N(), p.Threshold.V)
	j := Judgement{Status: StatusOf(decideBayes(s.Passed, s.N(), probability, p))}
	at := " at " + words.Level(p.Confidence.V)
	says := "between the limits " + words.Number(1-p.Confidence.V) + " and " + words.Number(p.Confidence.V)
	switch {
	case j.Status == envelope.Pass:
		says = "sure enough" + at
	case j.Status == envelope.Fail:
		says = "unlikely enough to be ruled out" + at
	case probability <= 1-p.Confidence.V:
		says = "from the prior alone (the rate seen is not below the threshold), so not ruled out" + at
	}
	j.Verdict.Statistic = envelope.Some(probability)
	j.Verdict.Reason = fmt.Sprintf("%s passed: the rate is at least %s with probability %s, %s",
		words.Of(s.Passed, s.N(), "trial", "trials"), words.Number(p.Threshold.V),
		words.Distinct(probability, 'f', 4, p.Confidence.V, 1-p.Confidence.V), says)
	return j.WithThreshold(p)
}

// decideBayes never fails a test by the prior alone: where a uniform prior gives
// the threshold less than 1 - confidence to begin with, a rate that was seen to
// reach the threshold is no evidence against it.
func decideBayes(passed, n int, probability float64, p envelope.Effective) stats.Decision {
	switch {
	case probability >= p.Confidence.V:
		return stats.Pass
	case probability <= 1-p.Confidence.V && n > 0 && float64(passed)/float64(n) < p.Threshold.V:
		return stats.Fail
	}
	return stats.Undecided
}

func countsBayes(p envelope.Effective) Decide {
	return func(passed, failed int) stats.Decision {
		n := passed + failed
		return decideBayes(passed, n, stats.BayesProbAtLeast(passed, n, p.Threshold.V), p)
	}
}

func explainBayes(v *envelope.Verdict) string {
	return words.If(v.Threshold.OK && v.Confidence.OK,
		"Passes when the probability of a rate of "+words.Number(v.Threshold.V)+" or more reaches "+words.Level(v.Confidence.V)+
			", fails when that of a lower rate does and the rate seen is below, and is undecided between.")
}
