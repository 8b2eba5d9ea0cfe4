// Package stream makes up streams of trials as real runners write them: tests
// that interleave, outputs from a line to many pages, UTF-8, escapes, colours,
// error classes, costs.
//
// It exists so that speed and growth are measured on the same bytes everywhere:
// the same options give the same stream on every machine. What the trials say
// means nothing. It leaves out hostile input, which belongs to the fuzz tests,
// but for broken lines in the number asked for.
package stream
