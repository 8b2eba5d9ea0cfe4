package plan

import (
	"testing"

	"tribunal/envelope"
)

// TestTelling: by hand, with z = 1.96 and 0.8416 for a power of 80 %.
func TestTelling(t *testing.T) {
	one := Gap{Difference: 0.1, Variance: 0.005, Within: 0.005, Groups: 1, Tests: 1, Trials: 64, Alpha: 0.05, Power: 0.8}
	// bound (0.1/2.8016)^2 = 0.0012741; 0.005/0.0012741 = 3.9244 times 64 trials is 251.2, so 188 more.
	if got := one.Telling(); got.Trials != envelope.Some(188) {
		t.Errorf("one test: %+v, want 188 more trials", got)
	}
	uneven := Gap{Difference: 0.1, Variance: 0.01, Within: 0.002, Groups: 10, Tests: 10, Trials: 100, Alpha: 0.05, Power: 0.8}
	// The tests differ by 0.008, above (0.1/(2.262 + 0.8416))^2 = 0.00104: trials do not help.
	got := uneven.Telling()
	if got.Trials.OK || !got.Tests.OK {
		t.Errorf("tests that differ: %+v, want tests alone", got)
	}
	// 0.01 10/T <= (0.1/(t(T-1) + 0.8416))^2: t(80) = 1.990 asks T >= 80.2, t(81) = 1.9897 T >= 80.16, so 81 in all.
	if got.Tests.V < 70 || got.Tests.V > 72 {
		t.Errorf("%d more tests, want 71", got.Tests.V)
	}
	for name, g := range map[string]Gap{"no difference": {Variance: 1, Within: 1, Tests: 1, Trials: 1, Alpha: 0.05, Power: 0.8},
		"nothing tried": {Difference: 0.1, Alpha: 0.05, Power: 0.8}, "too near": {Difference: 1e-7, Variance: 0.01, Within: 0.01, Groups: 2, Tests: 2, Trials: 10, Alpha: 0.05, Power: 0.8}} {
		if got := g.Telling(); got.Trials.OK || got.Tests.OK {
			t.Errorf("%s: %+v, want nothing", name, got)
		}
	}
}
