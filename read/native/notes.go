package native

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
)

// codeType marks records of a type nobody knows, which are passed over.
const codeType = "unknown-types"

// notes are what is told once for the whole input, or once for a block and then
// put together.
type notes struct {
	noise        jsonwalk.Noise
	unknown      tally // names of fields
	hashes       tally // fields that a journal has
	types        tally // types of records
	journal      milestones
	redrawn      int // attempts that a journal starts again
	redrawnFirst int
	noticed      []noticed
	last         tail
}

// take adds the notes of the next block, which has so many lines before it.
func (n *notes) take(from *notes, before int) {
	n.noise.Follow(from.noise, before)
	if n.redrawn == 0 && from.redrawn > 0 {
		n.redrawnFirst = before + from.redrawnFirst
	}
	n.redrawn += from.redrawn
	n.unknown.take(&from.unknown, before)
	n.hashes.take(&from.hashes, before)
	n.types.take(&from.types, before)
	for _, at := range from.journal {
		at.line += before
		n.journal.add(at)
	}
	for _, at := range from.noticed {
		at.Problem.Line += before
		n.noticed = append(n.noticed, at)
	}
	if from.last.text != nil {
		n.last = tail{line: before + from.last.line, text: from.last.text}
	}
}

func (n *notes) report(to envelope.Sink) {
	if len(n.journal) > 0 { // in which nobody prints: it was a record
		n.noise.ReportAs(to, envelope.SeverityError, envelope.CodeMalformed)
	} else {
		n.noise.Report(to)
	}
	if !n.journal.any() {
		n.unknown.take(&n.hashes, 0)
	}
	n.unknown.known = names[:]
	n.unknown.report(to, envelope.CodeUnknown, "unknown fields are ignored")
	n.journal.report(to)
	n.reportNoticed(to)
	if n.redrawn > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRedrawn, Line: n.redrawnFirst, Count: n.redrawn,
			Message: words.Plural(n.redrawn, "attempt was", "attempts were") + " started again after being cut off: long trials are cut off more often than short ones, so those that count may be the shorter ones"})
	}
	n.types.report(to, codeType, "records of other types are skipped")
}

// tally counts names: all of a block, a bounded number of all that are taken
// together.
type tally struct {
	counts map[string]*int
	names  []string // in the order they were met
	others int      // meetings with names that are not remembered
	total  int
	first  int      // the line of the first
	known  []string // names that have a meaning
}

const (
	remembered = 1000 // names that are counted one by one
	listed     = 20   // names that are told
)

func (t *tally) add(name string, line int) {
	if t.total == 0 {
		t.first = line
	}
	t.total++
	if n, ok := t.counts[name]; ok {
		*n++
		return
	}
	t.meet(shorten(name), 1)
}

// meet counts a name that is not too long to be remembered.
func (t *tally) meet(name string, times int) {
	if n, ok := t.counts[name]; ok {
		*n += times
		return
	}
	if t.counts == nil {
		t.counts = map[string]*int{}
	}
	t.counts[name] = &times
	t.names = append(t.names, name)
}

// take adds the names of the next block in the order they were met there, as
// far as they can be remembered.
func (t *tally) take(from *tally, before int) {
	if t.total == 0 && from.total > 0 {
		t.first = before + from.first
	}
	t.total += from.total
	for _, name := range from.names {
		times := *from.counts[name]
		if _, known := t.counts[name]; known || len(t.counts) < remembered {
			t.meet(name, times)
		} else {
			t.others += times
		}
	}
}

func (t *tally) report(to envelope.Sink, code, what string) {
	if t.total == 0 {
		return
	}
	to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: code, Line: t.first, Count: t.total, Message: what + ": " + t.list()})
}

// meant is the known name that a name may be a slip of.
func (t *tally) meant(name string) string {
	if near := suggest.Near(name, t.known); len(near) > 0 && near[0] != name {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// list is the names in order, with how often each was met.
func (t *tally) list() string {
	all := slices.Sorted(slices.Values(t.names))
	var parts []string
	for _, name := range all[:min(len(all), listed)] {
		parts = append(parts, fmt.Sprintf("%s (%d%s)", quoted(name), *t.counts[name], t.meant(name)))
	}
	if more := len(all) - listed; more > 0 {
		parts = append(parts, "and "+words.Plural(more, "more name", "more names"))
	}
	if t.others > 0 {
		parts = append(parts, "and others")
	}
	return strings.Join(parts, ", ")
}
