package rule

import (
	"errors"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/stats"
)

// Score summarises the scores of a test under the rule; nil when no counted trial
// has one.
func (r Rule) Score(s *Sample, confidence float64) *envelope.Score {
	if !s.HasScores {
		return nil
	}
	mean, deviation := meanDeviation(s.Scores)
	out := &envelope.Score{Value: mean, Mean: mean, Min: s.Scores[0], Max: s.Scores[0]}
	for _, v := range s.Scores {
		out.Min, out.Max = min(out.Min, v), max(out.Max, v)
	}
	if !envelope.Finite(mean).OK {
		return nil // scores too large to be summed
	}
	switch r.Reports {
	case "best":
		out.Value = out.Max
	case "worst":
		out.Value = out.Min
	}
	if lo, hi, err := scoreIntervalAround(mean, deviation, s.Scores, confidence); err == nil {
		out.StdDev, out.Lo, out.Hi = envelope.Finite(deviation), envelope.Finite(lo), envelope.Finite(hi)
	}
	return out
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
	case !envelope.Finite(mean).OK || !envelope.Finite(deviation).OK:
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
