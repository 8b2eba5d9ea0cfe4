package count

import "tribunal/envelope"

// recall keeps the pasts of an envelope when the run is that envelope and
// nothing else: of several runs put together nobody knows the past.
func (b *Builder) recall(run *envelope.Run) {
	if len(b.recorded) != 1 || b.trials != b.recorded[0].Run.Trials() {
		return
	}
	pasts := map[envelope.Key]*envelope.Past{}
	for i := range b.recorded[0].Run.Tests {
		if t := &b.recorded[0].Run.Tests[i]; t.History != nil {
			pasts[t.Key] = t.History
		}
	}
	for i := range run.Tests {
		run.Tests[i].History = pasts[run.Tests[i].Key]
	}
}
