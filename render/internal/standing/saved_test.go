package standing_test

import (
	"testing"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

func TestSaved(t *testing.T) {
	for _, c := range []struct {
		reason      string
		summary     envelope.Summary
		saved, late string
	}{
		{"nothing was stopped", envelope.Summary{}, "", ""},
		{"the contract's words", envelope.Summary{Saved: &envelope.Savings{Trials: 1679, Of: 2500, CostUSD: envelope.Some(1679.0)}},
			words.Count(1679) + " of " + words.Count(2500) + " trials (" + words.Dollars(1679) + ") by stopping at verdicts", ""},
		{"costs that nobody knows are none", envelope.Summary{EarlySaves: &envelope.Savings{Trials: 7, Of: 10}}, "", "7 of 10 trials, which --stop early would not have started"},
	} {
		saved, late := standing.Saved(&c.summary, words.Count, words.Dollars), standing.EarlySaves(&c.summary, words.Count, words.Dollars)
		if saved != c.saved || late != c.late {
			t.Errorf("%s: %q and %q, want %q and %q", c.reason, saved, late, c.saved, c.late)
		}
	}
}
