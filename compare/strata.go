package compare

import (
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

// strata are the tests that have trials on both sides, as the run as a whole sees
// them: of paired tests the pairs alone, whose trials without a partner are left
// out.
type strata struct {
	test      stats.Stratified
	contrasts []stats.Contrast // the part of each test in the mean difference
	pairs     Pairs
	tables    []stats.Table // the tests that are not paired
	first     *Difference
	keys      []envelope.Key
	rates     []stats.Table // of all tests: of paired ones their pairs
	tests     []*envelope.Test

	Basis
	scores, beside means // of the run where it is compared by scores; of tests that have some beside passes
}

func (s *strata) weights() []float64 {
	weights := make([]float64, len(s.contrasts))
	for i, c := range s.contrasts {
		weights[i] = c.Weight
	}
	return weights
}

func (s *strata) add(m *match) {
	s.keys, s.tests = append(s.keys, m.Key), append(s.tests, m.candidate.test)
	if s.Basis.Scores {
		s.scores.add(m, m.Finding)
		s.contrasts = append(s.contrasts, stats.Contrast{Difference: s.scores.differences[len(s.scores.differences)-1], Weight: 1})
		return
	}
	if m.Scores != nil {
		s.beside.add(m, m.Scores.Finding)
	}
	if s.first == nil {
		s.first = m.Difference
	}
	before, after := m.base.N, m.candidate.N
	rates := stats.Table{Passed1: m.candidate.Passed, N1: m.candidate.N, Passed2: m.base.Passed, N2: m.base.N}
	if p := m.Pairs; p != nil {
		rates = stats.Table{Passed1: p.Both + p.Candidate, N1: p.N(), Passed2: p.Both + p.Base, N2: p.N()}
		s.test.Pairs(p.Candidate, p.Base)
		s.pairs.add(*p)
		before, after = p.N(), p.N()
	} else {
		s.test.Table(m.candidate.Passed, m.candidate.N, m.base.Passed, m.base.N)
		s.tables = append(s.tables, rates)
	}
	s.rates = append(s.rates, rates)
	s.contrasts = append(s.contrasts, stats.Contrast{Difference: m.Difference.Value, Weight: stats.ContrastWeight(after, before)})
}

func (p *Pairs) add(more Pairs) {
	p.Both += more.Both
	p.Base += more.Base
	p.Candidate += more.Candidate
	p.Neither += more.Neither
}

func (p Pairs) table() stats.PairTable {
	return stats.PairTable{N: p.N(), First: p.Candidate, Second: p.Base}
}

// finding is the difference of the runs and how sure it is.
func (s *strata) finding(o Options) Finding {
	if s.Basis.Scores {
		return s.scores.finding(nil, o)
	}
	f := Finding{Method: MethodCMH, PValue: finite(s.test.PValue()), LeastP: finite(s.test.LeastP()), Difference: s.difference(o)}
	if s.test.Paired() {
		f.Method, f.Pairs = MethodMcNemar, &s.pairs
	}
	return f
}

// difference is the mean over tests. Its interval says how far the tests differ,
// and is at either end at least as long as the trials allow by themselves: a few
// tests that happen to agree, and changes too rare to have been met often, have
// next to no spread and prove nothing by it. One test has the interval it has.
func (s *strata) difference(o Options) *Difference {
	mean, lo, hi, err := stats.ClusteredDifference(s.contrasts, o.Confidence)
	if err != nil {
		d := *s.first
		return &d
	}
	d := &Difference{Value: mean, Method: IntervalScore}
	_, d.Lo, d.Hi = stats.StratifiedDifference(s.tables, s.pairs.table(), stats.ConventionalZ(o.Confidence))
	if lo < d.Lo || hi > d.Hi {
		d.Method = IntervalCluster
		d.Lo, d.Hi = math.Max(-1, math.Min(d.Lo, lo)), math.Min(1, math.Max(d.Hi, hi))
	}
	return d
}
