package runner

import (
	"time"

	"tribunal/envelope"
)

// Event is what happened: Ended, CutOff, Checked, Continue or Halt.
type Event interface{ event() }

type (
	// Ended tells that what ran in a slot has ended, and the trials read from it. A test that was
	// asked for and is not among them was not reached, and is started again.
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
	CutOff struct{ Slot int }
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

// How is how a test ended; in the journal and the envelope by these words.
type How string

// The ends of a test.
const (
	Open           How = ""               // it has not
	Decided        How = "decided"        // a sequential rule reached its verdict
	Early          How = "early"          // no further trial could have changed the verdict
	Full           How = "full"           // all its trials count
	Cost           How = "cost"           // the cost limit was reached
	Time           How = "time"           // the time limit was reached
	Infrastructure How = "infrastructure" // too many trials had to be replaced
	CheckFailed    How = "check"          // it could not be tried at all
	CutShort       How = "cut"            // the run was stopped
	NoSetup        How = "setup"          // the setup of the run failed
)

func (h How) again() bool { return h == Cost || h == Time || h == CutShort || h == NoSetup }

// Why is why a trial was cut off, which makes it no trial; in the journal by these words.
type Why string

// The reasons to cut a trial off.
const (
	Interrupted Why = "interrupt" // the run was stopped
	TimeOver    Why = "time"      // the time limit was reached
	Lost        Why = "lost"      // the runner died
	TestOver    Why = "ended"     // its test had ended
	Broken      Why = "broken"    // the infrastructure broke it before it told a test
	Unreached   Why = "unreached" // its start ended before it began, or has no result of it
)

// RunEnd is how a run ended.
type RunEnd string

// The ends of a run.
const (
	Finished           RunEnd = "finished" // every test ended by itself
	MoneySpent         RunEnd = "cost"
	TimeIsOver         RunEnd = "time"
	SetupFailed        RunEnd = "setup-failed"
	Stopped            RunEnd = "interrupted"
	FirstFail          RunEnd = "fail-fast"
	InfrastructureDown RunEnd = "infrastructure-down"
)

// Place is one attempt of a test, and which try of it: an attempt that was cut
// off is started again under its number.
type Place struct{ Test, Attempt, Try int }

// Start is a start: of a trial of one test, or of several. Slot is the number of
// the place it runs in, 0 to the places less one, and its name until it has ended.
type Start struct {
	Slot int
	// Number is the attempt of the one test, or the number of the start among those of its group.
	Number int
	// Group is the suite and variant of a batch, the variant of a sweep.
	Group envelope.Key
	// Trials are what was asked for. A sweep whose tests nobody knows yet has none.
	Trials []Place
	// Check asks for the check of the one test and for no trial.
	Check bool
}

// Action is what the driver is to do: Hold, Record, Beyond, Cut, Kill, End,
// Pause or Stop. All but Kill, Pause and Stop are lines of the journal, in the
// order in which they come, and with Start they are all that Recover needs.
type Action interface{ action() }

type (
	// Hold is a trial that ended before one that started earlier: it is kept, and
	// comes again as a Record when those before it have ended.
	Hold struct {
		Test  int
		Trial *envelope.Trial
	}
	// Record is a trial that takes its place in the stream.
	Record struct {
		Test  int
		Trial *envelope.Trial
	}
	// Beyond is a trial behind the end of its test: it is kept and never counted.
	Beyond struct {
		Test  int
		Trial *envelope.Trial
	}
	// Cut is a trial that was cut off and is none. It is started again, now or by
	// a resumed run, unless its test has ended.
	Cut struct {
		Place
		Why Why
	}
	// Kill asks for the end of what runs in a slot. It is told with CutOff, or
	// with Ended if it ended by itself before.
	Kill struct{ Slot int }
	// End is the end of a test, with the status that its trials have before any adjusting.
	End struct {
		Test   int
		How    How
		Status envelope.Status
	}
	// Pause stops all starts until Continue is told. The wait is a random one of
	// at most Longest, so that not all of a shared service's users come back at once.
	Pause struct{ Longest time.Duration }
	// Stop is the end of the run: nothing runs, and nothing will be started.
	Stop struct{ How RunEnd }
)

func (Hold) action()   {}
func (Record) action() {}
func (Beyond) action() {}
func (Cut) action()    {}
func (Kill) action()   {}
func (End) action()    {}
func (Pause) action()  {}
func (Stop) action()   {}
