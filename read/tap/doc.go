// Package tap reads the Test Anything Protocol, versions 13 and 14, and KTAP of Linux.
//
// It exists because TAP is what many runners write when nobody asks for more.
// The protocol has no identity but a description, no attempts and no times, so
// what is known beyond that comes from the dialects: subtests of node, perl and
// Vitest become suites, times and places come from YAML blocks and comments, and
// the same description again is another attempt.
//
// A comment over the points of tape, or of a runner that writes like it, is their suite. They
// are assertions: one that has a description again below it is numbered, and no attempt.
//
// A subtest counts through its children; its own point counts only when it failed
// and none of them did. Bail out! and a plan that was not kept become a trial of
// their own, of the class infrastructure: a stream that breaks off must not look
// like a run that passed. So do numbers that are not those of the plan: one that comes
// twice, or outside of it, and one out of order before version 14, which allows that.
//
// Where a version comes again, another stream begins: a loop over programs leaves several in
// one file, each with numbers and a plan of its own.
//
// A test marked TODO is skipped, ok or not: Vitest and node-tap write ok for one
// that never ran, and node counts one that did run apart from those that passed.
//
// Reports of package render/tap, told by their blocks or their last line, are read
// back with what they carry: identity, status, and for every test that neither
// passed nor was skipped a trial a letter. An inconclusive test is judged again by
// the rule and threshold it names. What a run had planned of a test and how it ended
// is read, so that one whose trials were not all started stays inconclusive, and so is
// what such a test does to the exit code (treat_as). The
// number of trials of a test that passed is lost.
//
// YAML blocks are read for the values that are needed, a line a value, because
// what runners write there is not always YAML.
package tap
