package native

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
)

// CodeType marks records of a type nobody knows, which are passed over.
const CodeType = "unknown-types"

// notes are what is told once for the whole input.
type notes struct {
	noiseLines int
	noiseFirst int
	noiseText  string
	unknown    tally // names of fields
	types      tally // types of records
}

// noise counts a line that is no record. Blank lines are nothing.
func (n *notes) noise(line int, text []byte) {
	if len(text) == 0 {
		return
	}
	if n.noiseLines == 0 {
		n.noiseFirst, n.noiseText = line, quoted(inPlace(text))
	}
	n.noiseLines++
}

func (n *notes) report(to envelope.Sink) {
	if n.noiseLines > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Line: n.noiseFirst, Column: 1, Count: n.noiseLines,
			Message: plural(n.noiseLines, "line is", "lines are") + " no record and passed over, the first of them: " + n.noiseText})
	}
	n.unknown.report(to, envelope.CodeUnknown, "fields without a meaning here are ignored")
	n.types.report(to, CodeType, "records of other types are passed over")
}

// tally counts names. It remembers a bounded number of them.
type tally struct {
	counts map[string]*int
	others int // meetings with names that are not remembered
	total  int
	first  int // the line of the first
}

const (
	remembered = 1000 // names that are counted one by one
	listed     = 20   // names that are told
)

func (t *tally) add(name string, line int) {
	if t.total == 0 {
		t.first, t.counts = line, map[string]*int{}
	}
	t.total++
	if n, ok := t.counts[name]; ok {
		*n++
		return
	}
	name = shorten(name)
	n, ok := t.counts[name]
	switch {
	case ok: // a long name, known by its head
		*n++
	case len(t.counts) < remembered:
		t.counts[name] = new(int)
		*t.counts[name]++
	default:
		t.others++
	}
}

func (t *tally) report(to envelope.Sink, code, what string) {
	if t.total == 0 {
		return
	}
	to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: code, Line: t.first, Count: t.total, Message: what + ": " + t.list()})
}

// list is the names in order, with how often each was met.
func (t *tally) list() string {
	all := make([]string, 0, len(t.counts))
	for name := range t.counts {
		all = append(all, name)
	}
	slices.Sort(all)
	var parts []string
	for _, name := range all[:min(len(all), listed)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", quoted(name), *t.counts[name]))
	}
	if more := len(all) - listed; more > 0 {
		parts = append(parts, "and "+plural(more, "more name", "more names"))
	}
	if t.others > 0 {
		parts = append(parts, "and others")
	}
	return strings.Join(parts, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
