package pytest

import (
	"fmt"

	"tribunal/envelope"
)

// The exit codes of pytest: docs.pytest.org/en/stable/reference/exit-codes.html.
const (
	exitOK          = 0
	exitInterrupted = 2
	exitInternal    = 3
	exitNoTests     = 5
)

// Ended takes the exit code of a session, when its trials were delivered. What a session
// says of itself that none of its trials does is an error of the run.
func (ts *Tests) Ended(code int) {
	switch {
	case code == exitOK:
	case code == exitNoTests && ts.attempts.Len() > 0: // of another session
	case code == exitNoTests:
		ts.to.Fail(envelope.ClassEmptyRun, "pytest collected no tests")
	case code == exitInterrupted && ts.broken:
		ts.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeInterrupted,
			Message: "pytest ran no test, because some could not be collected: what it did collect is missing"})
	case code == exitInterrupted:
		ts.to.Fail(envelope.ClassInfrastructure, "pytest was interrupted: later tests are missing")
	case code == exitInternal:
		ts.to.Fail(envelope.ClassInfrastructure, "pytest crashed with an internal error: later tests are missing")
	default:
		ts.to.Explain(fmt.Sprintf("pytest ended with exit code %d, and none of its tests failed; perhaps a plugin failed the run, such as a coverage limit", code))
	}
}
