package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// Scored is what the trials of a test scored in one run: their mean, and the sum of the
// squares by which they lie off it.
type Scored struct {
	N             int
	Mean, Squares float64
}

// Scored are passes as scores of 1 and 0. Impossible counts are no trials.
func (c Cluster) Scored() Scored {
	if c.N == 0 || !isCount(c.Passed, c.N) {
		return Scored{}
	}
	p := float64(c.Passed) / float64(c.N)
	return Scored{c.N, p, float64(c.N) * p * (1 - p)}
}

// With is both together.
//
// T. F. Chan, G. H. Golub, R. J. LeVeque, Am. Stat. 37 (1983) 242-247, equation 1.5.
func (s Scored) With(o Scored) Scored {
	switch n := float64(s.N + o.N); {
	case o.N == 0:
		return s
	case s.N == 0:
		return o
	default:
		away := o.Mean - s.Mean
		return Scored{s.N + o.N, s.Mean + away*float64(o.N)/n, s.Squares + o.Squares + away*away*float64(s.N)*float64(o.N)/n}
	}
}

// ScoredOf are scores.
func ScoredOf(scores []float64) Scored { return MomentsOf(scores).scored() }

func (m Moments) scored() Scored {
	s := Scored{N: m.N, Mean: m.Mean}
	if m.N > 1 {
		s.Squares = m.Deviation * m.Deviation * float64(m.N-1)
	}
	return s
}

// RunVariance is how much more passes, or scores, vary from run to run than those of
// independent trials would, estimated from several runs of the same tests.
type RunVariance struct {
	// ICC is the correlation of trials of one test within a run, at least 0; Raw the same
	// before it is cut, whose mean is right.
	ICC, Raw float64
	// DF are the degrees of freedom of the estimate: Runs less one for each side,
	// more where tests move independently of each other. Below 1, nothing is known.
	DF   int
	Runs int
	// ratio is the mean square between runs over that within, at least 1, size their
	// adjusted mean number of trials, and within the degrees of freedom within.
	ratio, size, within float64
	sums                squares
}

// BetweenRuns estimates the variance from sides whose runs differ by chance alone:
// side[t][r] are the trials of test t in run r. All tests have a common ICC, by the
// one-way analysis of variance. Tests of a run may move together; how far they do
// is estimated, too, and costs degrees of freedom.
//
// M. S. Ridout, C. G. B. Demétrio, D. Firth, Biometrics 55 (1999) 137-148 (ICC); G. E.
// P. Box, Ann. Math. Stat. 25 (1954) 290-302 (degrees of freedom); Z. Bai, H.
// Saranadasa, Stat. Sinica 6 (1996) 311-329 (the trace of the squared covariance).
func BetweenRuns(sides ...[][]Scored) RunVariance {
	var total squares
	var v RunVariance
	var rows [][]float64 // of each run, what each test deviates by
	for _, side := range sides {
		runs, deviations := 0, [][]float64(nil)
		for t, test := range side {
			runs = max(runs, len(test))
			for len(deviations) < runs {
				deviations = append(deviations, make([]float64, len(side)))
			}
			for r, d := range total.add(test) {
				deviations[r][t] = d
			}
		}
		v.Runs += runs
		v.DF += max(0, runs-1)
		rows = append(rows, deviations...)
	}
	if v.DF < 1 || !(total.dfWithin > 0) || !(total.dfBetween > 0) {
		v.DF = 0
		return v
	}
	between, within := total.between/total.dfBetween, total.within/total.dfWithin
	v.ratio, v.size, v.within, v.sums = 1, total.size/total.dfBetween, total.dfWithin, total
	if divisor := between + (v.size-1)*within; divisor > 0 {
		v.Raw = (between - within) / divisor
	}
	if between > within {
		v.ICC, v.ratio = v.Raw, between/within
	}
	v.DF = effectiveDF(rows, v.DF)
	return v
}

// OrOwn is the variance that holds for a test, of which own is that of its runs alone: its
// own where an F test at 0.05 says that it varies more than the others do.
func (v RunVariance) OrOwn(own RunVariance) RunVariance {
	of, all := own.sums, v.sums
	others := squares{between: all.between - of.between, within: all.within - of.within, dfBetween: all.dfBetween - of.dfBetween,
		dfWithin: all.dfWithin - of.dfWithin}
	if own.DF > 0 && others.dfBetween > 0 && of.ratio()/others.ratio() > quantileF(0.95, float64(own.DF),
		math.Min(others.dfBetween, float64(v.DF))) {
		return own
	}
	return v
}

// ratio is the mean square between runs over that within them.
func (s squares) ratio() float64 { return s.between / s.dfBetween / (s.within / s.dfWithin) }

// squares are the sums of an analysis of variance over many tests.
type squares struct{ between, within, dfBetween, dfWithin, size float64 }

// add takes the runs of one test, and returns by what each deviates.
func (s *squares) add(test []Scored) []float64 {
	scored, n, square, runs := 0., 0., 0., 0.
	for _, r := range test {
		if size := float64(r.N); size > 0 {
			scored, n, square, runs = scored+size*r.Mean, n+size, square+size*size, runs+1
		}
	}
	if runs < 2 {
		return nil
	}
	out := make([]float64, len(test))
	for i, r := range test {
		if r.N > 0 {
			out[i] = math.Sqrt(float64(r.N)) * (r.Mean - scored/n)
			s.between += out[i] * out[i]
			s.within += r.Squares
		}
	}
	s.dfBetween += runs - 1
	s.dfWithin += n - runs
	s.size += n - square/n
	return out
}

