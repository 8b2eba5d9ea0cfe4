package verdict

import "testing"

// TestLastCurve: tests share a reliability only where all their outcomes are the same
// in the same order; the buffer that they come in is used again.
func TestLastCurve(t *testing.T) {
	var curves lastCurve
	outcomes := []bool{true, true, false}
	first := curves.of(outcomes)
	if curves.of([]bool{true, true, false}) != first {
		t.Error("the same outcomes have a reliability of their own")
	}
	outcomes[1], outcomes[2] = false, true
	for _, other := range [][]bool{outcomes, {true, true}, {true, true, true}} {
		got, want := curves.of(other), reliabilityOf(other)
		if got == first || got.Runs != want.Runs || got.Curve[len(other)-1] != want.Curve[len(other)-1] {
			t.Errorf("%v: %+v, want %+v", other, got, want)
		}
	}
}
