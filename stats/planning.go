package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// RecommendRuns returns how many trials bring the half-width of a pass rate's
// normal interval down to halfWidth in the worst case p = 0.5:
// ceil((z/h)^2 / 4). The arithmetic is rational on the decimals as written, so
// that (1.96/0.01)^2/4 is 9604 and not, by a rounding error, 9605.
// It is an error unless 0 < halfWidth < 1 and 0 < z < 100, or if the answer is
// too large for an int.
func RecommendRuns(halfWidth, z float64) (int, error) {
	if !isLevel(halfWidth) {
		return 0, fmt.Errorf("half-width is %v: it must lie between 0 and 1, both excluded", halfWidth)
	}
	if !(z > 0 && z < 100) {
		return 0, fmt.Errorf("z is %v: it must lie between 0 and 100, both excluded", z)
	}
	ratio := new(big.Rat).Quo(decimal(z), decimal(halfWidth))
	runs := new(big.Rat).Mul(ratio, ratio)
	runs.Quo(runs, big.NewRat(4, 1))
	whole, rest := new(big.Int).QuoRem(runs.Num(), runs.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() || whole.Int64() > math.MaxInt {
		return 0, fmt.Errorf("half-width %v needs more trials than can be counted", halfWidth)
	}
	return int(whole.Int64()), nil
}

// ConfidenceBand returns z sqrt(0.25/runs): the half-width of the normal
// interval in the worst case p = 0.5. A planning figure, not an interval of
// anything observed. NaN unless runs >= 1 and z >= 0.
func ConfidenceBand(runs int, z float64) float64 {
	if runs < 1 || !(z >= 0) {
		return math.NaN()
	}
	return z * math.Sqrt(0.25/float64(runs))
}

// decimal returns the shortest decimal that reads back as x, as a fraction:
// the number a person wrote, not its nearest binary neighbour.
func decimal(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}
