package driver

import (
	"fmt"
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/journal"
)

// leave counts the processes that outlived a start and were ended. Those of a start
// of several tests are nobody's in particular.
func (d *drive) leave(s *start, processes int) {
	var key envelope.Key
	if len(s.keys) == 1 {
		key = s.keys[0]
	}
	if processes > 0 && !d.run.LeaveBehind {
		d.behind[key] += processes
	}
}

// notes are what the reports of the run must say that its trials do not.
func (d *drive) notes() (lines []journal.Line) {
	for _, key := range slices.SortedFunc(maps.Keys(d.behind), envelope.Key.Compare) {
		whose := "trials of " + key.String()
		if key.Test == "" {
			whose = "starts of several tests"
		}
		n := d.behind[key]
		lines = append(lines, journal.Note{Code: envelope.CodeLeftBehind, Key: key, Count: n,
			Message: words.Plural(n, "process outlived", "processes outlived") + " " + whose + " and had to be ended; leave_behind: true spares them"})
	}
	if line, unknown := d.costs(); unknown {
		lines = append(lines, line)
	}
	return lines
}

// costs says of a cost limit that trials did not say what they cost, so that it did
// not hold for them.
func (d *drive) costs() (line journal.Note, unknown bool) {
	limits := d.run.Plan.Limits
	ended, told := d.scheduler.Costs()
	if told == ended || !limits.MaxCostUSD.OK && !limits.MaxCostPerTestUSD.OK {
		return line, false
	}
	line = journal.Note{Code: envelope.CodeCostUnknown, Count: ended - told,
		Message: fmt.Sprintf("%d of %s did not say what they cost: no cost limit held for them, and all of them were run", ended-told, words.Plural(ended, "trial", "trials"))}
	return line, true
}