// effectiveDF are the degrees of freedom of the sum of all squared deviations: those
// of one test times the number of tests, where each moves on its own, and those of
// one test alone, where all move as one. (trace of the covariance)^2 over the trace of
// its square says which, both estimated without bias from the deviations.
func effectiveDF(rows [][]float64, df int) int {
	trace, square := 0., 0.
	for i := range rows {
		for j := range rows {
			d := floats.Dot(rows[i], rows[j])
			square += d * d
			if i == j {
				trace += d
			}
		}
	}
	n := float64(df)
	ofSquare := (square - trace*trace/n) / (n*n + n - 2)
	squared := (trace*trace - 2*n*ofSquare) / (n * n)
	if df < 2 || !(squared > 0) {
		return df
	}
	most := 0
	if len(rows) > 0 {
		most = df * len(rows[0])
	}
	if !(ofSquare > 0) {
		return most
	}
	return max(df, min(most, int(n*squared/ofSquare)))
}

// DesignEffect is by how much the variance of the difference of two rates exceeds
// that of independent trials, whose trials are those of such runs, and how many degrees of
// freedom it has: those of the estimate, fewer where runs are of unequal size.
//
// L. Kish, Survey Sampling (1965), for clusters of unequal size; F. E. Satterthwaite,
// Biometrics Bull. 2 (1946) 110-114.
func (v RunVariance) DesignEffect(first, second []Scored) (effect, df float64) {
	n1, m1 := sizes(first)
	n2, m2 := sizes(second)
	// The effect is 1 - share mean squares within and share of those between.
	share := designEffect(1, n1, m1, n2, m2) / v.size
	rest := (1 - share) / v.ratio // the ratio is infinite where nothing varies within runs
	parts := share*share/float64(v.DF) + rest*rest/v.within
	return designEffect(v.ICC, n1, m1, n2, m2), math.Min(float64(v.DF), (share+rest)*(share+rest)/parts)
}

// sizes are the trials of all runs, and how many there are in the run of a trial on average.
func sizes(runs []Scored) (n, mean float64) {
	squares := 0.
	for _, r := range runs {
		n += float64(r.N)
		squares += float64(r.N) * float64(r.N)
	}
	return n, squares / n
}

func designEffect(icc, n1, m1, n2, m2 float64) float64 {
	return 1 + icc*((m1-1)/n1+(m2-1)/n2)/(1/n1+1/n2)
}

// InflatedP returns a two-sided p-value for independent trials as it is when their
// variance is larger by a design effect that was estimated.
func InflatedP(p, designEffect, df float64) float64 {
	z := -mathext.NormalQuantile(math.Min(1, p) / 2)
	return tailsOfT(z/math.Sqrt(designEffect), df)
}

// InflatedZ is the normal quantile of a confidence level as it is with a design effect that
// was estimated: Student's, times its root.
func InflatedZ(confidence, designEffect, df float64) float64 {
	return studentT(confidence, df) * math.Sqrt(designEffect)
}

// SpreadOfRuns returns the variance of the weighted mean rate of one run, from the deviations of
// runs from the means of their tests, side[t][r] as in [BetweenRuns]. It includes what all tests of
// a run share. NaN without degrees of freedom.
func SpreadOfRuns(weights []float64, sides ...[][]Scored) (variance float64, df int) {
	squares := 0.
	for _, side := range sides {
		means := runMeans(weights, side)
		df += max(0, len(means)-1)
		for _, m := range means {
			squares += m * m
		}
	}
	if df < 1 {
		return math.NaN(), 0
	}
	return squares / float64(df), df
}

// runMeans is by how much the weighted mean rate of each run lies off that of all.
func runMeans(weights []float64, side [][]Scored) []float64 {
	var means []float64
	for t, test := range side {
		for len(means) < len(test) {
			means = append(means, 0)
		}
		scored, n, runs := 0., 0., 0.
		for _, r := range test {
			if r.N > 0 {
				scored, n, runs = scored+float64(r.N)*r.Mean, n+float64(r.N), runs+1
			}
		}
		for i, r := range test {
			if r.N > 0 {
				means[i] += weights[t] * float64(r.N) * (r.Mean - scored/n) * runs / n
			}
		}
	}
	total := floats.Sum(weights)
	for i := range means {
		means[i] /= total
	}
	return means
}

// VarianceAllowed returns the factor by which a variance could be larger before a
// two-sided p-value under the normal law rises to a level; 1 at least.
func VarianceAllowed(p, level float64) float64 {
	root := mathext.NormalQuantile(p/2) / mathext.NormalQuantile(level/2)
	return math.Max(1, root*root)
}

// UndoingICC returns the correlation of trials of a run above which a difference of two runs of
// n1 and n2 trials is no longer significant, if it is up to a variance larger by factor; 1 if it
// always is. Paired trials have a smaller variance, by share.
func UndoingICC(factor, share float64, n1, n2 int) float64 {
	perICC := designEffect(1, float64(n1), float64(n1), float64(n2), float64(n2)) - 1
	if !(perICC > 0) {
		return 1
	}
	return toRate(math.Max(0, factor-1) * share / perICC)
}
