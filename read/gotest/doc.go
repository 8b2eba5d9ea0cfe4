// Package gotest reads the events of go test -json, also as gotestsum collects
// them with --jsonfile.
//
// It exists because the stream has what no report made from it has: every run
// of every test in order (-count=N), reruns of failed tests, and tests that
// began and never ended. Readers made for one report drop what does not fit that
// report.
//
// Every test the stream names is a test, one with subtests as well: go test
// counts it, and it can fail by itself. Where it failed through a subtest its
// message says so. What a package says of itself alone (a failed build, a panic
// after the last test) is a trial of a test named [package]. A test that the
// stream does not end, of a package that failed, is one in which the process
// died: an error of class crash, which counts, and so are the tests that waited
// for it. Where the package passed its end was lost, and where the stream ends
// first nobody knows: these are infrastructure errors.
//
// It leaves out the frames of the output (=== RUN, --- FAIL), which the trials
// say already, and results of benchmarks, which are no verdicts.
package gotest
