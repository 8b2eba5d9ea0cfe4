package standing

import (
	"testing"

	"tribunal/envelope"
)

// TestPassRate: both questions in words, each with its interval, and only what is known.
func TestPassRate(t *testing.T) {
	these := &envelope.Rate{Value: 0.824, Lo: 0.742, Hi: 0.884}
	like := &envelope.Rate{Value: 0.801, Lo: 0.519, Hi: 0.946}
	for _, c := range []struct {
		reason, want string
		s            envelope.Summary
	}{
		{"no trial counted", "", envelope.Summary{}},
		{"one test says nothing about others", "82 % [74, 88]", envelope.Summary{Rate: envelope.Rates{PerProtocol: these}}},
		{"each test once is another mean than each trial once", "82 % on these tests [74, 88]; on tests like these 80 % [52, 95]: 11 tests",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Like: &envelope.Clusters{By: "test", Count: 11, Rate: like}}},
		{"of suites", "82 % on these tests [74, 88]; on tests like these 80 % [52, 95]: 4 suites",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Like: &envelope.Clusters{By: "suite", Count: 4, Rate: like}}},
		{"of a label", "82 % on these tests [74, 88]; on tests like these 80 % [52, 95]: 3 groups",
			envelope.Summary{Rate: envelope.Rates{PerProtocol: these}, Like: &envelope.Clusters{By: "team", Count: 3, Rate: like}}},
	} {
		if got := PassRate(&c.s); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
