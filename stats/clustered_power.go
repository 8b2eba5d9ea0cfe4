package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ClusteredRun is a comparison to plan: Tests on each side with Trials each, whose
// trials correlate by ICC within a test. Paired means the same tests on both sides,
// each moved alike, so that what tests differ in cancels; otherwise each side has
// tests of its own.
type ClusteredRun struct {
	Paired        bool
	Tests, Trials int
	Rate          float64 // of the base
	ICC           float64
	Alpha         float64 // two-sided
}

// Check reports a comparison that cannot be planned.
func (c ClusteredRun) Check() error {
	switch {
	case c.Tests < 1 || c.Trials < 1:
		return fmt.Errorf("%d tests of %d trials: there must be at least one of each", c.Tests, c.Trials)
	case !isRate(c.Rate):
		return fmt.Errorf("rate is %v: it must lie between 0 and 1", c.Rate)
	case !isRate(c.ICC):
		return fmt.Errorf("icc is %v: it must lie between 0 and 1", c.ICC)
	case !isLevel(c.Alpha):
		return fmt.Errorf("alpha is %v: it must lie between 0 and 1, both excluded", c.Alpha)
	}
	return nil
}

// DesignEffect is by how much the variance of the difference exceeds that of
// independent trials: 1 + (n-1) ICC, paired 1 - ICC.
//
// L. Kish, Survey Sampling (1965).
func (c ClusteredRun) DesignEffect() float64 {
	if c.Paired {
		return 1 - c.ICC
	}
	return 1 + (float64(c.Trials)-1)*c.ICC
}

// EffectiveN is the number of independent trials a side that would say as much;
// NaN where the design effect is 0.
func (c ClusteredRun) EffectiveN() float64 {
	if c.DesignEffect() == 0 {
		return math.NaN()
	}
	return float64(c.Tests) * float64(c.Trials) / c.DesignEffect()
}

// perTrial is the design effect over all trials: the variance of a mean whose
// trials have the variance 1.
func (c ClusteredRun) perTrial() float64 {
	return c.DesignEffect() / (float64(c.Tests) * float64(c.Trials))
}

// Power is the chance to see the rate fall by fall (rise, below 0), by the normal
// approximation and in the right direction. NaN where Check has an error, beyond
// 0..1 and without any variance.
//
// E. Miller, arXiv:2411.00640 (2024), section 5.
func (c ClusteredRun) Power(fall float64) float64 {
	to := c.Rate - fall
	if c.Check() != nil || !isRate(to) {
		return math.NaN()
	}
	variance := (c.Rate*(1-c.Rate) + to*(1-to)) * c.perTrial()
	if !(variance > 0) {
		return math.NaN()
	}
	return normalBelow(math.Abs(fall)/math.Sqrt(variance) - Z(1-c.Alpha))
}

// Detectable is the smallest fall that is seen with the given power. NaN where
// Check has an error, and where no fall is large enough.
func (c ClusteredRun) Detectable(power float64) float64 {
	if c.Check() != nil || !isLevel(power) {
		return math.NaN()
	}
	reach := Z(1-c.Alpha) + mathext.NormalQuantile(power)
	k, p := reach*reach*c.perTrial(), c.Rate
	root := math.Sqrt(k*k*(2*p-1)*(2*p-1) + 8*k*(1+k)*p*(1-p))
	fall := (k*(2*p-1) + root) / (2 * (1 + k))
	if fall > p {
		return math.NaN()
	}
	return fall
}

func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
