package compare

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
)

// sample is the trials of one test that are compared, by whether they passed, or
// did something else that is asked of them.
type sample struct {
	test *envelope.Test
	rows []int // counted trials that are no retries
	did  func(row int) bool
	Trials

	scores         []float64 // of the trials compared, points where one has none; nil without
	scored, graded bool      // some has a score; some score is neither 0 nor 1
	scale          scale
}

func sampleOf(t *envelope.Test, confidence float64) sample {
	s := countsOf(t)
	s.Rate = rule.RateOf(s.Passed, s.N, confidence)
	return s
}

func countsOf(t *envelope.Test) sample {
	passed := func(row int) bool { return t.Rows.Outcome[row] == envelope.Passed }
	s := sample{test: t, rows: make([]int, 0, t.Rows.Len()), did: passed}
	for i, outcome := range t.Rows.Outcome {
		switch {
		case outcome == envelope.Excluded:
			s.Excluded++
		case !outcome.Counted():
		case t.Rows.Retry().At(i):
			s.Retries++
		default:
			s.rows = append(s.rows, i)
			if outcome == envelope.Passed {
				s.Passed++
			}
		}
	}
	s.N = len(s.rows)
	s.takeScores()
	return s
}

func (s *sample) side() SideOfTest {
	return SideOfTest{Status: s.test.Status, Trials: s.Trials, Outcomes: s.test.Rows.Outcome.String()}
}

// values are the finite cells of a column for the trials compared, in order of
// size: they are sorted once for all that is asked of them.
func (s *sample) values(c envelope.Column[float64]) []float64 {
	if c == nil {
		return nil
	}
	out := make([]float64, 0, len(s.rows))
	for _, i := range s.rows {
		if v, ok := c.At(i); ok && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// number is what a runner calls a trial.
type number struct {
	run     string
	attempt int32
}

func (a number) compare(b number) int {
	return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.attempt, b.attempt))
}

// number is that of a trial that has one, in the run that a function gives it: base and
// candidate seldom call theirs the same.
func (s *sample) number(row int, run func(name string) string) number {
	attempt, _ := s.test.Rows.Attempt().At(row)
	return number{run(s.test.Rows.Run().At(row)), attempt}
}

// numbered gives the trials in the order of their numbers, which they mostly have
// already; nil when one has none or two have the same.
func (s *sample) numbered(run func(name string) string) []int {
	for _, row := range s.rows {
		if _, known := s.test.Rows.Attempt().At(row); !known {
			return nil
		}
	}
	rows := s.rows
	order := func(a, b int) int { return s.number(a, run).compare(s.number(b, run)) }
	if !slices.IsSortedFunc(rows, order) {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, order)
	}
	for i := 1; i < len(rows); i++ {
		if order(rows[i-1], rows[i]) == 0 {
			return nil
		}
	}
	return rows
}

func (s *sample) oneRun() bool {
	run := s.test.Rows.Run()
	return !slices.ContainsFunc(s.rows, func(i int) bool { return run.At(i) != run.At(s.rows[0]) })
}

// pairedRows are the rows of the pairs that trials of the same number make. Trials that
// have no partner are left out, and there are no pairs when these are more than half of a
// side: the numbers then do not mean the same.
func pairedRows(base, candidate *sample) [][2]int {
	rows := partnersByName(base, candidate)
	if len(rows) == 0 || 2*len(rows) < max(base.N, candidate.N) {
		return nil
	}
	return rows
}

// partnersByName are partners in runs of the same name, or in the one run of each side. There
// are none where one side has one run and the other several.
func partnersByName(base, candidate *sample) [][2]int {
	run := func(name string) string { return name }
	if alone := base.oneRun(); alone != candidate.oneRun() {
		return nil
	} else if alone {
		run = func(string) string { return "" }
	}
	return partners(base, candidate, run, run)
}

// partners are the rows of a base and a candidate that have the same number, in order.
func partners(base, candidate *sample, ofBase, ofCandidate func(run string) string) [][2]int {
	ours, theirs := base.numbered(ofBase), candidate.numbered(ofCandidate)
	out := make([][2]int, 0, min(len(ours), len(theirs)))
	for len(ours) > 0 && len(theirs) > 0 {
		switch c := base.number(ours[0], ofBase).compare(candidate.number(theirs[0], ofCandidate)); {
		case c < 0:
			ours = ours[1:]
		case c > 0:
			theirs = theirs[1:]
		default:
			out = append(out, [2]int{ours[0], theirs[0]})
			ours, theirs = ours[1:], theirs[1:]
		}
	}
	return out
}

func countPairs(base, candidate *sample, partners [][2]int) (p Pairs) {
	for _, rows := range partners {
		p.add(pairOf(base.did(rows[0]), candidate.did(rows[1])))
	}
	return p
}

func pairOf(base, candidate bool) Pairs {
	switch {
	case base && candidate:
		return Pairs{Both: 1}
	case base:
		return Pairs{Base: 1}
	case candidate:
		return Pairs{Candidate: 1}
	}
	return Pairs{Neither: 1}
}

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
	b := &manyRuns{Between: Between{From: BetweenSides, BaseRuns: max(1, len(base.Runs)), CandidateRuns: max(1, len(candidate.Runs))},
		base: base.Runs, candidate: candidate.Runs}
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
	return each.Of(runs, func(run Counts) stats.Scored { return run[s.test.Key].Passes })
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
