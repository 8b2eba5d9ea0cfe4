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
)

// Options of the format: there are none.
type Options struct{}

// Write writes the envelope as one line. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	_, err := io.WriteString(w, line(e))
	return err
}

// line is for instance
//
//	12 tests: 8 passed, 2 failed, 1 skipped, 1 inconclusive; 3 flaky; 27 of 38 trials passed; FAIL, exit 1
//
// Passed and failed are always told, the others when there are any; trials are
// those that count.
func line(e *envelope.Envelope) string {
	s := &e.Summary
	out := fmt.Sprintf("%s: %d passed, %d failed", plural(s.Tests, "test"), s.Pass, s.Fail)
	if s.Error > 0 {
		out += ", " + plural(s.Error, "error")
	}
	if s.Skip > 0 {
		out += fmt.Sprintf(", %d skipped", s.Skip)
	}
	if s.Inconclusive > 0 {
		out += fmt.Sprintf(", %d inconclusive", s.Inconclusive)
	}
	if s.Flaky > 0 {
		out += fmt.Sprintf("; %d flaky", s.Flaky)
	}
	if words := s.QuarantineWords(); words != "" {
		out += "; " + words
	}
	if n := s.Trials.Counted; n > 0 {
		out += fmt.Sprintf("; %d of %s passed", s.Trials.Passed, plural(n, "trial"))
	}
	return out + fmt.Sprintf("; %s, exit %d\n", gate(e.Gate.Status), e.Gate.ExitCode)
}

// gate is the word for the gate; a status that is not known is an error.
func gate(s envelope.Status) string {
	switch s {
	case envelope.Pass:
		return "PASS"
	case envelope.Fail:
		return "FAIL"
	case envelope.Inconclusive:
		return "INCONC"
	case envelope.Skip:
		return "SKIP"
	}
	return "ERROR"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
