package driver

import (
	"strings"

	"tribunal/envelope"
	"tribunal/run/process"
	"tribunal/run/runner"
)

// unreported is the trial of a test that was asked for and is in no output.
func (d *drive) unreported(exit envelope.Trial, end process.End, stderr string) envelope.Trial {
	missing := d.missing(end, stderr)
	switch {
	case exit.ErrorClass == envelope.ClassInfrastructure || exit.ErrorClass == envelope.ClassTimeout:
		missing.ErrorClass = exit.ErrorClass
	case d.run.Plan.Form == runner.Each && died(exit, end) != "": // of several tests nobody knows which it was
		exit.ErrorClass, exit.Message = bySignal+died(exit, end), missing.Message
		return exit
	}
	return missing
}

// died is the signal by which the command of a trial that failed died, or the program that
// its shell ran; "" where it ended by itself.
func died(exit envelope.Trial, end process.End) string {
	switch {
	case exit.ErrorClass == bySignal+end.Signal:
		return end.Signal
	case exit.Status == envelope.Fail && exit.ErrorClass == "":
		return ofShell[end.Code]
	}
	return ""
}

// failedBy is what the end of a command says of trials that its output does not tell
// of, nil where it ended well.
func failedBy(exit envelope.Trial, end process.End, stderr string) *envelope.Trial {
	if !broke(&exit) {
		return nil
	}
	exit.Message = inWords(end) + behindColon(lastLine(stderr))
	return &exit
}

// noteLimit is how much of an output becomes part of a note.
const noteLimit = 800

const unreported = "asked for, not reported: "

// missing is a trial that was asked for and is in no output.
func (d *drive) missing(end process.End, stderr string) envelope.Trial {
	t := envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassPreValidation, StartedAt: end.Started,
		Message: unreported + inWords(end) + behind(tail(stderr, messageLimit))}
	switch end.Why {
	case process.Timeout:
		t.ErrorClass = envelope.ClassTimeout
	case process.OutputLimit:
		t.ErrorClass = classOutput
	case process.Exited, process.Stopped:
	}
	return t
}

// toldNothing reports a start that the infrastructure broke before it told of any test.
func (t *report) toldNothing() bool {
	return len(t.trials) == 0 && t.missing.ErrorClass == envelope.ClassInfrastructure
}

// messageOf is the message of a trial that an exit code tells: the end of what it
// wrote, to standard error if it wrote there. Where it wrote too much, that is the message.
func messageOf(stdout, stderr string, end process.End) string {
	if end.Why == process.OutputLimit {
		return inWords(end)
	}
	for _, text := range []string{stderr, stdout} {
		if text = strings.TrimSpace(text); text != "" {
			return tail(text, messageLimit)
		}
	}
	return inWords(end)
}

// tail is the end of a text, from the beginning of a line where there is one.
func tail(s string, limit int) string {
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	if _, rest, found := strings.Cut(s, "\n"); found && rest != "" {
		s = rest
	}
	return strings.ToValidUTF8(s, "")
}
