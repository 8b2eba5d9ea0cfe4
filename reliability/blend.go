package reliability

import (
	"errors"
	"fmt"
	"math"
)

// A blend is x^a y^b, with x always pass@k.

// blend returns x^a y^b. A factor of zero makes the blend zero if its power is positive, and leaves
// it undefined if its power is negative and nothing else makes the blend zero.
func blend(x, y, a, b float64) (float64, error) {
	switch {
	case a == 0 && b == 0:
		return 0, errors.New("pass_power and unanimous_power are both 0: at least one must differ from 0")
	case x == 0 && a < 0 && !(y == 0 && b > 0):
		return 0, fmt.Errorf("pass_power is %v: it must not be negative where pass@k is 0", a)
	case y == 0 && b < 0 && !(x == 0 && a > 0):
		return 0, fmt.Errorf("unanimous_power is %v: it must not be negative where pass^k is 0", b)
	case x == 0 && a < 0 || y == 0 && b < 0:
		return 0, nil
	}
	return math.Pow(x, a) * math.Pow(y, b), nil
}

// pair holds the posterior moments of the two factors.
type pair struct {
	x, y, varX, varY, cov float64
}

func (p *pair) add(q pair, weight float64) {
	p.x += weight * q.x
	p.y += weight * q.y
	p.varX += weight * q.varX
	p.varY += weight * q.varY
	p.cov += weight * q.cov
}

// delta returns mean and variance of the blend by the first-order delta method.
func (p pair) delta(a, b float64) (mean, variance float64, err error) {
	mean, err = blend(p.x, p.y, a, b)
	if err != nil || mean == 0 {
		return 0, 0, err
	}
	dx, dy := 0., 0.
	if a != 0 {
		dx = a * mean / p.x
	}
	if b != 0 {
		dy = b * mean / p.y
	}
	variance = dx*dx*p.varX + dy*dy*p.varY + 2*dx*dy*p.cov
	return mean, math.Max(0, variance), nil
}

// joint returns a function giving the posterior moments of two scores under Beta(a, b).
func joint(x, y score) func(a, b float64) pair {
	momentsX, momentsY := x.moments(nil), y.moments(nil)
	covariance := covarianceOf(x, y)
	return func(a, b float64) pair {
		var p pair
		p.x, p.varX = momentsX(a, b)
		p.y, p.varY = momentsY(a, b)
		p.cov = covariance(a, b, p)
		return p
	}
}

// covarianceOf returns the posterior covariance of two scores. For pass@k with
// pass^k it is E[(1-p)^k] E[p^k] - E[p^k (1-p)^k] in closed form.
func covarianceOf(x, y score) func(a, b float64, p pair) float64 {
	switch {
	case x.kind != general && x.kind == y.kind:
		return func(_, _ float64, p pair) float64 { return p.varX }
	case x.kind == anyPass && y.kind == allPass:
		return func(a, b float64, _ pair) float64 {
			none, all := logPower(b, a, x.k), logPower(a, b, x.k)
			both := all + logPower(b, a+float64(x.k), x.k)
			return -math.Exp(none+all) * math.Expm1(math.Min(0, both-none-all))
		}
	}
	product := newProduct(x, y)
	return func(a, b float64, p pair) float64 { return product.covariance(a, b, p.x, p.y) }
}

func datasetPoint(s *Sample, x, y score, a, b float64, p Params) (Estimate, error) {
	first, second := pointOf(s, x, p), pointOf(s, y, p)
	if first.TestsUsed == 0 {
		return point(s, 0, x.k, 0), nil
	}
	value, err := blend(first.Value, second.Value, a, b)
	if err != nil {
		return Estimate{}, err
	}
	return point(s, first.TestsUsed, x.k, value), nil
}

// datasetInterval blends the posterior means of two scores.
func datasetInterval(s *Sample, x, y score, a, b float64, p Params) (Estimate, error) {
	moments := joint(x, y)
	states, used := s.atLeast(1)
	tests := float64(used)
	var total pair
	for _, st := range states {
		row := moments(p.beta(st.Counts))
		row.varX, row.varY, row.cov = row.varX/tests, row.varY/tests, row.cov/tests
		total.add(row, st.tests/tests)
	}
	if used == 0 {
		return normal(s, 0, 0, 0, p, unit()), nil
	}
	mean, variance, err := total.delta(a, b)
	if err != nil {
		return Estimate{}, err
	}
	return normal(s, used, mean, variance, p, unit()), nil
}

// compute is how a metric makes an estimate.
type compute = func(*Sample, Params) (Estimate, error)

// mixed makes an estimate of two scores, with their powers.
type mixed = func(s *Sample, x, y score, a, b float64, p Params) (Estimate, error)

// geom is Geom@k: the two scores are any and all of k.
func geom(of mixed) compute {
	return func(s *Sample, p Params) (Estimate, error) {
		if err := p.checkK(); err != nil {
			return Estimate{}, err
		}
		return of(s, atLeast(p.K, 1), atLeast(p.K, p.K), p.PassPower, p.UnanimousPower, p)
	}
}

// testsPoint blends within each test, then averages.
func testsPoint(s *Sample, x, y score, a, b float64, p Params) (Estimate, error) {
	states, used := s.atLeast(p.K)
	total := 0.
	for _, st := range states {
		value, err := blend(x.expected(st.Counts), y.expected(st.Counts), a, b)
		if err != nil {
			return Estimate{}, err
		}
		total += st.tests * value
	}
	return point(s, used, p.K, total/float64(used)), nil
}

func testsInterval(s *Sample, x, y score, a, b float64, p Params) (Estimate, error) {
	moments := joint(x, y)
	states, used := s.atLeast(1)
	var mean, variance float64
	for _, st := range states {
		m, v, err := moments(p.beta(st.Counts)).delta(a, b)
		if err != nil {
			return Estimate{}, err
		}
		mean += st.tests * m
		variance += st.tests * v
	}
	tests := float64(used)
	return normal(s, used, mean/tests, variance/(tests*tests), p, unit()), nil
}

// spectrumPair returns the two scores of GeoSpectrum. At Lambda 1 the spectrum
// does not matter, and its weights are not read; at 0 only it does.
func spectrumPair(p Params) (pass, spectrum score, err error) {
	if !(p.Lambda >= 0 && p.Lambda <= 1) {
		return score{}, score{}, fmt.Errorf("lambda is %v: it must be in 0..1", p.Lambda)
	}
	if pass, err = passScore(p); err != nil || p.Lambda == 1 {
		return pass, score{}, err
	}
	spectrum, err = spectrumScore(p)
	return pass, spectrum, err
}

// geoSpectrum is GeoSpectrum: one of the two scores alone where the other has no power.
func geoSpectrum(one func(*Sample, score, Params) Estimate, two mixed) compute {
	return func(s *Sample, p Params) (Estimate, error) {
		pass, spectrum, err := spectrumPair(p)
		switch {
		case err != nil:
			return Estimate{}, err
		case p.Lambda == 1:
			return one(s, pass, p), nil
		case p.Lambda == 0:
			return one(s, spectrum, p), nil
		}
		return two(s, pass, spectrum, p.Lambda, 1-p.Lambda, p)
	}
}

// star fixes the parameters of GeoSpectrum*.
func star(of compute) compute {
	return func(s *Sample, p Params) (Estimate, error) {
		p.Lambda, p.Weights = 0.5, nil
		return of(s, p)
	}
}
