package envelope

// Outcome is what a trial counts as, one letter a trial.
type Outcome byte

// The outcomes. An excluded trial did not pass and is left out of the verdict
// because its error class says that the test was not really tried.
const (
	Passed   Outcome = 'P'
	Failed   Outcome = 'F'
	Errored  Outcome = 'E'
	Excluded Outcome = 'X'
	Skipped  Outcome = 'S'
)

// Counted reports whether the trial takes part in the verdict.
func (o Outcome) Counted() bool { return o == Passed || o == Failed || o == Errored }

// Status is the status of the outcome, "" of an excluded one.
func (o Outcome) Status() Status {
	switch o {
	case Passed:
		return Pass
	case Failed:
		return Fail
	case Errored:
		return Error
	case Skipped:
		return Skip
	}
	return ""
}

// Outcomes is the strip of a test: the outcomes of its trials in order.
type Outcomes []Outcome

// String is the strip, for instance PPFXE.
func (o Outcomes) String() string { return string(o.Append(make([]byte, 0, len(o)))) }

// Append appends the strip.
func (o Outcomes) Append(b []byte) []byte {
	for _, c := range o {
		b = append(b, byte(c))
	}
	return b
}

// Given is the status a trial came with, before anything was decided: the
// letters of Passed, Failed, Errored and Skipped, or Undecided.
type Given byte

// Undecided marks a trial that came with a score or a category and no status.
const Undecided Given = '?'

// GivenOf is the letter of the status a trial came with.
func GivenOf(s Status) Given {
	switch s {
	case Pass:
		return Given(Passed)
	case Fail:
		return Given(Failed)
	case Error:
		return Given(Errored)
	case Skip:
		return Given(Skipped)
	}
	return Undecided
}

// Status is the status in words, "" when undecided.
func (g Given) Status() Status { return Outcome(g).Status() }
