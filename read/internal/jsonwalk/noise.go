package jsonwalk

import (
	"bytes"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
)

// Noise is what an input has beside its records: lines that are no objects, and what
// stands before records in their lines.
type Noise struct{ lines, before noted }

// noted is how many texts there were, and which of them came first.
type noted struct {
	count, line int
	first       string
}

// Add counts a line that is no record. Blank ones are nothing.
func (n *Noise) Add(text []byte, line int) {
	if text = bytes.TrimSpace(text); len(text) > 0 {
		n.lines.add(text, line)
	}
}

// Behind is the record in a line that does not begin like one: an object that is a record
// by one of the keys, behind the NULs of a crash, a timestamp, or text without a line end.
// The line is noise where there is none. Objects in other objects are no records.
func (n *Noise) Behind(line []byte, number int, keys ...string) (record []byte) {
	if at := recordIn(line, keys); at > 0 {
		n.before.add(line[:at], number)
		return line[at:]
	}
	n.Add(line, number)
	return nil
}

// recordIn is where that record begins, 0 where there is none.
func recordIn(line []byte, keys []string) int {
	const most = 16 // objects that are looked at: a line may be long
	for at, looked := 0, 0; looked < most; at++ {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			return 0
		}
		if at += next; !bytes.HasPrefix(bytes.TrimLeft(line[at+1:], " \t"), []byte(`"`)) {
			continue
		}
		looked++
		if found, _ := Keys(line[at:]); found.HasAny(keys...) {
			return at
		}
		if end := (&jsontext.Part{B: line}).Valid(at); end > at {
			at = end - 1
		}
	}
	return 0
}

func (n *noted) add(text []byte, line int) {
	if n.count++; n.count == 1 {
		n.line, n.first = line, quoted(text)
	}
}

// Follow adds the noise of the next part of an input, which has so many lines
// before it.
func (n *Noise) Follow(next Noise, before int) {
	n.lines.follow(next.lines, before)
	n.before.follow(next.before, before)
}

func (n *noted) follow(next noted, before int) {
	if n.count == 0 {
		n.line, n.first = next.line+before, next.first
	}
	n.count += next.count
}

// Report tells the noise, if there was any, as one warning of each kind.
func (n *Noise) Report(to envelope.Sink) {
	n.ReportAs(to, envelope.SeverityWarning, envelope.CodeNoise)
}

// ReportAs is Report for an input of which lines that are no records are more than noise.
func (n *Noise) ReportAs(to envelope.Sink, severity envelope.Severity, code string) {
	n.before.report(to, envelope.SeverityWarning, envelope.CodeNoise, "record is read although other bytes precede it", "records are read although other bytes precede them")
	n.lines.report(to, severity, code, "line is not a record and is skipped", "lines are not records and are skipped")
}

func (n *noted) report(to envelope.Sink, severity envelope.Severity, code, one, many string) {
	if n.count > 0 {
		to.Problem(envelope.Problem{Severity: severity, Code: code, Line: n.line, Column: 1, Count: n.count,
			Message: words.Plural(n.count, one, many) + ", the first of them: " + n.first})
	}
}

// quoted is the head of a text as a message shows it.
func quoted(text []byte) string { return words.Quote(text, 60) }
