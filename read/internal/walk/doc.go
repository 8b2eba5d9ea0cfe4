// Package walk goes through JSON texts of any size, a record at a time.
//
// It exists because the files of most runners are one JSON document with an
// array of trials somewhere inside, or a JSON object a line, and because they
// are large, cut off, hand-edited and sometimes no strict JSON: Python writes
// NaN. Memory is bounded by one record, what is wrong in one record is a problem
// at its place and reading goes on behind it, and a field of another type than
// expected is told and left out, never read as 0.
//
// There are two ways to take a value. Document and Lines hand out a Value, in
// which a reader looks for what it knows: for files that hand and Python write.
// Strict decodes into Go types and stops at what is no JSON: for the reports of
// test runners, which other programs write.
//
// It knows no format: which keys there are and what they mean is the business
// of the readers. It leaves out XML, lines of text and archives.
package walk

const (
	// MaxRecord is the longest record that is read. Longer ones are skipped whole
	// and named.
	MaxRecord = 64 << 20
	// maxDepth bounds the open brackets that are remembered, as in encoding/json.
	maxDepth = 10000
	// maxMembers is how many members of one record are looked at.
	maxMembers = 1 << 20
	// maxLabels is how many labels a trial gets from members with free names.
	maxLabels = 64
	// headSize is how much Head looks at.
	headSize = 64 << 10
	// maxFaults is how many fields of one record are named that could not be read.
	maxFaults = 5
)
