package reliability

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"tribunal/internal/each"
	"tribunal/stats"
)

// With a Beta(a, b) rate p, the expected credit of k fresh trials is g(p) = sum_j credit_j C(k,j)
// p^j (1-p)^(k-j), a polynomial in Bernstein form. Its mean is the credit averaged over the
// beta-binomial distribution; the product of two such polynomials is one of degree 2k, so variances
// and covariances are averages of the same sort. Any k >= 1 is allowed, also beyond the trials
// observed: the rate is what is uncertain, not the bank.

// moments returns a function giving the posterior mean and variance of the score under Beta(a, b). known may be nil.
func (s score) moments(known *powers) func(a, b float64) (mean, variance float64) {
	switch s.kind {
	case anyPass:
		return func(a, b float64) (float64, float64) {
			none, variance := known.moments(b, a, s.k)
			return 1 - none, variance
		}
	case allPass:
		return func(a, b float64) (float64, float64) { return known.moments(a, b, s.k) }
	}
	square := newProduct(s, s)
	var mass []float64
	return func(a, b float64) (float64, float64) {
		mass = stats.BetaBinomial(mass, s.k, a, b)
		mean := average(s, mass)
		return mean, math.Max(0, square.covariance(a, b, mean, mean))
	}
}

// moments returns the mean and variance of p^k under Beta(a, b).
func (known *powers) moments(a, b float64, k int) (mean, variance float64) {
	first, second := known.log(a, b, k), known.log(a, b, 2*k)
	return math.Exp(first), -math.Exp(second) * math.Expm1(math.Min(0, 2*first-second))
}

// logPower returns log E[p^k] under Beta(a, b): the sum of log((a+i)/(a+b+i)), i = 0..k-1.
func logPower(a, b float64, k int) float64 { return addLogPower(0, a, b, 0, k) }

// addLogPower adds the terms from..k-1 of that sum.
func addLogPower(total, a, b float64, from, k int) float64 {
	for i := from; i < k; i++ {
		total -= math.Log1p(b / (a + float64(i)))
	}
	return total
}

// average returns the mean credit under the probabilities of 0..k passes.
func average(s score, mass []float64) float64 {
	total := 0.
	for j, m := range mass {
		total += m * s.at(j)
	}
	return total
}

// product is the Bernstein form of the product of two scores with the same k.
type product struct {
	x, y   score
	credit []float64 // of degree 2k
	mass   []float64 // scratch
}

func newProduct(x, y score) *product { return &product{x: x, y: y, credit: multiply(x, y, 0, 0)} }

// covariance returns E[xy] - E[x]E[y] under Beta(a, b), given the two means. Where the difference
// of the two loses too many digits, it multiplies the scores anew around their means.
func (p *product) covariance(a, b, meanX, meanY float64) float64 {
	const lost = 1e-7
	p.mass = stats.BetaBinomial(p.mass, 2*p.x.k, a, b)
	cross := floats.Dot(p.credit, p.mass)
	if difference := cross - meanX*meanY; math.Abs(difference) > lost*math.Abs(cross) {
		return difference
	}
	return floats.Dot(multiply(p.x, p.y, meanX, meanY), p.mass)
}

// multiply returns the Bernstein coefficients of (x - cx)(y - cy): for t passes in 2k trials, the
// mean product of the credits of a random half and the other half.
func multiply(x, y score, cx, cy float64) []float64 {
	k := x.k
	out := make([]float64, 2*k+1)
	var half []float64
	for t := range out {
		var lo int
		lo, half = stats.Hypergeometric(half, t, 2*k, k)
		for i, m := range half {
			j := lo + i
			out[t] += m * (x.at(j) - cx) * (y.at(t-j) - cy)
		}
	}
	return out
}

// posteriorOf returns the mean over the tests of the score's posterior means, with the deviation of that mean.
func posteriorOf(s *Sample, sc score, p Params) Estimate {
	moments := sc.moments(s.powers)
	states, used := s.atLeast(1)
	var mean, variance float64
	for _, st := range states {
		m, v := moments(p.beta(st.Counts))
		mean += st.tests * m
		variance += st.tests * v
	}
	tests := float64(used)
	return normal(s, used, mean/tests, variance/(tests*tests), p, unit())
}

// beta returns the posterior parameters of a test's pass rate.
func (p Params) beta(c Counts) (a, b float64) {
	return p.Alpha0 + float64(c.Passed), p.Beta0 + float64(c.N-c.Passed)
}

