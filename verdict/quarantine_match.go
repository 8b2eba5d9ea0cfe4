package verdict

import (
	"strings"

	"tribunal/envelope"
)

// quarantineMatch is the quarantine of a run while its tests are judged.
type quarantineMatch struct {
	policy      envelope.Effective
	gated       bool // a gate is asked of each test
	globs       []*glob
	used        []bool
	early       []bool
	expired     []bool
	dated       bool
	quarantined []quarantined
}

// quarantined is a test and the entry that is for it.
type quarantined struct {
	test  *envelope.Test
	entry int
}

func noteWords(q envelope.Quarantine) string {
	var notes []string
	for _, n := range []struct{ name, text string }{{"owner ", q.Owner}, {"ticket ", q.Ticket}, {"", q.Reason}} {
		if n.text != "" {
			notes = append(notes, n.name+n.text)
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}
