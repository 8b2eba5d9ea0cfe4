// Package jsonwalk goes through JSON texts of any size, a record at a time.
//
// It exists because the files of most runners are one JSON document with an
// array of trials somewhere inside, or a JSON object a line, and because they
// are large, cut off, hand-edited and sometimes no strict JSON: Python writes
// NaN. Memory is bounded by one record, what is wrong in one record is a problem
// at its place and reading goes on behind it, and a field of another type than
// expected is told and left out, never read as 0.
//
//	                  a document   an object a line
//	looked at         Document     Lines             for what hand and Python write
//	decoded           Strict       StrictLines       for reports of test runners
//	told by its head  Keys         FirstLineKeys     for Sniff
//
// What is looked at is handed out as a Value, in which a reader looks for what
// it knows. What is decoded goes into Go types, by encoding/json where it is not as
// usual, and a document that is no JSON is read no further. A line that is no object is
// noise and counted, whichever way; a broken one is a problem, and reading goes on behind
// it.
//
// It knows no format: which keys there are and what they mean is the business
// of the readers. It leaves out XML, lines of text, archives, and the faster
// ways of packages native and gotest for lines in their usual shape.
package jsonwalk

const (
	// MaxRecord is the longest record that is read. Longer ones are skipped whole
	// and named.
	MaxRecord = 64 << 20
	// maxDepth bounds the open brackets that are remembered, as in encoding/json.
	maxDepth = 10000
	// maxMembers is how many members of one record are looked at.
	maxMembers = 1 << 20
	// headSize is how much Head looks at, and how much is read at once.
	headSize = 64 << 10
	// maxFaults is how many fields of one record are named that could not be read.
	maxFaults = 5
)
