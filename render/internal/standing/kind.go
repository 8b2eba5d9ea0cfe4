package standing

import "tribunal/envelope"

// Kinds are the kinds of tests in the order of a report, and what the tests of each have
// in common: where tests have several trials, and in an ordinary run.
var Kinds = []struct {
	Kind            envelope.Kind
	title, ordinary string
}{
	{envelope.KindRegressed, "Regressed", "Regressed"}, {envelope.KindBroken, "Never passes", "Failed"}, {envelope.KindFlaky, "Flaky", "Flaky"},
	{envelope.KindErrored, "Error", "Error"}, {envelope.KindUndecided, "Undecided", "Undecided"}, {envelope.KindExcused, "Quarantined", "Quarantined"},
	{envelope.KindUnstable, "Passes, flaky", "Passes, flaky"}, {envelope.KindSkipped, "Skipped", "Skipped"}, {envelope.KindPassed, "Passes", "Passes"},
}

// KindTitles are the titles of the kinds in a run, by their places among Kinds.
func KindTitles(e *envelope.Envelope) []string {
	out := make([]string, len(Kinds))
	for i, k := range Kinds {
		if out[i] = k.title; Ordinary(e) {
			out[i] = k.ordinary
		}
	}
	return out
}
