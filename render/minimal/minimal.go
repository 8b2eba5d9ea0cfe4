// Package minimal writes an envelope as one line: how many tests there are, what
// became of them, and how the build ends.
//
// It exists for scripts, status lines and chat messages, where one line is all
// there is room for. It has numbers and our own words alone, nothing that a test
// wrote, so there is nothing in it to escape. It leaves out everything else.
package minimal

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Write writes the envelope as one line. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	_, err := io.WriteString(w, line(e))
	return err
}

// line is for instance
//
//	12 tests: 8 passed, 2 failed, 1 skipped, 1 inconclusive; 3 flaky; 27 of 38 trials passed; FAIL, exit 1
//
// Passed and failed are always shown, the others when there are any; trials are
// those that count.
func line(e *envelope.Envelope) string {
	s := &e.Summary
	out := fmt.Sprintf("%s: %s", words.Plural(s.Tests, "test", "tests"), standing.Counts(e))
	if n := s.Trials.Counted; n > 0 {
		out += "; " + words.Of(s.Trials.Passed, n, "trial", "trials") + " passed"
	}
	out += words.Around("; ", standing.GatesUnheld(&e.Gate)) + fmt.Sprintf("; %s, exit %d", standing.Word(e), e.Gate.ExitCode)
	out += words.Around(", ", standing.GateWords(e))
	return out + "\n"
}
