package trend

import (
	"fmt"
	"math"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
)

// Scores are what the counted trials of a test scored in a run.
type Scores struct {
	stats.Scored
	Decide bool // the test was judged by them, and is compared by them
}

// scoresOf are those of a judged test; nil where no counted trial has one.
func scoresOf(t *envelope.Test) *Scores {
	if t.Score == nil {
		return nil
	}
	var all []float64
	for row, outcome := range t.Rows.Outcome {
		if outcome.Counted() {
			all = append(all, rule.PointsOf(t.Rows, row))
		}
	}
	return &Scores{stats.ScoredOf(all), rule.ScoresDecide(t)}
}

// graded reports whether some score is neither 0 nor 1: scores that are have these squares.
func (s *Scores) graded() bool {
	const rounding = 1e-9
	ofOutcomes := float64(s.N) * s.Mean * (1 - s.Mean)
	return math.Abs(s.Squares-ofOutcomes) > rounding*float64(s.N)
}

// readScores says whether the test is compared by its scores: where these decided in its
// last run that was counted, and are more than passes and failures in numbers.
func (t *Test) readScores() {
	graded, last := false, (*Scores)(nil)
	for _, p := range t.Points {
		if p.Counted > 0 {
			last = p.Scores
		}
		graded = graded || p.Scores != nil && p.Scores.graded()
	}
	t.ByScore = graded && last != nil && last.Decide
	var all stats.Scored
	for _, p := range t.Points {
		if p.Scores != nil {
			p.Scores.Decide = p.Scores.Decide && t.ByScore
		}
		if p.byScore() {
			all = all.With(p.Scores.Scored)
		}
	}
	if t.ByScore {
		t.MeanScore = envelope.Finite(rule.ShortDecimal(all.Mean))
	}
}

func (p Point) byScore() bool { return p.Scores != nil && p.Scores.Decide }

// Share is how far up from 0 to 1 the test came in the run: its mean score where it is
// compared by scores, and otherwise its pass rate. NaN where nothing was counted.
func (p Point) Share() float64 {
	if p.byScore() {
		return math.Max(0, math.Min(1, p.Scores.Mean))
	}
	return float64(p.Passed) / float64(p.Counted)
}

type scored struct {
	points   []Point
	statuses map[envelope.Status]int
	all      stats.Scored
	lo, hi   float64 // of the means of runs
	step     step
}

// step is where the mean score moved once: no run before it is beyond one after it.
type step struct {
	before, after stats.Scored
	runs          int // before it
	last          int32
	p             float64 // if trials of a run are independent, over all places
}

