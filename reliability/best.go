package reliability

import (
	"math"
	"slices"
)

// ladder groups categories by reward, ascending: the best of k trials stays at
// or below a level when all k do.
type ladder struct {
	levels []float64
	rung   []int // of each category
}

func newLadder(w []float64) ladder {
	levels := slices.Clone(w)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	l := ladder{levels: levels}
	for _, reward := range w {
		i, _ := slices.BinarySearch(levels, reward)
		l.rung = append(l.rung, i)
	}
	return l
}

// cumulative returns, for each level, the total of weight over the categories
// at or below it.
func (l ladder) cumulative(weight func(j int) float64) []float64 {
	total := make([]float64, len(l.levels))
	for j, i := range l.rung {
		total[i] += weight(j)
	}
	for i := 1; i < len(total); i++ {
		total[i] += total[i-1]
	}
	return total
}

// gap returns the step from level i to the next.
func (l ladder) gap(i int) float64 { return l.levels[i+1] - l.levels[i] }

// maxPoint returns the mean over tests of the expected best reward of k trials
// drawn without replacement,
// sum_{i>=k} C(i-1,k-1) r_(i) / C(n,k) over ascending rewards r.
//
// F. Bagirov et al., arXiv:2510.23393, appendix C.1.
func maxPoint(s *Sample, p Params) (Estimate, error) {
	if err := p.checkK(); err != nil {
		return Estimate{}, err
	}
	w, err := p.rewards()
	if err != nil {
		return Estimate{}, err
	}
	p.Prior = nil
	rows, used, err := s.weighedRows(p, len(w), p.K)
	if err != nil {
		return Estimate{}, err
	}
	l := newLadder(w)
	total := 0.
	for _, r := range rows {
		total += r.tests * l.expectedBest(r, p.K)
	}
	return point(s, used, p.K, l.levels[0]+total/float64(used)), nil
}

// expectedBest returns the expected best reward above the lowest level.
func (l ladder) expectedBest(r weighed, k int) float64 {
	below := l.cumulative(r.observed)
	best := 0.
	for i := range len(below) - 1 {
		best += l.gap(i) * (1 - onlyFrom(int(below[i]), int(r.trials), k))
	}
	return best
}

// maxInterval returns the posterior of the expected best of k fresh trials. At
// k = 1 that is the mean reward, with the interval of bayes.
func maxInterval(s *Sample, p Params) (Estimate, error) {
	if err := p.checkK(); err != nil {
		return Estimate{}, err
	}
	if p.K == 1 {
		return bayesInterval(s, p)
	}
	w, rows, used, err := s.categorical(p)
	if err != nil {
		return Estimate{}, err
	}
	l := newLadder(w)
	powers := newPowerMemo(p.K)
	var mean, variance float64
	for _, r := range rows {
		m, v := l.bestMoments(r, powers)
		mean += r.tests * m
		variance += r.tests * v
	}
	tests := float64(used)
	bounds := &[2]float64{l.levels[0], l.levels[len(l.levels)-1]}
	return normal(s, used, l.levels[0]+mean/tests, variance/(tests*tests), p, bounds), nil
}

// bestMoments returns posterior mean and variance of
// sum_i gap_i (1 - A_i^k), A_i the probability of a reward at or below level i.
// The A_i of a Dirichlet are nested: A_i = A_j V with V ~ Beta independent of
// A_j, so E[A_i^k A_j^k] = E[A_j^2k] E[V^k].
func (l ladder) bestMoments(r weighed, powers powerMemo) (mean, variance float64) {
	below := l.cumulative(r.posterior)
	total := below[len(below)-1]
	for i := range len(below) - 1 {
		first, second := powers.of(below[i], total-below[i])
		mean -= l.gap(i) * math.Expm1(first)
		variance += l.gap(i) * l.gap(i) * difference(second, 2*first)
		for j := i + 1; j < len(below)-1; j++ {
			outer, outerSecond := powers.of(below[j], total-below[j])
			inner, _ := powers.of(below[i], below[j]-below[i])
			variance += 2 * l.gap(i) * l.gap(j) * difference(outerSecond+inner, first+outer)
		}
	}
	return mean, variance
}

// difference returns e^x - e^y for x >= y.
func difference(x, y float64) float64 { return -math.Exp(x) * math.Expm1(math.Min(0, y-x)) }

// powerMemo remembers log E[p^k] and log E[p^2k] under Beta(a, b) for whole a
// and b of a moderate sum: counts repeat from test to test.
type powerMemo struct {
	k     int
	known [][]logPowers // by a+b, then by a
}

// logPowers are both 0 until known; a known one is negative.
type logPowers struct{ first, second float64 }

const memoLimit = 1024

func newPowerMemo(k int) powerMemo {
	return powerMemo{k: k, known: make([][]logPowers, memoLimit)}
}

func (m powerMemo) of(a, b float64) (first, second float64) {
	if a+b >= memoLimit {
		return logPower(a, b, m.k), logPower(a, b, 2*m.k)
	}
	sum := int(a + b)
	if m.known[sum] == nil {
		m.known[sum] = make([]logPowers, sum+1)
	}
	v := &m.known[sum][int(a)]
	if v.first == 0 {
		*v = logPowers{logPower(a, b, m.k), logPower(a, b, 2*m.k)}
	}
	return v.first, v.second
}
