package envelope

import "strings"

// Past is what a history shows of a test up to this run. It is neither counted
// nor judged: it is written beside the verdict where a history is at hand.
type Past struct {
	State    string `json:"state"`    // such as STABLE, FLAKY or BROKEN
	Evidence string `json:"evidence"` // in words
	// Strip has a mark for each of the latest runs, this one last: P all trials
	// passed, M some, F none, X none counted, S skipped, . not in the run.
	Strip string `json:"strip"`
	Runs  int    `json:"runs"` // that were looked at, this one included
	// StateRuns is how many runs the state rests on: those with a counted trial of the test.
	StateRuns int `json:"state_runs"`
	// Before are the trials of the runs that started before the quarantine entry of
	// the test began; nil without such an entry or such trials.
	Before *Before `json:"before,omitempty"`
}

// Worse reports whether the history says that the test got worse: it began to fail, to be
// flaky, or its rate falls.
func (p *Past) Worse() bool {
	switch p.State {
	case "NEW-FLAKY", "DRIFTING DOWN":
		return true
	case "BROKEN":
		return strings.Contains(p.Strip, "P")
	}
	return false
}

// Before is how often a test passed until something began.
type Before struct {
	Passed  int `json:"passed"`
	Counted int `json:"counted"` // at least 1
}
