// Package pytest makes trials of what pytest says of the phases of a test:
// setup, call and teardown.
//
// It exists because two plugins write reports in pytest's own words and leave
// the outcome of a test to the reader. It knows node ids and the suffixes of
// pytest-repeat. It leaves out the shape of each report.
package pytest

import (
	"cmp"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/wholerun"
)

// fileTest is the test that stands for a file that cannot be collected.
const fileTest = "[file]"

// Phases are the results of the phases of one run of a test so far.
type Phases struct {
	status          envelope.Status
	class, raw      string
	message, output string
}

// Phase is the result of one phase.
type Phase struct {
	When    string // setup, call or teardown, collect of a file; a crashed worker has another word
	Outcome string // passed, failed, skipped, rerun
	XFail   bool   // the test is marked to fail
	Message string
	Output  string // the traceback
}

// Add adds the result of a phase. The first failure decides, or else a skip.
func (s *Phases) Add(p Phase) {
	switch p.Outcome {
	case "failed", "rerun", "error":
		if s.status != envelope.Fail && s.status != envelope.Error {
			s.fail(p)
		}
	case "skipped":
		if s.status == "" || s.status == envelope.Pass {
			s.set(envelope.Skip, "skipped", p)
			if p.XFail {
				s.raw = "xfailed"
			}
		}
	case "passed":
		if s.status == "" && p.When == "call" {
			s.set(envelope.Pass, "passed", p)
			if p.XFail {
				s.raw = "xpassed"
			}
		}
	default:
		if s.status != envelope.Fail {
			s.set(envelope.Error, p.Outcome, p)
		}
	}
}

func (s *Phases) set(status envelope.Status, raw string, p Phase) {
	s.status, s.raw, s.class = status, raw, ""
	s.message, s.output = failure.Reason(p.Message, 2), failure.Ends(p.Output)
}

// fail sets the outcome of a phase that failed. Only a test's own call fails it.
func (s *Phases) fail(p Phase) {
	switch p.When {
	case "call":
		s.set(envelope.Fail, p.Outcome, p)
	case "setup", "teardown": // fixtures are the suite's own
		s.set(envelope.Error, p.Outcome, p)
	case "collect":
		s.set(envelope.Error, p.Outcome, p)
		s.class = envelope.ClassPreValidation
	default: // "???": the worker of pytest-xdist crashed in the test
		s.set(envelope.Error, p.Outcome, p)
		s.class = envelope.ClassCrash
	}
	if strings.HasPrefix(s.message, "Failed: Timeout") { // pytest-timeout
		s.class = envelope.ClassTimeout
	}
}

// Fill sets what the phases say of a trial. One without a call is one whose
// process died, or that only was set up.
func (s *Phases) Fill(t *envelope.Trial) {
	if s.status == "" {
		s.status, s.class, s.message = envelope.Error, envelope.ClassInfrastructure, "the test was set up and never ran"
	}
	t.Status, t.ErrorClass = s.status, s.class
	if s.raw != string(s.status) {
		t.RawStatus = s.raw
	}
	t.Output = s.output
	if s.status != envelope.Pass {
		t.Message = cmp.Or(s.message, failure.Reason(s.output, 1))
	}
	if t.Message == "" && (s.status == envelope.Fail || s.status == envelope.Error) {
		t.Message = "failed without a message"
	}
}

// Split splits a node id into file and test. A file alone is fileTest.
func Split(nodeID string) (file, test string) {
	file, test, _ = strings.Cut(nodeID, "::")
	if test == "" {
		test = fileTest
	}
	if file == "" && test == fileTest {
		test = wholerun.Test
	}
	return file, test
}
