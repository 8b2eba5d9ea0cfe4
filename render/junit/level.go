package junit

import (
	"fmt"

	"tribunal/envelope"
)

// The limits of GitLab, which refuses a file that goes over them and shows no
// test of it at all.
const (
	fileLimit = 30_000_000 // bytes; GitLab counts 30 MiB in characters
	caseLimit = 500_000
)

// part is something a testcase has beside its name and its verdict.
type part int

const (
	output     part = iota // system-out and flaky trials
	properties             // of the testcase
	outputs                // what trials printed
	bodies                 // evidence and trials below a message
)

// level is how much of each test is shown. Higher levels show less, the least
// telling first.
type level int

const (
	complete       level = iota
	quietPasses          // passes without system-out
	barePasses           // passes without properties as well
	withoutOutputs       // no properties, no printed output of trials
	bodiesOnly           // no system-out either
	bare                 // nothing but names and messages
)

var levelNotes = map[level]string{
	quietPasses:    "system-out of passing tests",
	barePasses:     "system-out and properties of passing tests",
	withoutOutputs: "system-out of passing tests, properties of all tests, and the output of trials",
	bodiesOnly:     "system-out and properties of all tests, and the output of trials",
	bare:           "everything about a test but its name and message",
}

// shows reports whether the part of the test is written.
func (d *draft) shows(t *envelope.Test, p part) bool { return d.level.shows(t, p) }

func (l level) shows(t *envelope.Test, p part) bool {
	passed := t.Status == envelope.Pass
	switch p {
	case output:
		return l == complete || !passed && l < bodiesOnly
	case properties:
		return l < barePasses || !passed && l < withoutOutputs
	case outputs:
		return l < withoutOutputs
	}
	return l < bare
}

func (d *draft) leftOut(i int) bool { return d.left != nil && d.left[i] }

// vanished reports a suite of which no test is left. The first one stays: it
// has the facts of the run.
func (d *draft) vanished(i int) bool {
	s := &d.suites[i]
	if i == 0 {
		return false
	}
	for _, t := range s.tests {
		if !d.leftOut(t) {
			return false
		}
	}
	return len(s.tests) > 0 && len(s.notes) == 0
}

// cutNote says what was left out to keep the limits; "" when nothing was.
func (d *draft) cutNote() string {
	note := ""
	if d.level > complete {
		note = fmt.Sprintf("left out to keep this file under %d MB: %s", fileLimit/1_000_000, levelNotes[d.level])
	}
	left := 0
	for _, l := range d.left {
		if l {
			left++
		}
	}
	if left == 0 {
		return note
	}
	if note != "" {
		note += "; "
	}
	return note + fmt.Sprintf("%d of %d tests left out to keep this file under %d MB and %d testcases, passing tests first", left, len(d.left), fileLimit/1_000_000, caseLimit)
}
