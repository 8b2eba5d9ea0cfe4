package reliability

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"tribunal/internal/each"
)

// DecayCurve returns floor(100 (c_k/k)^k) for k = 1..n, where c_k of the first
// k outcomes passed: what pass^k would be if the rate seen so far were the
// truth. It need not be monotone. Every entry is exact.
func DecayCurve(outcomes []bool) []int {
	curve := make([]int, len(outcomes))
	passed := 0
	for i, pass := range outcomes {
		if pass {
			passed++
		}
		switch failed := i + 1 - passed; {
		case failed >= hopeless:
			return curve // what follows is 0, too
		case pass && i > 0 && curve[i-1] == highest[failed]:
			curve[i] = highest[failed]
		default:
			curve[i] = percentPower(passed, i+1)
		}
	}
	return curve
}

// highest is floor(100 e^-f) for f failures. (1 - f/k)^k grows with k and stays
// below e^-f, so once the curve is there, passes leave it there.
var highest = [hopeless]int{100, 36, 13, 4, 1}

// hopeless is how many failures leave less than 1.
const hopeless = 5

// percentPower returns floor(100 (c/k)^k) for 0 <= c <= k, k >= 1.
func percentPower(c, k int) int {
	switch {
	case c == k:
		return 100
	case c == 0:
		return 0
	case k <= 2:
		return 25 // the only case left: one of two
	}
	if k-c >= hopeless {
		return 0
	}
	// The exponent is at most 5 in size and right to a few ulps, so value is
	// right to 1e-12; only within 1e-9 of a whole number may its floor be not.
	value := 100 * math.Exp(float64(k)*math.Log1p(-float64(k-c)/float64(k)))
	if nearest := math.Round(value); math.Abs(value-nearest) > 1e-9 {
		return int(math.Floor(value))
	}
	return percentPowerExact(c, k)
}

// percentPowerExact decides what a float cannot. For k > 2 and 0 < c < k the value 100 (c/k)^k is
// never whole: with c/k = a/b in lowest terms, b^k would have to divide 100, and b >= 2, k >= 3
// never does. So raising the precision always ends.
func percentPowerExact(c, k int) int {
	for precision := uint(128); ; precision *= 2 {
		value := bigPower(c, k, precision)
		value.Mul(value, new(big.Float).SetInt64(100))
		margin := new(big.Float).SetMantExp(big.NewFloat(1), 40-int(precision))
		low, _ := new(big.Float).Sub(value, margin).Int64()
		high, _ := new(big.Float).Add(value, margin).Int64()
		if low == high {
			return int(low)
		}
	}
}

// bigPower returns (c/k)^k with a relative error below k 2^(2-precision).
func bigPower(c, k int, precision uint) *big.Float {
	number := func(x int) *big.Float {
		return new(big.Float).SetPrec(precision).SetInt64(int64(x))
	}
	base := number(c)
	base.Quo(base, number(k))
	power := number(1)
	for e := k; e > 0; e >>= 1 {
		if e&1 == 1 {
			power.Mul(power, base)
		}
		base.Mul(base, base)
	}
	return power
}

// reachesHalfBelow reports 200 sqrt(passed failed)/n >= percent - 1/2, exactly. Squares of any number of trials have room in 128 bits.
func reachesHalfBelow(percent, passed, n int) bool {
	root := uint64(2*percent-1) * uint64(n)
	high, low := bits.Mul64(root, root)
	most, least := bits.Mul64(160000*uint64(passed), uint64(n-passed))
	return high < most || high == most && low <= least
}

// ladder groups categories by reward, ascending: the best of k trials stays at or below a level when all k do.
type ladder struct {
	levels []float64
	rung   []int // of each category
}

func newLadder(w []float64) ladder {
	levels := slices.Clone(w)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	return ladder{levels, each.Of(w, func(reward float64) int { return slices.Index(levels, reward) })}
}

// cumulative returns, for each level, the total of weight over the categories at or below it.
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

func (l ladder) gap(i int) float64 { return l.levels[i+1] - l.levels[i] }

// maxPoint returns the mean over tests of the expected best reward of k trials drawn without
// replacement, sum_{i>=k} C(i-1,k-1) r_(i) / C(n,k) over ascending rewards r.
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
	total := each.Sum(rows, func(r weighed) float64 { return r.tests * l.expectedBest(r, p.K) })
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

// maxInterval returns the posterior of the expected best of k fresh trials. At k = 1 that is the mean reward, with the interval of bayes.
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
	powers := powerMemo{k: p.K, known: make([][]logPowers, memoLimit)}
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

// bestMoments returns posterior mean and variance of sum_i gap_i (1 - A_i^k), A_i the probability
// of a reward at or below level i. The A_i of a Dirichlet are nested: A_i = A_j V with V ~ Beta
// independent of A_j, so E[A_i^k A_j^k] = E[A_j^2k] E[V^k].
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

// powerMemo remembers log E[p^k] and log E[p^2k] under Beta(a, b) for whole a and b of a moderate sum: counts repeat from test to test.
type powerMemo struct {
	k     int
	known [][]logPowers // by a+b, then by a
}

// logPowers are both 0 until known; a known one is negative.
type logPowers struct{ first, second float64 }

const memoLimit = 1024

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
