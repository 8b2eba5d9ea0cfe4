// Package driver runs trials: it starts the commands that package runner asks for,
// reads what they say as trials, and writes the journal before anything depends on
// it.
//
// It exists between three rooms that know nothing of each other: the scheduler,
// which decides and does nothing ([tribunal/runner]), the processes, which mean
// nothing ([tribunal/process]), and the journal ([tribunal/journal]). What is its
// own is what a command is (placeholders, environment, what runs around a trial)
// and what its end means (exit codes, formats, tests that were asked for and not
// reported).
//
// One goroutine holds the scheduler and writes the journal; each start has one
// that waits for its processes. A [Run] says what is run, [Drive] runs it, and a
// [Watch] sees it. Counting, verdicts and reports are made from the journal, by
// whoever reads one.
package driver
