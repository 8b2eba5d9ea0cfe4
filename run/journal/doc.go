// Package journal keeps a run that starts its trials itself: a file to which every
// start and every end is added before anything depends on it, so that a run that
// died goes on where it was, and nothing that was complete runs again.
//
// # The file
//
// DIR/journal.ndjson is a trial stream (tribunal/trials/v1) at every moment: the
// run (Header), its tests (Tests), then as they happen Start, Held, Trial, Beyond,
// Cut, Ended and Resume, and at last End. A line is written with one call and only
// ever behind the others. DIR/out holds what is kept of outputs, DIR/raw what trials
// write while they run, DIR/torn what a crash left of a line.
//
// # Writing
//
// Append writes lines; Sync returns when all that were appended before it are
// safe on the disk, and shares that with whoever waits for the same; Commit is
// both. Of a full disk and of any other failure every later call tells as well:
// behind a line that is not there, no other is written.
//
// # What others do to it
//
// A trial can truncate, edit or remove the file. So a copy without a name holds what was
// written: Damage compares, Restore writes the file again, and reports are made of Seen.
// Each line ends with a running hash, so that an edit after the run shows as well.
//
// # Going on
//
// Open takes the lock of a journal, which one process has at a time, and cuts off
// what is not a whole line: to write behind it would lose the next line, too. Check
// compares what the run was begun with, Replay tells the lines again in their order.
//
// This package leaves out what the lines mean, which is the business of package
// runner, and counting and judging, for which a journal is read like any other
// input.
package journal
