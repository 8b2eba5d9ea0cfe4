package codec

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestWholeNumbersAreWritten: they are written as strconv writes them, around
// every power of ten and in between, and have as many digits as is said.
func TestWholeNumbersAreWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	check := func(n int64) {
		want := strconv.FormatInt(n, 10)
		if got := string(AppendInt([]byte("x"), n)); got != "x"+want {
			t.Errorf("%s is written as %s", want, got)
		}
		if n >= 0 && Digits(uint64(n)) != len(want) {
			t.Errorf("%s is said to have %d digits", want, Digits(uint64(n)))
		}
	}
	for _, n := range []int64{0, math.MaxInt64, math.MinInt64} {
		check(n)
	}
	for power := int64(1); power <= math.MaxInt64/10; power *= 10 {
		for _, n := range []int64{power - 1, power, power + 1, power + r.Int64N(9*power)} {
			check(n)
			check(-n)
		}
	}
}
