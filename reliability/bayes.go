package reliability

import "math"

// bayesMoments returns the posterior mean and deviation of the mean reward:
// with nu_j = 1 + prior_j + count_j and T their sum, a test has mean
// sum nu_j w_j / T and variance (sum nu_j w_j^2 / T - mean^2) / (T + 1).
// scale multiplies each test's deviation.
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

// dirichlet returns mean (above w_0) and variance of one test's mean reward,
// and the sum of its Dirichlet parameters.
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

func unscaled(weighed, float64) float64 { return 1 }

// perTrial takes a deviation from the posterior's scale to that of the plain
// mean, T/n times larger.
func perTrial(r weighed, total float64) float64 { return total / r.trials }

func bayesPoint(s *Sample, p Params) (Estimate, error) {
	e, err := bayesInterval(s, p.wholeLine())
	return withoutInterval(e), err
}

func bayesInterval(s *Sample, p Params) (Estimate, error) {
	w, rows, used, err := s.categorical(p)
	if err != nil {
		return Estimate{}, err
	}
	mean, variance := bayesMoments(rows, w, unscaled)
	return normal(s, used, mean, variance, p, nil), nil
}

func avgPoint(s *Sample, p Params) (Estimate, error) {
	e, err := avgInterval(s, p.wholeLine())
	return withoutInterval(e), err
}

// avgInterval puts the posterior deviation, rescaled, around the plain mean.
func avgInterval(s *Sample, p Params) (Estimate, error) {
	p.Prior = nil
	w, rows, used, err := s.categorical(p)
	if err != nil {
		return Estimate{}, err
	}
	_, variance := bayesMoments(rows, w, perTrial)
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

// wholeLine resets what only an interval reads.
func (p Params) wholeLine() Params {
	p.Bounds, p.Confidence = nil, 0.95
	return p
}

// withoutInterval keeps value and deviation only.
func withoutInterval(e Estimate) Estimate {
	e.Lo, e.Hi = math.NaN(), math.NaN()
	return e
}
