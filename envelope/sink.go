package envelope

// Sink is where a reader puts what it finds in one input.
type Sink interface {
	// Trial counts a trial. The sink copies what it keeps.
	Trial(*Trial)
	// Header takes a header; policy may be nil.
	Header(h Header, policy *Policy)
	// Recorded takes a whole envelope that was read back.
	Recorded(*Recorded)
	// Problem reports something wrong; the sink fills in the input's name.
	Problem(Problem)
}

// Recorded is an envelope read back from its wire form: the counts, to be
// counted again, and what was derived from them when it was written.
type Recorded struct {
	Input    string // where it was read, filled in by the sink
	Run      *Run
	Envelope *Envelope
}
