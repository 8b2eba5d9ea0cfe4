package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// mostArrangements is how many arrangements are gone through one by one, and how many are
// drawn where there are more.
const mostArrangements = 20_000

// mostDealt is the size of the smaller sample from which the sum over all arrangements is
// taken for normal, which it then is to many digits.
const mostDealt = 2000

// PermutationTest compares the means of two independent samples: the two-sided p-value of
// their difference over all ways to deal the same values to samples of these sizes, and
// the least p-value that any of them has. It is exact up to 20,000 arrangements; of more,
// 20,000 are drawn, always the same ones, and the p-value is (1 + hits)/(1 + draws). It is
// 1 for an empty sample and NaN for a value that is not finite.
//
// E. J. G. Pitman, Suppl. J. R. Stat. Soc. 4 (1937) 119-130; B. Phipson, G. K. Smyth,
// Stat. Appl. Genet. Mol. Biol. 9 (2010) 39 (draws).
func PermutationTest(first, second []float64) (p, least float64) {
	return permutationTest(first, second, 1)
}

// PermutationAtMost is the p-value of [PermutationTest] if it is at most level. Otherwise it
// is a lower bound above level: no more arrangements are drawn than that takes.
func PermutationAtMost(level float64, first, second []float64) float64 {
	p, _ := permutationTest(first, second, level)
	return p
}

func permutationTest(first, second []float64, level float64) (p, least float64) {
	if len(first) == 0 || len(second) == 0 {
		return 1, 1
	}
	if len(first) > len(second) {
		first, second = second, first
	}
	k := len(first)
	pooled := slices.Sorted(slices.Values(slices.Concat(first, second)))
	mean := sumAll(pooled) / float64(len(pooled))
	center := func(values []float64) []float64 {
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = v - mean
		}
		return out
	}
	pooled = center(pooled)
	c := newArrangements(pooled, sumAll(center(first)), math.Max(-sumAll(pooled[:k]), sumAll(pooled[len(pooled)-k:])))
	switch {
	case choices(len(pooled), k) <= mostArrangements:
		c.choose(pooled, k, 0)
		return c.exact()
	case k > mostDealt:
		n := float64(len(pooled))
		return c.normal(float64(k) * (n - float64(k)) / n / (n - 1) * dot(pooled, pooled))
	}
	source := rand.New(rand.NewPCG(1, 2))
	for range mostArrangements {
		dealt := 0.
		for i := range k {
			j := i + source.IntN(len(pooled)-i)
			pooled[i], pooled[j] = pooled[j], pooled[i]
			dealt += pooled[i]
		}
		c.count(dealt)
		if bound := float64(1+c.asFar) / (1 + mostArrangements); bound > level {
			return c.known(bound, bound)
		}
	}
	return c.drawn()
}

// SignTest compares the means of pairs by their differences: as [PermutationTest], over
// all ways to exchange the two of a pair.
//
// R. A. Fisher, The Design of Experiments (1935), section 21.
func SignTest(differences []float64) (p, least float64) {
	var moved []float64 // a pair of equals says nothing
	for _, d := range differences {
		if d != 0 {
			moved = append(moved, math.Abs(d))
		}
	}
	if len(moved) == 0 {
		return 1, 1
	}
	slices.Sort(moved)
	c := newArrangements(moved, sumAll(differences), sumAll(moved))
	switch {
	case math.Exp2(float64(len(moved))) <= mostArrangements:
		c.change(moved, 0)
		return c.exact()
	case len(moved) > mostDealt:
		return c.normal(dot(moved, moved))
	}
	source := rand.New(rand.NewPCG(1, 2))
	for range mostArrangements {
		apart, signs := 0., uint64(0)
		for i, v := range moved {
			if i%64 == 0 {
				signs = source.Uint64()
			}
			if signs&1 == 1 {
				v = -v
			}
			apart += v
			signs >>= 1
		}
		c.count(apart)
	}
	return c.drawn()
}

// arrangements counts sums that lie at least as far from 0 as the one seen, and as the
// farthest that there is.
type arrangements struct {
	seen, farthest, slack float64
	all, asFar, atEnd     int
}

func newArrangements(values []float64, seen, farthest float64) *arrangements {
	const rounding = 1e-11 // of all values together: sums of decimals that are equal differ by less
	slack := rounding * sum(values, math.Abs)
	return &arrangements{seen: math.Abs(seen) - slack, farthest: farthest - slack, slack: slack}
}

func (a *arrangements) count(apart float64) {
	a.all++
	apart = math.Abs(apart)
	if !(apart < a.seen) {
		a.asFar++
	}
	if !(apart < a.farthest) {
		a.atEnd++
	}
}

// choose goes through all ways to add k of the values to a sum.
func (a *arrangements) choose(values []float64, k int, apart float64) {
	if k == 0 {
		a.count(apart)
		return
	}
	for i := 0; i+k <= len(values); i++ {
		a.choose(values[i+1:], k-1, apart+values[i])
	}
}

// change goes through all signs that the values can have.
func (a *arrangements) change(values []float64, apart float64) {
	if len(values) == 0 {
		a.count(apart)
		return
	}
	a.change(values[1:], apart+values[0])
	a.change(values[1:], apart-values[0])
}

func (a *arrangements) exact() (p, least float64) {
	return a.known(float64(a.asFar)/float64(a.all), float64(a.atEnd)/float64(a.all))
}

func (a *arrangements) drawn() (p, least float64) {
	return a.known(float64(1+a.asFar)/float64(1+a.all), float64(1+a.atEnd)/float64(1+a.all))
}

func (a *arrangements) normal(variance float64) (p, least float64) {
	tails := func(apart float64) float64 { return math.Erfc(apart / math.Sqrt(2*variance)) }
	return a.known(math.Min(1, tails(a.seen)), math.Min(1, tails(a.farthest)))
}

// known is nothing where a value was not finite.
func (a *arrangements) known(p, least float64) (float64, float64) {
	if math.IsNaN(a.slack) || math.IsInf(a.slack, 0) {
		return math.NaN(), math.NaN()
	}
	return p, least
}

// sumAll is the sum of values.
func sumAll(values []float64) float64 { return sum(values, func(v float64) float64 { return v }) }

// choices is the number of ways to choose k of n, at most one above those gone through.
func choices(n, k int) int {
	all := 1
	for i := 1; i <= k; i++ {
		if all = all * (n - k + i) / i; all > mostArrangements {
			return mostArrangements + 1
		}
	}
	return all
}
