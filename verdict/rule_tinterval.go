package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/stats"
)

var tIntervalRule = Rule{
	Name: "t-interval", Aliases: []string{"confidence_interval"}, Doc: "compares the Student t interval of the mean score with the threshold",
	ThreeWay: true, Reports: "mean", check: finiteThreshold, judge: judgeTInterval,
}

func judgeTInterval(s *Sample, p envelope.Policy) judgement {
	mean, lo, hi, err := scoreInterval(s.Scores, p.Confidence.V)
	if err != nil {
		j := judgement{status: envelope.Inconclusive}
		j.verdict.Reason = fmt.Sprintf("%s: an interval of the mean needs at least 2", trials(s.N()))
		return withThreshold(j, p)
	}
	j := compare(lo, hi, p.Threshold.V)
	j.verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "t"}
	j.verdict.Statistic = envelope.Some(mean)
	j.verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s t interval %.3f to %.3f %s the threshold %s",
		mean, trials(s.N()), percent(p.Confidence.V), lo, hi, lies(j.status), number(p.Threshold.V))
	return withThreshold(j, p)
}

// scoreInterval is the t interval of the mean, clamped to 0..1 when all scores
// lie there. It needs two scores.
func scoreInterval(scores []float64, confidence float64) (mean, lo, hi float64, err error) {
	mean, lo, hi, err = stats.TInterval(scores, confidence)
	if err != nil || len(scores) < 2 {
		return mean, lo, hi, fmt.Errorf("%d scores: %w", len(scores), errTooFew(err))
	}
	for _, v := range scores {
		if v < 0 || v > 1 {
			return mean, lo, hi, nil
		}
	}
	return mean, max(lo, 0), min(hi, 1), nil
}

func errTooFew(err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("an interval needs at least 2")
}
