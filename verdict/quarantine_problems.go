package verdict

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// problems are one warning for each thing that is wrong with the entries.
func (w *quarantineMatch) problems(within int, over []string) []envelope.Problem {
	var found []envelope.Problem
	say := func(code, format string, args ...any) {
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Stage: envelope.StageJudge, Message: fmt.Sprintf(format, args...)})
	}
	var expired, unmatched []string
	for i, q := range w.policy.Quarantine {
		switch {
		case w.expired[i]:
			expired = append(expired, fmt.Sprintf("%s on %s%s", q.Match, q.Expires, noteWords(q)))
		case !w.used[i]:
			unmatched = append(unmatched, q.Match+noteWords(q))
		}
	}
	if n := len(expired); n > 0 {
		say(envelope.CodeQuarantineExpired, "%s, so that failures count again: %s; fix the tests, or give a new date",
			words.Plural(n, "quarantine entry has expired", "quarantine entries have expired"), fewOf(expired))
	}
	if n := len(unmatched); n > 0 {
		say(envelope.CodeQuarantineUnmatched, "%s no test: %s", words.Plural(n, "quarantine entry matches", "quarantine entries match"), fewOf(unmatched))
	}
	if n := len(over); n > 0 {
		say(envelope.CodeQuarantineCap, "%d tests are in quarantine, more than its cap of %d; the failures of %s count: %s; fix some, or raise the cap",
			within+n, w.policy.QuarantineCap.V, words.Plural(n, "test", "tests"), fewOf(over))
	}
	if !w.dated && len(w.quarantined) > 0 {
		say(envelope.CodeQuarantineUndated, "the quarantine excuses nothing, because the run has no start; give started_at (RFC 3339) in the header or on the trials")
	}
	return found
}

// fewOf names the first of a list.
func fewOf(names []string) string {
	s := strings.Join(names[:min(namedUnused, len(names))], ", ")
	if more := len(names) - namedUnused; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
