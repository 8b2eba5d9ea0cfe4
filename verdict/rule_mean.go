package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
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
	mean, _ := meanDeviation(s.Scores)
	return either(reaches(mean, s.Scores, p.Threshold.V))
}

func judgeMean(s *Sample, p envelope.Policy) judgement {
	mean, _ := meanDeviation(s.Scores)
	j := binary(true, "mean score %.4g over %s; at least %s is asked for", mean, words.Plural(s.N(), "trial", "trials"), words.Number(p.Threshold.V))
	if !reaches(mean, s.Scores, p.Threshold.V) {
		j = binary(false, "mean score %s over %s; at least %s is asked for", words.Telling(mean, 'g', 4, p.Threshold.V), words.Plural(s.N(), "trial", "trials"), words.Number(p.Threshold.V))
	}
	j.verdict.Threshold, j.verdict.Statistic = p.Threshold, envelope.Some(mean)
	return j
}

// slack is by how much of the largest score a mean may miss its threshold: sums
// of decimals are rounded, and one that equals the threshold reaches it.
const slack = 1e-12

func reaches(mean float64, scores []float64, threshold float64) bool {
	if mean >= threshold {
		return true
	}
	scale := math.Abs(threshold)
	for _, v := range scores {
		scale = max(scale, math.Abs(v))
	}
	return mean >= threshold-slack*scale
}

// meanDeviation returns the mean of scores and their sample deviation. Scores are
// decimals, and so is a mean that lies beside a short one: that of 0.7, 1 and 0.7
// is 0.8, though their nearest floats have one nearest to 0.7999999999999999.
func meanDeviation(scores []float64) (mean, deviation float64) {
	mean, deviation = stats.MeanDeviation(scores)
	return shortDecimal(mean), deviation
}

// shortDecimal is the decimal of at most 13 digits that a number is to 15, or the
// number where there is none.
func shortDecimal(v float64) float64 {
	text := strconv.FormatFloat(v, 'e', 14, 64)
	digits, _, finite := strings.Cut(text, "e")
	if !finite || !strings.HasSuffix(digits, "00") {
		return v
	}
	short, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return v
	}
	return short
}
