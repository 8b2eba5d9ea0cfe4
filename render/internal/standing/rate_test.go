package standing

import (
	"testing"

	"tribunal/envelope"
)

// TestPassRate: both questions in words, each with its interval, and only what is known.
func TestPassRate(t *testing.T) {
	these := &envelope.Rate{Value: 0.824, Lo: 0.742, Hi: 0.884}
	like := &envelope.Rate{Value: 0.824, Lo: 0.519, Hi: 0.946}
	for _, c := range []struct {
		reason, want string
		s            envelope.Summary
	}{
		{"no trial counted", "", envelope.Summary{}},
		{"one test says nothing about others", "82 % [74, 88]", envelope.Summary{Rate: envelope.Rates{PerProtocol: these}}},
		{"tests that differ", "82 % on these tests [74, 88]; on tests like these [52, 95]: 11 tests that differ weigh like 18 trials",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Trials: envelope.TrialCounts{Counted: 108},
				Like: &envelope.Clusters{Count: 11, EffectiveN: envelope.Some(18.4), Rate: like}}},
		{"tests that do not", "82 % on these tests [74, 88]; on tests like these [52, 95]",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Trials: envelope.TrialCounts{Counted: 108},
				Like: &envelope.Clusters{Count: 11, EffectiveN: envelope.Some(108.0), Rate: like}}},
		{"a trial a test does not tell how they differ", "82 % on these tests [74, 88]; on tests like these [52, 95]",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Like: &envelope.Clusters{Count: 11, Rate: like}}},
	} {
		if got := PassRate(&c.s); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
