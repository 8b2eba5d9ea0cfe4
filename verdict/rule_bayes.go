package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/stats"
)

var bayesRule = Rule{
	Name: "bayes", Doc: "passes when the pass rate reaches the threshold with the asked-for probability, from a uniform prior",
	ThreeWay: true, Reports: "mean", check: needThreshold, judge: judgeBayes, pValue: binomialP,
}

func judgeBayes(s *Sample, p envelope.Policy) judgement {
	probability := stats.BayesProbAtLeast(s.Passed, s.N(), p.Threshold.V)
	j := judgement{status: envelope.Inconclusive}
	says := "neither sure enough nor unlikely enough"
	switch {
	case probability >= p.Confidence.V:
		j.status, says = envelope.Pass, "sure enough"
	case probability <= 1-p.Confidence.V:
		j.status, says = envelope.Fail, "unlikely enough to be ruled out"
	}
	j.verdict.Statistic = envelope.Some(probability)
	j.verdict.Reason = fmt.Sprintf("%d of %s passed: the rate is at least %s with probability %.4f, %s at %s",
		s.Passed, trials(s.N()), number(p.Threshold.V), probability, says, percent(p.Confidence.V))
	return withThreshold(j, p)
}
