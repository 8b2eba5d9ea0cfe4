package rule

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/stats"
)

// Rate is a pass rate with its Wilson interval.
func Rate(passed, n int, confidence float64) envelope.Rate {
	lo, hi := stats.Wilson(passed, n, stats.ConventionalZ(confidence))
	return envelope.Rate{Value: float64(passed) / float64(n), Lo: lo, Hi: hi, Method: "wilson", Confidence: confidence}
}

// RateOf is Rate, nil of nothing.
func RateOf(passed, n int, confidence float64) *envelope.Rate {
	if n == 0 {
		return nil
	}
	r := Rate(passed, n, confidence)
	return &r
}

// Sample is the input of a rule: the counted trials of a test in canonical order.
type Sample struct {
	Outcomes []bool // true for a pass
	Passed   int
	// Scores has a score for every counted trial. Without a score of its own, a pass is 1 and
	// another trial 0. A trial in error has 0 at most.
	Scores    []float64
	HasScores bool
	// Own marks trials with a score of their own that counts: not those in error.
	Own []bool
	// Voided counts trials in error that scored above 0 and count as 0.
	Voided int
	// Retries counts trials that ran only because the one before them failed.
	Retries int
	// Chains has the outcome of every repeat: a trial with its retries passes if one does.
	Chains []bool

	open int // the repeat that a retry after the last trial would belong to
}

// N is the number of counted trials.
func (s *Sample) N() int { return len(s.Outcomes) }

// SampleOf is the sample of rows with outcomes.
func SampleOf(rows *envelope.Rows) *Sample {
	s := &Sample{}
	s.Fill(rows)
	return s
}

// Fill replaces the sample by that of rows, and reuses its memory.
func (s *Sample) Fill(rows *envelope.Rows) {
	n := rows.Len()
	*s = Sample{Outcomes: slices.Grow(s.Outcomes[:0], n), Scores: slices.Grow(s.Scores[:0], n), Chains: s.Chains[:0], Own: s.Own[:0]}
	for _, outcome := range rows.Outcome {
		if outcome.Counted() {
			s.Outcomes = append(s.Outcomes, outcome == envelope.Passed)
		}
	}
	for _, passed := range s.Outcomes {
		if passed {
			s.Passed++
		}
		s.Scores = append(s.Scores, Points(passed))
	}
	s.takeScores(rows)
	s.chain(rows)
}

// takeScores replaces points by the scores of trials. A trial in error broke, so its score
// counts as 0 at most. A failed trial keeps its score, which was below a threshold of its runner.
func (s *Sample) takeScores(r *envelope.Rows) {
	if len(r.Score()) == 0 {
		return
	}
	s.Own = slices.Grow(s.Own, len(s.Scores))[:len(s.Scores)]
	clear(s.Own)
	n := 0
	for i := range r.Outcome[:min(len(r.Outcome), len(r.Score()))] {
		if !r.Outcome[i].Counted() {
			continue
		}
		score, ok := r.Score().At(i)
		if ok {
			if r.Outcome[i] == envelope.Errored && score > Points(false) {
				score = Points(false)
				s.Voided++
			}
			s.Scores[n], s.HasScores = score, true
		}
		s.Own[n] = ok && r.Outcome[i] != envelope.Errored
		n++
	}
}

// untold is a repeat without a counted trial.
const untold = -1

// chain joins retries with the trial before them in the same run, counted or excluded. A retry
// that begins its run is a repeat of its own.
func (s *Sample) chain(r *envelope.Rows) {
	s.open = untold
	if r.Retry() == nil {
		s.Chains = append(s.Chains, s.Outcomes...)
		return
	}
	n, repeats := 0, map[string]int{} // by run, the repeat that its last trial was of
	for i, outcome := range r.Outcome {
		if outcome == envelope.Skipped {
			continue
		}
		run := r.Run().At(i)
		repeat, begun := repeats[run]
		if !begun || !r.Retry().At(i) {
			repeat = untold
		}
		if outcome.Counted() {
			repeat = s.try(repeat, s.Outcomes[n])
			n++
			if r.Retry().At(i) {
				s.Retries++
			}
		}
		repeats[run], s.open = repeat, repeat
	}
}

// try adds a counted trial to a repeat, or as one of its own, and returns which repeat it is of.
func (s *Sample) try(repeat int, passed bool) int {
	if repeat == untold {
		s.Chains = append(s.Chains, passed)
		return len(s.Chains) - 1
	}
	s.Chains[repeat] = s.Chains[repeat] || passed
	return repeat
}

// Order is how the trials of a sample without scores went, one after another, and which
// of them are retries of which.
type Order struct {
	outcomes, chains uint64 // a bit each, behind a last one
	retries, open    int
}

// Order returns it; ok is false where the trials are too many.
func (s *Sample) Order() (order Order, ok bool) {
	const most = 63
	if len(s.Outcomes) > most {
		return Order{}, false
	}
	return Order{bits(s.Outcomes), bits(s.Chains), s.Retries, s.open}, true
}

func bits(all []bool) uint64 {
	set := uint64(1)
	for _, one := range all {
		if set <<= 1; one {
			set |= 1
		}
	}
	return set
}

// PointsOf is what a counted trial is worth: its score, 0 at most where it broke, and of one
// without a score 1 for a pass and 0 for another.
func PointsOf(r *envelope.Rows, row int) float64 {
	score, ok := r.Score().At(row)
	switch {
	case !ok:
		return Points(r.Outcome[row] == envelope.Passed)
	case r.Outcome[row] == envelope.Errored:
		return min(score, Points(false))
	}
	return score
}

// Points is the score of a trial that has none.
func Points(passed bool) float64 {
	if passed {
		return 1
	}
	return 0
}

// Add adds a trial that has no score and is no retry.
func (s *Sample) Add(passed bool) {
	s.open = untold
	s.add(passed)
}

// AddRetry adds a retry of the last trial, without a score.
func (s *Sample) AddRetry(passed bool) {
	s.Retries++
	s.add(passed)
}

func (s *Sample) add(passed bool) {
	if passed {
		s.Passed++
	}
	s.Outcomes, s.Scores = append(s.Outcomes, passed), append(s.Scores, Points(passed))
	if s.HasScores {
		s.Own = append(s.Own, false)
	}
	s.open = s.try(s.open, passed)
}

// Clone is a sample of its own.
func (s *Sample) Clone() *Sample {
	c := *s
	c.Outcomes, c.Scores, c.Chains = slices.Clone(s.Outcomes), slices.Clone(s.Scores), slices.Clone(s.Chains)
	c.Own = slices.Clone(s.Own)
	return &c
}

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

// ShortDecimal is the decimal of at most 13 digits that a number is to 15, or the number where
// there is none. Scores and costs are decimals, and so is a mean that lies beside a short one: that
// of 0.7, 1 and 0.7 is 0.8, though their nearest floats have one nearest to 0.7999999999999999.
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
		return lo, hi, errors.New("an interval of the mean needs at least 2 scores")
	case !envelope.Finite(s.Mean).OK || !envelope.Finite(s.Deviation).OK:
		return lo, hi, errors.New("the scores are too large for an interval of their mean: scale them down")
	}
	lo, hi, err = s.TInterval(confidence)
	if err != nil || s.least < 0 || s.most > 1 {
		return lo, hi, err
	}
	return max(lo, 0), min(hi, 1), nil
}
