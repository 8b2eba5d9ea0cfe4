// Package envelope holds the canonical types of Tribunal: the Trial a reader
// yields and the Sink that takes it, the Run that is the result of counting, and
// the Envelope that is the result of judging a Run.
//
// It exists so that there is exactly one type on each side of every door:
// readers turn bytes into Trials, renderers turn an *Envelope into bytes, and
// neither knows the other. It leaves out counting (order, duplicates, conflicts,
// merging), which is package count, bytes, which are package wire, judging, by which
// package verdict turns a Run into an Envelope, and statistics, which live in
// packages stats and reliability. What is left of JSON here are the methods of
// types that hide how they are kept: Opt, Column, Words and Rows.
//
// The package knows no other package of the program but those of internal/, and
// never looks at a clock, an environment variable, a terminal or a path: the same
// input gives the same bytes everywhere.
//
// Absent is not zero. A number that a trial does not report is an absent Opt
// or an absent cell of a Column, and stays absent through every sum.
package envelope
