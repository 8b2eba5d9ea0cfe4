package driver

import (
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
	return lines
}
