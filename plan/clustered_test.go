package plan

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestClustered by hand: 20 tests of 20 trials from 0.9, other tests each side, ICC 0.1:
// the design effect is 1 + 19 0.1 = 2.9, K = (1.959964 + 0.841621)² 2.9/400 = 0.0569037,
// and the smallest fall (0.8 K + sqrt(0.64 K² + 8 K (1+K) 0.09))/(2 (1+K)) = 0.1223. For
// the same tests K = 7.848880 0.9/400 = 0.0176600.
func TestClustered(t *testing.T) {
	p := answer(t, Question{Tests: envelope.Some(20), Trials: envelope.Some(20), ICC: envelope.Some(0.1), Expect: envelope.Some(0.9), PriceUSD: envelope.Some(0.01)})
	if p.Precision != nil || len(p.Clustered.Designs) != 5 {
		t.Fatalf("%+v", p)
	}
	first := p.Clustered.Designs[0]
	fall := func(k float64) float64 {
		return (0.8*k + math.Sqrt(0.64*k*k+8*k*(1+k)*0.09)) / (2 * (1 + k))
	}
	if first.Tests != 20 || first.Trials != 20 || first.Effort.Trials != 800 || first.Effort.CostUSD.V != 8 {
		t.Errorf("%+v", first)
	}
	for _, c := range []struct{ got, want float64 }{
		{first.Other.DesignEffect, 2.9}, {first.Other.EffectiveN.V, 400 / 2.9}, {first.Other.Detectable.V, fall(0.0569043805)},
		{first.Same.DesignEffect, 0.9}, {first.Same.Detectable.V, fall(0.01765998)},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%v, want %v: %+v", c.got, c.want, first)
		}
	}
	for i, want := range [][2]int{{20, 20}, {5, 80}, {10, 40}, {40, 10}, {80, 5}} {
		if d := p.Clustered.Designs[i]; d.Tests != want[0] || d.Trials != want[1] {
			t.Errorf("design %d is %d x %d, want %v", i, d.Tests, d.Trials, want)
		}
	}
	more := p.Clustered.Designs[3].Other.Detectable.V
	if !(more < first.Other.Detectable.V) {
		t.Errorf("40 x 10 sees %v, 20 x 20 %v: more tests see more where trials correlate", more, first.Other.Detectable.V)
	}
	told := answer(t, Question{Tests: envelope.Some(20), Trials: envelope.Some(10), ICC: envelope.Some(1.), Rates: &[2]float64{0.9, 0.8}}).Clustered
	if told.Rate != 0.9 || math.Abs(told.Designs[0].Other.Power.V-0.1433) > 5e-5 || told.Designs[0].Same.EffectiveN.OK {
		t.Errorf("%+v", told)
	}
}

func TestClusteredQuestions(t *testing.T) {
	for _, c := range []struct {
		q    Question
		says string
	}{
		{Question{Tests: envelope.Some(20)}, "give how many trials each has"},
		{Question{Tests: envelope.Some(0), Trials: envelope.Some(1)}, "out of range"},
		{Question{ICC: envelope.Some(0.1), Trials: envelope.Some(1)}, "give how many (tests)"},
		{Question{Tests: envelope.Some(2), Trials: envelope.Some(1), ICC: envelope.Some(1.5)}, "0 to 1"},
	} {
		c.q.Power, c.q.Confidence = 0.8, 0.95
		if _, err := New(c.q); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want it to say %q", c.q, err, c.says)
		}
	}
}
