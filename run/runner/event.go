package runner

import "tribunal/envelope"

// Event is what happened: Ended, CutOff, Checked, Continue or Halt.
type Event interface{ event() }

type (
	// Ended tells that what ran in a slot has ended, and the trials read from it.
	// A test that was asked for and is not among them was not reached, and is started
	// again.
	Ended struct {
		Slot   int
		Trials []Reported
		// Unreached is the trial of a test that three starts in a row did not reach.
		// It cannot be tried; nil is one that says no more than that.
		Unreached *envelope.Trial
		// Broken tells of the first start of a sweep that the infrastructure broke it
		// before it told any test.
		Broken bool
		// Permanent tells that trying again is of no use: the run is over.
		Permanent bool
	}
	// CutOff tells that what ran in a slot was ended by us, by Kill or because the
	// run was told to stop.
	CutOff struct {
		Slot int
		// CostUSD is what it had cost, where that is known, and ToolCalls what it
		// had called.
		CostUSD   envelope.Opt[float64]
		ToolCalls envelope.Opt[int32]
	}
	// Checked tells how the check of a test ended.
	Checked struct {
		Slot int
		// Failed is what the check said when it failed: a trial whose class will
		// be pre-validation. Nil: the test may be tried.
		Failed *envelope.Trial
	}
	// Continue tells that a pause is over.
	Continue struct{}
	// Halt tells the run to start nothing more. Without Now what runs may end.
	Halt struct {
		Why HaltWhy
		Now bool
	}
)

// HaltWhy is why a run is halted.
type HaltWhy int

// The reasons to halt a run.
const (
	ByUser  HaltWhy = iota // somebody asked for it
	ByTime                 // its time is over; running trials are ended at once
	BySetup                // what every trial needs could not be set up
)

// Reported is a trial read from what a start said. The scheduler gives it its
// test and attempt, and keeps it until it is recorded.
type Reported struct {
	Test  int
	Trial *envelope.Trial
}

func (Ended) event()    {}
func (CutOff) event()   {}
func (Checked) event()  {}
func (Continue) event() {}
func (Halt) event()     {}
