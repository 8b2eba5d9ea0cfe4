// Package envelope holds the canonical types of Tribunal: the Trial a reader
// yields and the Sink that takes it, the Run that is the result of counting, and
// the Envelope that is the result of judging a Run.
//
// It exists so that there is exactly one type on each side of every door: readers turn bytes into
// Trials, renderers turn an *Envelope into bytes, and neither knows the other. It leaves out
// counting (order, duplicates, conflicts, merging), which is package count, bytes, which are
// package wire, judging, by which package verdict turns a Run into an Envelope, and statistics,
// which live in packages stats and reliability. What is left of JSON here are the methods of types
// that hide how they are kept: Opt, Column, Words and Rows.
//
// The package knows no other package of the program but those of internal/, and
// never looks at a clock, an environment variable, a terminal or a path: the same
// input gives the same bytes everywhere.
//
// Absent is not zero. A number that a trial does not report is an absent Opt
// or an absent cell of a Column, and stays absent through every sum.
package envelope

// Sink is where a reader puts what it finds in one input.
type Sink interface {
	// Trial counts a trial. The sink copies what it keeps.
	Trial(*Trial)
	// Header takes a header; policy may be nil.
	Header(h Header, policy *Carried)
	// Recorded takes a whole envelope that was read back.
	Recorded(*Recorded)
	// Problem reports something wrong; the sink fills in the input's name.
	Problem(Problem)
}

// Journal is a Sink that also takes what the journal of a run says of its tests
// beside their trials. It holds for the run of the latest header.
type Journal interface {
	Sink
	// Listed takes a test that the run has, also one without a trial, and how many
	// of its trials count at most. Elsewhere is one that another shard runs.
	Listed(k Key, labels []Label, trials Opt[int64], elsewhere bool)
	// Ended takes how a test ended.
	Ended(k Key, how How)
	// Beyond takes a trial that ended when its test had ended, and what it cost.
	Beyond(k Key, attempt int32, costUSD Opt[float64])
	// SetUp takes what setting up the run took, once more for each time it was gone on with.
	SetUp(ms, costUSD Opt[float64])
	// Resumed takes back what a limit or a halt had ended.
	Resumed()
}

// Report is a Sink that also takes what a report of ours says of the tests of a run
// that started its trials.
type Report interface {
	Sink
	// Endings takes how a test ended in all its runs, also one without a trial.
	Endings(k Key, labels []Label, all []Ending)
}

// Recorded is an envelope read back from its wire form, to be counted again. Run is what is
// counted, if it is not the trials of the envelope.
type Recorded struct {
	Input    string  // where it was read, filled in by the sink
	Labels   []Label // given to its trials from outside, filled in by the sink
	Run      *Run
	Envelope *Envelope
}
