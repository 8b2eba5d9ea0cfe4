package verdict

import (
	"errors"
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

var tIntervalRule = Rule{
	Name: "t-interval", Aliases: []string{"confidence_interval"}, Doc: "compares the Student t interval of the mean score with the threshold",
	ThreeWay: true, Reports: "mean", scored: true, check: finiteThreshold, judge: judgeTInterval, scores: scoresByTInterval, pValue: studentP,
}

func judgeTInterval(s *Sample, p envelope.Policy) judgement {
	mean, lo, hi, err := scoreInterval(s.Scores, p.Confidence.V)
	if err != nil {
		j := judgement{status: envelope.Inconclusive}
		j.verdict.Reason = fmt.Sprintf("%s: %v", words.Plural(s.N(), "trial", "trials"), err)
		return withThreshold(j, p)
	}
	j := compare(lo, hi, p.Threshold.V)
	j.verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "t"}
	j.verdict.Statistic = envelope.Some(shortDecimal(mean))
	j.verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s t interval %s %s the threshold %s",
		mean, words.Plural(s.N(), "trial", "trials"), words.Level(p.Confidence.V), words.FromTo(lo, hi, p.Threshold.V), lies(j.status), words.Number(p.Threshold.V))
	return withThreshold(j, p)
}

// scoresByTInterval is judgeTInterval without words.
func scoresByTInterval(s *Sample, p envelope.Policy) stats.Decision {
	_, lo, hi, err := scoreInterval(s.Scores, p.Confidence.V)
	if err != nil {
		return stats.Undecided
	}
	return decisionOf(lo, hi, p.Threshold.V)
}

// studentP is the one-sided p-value of Student's t against "the mean score is
// at least the threshold". Without a spread to go by it claims nothing; scores
// that are all equal are as clear as the interval, which is a point.
func studentP(s *Sample, p envelope.Policy) float64 {
	mean, deviation := stats.MeanDeviation(s.Scores)
	below := mean - p.Threshold.V
	switch {
	case s.N() < 2 || !finite(mean).OK || !finite(deviation).OK:
		return 1
	case deviation == 0 && below < 0:
		return 0
	case deviation == 0:
		return 1
	}
	return stats.StudentTBelow(below/(deviation/math.Sqrt(float64(s.N()))), s.N()-1)
}

// scoreInterval is the t interval of the mean, clamped to 0..1 when all scores
// lie there. It needs two scores.
func scoreInterval(scores []float64, confidence float64) (mean, lo, hi float64, err error) {
	mean, deviation := stats.MeanDeviation(scores)
	lo, hi, err = scoreIntervalAround(mean, deviation, scores, confidence)
	return mean, lo, hi, err
}

// scoreIntervalAround is scoreInterval where mean and deviation are known.
func scoreIntervalAround(mean, deviation float64, scores []float64, confidence float64) (lo, hi float64, err error) {
	switch {
	case len(scores) < 2:
		return lo, hi, errors.New("an interval of the mean needs at least 2")
	case !finite(mean).OK || !finite(deviation).OK:
		return lo, hi, errors.New("the scores are too large for an interval of their mean")
	}
	lo, hi, err = stats.TIntervalAround(mean, deviation, len(scores), confidence)
	if err != nil {
		return lo, hi, err
	}
	for _, v := range scores {
		if v < 0 || v > 1 {
			return lo, hi, nil
		}
	}
	return max(lo, 0), min(hi, 1), nil
}
