package compare

import (
	"tribunal/envelope"
	"tribunal/stats"
)

// Counts are the trials compared of each test in one run.
type Counts map[envelope.Key]Counted

// Counted are trials by whether they passed, and by their scores; a pass without one is 1.
type Counted struct{ Passes, Scores stats.Scored }

// CountsOf are those of a judged run.
func CountsOf(e *envelope.Envelope) Counts {
	c := make(Counts, len(e.Tests))
	for i := range e.Tests {
		s := countsOf(&e.Tests[i])
		one := Counted{Passes: stats.Cluster{Passed: s.Passed, N: s.N}.Scored()}
		if one.Scores = one.Passes; s.scored {
			one.Scores = stats.ScoredOf(s.scores)
		}
		c[e.Tests[i].Key] = one
	}
	return c
}

// Where the variance between runs comes from.
const (
	BetweenSides   = "runs"    // the runs of both sides
	BetweenHistory = "history" // earlier runs of the base
)

// Between is the variance between runs that a comparison accounts for.
type Between struct {
	From          string  `json:"from"`
	BaseRuns      int     `json:"base_runs"`
	CandidateRuns int     `json:"candidate_runs"`
	Runs          int     `json:"runs"` // that it is estimated from
	ICC           float64 `json:"icc"`  // the correlation of trials of a test within a run
	DF            int     `json:"df"`
	uneven        bool    // a run has nearly all trials of its side
}

// manyRuns are the runs of a comparison that show how runs vary.
type manyRuns struct {
	Between
	variance        stats.RunVariance // of passes
	scores          stats.RunVariance
	base, candidate []Counts // the runs of each side; nil for one
	past            []Counts
}

// between estimates the variance from several runs a side, or from earlier runs of
// the base; nil where neither is given, or neither says anything. By scores says which
// variance the document has.
func between(base, candidate Input, byScore bool) *manyRuns {
	b := &manyRuns{Between: Between{From: BetweenSides, BaseRuns: max(1, len(base.Runs)), CandidateRuns: max(1, len(candidate.Runs))}, base: base.Runs, candidate: candidate.Runs}
	if b.BaseRuns+b.CandidateRuns == 2 {
		b.From, b.past = BetweenHistory, base.Past
	}
	if len(b.base)+len(b.candidate)+len(b.past) == 0 {
		return nil
	}
	keys := sharedKeys(base.Envelope, candidate.Envelope)
	b.variance, b.scores = stats.BetweenRuns(b.sides(keys, false)...), stats.BetweenRuns(b.sides(keys, true)...)
	v := b.variance
	if byScore {
		v = b.scores
	}
	b.Runs, b.ICC, b.DF = v.Runs, v.ICC, v.DF
	if b.DF < 1 {
		return nil
	}
	b.uneven = oneHasNearlyAll(b.base) || oneHasNearlyAll(b.candidate)
	return b
}

// oneHasNearlyAll reports whether one of several runs has four of five trials.
func oneHasNearlyAll(runs []Counts) bool {
	most, total := 0, 0
	for _, run := range runs {
		n := 0
		for _, c := range run {
			n += c.Passes.N
		}
		most, total = max(most, n), total+n
	}
	return len(runs) > 1 && 5*most > 4*total
}

// sharedKeys are the tests that are on both sides.
func sharedKeys(base, candidate *envelope.Envelope) []envelope.Key {
	there := make(map[envelope.Key]bool, len(base.Tests))
	for i := range base.Tests {
		there[base.Tests[i].Key] = true
	}
	var keys []envelope.Key
	for i := range candidate.Tests {
		if k := candidate.Tests[i].Key; there[k] {
			keys = append(keys, k)
		}
	}
	return keys
}

// sides are what the runs did with these tests, a side of runs that differ by
// chance alone at a time: what passed, or by scores what they scored.
func (b *manyRuns) sides(keys []envelope.Key, byScore bool) [][][]stats.Scored {
	var sides [][][]stats.Scored
	for _, runs := range [][]Counts{b.base, b.candidate, b.past} {
		side := make([][]stats.Scored, len(keys))
		for i, k := range keys {
			for _, run := range runs {
				of := run[k].Passes
				if byScore {
					of = run[k].Scores
				}
				side[i] = append(side[i], of)
			}
		}
		sides = append(sides, side)
	}
	return sides
}

// runsOf are the trials of a test in the runs of its side, which may be one.
func runsOf(runs []Counts, s *sample) []stats.Scored {
	if len(runs) == 0 {
		return []stats.Scored{stats.Cluster{Passed: s.Passed, N: s.N}.Scored()}
	}
	out := make([]stats.Scored, len(runs))
	for i, run := range runs {
		out[i] = run[s.test.Key].Passes
	}
	return out
}

// of is the variance that runs have in a test: that of all tests, unless this one is odd.
func (b *manyRuns) of(m *match, byScore bool) stats.RunVariance {
	v := b.variance
	if byScore {
		v = b.scores
	}
	return v.OrOwn(stats.BetweenRuns(b.sides([]envelope.Key{m.Key}, byScore)...))
}

// find is the difference of the pass rates of a test: Fisher's test and Newcombe's
// interval, with the variance that runs have.
func (b *manyRuns) find(m *match, o Options) Finding {
	base, candidate := m.base, m.candidate
	effect, df := b.of(m, false).DesignEffect(runsOf(b.candidate, &candidate), runsOf(b.base, &base))
	value, lo, hi := stats.NewcombeDifference(candidate.Passed, candidate.N, base.Passed, base.N, stats.InflatedZ(o.Confidence, effect, df))
	return Finding{
		Difference:   &Difference{Value: value, Lo: lo, Hi: hi, Method: IntervalPlain},
		Method:       MethodFisher,
		PValue:       envelope.Some(stats.InflatedP(stats.FisherExact(base.Passed, base.N, candidate.Passed, candidate.N), effect, df)),
		LeastP:       envelope.Some(stats.FisherLeast(base.Passed+candidate.Passed, base.N, candidate.N)),
		DesignEffect: envelope.Some(effect),
		NonInferior:  lo > -o.Margin,
	}
}

// widen makes the finding of the run as wide, and its p-value as large, as the runs
// vary as a whole.
func (b *manyRuns) widen(f *Finding, keys []envelope.Key, weights []float64, byScore bool, o Options) {
	variance, df := stats.SpreadOfRuns(weights, b.sides(keys, byScore)...)
	if df < 1 {
		return
	}
	e := stats.Estimate(f.Difference.Value, variance*(1/float64(b.BaseRuns)+1/float64(b.CandidateRuns)), float64(df), o.Confidence)
	f.widen(e, IntervalRuns)
}
