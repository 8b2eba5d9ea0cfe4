package envelope

import "tribunal/envelope/cause"

// Reason is why trials did not pass. Trials with the same masked text share it.
type Reason struct {
	Key   cause.Key `json:"key,omitempty"`   // of the message; "" without one
	Names []string  `json:"names,omitempty"` // what the reader names, sorted
	First string    `json:"first,omitempty"` // the smallest message, by bytes, that has the key
	Last  string    `json:"last,omitempty"`  // the largest, where it is another
}

// Largest is the largest message, by bytes, of the reason.
func (r *Reason) Largest() string {
	if r.Last == "" {
		return r.First
	}
	return r.Last
}

// Cause is one fault behind failing trials.
type Cause struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	By     string `json:"by"`     // how it was found: name, text, test or class
	Tests  int    `json:"tests"`  // in which trials failed for it
	Trials int    `json:"trials"` // that failed for it
	First  Place  `json:"first"`
}

// Place is a trial of a test.
type Place struct {
	Key
	Trial int    `json:"trial"` // its row, 0-based
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// OtherCauses are the causes that a summary does not list.
type OtherCauses struct {
	Causes int `json:"causes"`
	Trials int `json:"trials"` // a trial with several causes counts for each
}

// TestCause is a cause and the trials of a test that failed for it.
type TestCause struct {
	ID     string `json:"id"`
	Trials int    `json:"trials"`
}

// Kind says in one word what a reader wants to know of a test.
type Kind string

// The kinds of tests, in the order in which reports show them.
const (
	KindRegressed Kind = "regressed" // the history says that it got worse
	KindBroken    Kind = "broken"    // it failed, and no trial passed
	KindFlaky     Kind = "flaky"     // it failed, and some trials passed
	KindErrored   Kind = "errored"   // nothing could be counted
	KindUndecided Kind = "undecided" // it is inconclusive
	KindExcused   Kind = "excused"   // a quarantine excuses its failure
	KindUnstable  Kind = "unstable"  // it passed although trials failed
	KindSkipped   Kind = "skipped"
	KindPassed    Kind = "passed"
)

// Kinds lists the kinds in the order in which reports show them.
var Kinds = []Kind{KindRegressed, KindBroken, KindFlaky, KindErrored, KindUndecided, KindExcused, KindUnstable, KindSkipped, KindPassed}
