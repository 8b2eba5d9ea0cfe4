package verdict

import (
	"reflect"
	"testing"

	"tribunal/envelope"
)

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

// TestSharedRates: tests share rates only where passed, counted and excluded trials and the
// confidence are the same; each is what it is alone.
func TestSharedRates(t *testing.T) {
	m := shared{rates: map[rateCounts]envelope.Rates{}}
	of := func(passed, counted, excluded int) envelope.TrialCounts {
		return envelope.TrialCounts{Total: counted + excluded, Counted: counted, Passed: passed, Excluded: map[string]int{"infrastructure": excluded}}
	}
	first := m.ratesOf(of(3, 4, 1), 0.95)
	if m.ratesOf(of(3, 4, 1), 0.95).PerProtocol != first.PerProtocol {
		t.Error("the same counts have rates of their own")
	}
	for _, c := range []struct {
		counts     envelope.TrialCounts
		confidence float64
	}{{of(2, 4, 1), 0.95}, {of(3, 5, 1), 0.95}, {of(3, 4, 2), 0.95}, {of(3, 4, 1), 0.9}, {of(0, 0, 0), 0.95}} {
		if got, want := m.ratesOf(c.counts, c.confidence), rates(c.counts, c.confidence); !reflect.DeepEqual(got, want) || got.IntentToTreat == first.IntentToTreat {
			t.Errorf("%+v at %v: %+v, want %+v", c.counts, c.confidence, got, want)
		}
	}
}
