package envelope

import "slices"

// SetEndings says how the test ended in all its runs: as the one that got least
// far, with the trials of all of them. Where the one run is that of the header,
// nothing else needs to be kept.
func (t *Test) SetEndings(all []Ending, h *RunHeader) {
	if len(all) == 0 {
		return
	}
	t.Ended = all[0].How
	for _, e := range all {
		if slices.Index(Hows, e.How) < slices.Index(Hows, t.Ended) {
			t.Ended = e.How
		}
		if e.Trials.OK {
			t.Trials.Planned = Some(t.Trials.Planned.V + e.Trials.V)
		}
	}
	t.Endings = nil
	if len(all) > 1 || all[0].Run != h.ID || all[0].Elsewhere || all[0].Beyond > 0 || all[0].How == "" && !all[0].Trials.OK {
		t.Endings = all
	}
}

// EndingsIn is the reverse of SetEndings: how the test ended in all its runs, as
// the header of the run says which of them is its own.
func (t *Test) EndingsIn(h *RunHeader) []Ending {
	if len(t.Endings) > 0 || t.Ended == "" && !t.Trials.Planned.OK {
		return t.Endings
	}
	return []Ending{{Run: h.ID, Trials: t.Trials.Planned, How: t.Ended}}
}

// StoppedByOutcome reports a test whose outcomes decided, in some run, how many trials
// there are: it ended at a verdict, and not at a number.
func (t *Test) StoppedByOutcome(h *RunHeader) bool {
	return slices.ContainsFunc(t.EndingsIn(h), func(e Ending) bool {
		return e.How.byOutcome()
	})
}

// Beyond are the trials that were paid for when the test had ended, and their cost.
func (t *Test) Beyond() (trials int64, costUSD Opt[float64]) {
	for _, e := range t.Endings {
		trials += e.Beyond
		if e.BeyondUSD.OK {
			costUSD = Some(costUSD.V + e.BeyondUSD.V)
		}
	}
	return trials, costUSD
}
