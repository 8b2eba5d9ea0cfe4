package standing

import (
	"testing"

	"tribunal/envelope"
)

func TestWhyBroken(t *testing.T) {
	warning := envelope.Problem{Severity: envelope.SeverityWarning, Message: "noise"}
	cut := envelope.Problem{Severity: envelope.SeverityError, Input: "a.json", Line: 3, Column: 7, Message: "the file ends in the middle"}
	for _, c := range []struct {
		reasons  []string
		problems []envelope.Problem
		want     string
		reason   string
	}{
		{[]string{"no trials", "a gate"}, []envelope.Problem{warning, cut}, cut.String(), "an error has its place, and comes before what follows from it"},
		{[]string{"no trials", "a gate"}, []envelope.Problem{warning}, "no trials", "a warning breaks nothing"},
		{nil, nil, "the run is broken", "nobody says why"},
	} {
		if got := WhyBroken(c.reasons, c.problems); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
