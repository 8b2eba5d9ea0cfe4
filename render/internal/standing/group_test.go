package standing

import (
	"testing"

	"tribunal/envelope"
)

func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		test   envelope.Test
		want   Group
		reason string
	}{
		{envelope.Test{Status: envelope.Fail}, Failed, "a failure"},
		{envelope.Test{Status: envelope.Fail, Flaky: true}, Failed, "a failure that passed at times is a failure"},
		{envelope.Test{Status: envelope.Fail, Quarantined: true}, Quarantined, "a failure that is known"},
		{envelope.Test{Status: envelope.Inconclusive, Quarantined: true}, Quarantined, "whatever it is that did not pass"},
		{envelope.Test{Status: envelope.Error}, Errored, "an error"},
		{envelope.Test{Status: "of tomorrow"}, Errored, "a status that is not known"},
		{envelope.Test{Status: envelope.Inconclusive}, Undecided, "undecided"},
		{envelope.Test{Status: envelope.Pass, Flaky: true}, Flaky, "a pass that failed at times"},
		{envelope.Test{Status: envelope.Pass, Flaky: true, Quarantined: true}, Flaky, "quarantine changes no pass"},
		{envelope.Test{Status: envelope.Pass}, Passed, "a plain pass"},
		{envelope.Test{Status: envelope.Skip, Quarantined: true}, Skipped, "not run at all"},
	} {
		if got := GroupOf(&c.test); got != c.want {
			t.Errorf("%s: group %d, want %d", c.reason, got, c.want)
		}
	}
}
