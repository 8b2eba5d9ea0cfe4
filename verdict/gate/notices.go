package gate

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// The words of the gate line.
const (
	nothingJudged  = "NOTHING JUDGED"
	nothingProved  = "NOTHING PROVED"
	nothingCanPass = "NOTHING CAN PASS"
	runUndecided   = "RUN INCONCLUSIVE"
	limitReached   = "LIMIT REACHED"
)

// notices are what the gate line says beside the status: that a gate which is not
// red is not green for any test that passed. They change no exit code by
// themselves.
func notices(env *envelope.Envelope, cannotPass, undecided string) []envelope.GateNotice {
	var out []envelope.GateNotice
	say := func(says, format string, args ...any) {
		out = append(out, envelope.GateNotice{Says: says, Why: fmt.Sprintf(format, args...)})
	}
	c := &env.Summary.Counts
	if c.Tests > 0 && c.Skip == c.Tests {
		say(nothingJudged, "%s", everyTest(c.Tests, "was skipped", "were skipped"))
	}
	if c.Pass == 0 && c.Inconclusive > 0 {
		say(nothingProved, "no test passed, and %s inconclusive", words.Plural(c.Inconclusive, "is", "are"))
	}
	if run, asked := whole(env); asked && run.Status == envelope.Inconclusive {
		say(runUndecided, "%s: %s", run.Expr, run.Saw)
	}
	if cannotPass != "" {
		say(nothingCanPass, "%s", cannotPass)
	}
	if undecided != "" {
		say(limitReached, "%s", undecided)
	}
	return out
}

func everyTest(n int, one, many string) string {
	if n == 1 {
		return "the only test " + one
	}
	return fmt.Sprintf("all %d tests %s", n, many)
}

// doubtfulNotices are those that are unusable input under a strict policy: whoever
// asks for strictness wants to know of a gate that holds nothing.
var doubtfulNotices = map[string]bool{nothingJudged: true, nothingCanPass: true, limitReached: true}
