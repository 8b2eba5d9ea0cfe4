package reliability

import (
	"fmt"
	"math"
)

// Params are the settings of the metrics. Each metric reads the few that its
// row in [Metrics] names and ignores the rest. Start from [DefaultParams]: the
// zero value is not a valid setting.
type Params struct {
	// K is the number of trials drawn, at least 1.
	K int `json:"k"`
	// Tau is the share of the K draws that must pass, 0..1.
	Tau float64 `json:"tau"`
	// PassPower and UnanimousPower are the exponents of the geometric blends.
	PassPower      float64 `json:"pass_power"`
	UnanimousPower float64 `json:"unanimous_power"`
	// Lambda is the exponent of pass@k in GeoSpectrum, 0..1.
	Lambda float64 `json:"lam"`
	// Weights are the K weights of "at least r of K", r = 1..K: not negative,
	// with a sum of at most 1. Nil stands for the weights of mG-Pass.
	Weights []float64 `json:"weights"`
	// W is the reward of each category. Nil stands for 0 and 1, fail and pass.
	W []float64 `json:"w"`
	// Prior holds earlier outcomes of each test, one row of category counts per
	// test, that the categorical metrics count as already seen. Nil is none.
	Prior []Categories `json:"prior"`
	// Confidence is the level of the interval, between 0 and 1.
	Confidence float64 `json:"confidence"`
	// Bounds cut the interval. Nil stands for the metric's own: [0, 1] for
	// everything made of passes, none for bayes and avg, the range of the
	// rewards for max@k.
	Bounds *[2]float64 `json:"bounds"`
	// Alpha0 and Beta0 are the prior Beta(Alpha0, Beta0) of each pass rate.
	Alpha0 float64 `json:"alpha0"`
	Beta0  float64 `json:"beta0"`
}

// DefaultParams returns K 1, Tau 0.5, both powers and Lambda 0.5, confidence
// 0.95, the uniform prior, and nil for the rest.
func DefaultParams() Params {
	return Params{
		K: 1, Tau: 0.5, PassPower: 0.5, UnanimousPower: 0.5, Lambda: 0.5,
		Confidence: 0.95, Alpha0: 1, Beta0: 1,
	}
}

// Value returns the parameter of that name, as the json tags spell it, and
// whether there is one.
func (p Params) Value(name string) (value any, ok bool) {
	values := map[string]any{
		"k": p.K, "tau": p.Tau, "lam": p.Lambda,
		"pass_power": p.PassPower, "unanimous_power": p.UnanimousPower,
		"weights": p.Weights, "w": p.W, "prior": p.Prior,
		"confidence": p.Confidence, "bounds": p.Bounds,
		"alpha0": p.Alpha0, "beta0": p.Beta0,
	}
	value, ok = values[name]
	return value, ok
}

// maxGeneralK bounds k where the variance of a score costs k^2.
const maxGeneralK = 10_000

func (p Params) checkK() error {
	if p.K < 1 {
		return fmt.Errorf("k is %d: it must be at least 1", p.K)
	}
	return nil
}

func (p Params) checkGeneralK() error {
	if p.K < 1 || p.K > maxGeneralK {
		return fmt.Errorf("k is %d: it must lie in 1..%d", p.K, maxGeneralK)
	}
	return nil
}

func (p Params) checkInterval() error {
	if !(p.Confidence > 0 && p.Confidence < 1) {
		return fmt.Errorf("confidence is %v: it must lie between 0 and 1, both excluded", p.Confidence)
	}
	if p.Bounds != nil && !(p.Bounds[0] <= p.Bounds[1]) {
		return fmt.Errorf("bounds are %v: the first must not exceed the second", *p.Bounds)
	}
	return nil
}

func (p Params) checkPrior() error {
	for _, v := range []float64{p.Alpha0, p.Beta0} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("prior Beta(%v, %v): both parameters must be finite and above 0", p.Alpha0, p.Beta0)
		}
	}
	return nil
}
