package verdict_test

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/verdict"
)

// TestTotalsTooLarge: where a total cannot be computed, no total that has it in
// it shows the rest as if that were all, and a problem says why.
func TestTotalsTooLarge(t *testing.T) {
	const most = math.MaxInt64 / 4 * 3
	for _, c := range []struct {
		reason string
		trials map[string]envelope.Trial // each twice
		want   string
	}{
		{"a cost over the largest number", map[string]envelope.Trial{"a": {CostUSD: envelope.Some(1e308)}, "b": {CostUSD: envelope.Some(2.0)}}, "total cost of 1 test is too large for a number, first in s/a"},
		{"tokens over the largest number", map[string]envelope.Trial{"a": {Tokens: envelope.Some[int64](most)}, "b": {Tokens: envelope.Some[int64](2)}}, "total number of tokens of 1 test is"},
		{"the run's alone", map[string]envelope.Trial{"a": {DurationMS: envelope.Some(8e307)}, "b": {DurationMS: envelope.Some(8e307)}}, "total duration of the run is"},
		{"a sum that fits", map[string]envelope.Trial{"a": {CostUSD: envelope.Some(1e307), Tokens: envelope.Some[int64](5)}, "b": {}}, ""},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		for test, one := range c.trials {
			for attempt := range int32(2) {
				one.Key, one.Attempt, one.Status = envelope.Key{Suite: "s", Test: test}, envelope.Some(attempt), envelope.Pass
				in.Trial(&one)
			}
		}
		in.Close()
		policy, err := verdict.Resolve(envelope.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), policy)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, p := range e.Problems {
			said += p.Message + "\n"
		}
		s := e.Summary
		if known := s.CostUSD.OK || s.CostPerSuccess.OK || s.Tokens.OK || s.DurationMS.OK || e.Suites[0].CostUSD.OK; known != (c.want == "") {
			t.Errorf("%s: a total is shown: %t", c.reason, known)
		}
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q in it", c.reason, said, c.want)
		}
	}
}
