package reliability

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

func outcomes(s string) []bool {
	out := make([]bool, len(s))
	for i := range s {
		out[i] = s[i] == 'P'
	}
	return out
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		outcomes string
		want     Reliability
		reason   string
	}{
		{"PPPF", Reliability{4, 100, 31, 0, 87, 60, []int{100, 100, 100, 31}},
			"(3/4)^4 = 0.316; sd = sqrt(3)/4; (1+2+3)/10"},
		{"FPPP", Reliability{4, 100, 31, 0, 87, 90, []int{0, 25, 29, 31}},
			"late passes weigh more: (2+3+4)/10; the curve may rise"},
		{"PFPF", Reliability{4, 100, 6, 0, 100, 40, []int{100, 25, 29, 6}},
			"a coin is as noisy as outcomes get"},
		{"PPP", Reliability{3, 100, 100, 100, 0, 100, []int{100, 100, 100}}, "always passes"},
		{"F", Reliability{1, 0, 0, 0, 0, 0, []int{0}}, "never passes"},
	} {
		if got, ok := Of(outcomes(c.outcomes)); !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Of(%s) = %+v, want %+v: %s", c.outcomes, got, c.want, c.reason)
		}
	}
	if r, ok := Of(nil); ok {
		t.Errorf("no outcome gave %+v: nothing is not zero", r)
	}
}

// Every entry of the curve against integers: floor(100 c^k / k^k).
func TestPercentPowerAgainstIntegers(t *testing.T) {
	for k := 1; k <= 250; k++ {
		for c := 0; c <= k; c++ {
			checkPercentPower(t, c, k)
		}
	}
	for _, k := range []int{1000, 4096, 20_000} {
		for c := k - 6; c <= k; c++ {
			checkPercentPower(t, c, k)
		}
	}
}

func checkPercentPower(t *testing.T, c, k int) {
	t.Helper()
	power := new(big.Int).Exp(big.NewInt(int64(c)), big.NewInt(int64(k)), nil)
	power.Mul(power, big.NewInt(100))
	power.Quo(power, new(big.Int).Exp(big.NewInt(int64(k)), big.NewInt(int64(k)), nil))
	if got := percentPower(c, k); int64(got) != power.Int64() {
		t.Errorf("floor(100 (%d/%d)^%d) = %d, want %v", c, k, k, got, power)
	}
	if c > 0 && c < k && k > 2 {
		if got := percentPowerExact(c, k); int64(got) != power.Int64() {
			t.Errorf("exact path: floor(100 (%d/%d)^%d) = %d, want %v", c, k, k, got, power)
		}
	}
}

// The float path is within its claimed error of the truth at a million trials,
// where integers have twenty million digits.
// TestCurveIsMadeOfPowers: what the curve leaves out of its calculation is what
// the calculation gives, wherever the failures lie.
func TestCurveIsMadeOfPowers(t *testing.T) {
	const n = 400
	for first := range n {
		for _, apart := range []int{1, 7, 90} {
			outcomes := make([]bool, n)
			for i := range outcomes {
				outcomes[i] = i < first || (i-first)%apart != 0
			}
			passed := 0
			for i, got := range DecayCurve(outcomes) {
				if outcomes[i] {
					passed++
				}
				if want := percentPower(passed, i+1); got != want {
					t.Fatalf("failures %d apart from %d on: %d at k = %d, want %d", apart, first, got, i+1, want)
				}
			}
		}
	}
}

func TestPercentPowerAtAMillion(t *testing.T) {
	for k := 999_990; k <= 1_000_000; k++ {
		for f := range 8 {
			want := 100
			if f > 0 {
				want = percentPowerExact(k-f, k)
			}
			if got := percentPower(k-f, k); got != want {
				t.Errorf("%d failures of %d: %d, want %d", f, k, got, want)
			}
		}
	}
}

// Rounding half away from zero, against integers, for all counts up to 400.
func TestVarianceAmplificationExact(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for c := 0; c <= n; c++ {
			// round(x) = floor((2x+1)/2), x = 200 sqrt(c f)/n.
			root := new(big.Int).Sqrt(big.NewInt(160000 * int64(c) * int64(n-c)))
			want := 0
			for int64(2*want+1)*int64(n) <= root.Int64() {
				want++
			}
			if got := VarianceAmplification(c, n); got != want {
				t.Errorf("%d of %d: %d, want %d", c, n, got, want)
			}
		}
	}
	if got := VarianceAmplification(500_000, 1_000_000); got != 100 {
		t.Errorf("half of a million: %d, want 100", got)
	}
	for _, bad := range [][2]int{{0, 0}, {-1, 3}, {4, 3}} {
		if got := VarianceAmplification(bad[0], bad[1]); got != 0 {
			t.Errorf("VarianceAmplification(%v) = %d", bad, got)
		}
	}
}

func TestGracefulDegradationLarge(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	o := make([]bool, 1_000_000)
	weighted, all := new(big.Int), new(big.Int)
	for i := range o {
		o[i] = random.IntN(3) > 0
		all.Add(all, big.NewInt(int64(i+1)))
		if o[i] {
			weighted.Add(weighted, big.NewInt(int64(i+1)))
		}
	}
	weighted.Mul(weighted, big.NewInt(200)).Add(weighted, all)
	want := weighted.Quo(weighted, all.Lsh(all, 1)).Int64()
	if got := GracefulDegradation(o); int64(got) != want {
		t.Errorf("a million trials: %d, want %d", got, want)
	}
}
