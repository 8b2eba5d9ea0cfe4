package rule

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/stats"
)

// Summary is what rules need of the scores of a test.
type Summary struct {
	stats.Moments
	least, most float64
	few         [coarse]float64 // the first distinct scores
	distinct    int             // of them, at most one more than there is room for
	scores      []float64
	later       int // further trials with one score
	score       float64
}

// coarse is how many distinct scores are so few that Student's t errs with them.
const coarse = 5

// all are the scores and those of the further trials.
func (s *Summary) all() []float64 {
	return append(slices.Clip(s.scores), slices.Repeat([]float64{s.score}, s.later)...)
}

// Summarise returns the summary of scores.
func Summarise(scores []float64) Summary {
	all := Summary{Moments: stats.MomentsOf(scores), scores: scores}
	for i, v := range scores {
		all.take(v, i == 0)
	}
	return all
}

func (s *Summary) take(score float64, first bool) {
	if first {
		s.least, s.most = score, score
	}
	s.least, s.most = min(s.least, score), max(s.most, score)
	switch {
	case s.distinct > coarse || slices.Contains(s.few[:s.distinct], score):
		return
	case s.distinct < coarse:
		s.few[s.distinct] = score
	}
	s.distinct++
}

// With is the summary of n further trials as well, all of which have one score.
func (s Summary) With(n int, score float64) Summary {
	if n > 0 {
		s.take(score, s.N == 0)
	}
	s.Moments, s.later, s.score = s.Moments.With(n, score), n, score
	return s
}

// ShortDecimal is the decimal of at most 13 digits that a number is to 15, or the
// number where there is none. Scores and costs are decimals, and so is a mean that lies
// beside a short one: that of 0.7, 1 and 0.7 is 0.8, though their nearest floats
// have one nearest to 0.7999999999999999.
func ShortDecimal(v float64) float64 {
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

// interval is the t interval of the mean, clamped to 0..1 when all scores lie
// there. It needs two scores.
func (s Summary) interval(confidence float64) (lo, hi float64, err error) {
	switch {
	case s.N < 2:
		return lo, hi, errors.New("an interval of the mean needs at least 2")
	case !envelope.Finite(s.Mean).OK || !envelope.Finite(s.Deviation).OK:
		return lo, hi, errors.New("the scores are too large for an interval of their mean")
	}
	lo, hi, err = s.TInterval(confidence)
	if err != nil || s.least < 0 || s.most > 1 {
		return lo, hi, err
	}
	return max(lo, 0), min(hi, 1), nil
}
