package plan_test

import (
	"testing"

	"tribunal/envelope"
	"tribunal/internal/plan"
)

// TestRun has trials of the same tests from sums of the binomial distribution over
// Wilson's interval, written apart in Python: from there on, up to twice as many, the
// interval leaves out the threshold in 80 of 100 runs. Of as many similar tests of one
// trial each, Clopper and Pearson's does so in 77 to 83 of 100, by the same sums. They
// are no fewer than these tests: of one trial each, both are one question.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		rate, threshold float64
		these, similar  int
	}{{0.95, 0.9, 254, 254}, {0.8, 0.9, 89, 103}, {0.7, 0.5, 48, 52}} {
		p, err := plan.New(plan.Question{RunThreshold: envelope.Some(c.threshold), Expect: envelope.Some(c.rate), Confidence: 0.95, Power: 0.8,
			PriceUSD: envelope.Some(0.5)})
		if err != nil {
			t.Fatal(err)
		}
		one, five := p.Run.Designs[0], p.Run.Designs[2]
		if one.These.Tests != c.these || one.Similar.Tests != c.similar {
			t.Errorf("rate %v, threshold %v: %d of these tests, want %d; %d of similar ones, want %d", c.rate, c.threshold, one.These.Tests, c.these, one.Similar.Tests, c.similar)
		}
		if five.These.Tests != (c.these+4)/5 || five.These.Effort.CostUSD.V != float64((c.these+4)/5*5)*0.5 || five.Similar != nil {
			t.Errorf("rate %v, threshold %v: five trials each: %+v, of similar tests %+v", c.rate, c.threshold, five.These, five.Similar)
		}
	}
}

// TestRunAtItsThreshold: no run tells a rate from itself.
func TestRunAtItsThreshold(t *testing.T) {
	p, err := plan.New(plan.Question{RunThreshold: envelope.Some(0.9), Expect: envelope.Some(0.9), ICC: envelope.Some(0.2), Confidence: 0.95, Power: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Run.Designs {
		if d.These != nil || d.Similar != nil {
			t.Errorf("%d trials each decide: %+v, %+v", d.Trials, d.These, d.Similar)
		}
	}
}