// bayesMoments returns the posterior mean and deviation of the mean reward: with nu_j = 1 + prior_j
// + count_j and T their sum, a test has mean sum nu_j w_j / T and variance (sum nu_j w_j^2 / T -
// mean^2) / (T + 1). scale multiplies each test's deviation.
//
// M. Hariri et al., "Don't Pass@k", ICLR 2026, arXiv:2510.04265.
func bayesMoments(rows []weighed, w []float64, scale func(r weighed, total float64) float64) (mean, variance float64) {
	var tests float64
	for _, r := range rows {
		m, v, total := r.dirichlet(w)
		s := scale(r, total)
		mean += r.tests * m
		variance += r.tests * v * s * s
		tests += r.tests
	}
	return w[0] + mean/tests, variance / (tests * tests)
}

// dirichlet returns mean (above w_0) and variance of one test's mean reward, and the sum of its Dirichlet parameters.
func (r weighed) dirichlet(w []float64) (mean, variance, total float64) {
	for j := range w {
		total += r.posterior(j)
	}
	for j := range w {
		mean += r.posterior(j) / total * (w[j] - w[0])
	}
	for j := range w {
		d := w[j] - w[0] - mean
		variance += r.posterior(j) / total * d * d
	}
	return mean, variance / (total + 1), total
}

func bayesInterval(s *Sample, p Params) (Estimate, error) {
	w, rows, used, err := s.categorical(p)
	if err != nil {
		return Estimate{}, err
	}
	mean, variance := bayesMoments(rows, w, func(weighed, float64) float64 { return 1 })
	return normal(s, used, mean, variance, p, nil), nil
}

// avgInterval puts the posterior deviation, rescaled, around the plain mean.
func avgInterval(s *Sample, p Params) (Estimate, error) {
	p.Prior = nil
	w, rows, used, err := s.categorical(p)
	if err != nil {
		return Estimate{}, err
	}
	// from the posterior's scale to that of the plain mean, T/n times larger
	_, variance := bayesMoments(rows, w, func(r weighed, total float64) float64 { return total / r.trials })
	return normal(s, used, observedMean(rows, w), variance, p, nil), nil
}

// observedMean returns the mean over tests of the mean reward of their trials.
func observedMean(rows []weighed, w []float64) float64 {
	var total, tests float64
	for _, r := range rows {
		for j := range w {
			total += r.tests * r.observed(j) / r.trials * (w[j] - w[0])
		}
		tests += r.tests
	}
	return w[0] + total/tests
}

// categorical checks the parameters and returns rewards and rows.
func (s *Sample) categorical(p Params) (w []float64, rows []weighed, used int, err error) {
	if err := p.checkInterval(); err != nil {
		return nil, nil, 0, err
	}
	if w, err = p.rewards(); err != nil {
		return nil, nil, 0, err
	}
	rows, used, err = s.weighedRows(p, len(w), 1)
	return w, rows, used, err
}

// withoutInterval is the value and the deviation alone of a metric.
func withoutInterval(interval compute) compute {
	return func(s *Sample, p Params) (Estimate, error) {
		p.Bounds, p.Confidence = nil, 0.95 // only an interval reads them
		e, err := interval(s, p)
		e.Lo, e.Hi = math.NaN(), math.NaN()
		return e, err
	}
}

// expected returns the expected credit of a draw of k of a test's trials without replacement. It needs N >= k.
func (s score) expected(c Counts) float64 {
	switch s.kind {
	case anyPass:
		return 1 - onlyFrom(c.N-c.Passed, c.N, s.k)
	case allPass:
		return onlyFrom(c.Passed, c.N, s.k)
	}
	lo, mass := stats.Hypergeometric(nil, c.Passed, c.N, s.k)
	return floats.Dot(mass, s.credit[lo:lo+len(mass)])
}

// onlyFrom returns C(m,k)/C(n,k): the probability that k draws from n trials all come from the same
// m. The product has min(k, n-m) factors, whichever way round is shorter.
func onlyFrom(m, n, k int) float64 {
	if k > m {
		return 0
	}
	numerator, factors := m, k
	if n-m < k {
		numerator, factors = n-k, n-m
	}
	product := 1.
	for i := range factors {
		product *= float64(numerator-i) / float64(n-i)
		if product == 0 {
			break
		}
	}
	return math.Min(product, 1)
}

// pointOf returns the mean expected credit over the tests with k trials.
func pointOf(s *Sample, sc score, _ Params) Estimate {
	states, used := s.atLeast(sc.k)
	total := each.Sum(states, func(st state) float64 { return st.tests * sc.expected(st.Counts) })
	return point(s, used, sc.k, total/float64(used))
}
