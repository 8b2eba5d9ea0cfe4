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
	lo, hi, err := all.tInterval(p.Confidence.V)
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

// Coarse reports a test judged by Student's t whose scores are so coarse that it errs:
// few distinct ones, and some of them equal.
func Coarse(t *envelope.Test) bool {
	if t.Verdict.Rule != tIntervalRule.Name || t.Verdict.Interval == nil {
		return false
	}
	all := Summarise(SampleOf(t.Rows).Scores)
	return all.distinct <= coarse && all.distinct < all.N
}

// FewestScores is how many distinct scores Student's t needs to say how scores vary.
const FewestScores = 3

// tInterval is the t interval of scores that say how they vary.
func (s Summary) tInterval(confidence float64) (lo, hi float64, err error) {
	if s.N >= 2 && s.distinct < FewestScores {
		return lo, hi, fmt.Errorf("rule t-interval needs at least %d distinct scores, and these have %d: use --rule bounded-mean, or more trials", FewestScores, s.distinct)
	}
	return s.interval(confidence)
}

// scoresByTInterval is judgeTInterval without words.
func scoresByTInterval(scores Summary, p envelope.Effective) stats.Decision {
	lo, hi, err := scores.tInterval(p.Confidence.V)
	if err != nil {
		return stats.Undecided
	}
	return decisionOf(lo, hi, p.Threshold.V)
}

// studentP is the one-sided p-value of Student's t against "the mean score is
// at least the threshold". Where there is no interval it claims nothing.
func studentP(s *Sample, p envelope.Effective) float64 {
	all := Summarise(s.Scores)
	if _, _, err := all.tInterval(p.Confidence.V); err != nil {
		return 1
	}
	return stats.StudentTBelow((all.Mean-p.Threshold.V)/(all.Deviation/math.Sqrt(float64(all.N))), all.N-1)
}
