package verdict

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

var meanRule = Rule{
	Name: "mean", Doc: "passes when the mean score reaches the threshold; a pass without a score is 1, a non-pass 0",
	Reports: "mean", scored: true, fill: fillMean, check: finiteThreshold, judge: judgeMean, scores: scoresByMean,
}

func fillMean(p *envelope.Policy) {
	if !p.Threshold.OK {
		p.Threshold = p.ScoreThreshold
	}
}

// finiteThreshold is the check of rules about scores, which may have any scale.
func finiteThreshold(p envelope.Policy) error {
	if !p.Threshold.OK {
		return fmt.Errorf("rule %s needs a threshold: the mean score to hold, for instance --threshold 0.8", p.Rule)
	}
	if math.IsNaN(p.Threshold.V) || math.IsInf(p.Threshold.V, 0) {
		return fmt.Errorf("threshold %v is out of range: give a finite number", p.Threshold.V)
	}
	return nil
}

// scoresByMean is judgeMean without words.
func scoresByMean(s *Sample, p envelope.Policy) stats.Decision {
	mean, _ := stats.MeanDeviation(s.Scores)
	return either(mean >= p.Threshold.V)
}

func judgeMean(s *Sample, p envelope.Policy) judgement {
	mean, _ := stats.MeanDeviation(s.Scores)
	j := binary(mean >= p.Threshold.V, "mean score %.4g over %s; at least %s is asked for", mean, trials(s.N()), number(p.Threshold.V))
	j.verdict.Threshold, j.verdict.Statistic = p.Threshold, envelope.Some(mean)
	return j
}
