package reliability

import (
	"fmt"
	"math"

	"tribunal/stats"
)

// Estimate is the value of a metric for a run. A number that does not exist is
// NaN, never 0, and Note says why.
type Estimate struct {
	// Value is the point metric, or the posterior mean where only an interval
	// was asked for.
	Value float64
	// Mean and Sigma are the posterior mean and deviation of the metric of the
	// true rates, Lo and Hi the normal interval around Mean. Mean differs from
	// Value by the pull of the prior.
	Mean, Sigma, Lo, Hi float64
	// TestsUsed of TestsTotal tests had enough trials.
	TestsUsed, TestsTotal int
	// Note says in words what is missing; empty when nothing is.
	Note string
}

// HasValue reports whether there is a value.
func (e Estimate) HasValue() bool { return !math.IsNaN(e.Value) }

// HasInterval reports whether there are a deviation and an interval.
func (e Estimate) HasInterval() bool { return !math.IsNaN(e.Lo) && !math.IsNaN(e.Hi) }

// absent returns an estimate without numbers over a sample.
func absent(s *Sample, used int) Estimate {
	nan := math.NaN()
	return Estimate{
		Value: nan, Mean: nan, Sigma: nan, Lo: nan, Hi: nan,
		TestsUsed: used, TestsTotal: s.Tests(),
	}
}

// point returns an estimate with a value only. Without tests it is absent.
func point(s *Sample, used, k int, value float64) Estimate {
	e := absent(s, used)
	if used == 0 {
		e.Note = shortage(k)
		return e
	}
	e.Value = value
	return e
}

// normal returns mean ± z sigma, both ends moved into the bounds.
func normal(s *Sample, used int, mean, variance float64, p Params, bounds *[2]float64) Estimate {
	e := absent(s, used)
	if used == 0 {
		e.Note = shortage(1)
		return e
	}
	sigma := math.Sqrt(math.Max(0, variance))
	z := stats.Z(p.Confidence)
	if p.Bounds != nil {
		bounds = p.Bounds
	}
	e.Value, e.Mean, e.Sigma = mean, mean, sigma
	e.Lo, e.Hi = clip(mean-z*sigma, bounds), clip(mean+z*sigma, bounds)
	return e
}

// unit are the bounds of everything that is a probability.
func unit() *[2]float64 { return &[2]float64{0, 1} }

func clip(x float64, bounds *[2]float64) float64 {
	if bounds == nil {
		return x
	}
	return math.Min(math.Max(x, bounds[0]), bounds[1])
}

func shortage(k int) string {
	if k <= 1 {
		return "no test has a counted trial"
	}
	return fmt.Sprintf("no test has %d counted trials", k)
}
