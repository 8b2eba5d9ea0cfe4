package stats

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"tribunal/internal/each"
)

// RatedTest is a test that several variants tried, and the group of tests that it
// moves with: the trials of each variant, in the same order in every test.
type RatedTest struct {
	Group  int
	Of     []Cluster
	Scores []Scored // in place of passes, where variants are rated by scores
}

// means are the trials of each variant, and by what variance of one trial they may be off.
func (t *RatedTest) means() []Scored {
	if t.Scores != nil {
		return t.Scores
	}
	return each.Of(t.Of, func(c Cluster) Scored { return c.Scored() })
}

// RatedVariants are the mean pass rates, or mean scores, of variants over the same tests, every test
// once, and how far they may be off, together.
type RatedVariants struct {
	Rates []float64
	// Covariance is that of the rates from the spread between groups of tests, with
	// the factor G/(G-1); zeros below two groups. Within is the part of each variance
	// that the trials of the tests account for, and never 0.
	Covariance [][]float64
	Within     []float64
	Groups     int
	means      [][]float64 // of each group, by variant
	trials     []float64
	squares    []float64 // of scores within tests
}

// RateVariants computes them from tests that every variant tried. It is nil without
// tests, and where a variant has no trial of one.
//
// E. Miller, arXiv:2411.00640 (2024), appendix A, for several variants at once.
func RateVariants(tests []RatedTest) *RatedVariants {
	if len(tests) == 0 || len(tests[0].means()) == 0 {
		return nil
	}
	n, count := len(tests[0].means()), float64(len(tests))
	r := &RatedVariants{Rates: make([]float64, n), Within: make([]float64, n), Covariance: make([][]float64, n), trials: make([]float64, n),
		squares: make([]float64, n)}
	all, groups := make([][]Scored, len(tests)), make([]int, len(tests))
	scored, values, residuals := make([]float64, n), make([][]float64, n), make([][]float64, n)
	for i, t := range tests {
		if all[i] = t.means(); len(all[i]) != n {
			return nil
		}
		groups[i] = t.Group
		for v, c := range all[i] {
			if c.N < 1 {
				return nil
			}
			r.Rates[v] += c.Mean
			values[v] = append(values[v], c.Mean)
			r.trials[v] += float64(c.N)
			r.squares[v] += c.Squares
			scored[v] += c.Mean * float64(c.N)
		}
	}
	for v := range n {
		r.Rates[v] /= count
		r.means = append(r.means, MeansByGroup(values[v], groups))
	}
	for i, t := range tests {
		for v, c := range all[i] {
			size := float64(c.N)
			values[v][i] = (c.Mean - r.Rates[v]) / count
			// The rate of a test is pulled by one trial to that of all, and that by two
			// trials to one half: a few trials that all ended alike are no certainty.
			p := (size*c.Mean + (scored[v]+1)/(r.trials[v]+2)) / (size + 1)
			variance := p * (1 - p)
			if t.Scores != nil {
				variance = (c.Squares + (r.squares[v]+0.25)/(r.trials[v]-count+1)) / size
			}
			r.Within[v] += variance / size / (count * count)
		}
	}
	for v := range n {
		residuals[v], _ = byGroup(values[v], groups)
	}
	r.Groups = len(residuals[0])
	for v := range n {
		r.Covariance[v] = make([]float64, n)
		for w := range n {
			r.Covariance[v][w] = floats.Dot(residuals[v], residuals[w])
			if groups := float64(r.Groups); groups > 1 {
				r.Covariance[v][w] *= groups / (groups - 1)
			}
		}
	}
	return r
}

// Interval is [BoundedMean] of what the tests of a variant, or their groups, have on
// average. Of one group it is Wilson's of the trials.
func (r *RatedVariants) Interval(v int, confidence float64) (lo, hi float64) {
	if r.Groups < 2 {
		return scoreInterval(r.Rates[v]*r.trials[v], r.trials[v], Z(confidence))
	}
	lo, hi = BoundedMean(r.means[v], confidence)
	return math.Min(lo, r.Rates[v]), math.Max(hi, r.Rates[v]) // groups of unequal size have another mean
}

// MeanInterval is Student's t interval of the mean score of a variant, for scores of any
// scale; with less than two groups that of its trials.
func (r *RatedVariants) MeanInterval(v int, confidence float64) (lo, hi float64) {
	half := Z(confidence) * math.Sqrt(r.Within[v])
	if r.Groups > 1 {
		half = StudentT(confidence, r.Groups-1) * math.Sqrt(math.Max(r.Covariance[v][v], r.Within[v]))
	}
	return r.Rates[v] - half, r.Rates[v] + half
}

// Difference is the variance of the rate of one variant less that of another, from the
// spread between groups.
func (r *RatedVariants) Difference(v, w int) float64 {
	return math.Max(0, r.Covariance[v][v]+r.Covariance[w][w]-2*r.Covariance[v][w])
}

// cautious is the covariance of the rates in which no difference of two varies less
// than the trials of both do: tests that happen to agree prove nothing by it.
func (r *RatedVariants) cautious() [][]float64 {
	out := make([][]float64, len(r.Rates))
	for v := range out {
		out[v] = append([]float64(nil), r.Covariance[v]...)
		short := 0.
		for w := range r.Rates {
			if v != w {
				short = math.Max(short, (r.Within[v]+r.Within[w]-r.Difference(v, w))/2)
			}
		}
		out[v][v] += short
	}
	return out
}

// BestShares is how often each variant has the highest rate among draws from
// Student's t around the rates seen, with their covariance and a degree of freedom
// less than there are groups: its probability of being the best, if nothing was known
// before. Equals share a draw. The draws are always the same.
func (r *RatedVariants) BestShares(draws int) []float64 {
	n := len(r.Rates)
	root, source := cholesky(r.cautious()), rand.New(rand.NewPCG(1, 2))
	shares, z := make([]float64, n), make([]float64, n)
	for range draws {
		scale := 1.
		if df := r.Groups - 1; df > 0 {
			scale = math.Sqrt(float64(df) / chiSquared(source, df))
		}
		for i := range z {
			z[i] = source.NormFloat64() * scale
		}
		best, at := math.Inf(-1), 0
		for i, rate := range r.Rates {
			for j := range i + 1 {
				rate += root[i][j] * z[j]
			}
			if rate > best {
				best, at = rate, i
			}
		}
		shares[at] += 1 / float64(draws)
	}
	return shares
}

// chiSquared draws a sum of df squares, of many by the approximation of Wilson and
// Hilferty, which is good to three digits from 30 on.
func chiSquared(source *rand.Rand, df int) float64 {
	if df > 30 {
		part := 2 / (9 * float64(df))
		root := 1 - part + math.Sqrt(part)*source.NormFloat64()
		return float64(df) * root * root * root
	}
	total := 0.
	for range df {
		x := source.NormFloat64()
		total += x * x
	}
	return total
}

// cholesky is the lower root of a covariance; directions without variance have none.
func cholesky(of [][]float64) [][]float64 {
	root := make([][]float64, len(of))
	for i := range of {
		root[i] = make([]float64, len(of))
		for j := range i + 1 {
			left := of[i][j]
			for k := range j {
				left -= root[i][k] * root[j][k]
			}
			switch {
			case i == j:
				root[i][i] = math.Sqrt(math.Max(0, left))
			case root[j][j] > noSpread:
				root[i][j] = left / root[j][j]
			}
		}
	}
	return root
}
