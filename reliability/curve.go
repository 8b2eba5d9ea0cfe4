package reliability

import (
	"math"
	"math/big"
	"math/bits"
)

// DecayCurve returns floor(100 (c_k/k)^k) for k = 1..n, where c_k of the first
// k outcomes passed: what pass^k would be if the rate seen so far were the
// truth. It need not be monotone. Every entry is exact.
func DecayCurve(outcomes []bool) []int {
	curve := make([]int, len(outcomes))
	passed := 0
	for i, pass := range outcomes {
		if pass {
			passed++
		}
		switch failed := i + 1 - passed; {
		case failed >= hopeless:
			return curve // what follows is 0, too
		case pass && i > 0 && curve[i-1] == highest[failed]:
			curve[i] = highest[failed]
		default:
			curve[i] = percentPower(passed, i+1)
		}
	}
	return curve
}

// highest is floor(100 e^-f) for f failures. (1 - f/k)^k grows with k and stays
// below e^-f, so once the curve is there, passes leave it there.
var highest = [hopeless]int{100, 36, 13, 4, 1}

// hopeless is how many failures leave less than 1.
const hopeless = 5

// percentPower returns floor(100 (c/k)^k) for 0 <= c <= k, k >= 1.
func percentPower(c, k int) int {
	switch {
	case c == k:
		return 100
	case c == 0:
		return 0
	case k <= 2:
		return 25 // the only case left: one of two
	}
	if k-c >= hopeless {
		return 0
	}
	// The exponent is at most 5 in size and right to a few ulps, so value is
	// right to 1e-12; only within 1e-9 of a whole number may its floor be not.
	value := 100 * math.Exp(float64(k)*math.Log1p(-float64(k-c)/float64(k)))
	if nearest := math.Round(value); math.Abs(value-nearest) > 1e-9 {
		return int(math.Floor(value))
	}
	return percentPowerExact(c, k)
}

// percentPowerExact decides what a float cannot. For k > 2 and 0 < c < k the
// value 100 (c/k)^k is never whole: with c/k = a/b in lowest terms, b^k would
// have to divide 100, and b >= 2, k >= 3 never does. So raising the precision
// always ends.
func percentPowerExact(c, k int) int {
	for precision := uint(128); ; precision *= 2 {
		value := bigPower(c, k, precision)
		value.Mul(value, new(big.Float).SetInt64(100))
		margin := new(big.Float).SetMantExp(big.NewFloat(1), 40-int(precision))
		low, _ := new(big.Float).Sub(value, margin).Int64()
		high, _ := new(big.Float).Add(value, margin).Int64()
		if low == high {
			return int(low)
		}
	}
}

// bigPower returns (c/k)^k with a relative error below k 2^(2-precision).
func bigPower(c, k int, precision uint) *big.Float {
	number := func(x int) *big.Float {
		return new(big.Float).SetPrec(precision).SetInt64(int64(x))
	}
	base := number(c)
	base.Quo(base, number(k))
	power := number(1)
	for e := k; e > 0; e >>= 1 {
		if e&1 == 1 {
			power.Mul(power, base)
		}
		base.Mul(base, base)
	}
	return power
}

// reachesHalfBelow reports 200 sqrt(passed failed)/n >= percent - 1/2, exactly.
// Squares of any number of trials have room in 128 bits.
func reachesHalfBelow(percent, passed, n int) bool {
	root := uint64(2*percent-1) * uint64(n)
	high, low := bits.Mul64(root, root)
	most, least := bits.Mul64(160000*uint64(passed), uint64(n-passed))
	return high < most || high == most && low <= least
}