func newScored(points []Point) *scored {
	s := &scored{statuses: map[envelope.Status]int{}, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, p := range points {
		if p.byScore() {
			s.points = append(s.points, p)
			s.statuses[p.Status.Status()]++
			s.all = s.all.With(p.Scores.Scored)
			s.lo, s.hi = math.Min(s.lo, p.Scores.Mean), math.Max(s.hi, p.Scores.Mean)
		}
	}
	s.step = s.likeliest()
	return s
}

// likeliest is the surest of the places at which all runs before lie on one side of all
// runs after; its p-value is NaN where there is none.
func (s *scored) likeliest() step {
	best := step{p: math.NaN()}
	for at := 1; at < len(s.points); at++ {
		now := step{runs: at, last: s.points[at-1].Run}
		bounds := [2][2]float64{{math.Inf(1), math.Inf(-1)}, {math.Inf(1), math.Inf(-1)}}
		for i, p := range s.points {
			side, pooled := &bounds[0], &now.before
			if i >= at {
				side, pooled = &bounds[1], &now.after
			}
			*pooled = pooled.With(p.Scores.Scored)
			side[0], side[1] = math.Min(side[0], p.Scores.Mean), math.Max(side[1], p.Scores.Mean)
		}
		if bounds[0][0] <= bounds[1][1] && bounds[1][0] <= bounds[0][1] {
			continue
		}
		now.p = math.Min(1, float64(len(s.points)-1)*stats.MeansApart(now.after, now.before))
		if !(best.p <= now.p) {
			best = now
		}
	}
	return best
}

// drift tests for a trend of the mean score over the runs, by all orders of them.
func (s *scored) drift() *Drift {
	if len(s.points) < driftRuns {
		return nil
	}
	of := each.Of(s.points, func(p Point) stats.Scored { return p.Scores.Scored })
	places := each.Of(s.points, func(p Point) float64 { return float64(p.Run) })
	return driftOf(stats.PermutedTrendOfScores(of, places))
}

// stateOf is the first state that holds of a test compared by its scores, as the package comment lists them.
func (s *scored) stateOf(t *Trend, test *Test) (State, string) {
	level, n := 1-t.Confidence, len(s.points)
	mean := "mean score " + score(s.all.Mean)
	drifts := test.Drift != nil && test.Drift.PAdjusted <= level
	switch {
	case s.statuses[envelope.Fail] == n:
		return Broken, fmt.Sprintf("%s; failed in %d of %s", mean, n, runs(n))
	case n == 1:
		return Unknown, mean + " in 1 run: there is no other to compare it with"
	case s.step.p <= level:
		return s.stepped(t, n)
	case drifts && test.Drift.Z < 0:
		return DriftingDown, s.driftWords(test, "falls")
	case drifts:
		return DriftingUp, s.driftWords(test, "rises")
	}
	says := fmt.Sprintf("%s in %s, between %s and %s", mean, runs(n), score(s.lo), score(s.hi))
	if test.Drift != nil {
		says += fmt.Sprintf(", no steady rise or fall (p %s)", probability(test.Drift.PAdjusted))
	}
	if passed := s.statuses[envelope.Pass]; passed > 0 && s.statuses[envelope.Fail] > 0 {
		return Flaky, fmt.Sprintf("%s; passed in %d of %s", says, passed, runs(n))
	}
	return Stable, says
}

func (s *scored) stepped(t *Trend, n int) (State, string) {
	state, moved := DriftingDown, "fell"
	if s.step.after.Mean > s.step.before.Mean {
		state, moved = DriftingUp, "rose"
	}
	return state, fmt.Sprintf("the mean score %s: %s in %s up to %s, %s in %s since (p %s if trials of a run are independent)", moved,
		score(s.step.before.Mean), runs(s.step.runs), t.runName(s.step.last), score(s.step.after.Mean),
		runs(n-s.step.runs), probability(s.step.p))
}

func (s *scored) driftWords(test *Test, moves string) string {
	half := len(s.points) / 2
	var early, late stats.Scored
	for i, p := range s.points {
		if i < half {
			early = early.With(p.Scores.Scored)
		} else {
			late = late.With(p.Scores.Scored)
		}
	}
	return fmt.Sprintf("the mean score %s: %s in the first %s, %s in the last %d (trend p %s)", moves, score(early.Mean), runs(half),
		score(late.Mean), len(s.points)-half, probability(test.Drift.PAdjusted))
}

func score(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// ofScores is the evidence of a test that is compared by its scores: an e-process for means from 0 to 1. Scores beyond that have none.
func (e *Ever) ofScores() {
	samples := each.Where(e.samples, func(n sample) bool { return n.scores != nil })
	e.samples, e.Runs, e.byScore = samples, len(samples), true
	process, logE := stats.NewRunsE(), 0.
	for _, n := range samples {
		logE = process.AddShare(n.scores.Mean)
	}
	if !math.IsNaN(logE) {
		e.LogE = logE
	}
}

// sayScores says after which run the mean scores before and since lie furthest apart, in units of what chance would explain.
func (e *Ever) sayScores(b *Builder) {
	best, at := -1., 0
	for split := 1; split < len(e.samples); split++ {
		before, after := scoresOfRuns(e.samples[:split]), scoresOfRuns(e.samples[split:])
		away := after.Mean - before.Mean
		if apart := away * away * float64(split) * float64(len(e.samples)-split); apart > best {
			best, at = apart, split
			e.BeforeScore, e.AfterScore = envelope.Finite(rule.ShortDecimal(before.Mean)), envelope.Finite(rule.ShortDecimal(after.Mean))
		}
	}
	if at > 0 {
		e.Since = b.runName(int(e.samples[at-1].run))
	}
}

func scoresOfRuns(samples []sample) (all stats.Scored) {
	for _, n := range samples {
		all = all.With(n.scores.Scored)
	}
	return all
}
