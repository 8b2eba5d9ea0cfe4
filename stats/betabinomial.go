package stats

import "math"

// ClusterInterval returns the pass rate of clustered trials and an interval
// that stays honest near 0 and 1 and with as few as ten clusters. It spans two:
//
//   - the rates that a likelihood ratio test in the beta-binomial model, where
//     each cluster has its own rate and their correlation is free, does not
//     reject, with Student's t^2 in place of the chi-squared quantile;
//   - the score interval at the cluster-robust effective sample size, for
//     clusters that differ in another way than that model allows.
//
// It is an error unless 0 < confidence < 1 and [Clustering] accepts clusters.
//
// D. A. Williams, Biometrics 31 (1975) 949-952; N. Dean, M. Pagano, J. Surv.
// Stat. Methodol. 3 (2015) 484-503.
func ClusterInterval(of []Cluster, confidence float64) (rate, lo, hi float64, err error) {
	c, err := newClusters(of)
	if err == nil && !isLevel(confidence) {
		err = errConfidence(confidence)
	}
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN(), err
	}
	t := StudentT(confidence, len(c.of)-1)
	lo, hi = c.effectiveScore(t)
	profileLo, profileHi := newBetaBinomial(c).interval(t * t / 2)
	return c.rate(), math.Min(lo, profileLo), math.Max(hi, profileHi), nil
}

// effectiveScore is Wilson's interval at the effective sample size
// p(1-p)/s^2, at most the number of trials. Without any spread to estimate it
// from, each cluster counts as one trial.
func (c clusters) effectiveScore(z float64) (lo, hi float64) {
	p, s := c.rate(), c.ratioError()
	n := float64(len(c.of))
	if s > 0 {
		n = math.Min(p*(1-p)/(s*s), c.trials)
	}
	return scoreInterval(p*n, n, z)
}

// betaBinomial is the log-likelihood of clustered counts in terms of the mean
// rate p and the correlation r. A cluster with x of n passes has
//
//	prod_{i<x} (p(1-r)+ir) prod_{i<n-x} ((1-p)(1-r)+ir) / prod_{i<n} (1-r+ir),
//
// so all that is needed is how many clusters reach each i.
type betaBinomial struct {
	passes, fails, sizes steps
	anyPass, anyFail     float64 // clusters with a pass, with a failure
	mixed                float64 // clusters with both
}

func newBetaBinomial(c clusters) betaBinomial {
	var b betaBinomial
	for _, x := range c.of {
		failed := x.N - x.Passed
		if x.Passed > 0 {
			b.anyPass++
		}
		if failed > 0 {
			b.anyFail++
		}
		if x.Passed > 0 && failed > 0 {
			b.mixed++
		}
	}
	b.passes = newSteps(c.of, func(x Cluster) int { return x.Passed })
	b.fails = newSteps(c.of, func(x Cluster) int { return x.N - x.Passed })
	b.sizes = newSteps(c.of, func(x Cluster) int { return x.N })
	return b
}

// at returns the log-likelihood at mean p and correlation r < 1.
func (b betaBinomial) at(p, r float64) float64 {
	q := 1 - p
	return times(b.anyPass, p) + times(b.anyFail, q) + times(b.mixed, 1-r) +
		b.passes.rising(p*(1-r), r) + b.fails.rising(q*(1-r), r) - b.sizes.rising(1-r, r)
}

// times returns n log(x), and 0 for n = 0.
func times(n, x float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(x)
}

// profile returns the log-likelihood at mean p, the correlation being the best
// for it.
func (b betaBinomial) profile(p float64) float64 {
	best := b.at(p, 0)
	rise := func(logit float64) float64 { return b.at(p, 1/(1+math.Exp(-logit))) }
	peak, step := 0., 2.
	top := math.Inf(-1)
	for x := -14.; x <= 14; x += step {
		if v := rise(x); v > top {
			peak, top = x, v
		}
	}
	_, top = maximum(peak-step, peak+step, rise)
	return math.Max(best, top)
}

// interval returns the means whose profile lies less than drop below the top.
func (b betaBinomial) interval(drop float64) (lo, hi float64) {
	const edge = 1e-9
	peak, top := maximum(edge, 1-edge, b.profile)
	inside := func(p float64) bool { return b.profile(p) > top-drop }
	lo, hi = 0, 1
	if !inside(edge) {
		lo = bisectTo(1e-6, edge, peak, inside)
	}
	if !inside(1 - edge) {
		hi = bisectTo(1e-6, 1-edge, peak, inside)
	}
	return lo, hi
}

// maximum finds the top of a function with one peak by golden section.
func maximum(a, b float64, f func(float64) float64) (x, top float64) {
	const golden = 0.6180339887498949
	c, d := b-golden*(b-a), a+golden*(b-a)
	fc, fd := f(c), f(d)
	for range 26 {
		if fc > fd {
			b, d, fd = d, c, fc
			c = b - golden*(b-a)
			fc = f(c)
		} else {
			a, c, fc = c, d, fd
			d = a + golden*(b-a)
			fd = f(d)
		}
	}
	if fc > fd {
		return c, fc
	}
	return d, fd
}
