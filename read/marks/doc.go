// Package marks finds where the strings of JSON end.
//
// It exists because inputs are mostly long strings that nobody wants: what they
// cost is to find their end. Where escapes are many, what takes time is not to
// look at the bytes but to guess wrongly where the next one is; so all bytes of a
// block that may matter are marked at once, without guessing.
//
// It leaves out what strings say, and all JSON around them.
package marks
