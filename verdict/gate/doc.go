// Package gate turns the verdicts and problems of a run into an exit code and the
// line that says why.
//
// It exists so that what fails a build is decided in one place: the exit codes,
// which problems of the input count under which policy, the conditions that a
// policy puts on the run or on each test, and the words of the gate line. A
// condition is an expression over dot paths: it sees the envelope and nothing else,
// and nothing in it repeats.
//
// It leaves out how tests come to their status (packages verdict and rule) and
// printing.
package gate
