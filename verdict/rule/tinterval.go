package rule

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

var tIntervalRule = Rule{
	Name: "t-interval", Aliases: []string{"confidence_interval"}, Doc: "compares the Student t interval of the mean score with the threshold",
	ThreeWay: true, Reports: "mean", Scored: true, Check: finiteThreshold, Judge: judgeTInterval, Scores: scoresByTInterval, PValue: studentP,
	Asks: asks("t-interval: mean score above"), Explains: explainInterval,
}

func judgeTInterval(s *Sample, p envelope.Effective) Judgement {
	all := Summarise(s.Scores)
	lo, hi, err := all.interval(p.Confidence.V)
	if err != nil {
		j := Judgement{Status: envelope.Inconclusive}
		j.Verdict.Reason = fmt.Sprintf("%s: %v", words.Plural(s.N(), "trial", "trials"), err)
		return j.WithThreshold(p)
	}
	j := compare(lo, hi, p.Threshold.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "t"}
	j.Verdict.Statistic = envelope.Some(ShortDecimal(all.Mean))
	j.Verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s t interval %s %s the threshold %s",
		all.Mean, words.Plural(s.N(), "trial", "trials"), words.Level(p.Confidence.V), words.FromTo(lo, hi, p.Threshold.V), lies(j.Status), words.Number(p.Threshold.V)) + voided(s)
	return j.WithThreshold(p)
}

// scoresByTInterval is judgeTInterval without words.
func scoresByTInterval(scores Summary, p envelope.Effective) stats.Decision {
	lo, hi, err := scores.interval(p.Confidence.V)
	if err != nil {
		return stats.Undecided
	}
	return decisionOf(lo, hi, p.Threshold.V)
}

// studentP is the one-sided p-value of Student's t against "the mean score is
// at least the threshold". Without a spread to go by it claims nothing; scores
// that are all equal are as clear as the interval, which is a point.
func studentP(s *Sample, p envelope.Effective) float64 {
	mean, deviation := stats.MeanDeviation(s.Scores)
	below := mean - p.Threshold.V
	switch {
	case s.N() < 2 || !envelope.Finite(mean).OK || !envelope.Finite(deviation).OK:
		return 1
	case deviation == 0 && below < 0:
		return 0
	case deviation == 0:
		return 1
	}
	return stats.StudentTBelow(below/(deviation/math.Sqrt(float64(s.N()))), s.N()-1)
}
