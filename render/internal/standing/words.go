// Package standing has what all plain formats share about how a run ended: the
// mark of a status, the group of a test, the counts of the tests in words.
//
// It exists so that a pull request, a log and a language model read the same
// line, and a new status gets its word once. It leaves out everything a format
// says its own way: colours, escapes, thousands, percentages.
package standing

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Mark is the word for a status; one that is not known is an error.
func Mark(s envelope.Status) string {
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

// Counts is how the tests of a run ended, without a word from a test: passed and
// failed are always told, the others when there are any.
func Counts(s *envelope.Summary) string {
	line := fmt.Sprintf("%d passed, %d failed", s.Pass, s.Fail)
	if s.Error > 0 {
		line += ", " + words.Plural(s.Error, "error", "errors")
	}
	if s.Skip > 0 {
		line += fmt.Sprintf(", %d skipped", s.Skip)
	}
	if s.Inconclusive > 0 {
		line += fmt.Sprintf(", %d inconclusive", s.Inconclusive)
	}
	if s.Flaky > 0 {
		line += fmt.Sprintf("; %d of them flaky", s.Flaky)
	}
	if quarantined := s.QuarantineWords(); quarantined != "" {
		line += "; " + quarantined
	}
	return line
}
