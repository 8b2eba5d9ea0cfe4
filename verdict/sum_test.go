package verdict

import (
	"bytes"
	"math"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/policy"
	"tribunal/verdict/rule"
)

func TestSums(t *testing.T) {
	ten := make([]float64, 10)
	for i := range ten {
		ten[i] = 0.1
	}
	for _, c := range []struct {
		reason string
		values []float64
		want   float64
		ok     bool
	}{
		{"ten times 0.1 is 1", ten, 1, true},
		{"what is rounded away comes back", []float64{1e100, 1, -1e100}, 1, true},
		{"nothing known is absent, not 0", nil, 0, false},
		{"a known 0 is 0", []float64{0}, 0, true},
		{"too large to be a number is absent", []float64{math.MaxFloat64, math.MaxFloat64}, 0, false},
	} {
		if got := sum(c.values); got.V != c.want || got.OK != c.ok {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
	if got := sumWhole([]int64{math.MaxInt64, 1}); got.OK {
		t.Errorf("an overflow became %v", got)
	}
}

// TestExtremeNumbersStillMakeAReport: no finite input makes a number that JSON
// cannot write, under any rule.
func TestExtremeNumbersStillMakeAReport(t *testing.T) {
	for _, rule := range rule.Table {
		policy, err := Resolve(envelope.Policy{Rule: rule.Name, Threshold: envelope.Some(0.5), Metrics: policy.MetricsAll, ClusterBy: "test"})
		if err != nil {
			t.Fatal(err)
		}
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for i := range 6 {
			big := math.MaxFloat64
			if i%2 == 1 {
				big = 5e-324
			}
			score := big
			if i%3 == 1 {
				score = -big
			}
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(score), CostUSD: envelope.Some(big), DurationMS: envelope.Some(big),
				SetupMS: envelope.Some(big), SetupCostUSD: envelope.Some(big), Tokens: envelope.Some(int64(math.MaxInt64)), ToolCalls: envelope.Some(int32(math.MaxInt32))})
		}
		env, err := Seal(b.Run(policy.OnConflict, 5), policy)
		if err != nil {
			t.Errorf("%s: %v", rule.Name, err)
			continue
		}
		if err := wire.EncodeJSON(&bytes.Buffer{}, env); err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		}
	}
}
