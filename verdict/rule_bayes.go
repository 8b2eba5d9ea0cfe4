package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/stats"
)

var bayesRule = Rule{
	Name: "bayes", Doc: "passes when the pass rate reaches the threshold with the asked-for probability, from a uniform prior",
	ThreeWay: true, Reports: "mean", check: needThreshold, judge: judgeBayes, counts: countsBayes, pValue: binomialP,
}

func judgeBayes(s *Sample, p envelope.Policy) judgement {
	probability := stats.BayesProbAtLeast(s.Passed, s.N(), p.Threshold.V)
	j := judgement{status: statusOf(decideBayes(probability, p.Confidence.V))}
	says := "neither sure enough nor unlikely enough"
	switch j.status {
	case envelope.Pass:
		says = "sure enough"
	case envelope.Fail:
		says = "unlikely enough to be ruled out"
	}
	j.verdict.Statistic = envelope.Some(probability)
	j.verdict.Reason = fmt.Sprintf("%d of %s passed: the rate is at least %s with probability %s, %s at %s",
		s.Passed, trials(s.N()), number(p.Threshold.V), telling(probability, 'f', 4, p.Confidence.V, 1-p.Confidence.V), says, percent(p.Confidence.V))
	return withThreshold(j, p)
}

func decideBayes(probability, confidence float64) stats.Decision {
	switch {
	case probability >= confidence:
		return stats.Pass
	case probability <= 1-confidence:
		return stats.Fail
	}
	return stats.Undecided
}

func countsBayes(p envelope.Policy) Decide {
	return func(passed, failed int) stats.Decision {
		return decideBayes(stats.BayesProbAtLeast(passed, passed+failed, p.Threshold.V), p.Confidence.V)
	}
}
