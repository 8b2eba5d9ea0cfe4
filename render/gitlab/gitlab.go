// Package gitlab writes an envelope as a GitLab Code Quality report: a JSON
// array with an entry for every test that did not simply pass. GitLab compares
// the report of a merge request with that of its target branch and shows new
// entries and resolved ones.
//
//	fail          major      check_name tribunal/fail
//	error         critical   tribunal/error
//	inconclusive  info       tribunal/inconclusive, or nothing
//	flaky pass    minor      tribunal/flaky
//	excused       info       tribunal/quarantined: it did not pass, and is in quarantine
//	pass, skip    nothing
//
// GitLab knows an entry by its fingerprint alone. It is a hash of the test's key
// and its class in the table above, so that a worse verdict is a new entry, and
// a rate or a line that moved is the same one.
//
// A run that is broken gets one critical entry, tribunal/run: a report that is empty,
// or lacks what could not be read, would tell GitLab that all of it is resolved. A gate
// that does not hold is a major one, tribunal/gate.
//
// The package leaves out what GitLab ignores (content, other locations) and
// GitLab's metrics report, which is another format.
package gitlab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// Options of the format. The zero value lists inconclusive tests.
type Options struct {
	Inconclusive string // info or omit; "" is info
}

// The choices for inconclusive tests.
const (
	Info = "info"
	Omit = "omit"
)

// entry is one element of the array, in the order it is written.
type entry struct {
	Type        string   `json:"type"`
	CheckName   string   `json:"check_name"`
	Description string   `json:"description"`
	Categories  []string `json:"categories"`
	Severity    string   `json:"severity"`
	Fingerprint string   `json:"fingerprint"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
}

// Write writes the envelope as one JSON array. The error is that of the writer,
// or names an unknown option.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	switch o.Inconclusive {
	case "", Info, Omit:
	default:
		return fmt.Errorf("gitlab inconclusive %q: known are %s, %s", o.Inconclusive, Info, Omit)
	}
	list := array{out: bufio.NewWriterSize(w, 1<<16)}
	file := standing.PolicyFile(e)
	for i := range e.Tests {
		if c, listed := classOf(&e.Tests[i], o); listed {
			list.add(testEntry(&e.Tests[i], c, file))
		}
	}
	for _, n := range e.Gate.Notices {
		list.add(runEntry(class{"gate", "info"}, n.String(), n.Says))
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		list.add(runEntry(class{"gate", "major"}, says, "does not hold"))
	}
	if says := standing.Broken(e); says != "" {
		list.add(runEntry(class{"run", "critical"}, says))
	}
	return list.close()
}

// array writes elements one at a time, a line each.
type array struct {
	out *bufio.Writer // keeps the first error for Flush
	n   int
}

func (a *array) add(e entry) {
	start := ",\n "
	if a.n++; a.n == 1 {
		start = "[\n "
	}
	text, err := json.Marshal(e)
	if err != nil { // strings and integers always marshal
		return
	}
	a.out.WriteString(start)
	a.out.Write(text)
}

func (a *array) close() error {
	if a.n == 0 {
		a.out.WriteString("[]\n")
	} else {
		a.out.WriteString("\n]\n")
	}
	return a.out.Flush()
}
