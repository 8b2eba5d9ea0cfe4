package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// RecommendRunsAt returns how many trials bring the half-width of a pass rate's normal
// interval down to halfWidth at an expected pass rate p: ceil((z/h)^2 p (1-p)), at least 1;
// 0.5 is the worst case. The arithmetic is rational on the decimals as written, so that
// (1.96/0.01)^2/4 is 9604 and not, by a rounding error, 9605.
// It is an error unless 0 < halfWidth < 1, 0 < z < 100 and 0 <= rate <= 1, or if the
// answer is too large for an int.
func RecommendRunsAt(halfWidth, z, rate float64) (int, error) {
	if err := checkHalfWidth(halfWidth, rate); err != nil {
		return 0, err
	}
	if !(z > 0 && z < 100) {
		return 0, fmt.Errorf("z is %v: it must lie between 0 and 100, both excluded", z)
	}
	ratio := new(big.Rat).Quo(decimal(z), decimal(halfWidth))
	p := decimal(rate)
	spread := new(big.Rat).Mul(p, new(big.Rat).Sub(big.NewRat(1, 1), p))
	runs := new(big.Rat).Mul(ratio, ratio)
	runs.Mul(runs, spread)
	whole, rest := new(big.Int).QuoRem(runs.Num(), runs.Denom(), new(big.Int))
	if rest.Sign() > 0 || whole.Sign() == 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() || whole.Int64() > math.MaxInt {
		return 0, fmt.Errorf("half-width %v needs more trials than can be counted", halfWidth)
	}
	return int(whole.Int64()), nil
}

func checkHalfWidth(halfWidth, rate float64) error {
	if !isLevel(halfWidth) {
		return fmt.Errorf("half-width is %v: it must lie between 0 and 1, both excluded", halfWidth)
	}
	if !isRate(rate) {
		return fmt.Errorf("expected rate is %v: it must lie between 0 and 1", rate)
	}
	return nil
}

// mostRuns is how many trials a plan is looked for up to: fewer where an int has 32
// bits.
const mostRuns = min(1<<40, math.MaxInt)

// WilsonRuns returns the fewest trials after which half the length of Wilson's
// interval is at most halfWidth, if rate times the trials pass: a real number of
// passes, so that the answer does not jump with rounding.
// It is an error unless 0 < halfWidth < 1, 0 <= rate <= 1 and z > 0, or when
// 2^40 trials are not enough.
func WilsonRuns(halfWidth, z, rate float64) (int, error) {
	if !(z > 0) {
		return 0, fmt.Errorf("z is %v: it must be above 0", z)
	}
	return runsFor(halfWidth, rate, func(n float64) float64 { return WilsonHalfWidth(n, z, rate) })
}

// ExactRuns is [WilsonRuns] for the Clopper-Pearson interval at a confidence
// level, which must lie between 0 and 1.
func ExactRuns(halfWidth, confidence, rate float64) (int, error) {
	if !isLevel(confidence) {
		return 0, errConfidence(confidence)
	}
	return runsFor(halfWidth, rate, func(n float64) float64 { return ExactHalfWidth(n, confidence, rate) })
}

func runsFor(halfWidth, rate float64, half func(n float64) float64) (int, error) {
	if err := checkHalfWidth(halfWidth, rate); err != nil {
		return 0, err
	}
	n, ok := smallest(mostRuns, func(n int) bool { return half(float64(n)) <= halfWidth })
	if !ok {
		return 0, fmt.Errorf("half-width %v needs more trials than can be counted", halfWidth)
	}
	return n, nil
}

// WilsonHalfWidth returns half the length of Wilson's interval after n trials of
// which rate n passed. NaN unless n > 0, z >= 0 and 0 <= rate <= 1.
func WilsonHalfWidth(n, z, rate float64) float64 {
	if !(n > 0 && z >= 0 && isRate(rate)) {
		return math.NaN()
	}
	lo, hi := scoreInterval(rate*n, n, z)
	return (hi - lo) / 2
}

// ExactHalfWidth is the same for the Clopper-Pearson interval.
// NaN unless n > 0, 0 < confidence < 1 and 0 <= rate <= 1.
func ExactHalfWidth(n, confidence, rate float64) float64 {
	if !(n > 0 && isLevel(confidence) && isRate(rate)) {
		return math.NaN()
	}
	c := rate * n
	f := n - c
	lo, hi := betaInterval(c, f+1, c+1, f, confidence)
	return (hi - lo) / 2
}

// NormalHalfWidth is z sqrt(p (1-p) / n), the half-width of the normal interval at an
// expected pass rate; 0.5 is the worst case. A planning figure, not an interval of anything
// observed. NaN unless n >= 1, z >= 0 and 0 <= rate <= 1.
func NormalHalfWidth(n, z, rate float64) float64 {
	if !(n >= 1 && z >= 0 && isRate(rate)) {
		return math.NaN()
	}
	return z * math.Sqrt(rate*(1-rate)/n)
}

// decimal returns the shortest decimal that reads back as x, as a fraction:
// the number a person wrote, not its nearest binary neighbour.
func decimal(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}
