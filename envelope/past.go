package envelope

// Past is what a history shows of a test up to this run. It is neither counted
// nor judged: it is written beside the verdict where a history is at hand.
type Past struct {
	State    string `json:"state"`    // such as STABLE, FLAKY or BROKEN
	Evidence string `json:"evidence"` // in words
	// Strip has a mark for each of the latest runs, this one last: P all trials
	// passed, M some, F none, X none counted, S skipped, . not in the run.
	Strip string `json:"strip"`
	Runs  int    `json:"runs"` // that were looked at, this one included
}

// recall keeps the pasts of an envelope when the run is that envelope and
// nothing else: of several runs put together nobody knows the past.
func (b *Builder) recall(run *Run) {
	if len(b.recorded) != 1 || b.trials != b.recorded[0].Run.Trials() {
		return
	}
	pasts := map[Key]*Past{}
	for i := range b.recorded[0].Run.Tests {
		if t := &b.recorded[0].Run.Tests[i]; t.History != nil {
			pasts[t.Key] = t.History
		}
	}
	for i := range run.Tests {
		run.Tests[i].History = pasts[run.Tests[i].Key]
	}
}
