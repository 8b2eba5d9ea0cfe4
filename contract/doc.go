// Package contract holds the tests over all tables at once: every format of the
// golden envelopes, every report against an independent parser, every document
// against the program that prints it, the numbers against references from
// outside, and the imports against the rooms that they may enter.
//
// It exists because a table promises something for all of its rows, and a test
// that stands beside one row cannot hold that promise. It leaves out what belongs
// to one format, one rule or one metric: that is tested in its own folder.
package contract
