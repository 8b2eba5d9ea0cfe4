package count

import "tribunal/envelope"

// restore sets the owners that envelopes have, and the history of an envelope if it is the
// whole run.
func (b *Builder) restore(run *envelope.Run) {
	alone := len(b.recorded) == 1 && b.trials == b.recorded[0].Run.Trials()
	known := map[envelope.Key]*envelope.Tally{}
	for _, r := range b.recorded {
		for i := range r.Run.Tests {
			if t := &r.Run.Tests[i]; t.Owners != nil || alone && t.History != nil {
				known[t.Key] = t
			}
		}
	}
	for i := range run.Tests {
		t := &run.Tests[i]
		if said := known[t.Key]; said != nil {
			t.Owners = said.Owners
			if alone {
				t.History = said.History
			}
		}
	}
}
