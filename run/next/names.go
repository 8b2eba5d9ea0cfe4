package next

import (
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// runPrefix begins the names of runs that are made here; numbers are compared as
// such, so that next-2 stands before next-10.
const runPrefix = "next-"

// behind is a name of a run that sorts behind those of all trials, the same for the
// same trials.
func behind(run *envelope.Run) string {
	last := ""
	see := func(name string) {
		if envelope.CompareNames(name, last) > 0 {
			last = name
		}
	}
	for i := range run.Tests {
		rows := run.Tests[i].Rows
		if !rows.Run().Used() {
			continue
		}
		for row := range rows.Len() {
			see(rows.Run().At(row))
		}
	}
	at := strings.LastIndex(last, runPrefix)
	if at >= 0 {
		if n, err := strconv.Atoi(last[at+len(runPrefix):]); err == nil && n >= 0 {
			return last[:at+len(runPrefix)] + strconv.Itoa(n+1)
		}
	}
	name := runPrefix + "1"
	if last != "" && envelope.CompareNames(name, last) < 0 {
		return last + "+" + name
	}
	return name
}

// isPlan reports the name of a run that was made here.
func isPlan(run string) bool {
	at := strings.LastIndex(run, runPrefix)
	if at < 0 {
		return false
	}
	_, err := strconv.Atoi(run[at+len(runPrefix):])
	return err == nil
}

func sortByKey(all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int { return a.Key.Compare(b.Key) })
}
