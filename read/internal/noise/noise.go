// Package noise notes what an input has besides its records: lines that are no records, and text in front of records
// in their lines. A report of another format in them is an error, because its failures would be lost.
package noise

import (
	"bytes"
	"cmp"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/words"
)

// Detect names the format of a report by its first bytes. Package read sets it.
var Detect = func(head []byte) (format string, is bool) { return "", false }

// Noise is that of one input.
type Noise struct {
	// Record is the beginning of a record: a report of its format is no other report.
	Record        []byte
	lines, before noted
	text          []byte // the last lines that are no records
	starts        []start
	looked        int            // lines at which Detect looked
	alike         map[string]int // such lines by their first bytes
	format        string
	line          int // where a report of that format begins
}

// noted is how many texts there were, and which of them came first.
type noted struct {
	count, line int
	first       string
}

// start is where a line is in Noise.text that may begin a report.
type start struct{ at, line int }

// Limits of what is looked at for reports of other formats.
const (
	keep      = 64 << 10 // bytes of lines
	headSize  = 8 << 10  // bytes that usually identify a format
	most      = 10_000   // lines
	mostAlike = 1_000    // lines whose first bytes differ in digits only, such as those of a log
)

// begins matches a line that may be the first of a report.
var begins = regex.Of(`^(\{|<|\[\s*([\[{"]|$)|##teamcity|TAP version|1\.\.\d|(not )?ok\b|timeStamp)`)

var digits = regex.Of(`\d`)

// Add counts a line that is no record. Blank ones are nothing.
func (n *Noise) Add(text []byte, line int) {
	if text = bytes.TrimSpace(text); len(text) > 0 {
		n.lines.add(text, line)
		n.Look(text, line)
	}
}

// Look only looks for a report of another format, for inputs in which other text is expected.
func (n *Noise) Look(text []byte, line int) {
	if n.format != "" || n.looked == most || len(text) == 0 {
		return
	}
	if len(n.text) > keep {
		n.detect()
	}
	if begins().Match(text) {
		n.starts = append(n.starts, start{len(n.text), line})
	}
	n.text = append(append(n.text, text[:min(len(text), headSize)]...), '\n')
}

// detect looks for a report in the text and forgets the text.
func (n *Noise) detect() {
	own, _ := Detect(n.Record)
	for _, s := range n.starts {
		head := n.text[s.at:min(s.at+headSize, len(n.text))]
		if line, _, _ := bytes.Cut(head, []byte("\n")); head[0] == '{' && bytes.HasSuffix(line, []byte("}")) {
			head = line // a whole record says its format
		}
		alike := string(digits().ReplaceAll(head[:min(len(head), 48)], nil))
		if n.looked == most || n.alike[alike] == mostAlike {
			continue
		}
		n.looked++
		each.Put(&n.alike, alike, n.alike[alike]+1)
		if format, is := Detect(head); is && format != own {
			n.format, n.line = format, s.line
			break
		}
	}
	n.text, n.starts = n.text[:0], n.starts[:0]
}

// Before counts text in front of a record in its line.
func (n *Noise) Before(text []byte, line int) { n.before.add(text, line) }

func (n *noted) add(text []byte, line int) {
	if n.count++; n.count == 1 {
		n.line, n.first = line, words.Quote(text, 60)
	}
}

// Follow adds the noise of the next part of an input, which has so many lines before it.
func (n *Noise) Follow(next *Noise, before int) {
	n.lines.follow(next.lines, before)
	n.before.follow(next.before, before)
	if n.format == "" && (next.format != "" || len(n.text) > keep) {
		n.detect()
	}
	if n.format != "" {
		return
	} else if next.format != "" {
		n.format, n.line = next.format, before+next.line
	}
	for _, s := range next.starts {
		n.starts = append(n.starts, start{len(n.text) + s.at, before + s.line})
	}
	n.text = append(n.text, next.text...)
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
	n.before.report(to, envelope.SeverityWarning, envelope.CodeNoise, "record after other text on a line is counted",
		"records after other text on a line are counted")
	n.lines.report(to, severity, code, "line is not a record and is skipped", "lines are not records and are skipped")
	n.ReportForeign(to)
}

// ReportForeign tells the report of another format, if there is one.
func (n *Noise) ReportForeign(to envelope.Sink) {
	if n.detect(); n.format != "" {
		to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: n.line, Column: 1,
			Message: "a report of the format " + n.format + " begins here and is not counted; " + cmp.Or(
				words.If(n.line == 1, "leave out --from, and Tribunal detects the format"), "write each report to a file of its own, and name both")})
	}
}

func (n *noted) report(to envelope.Sink, severity envelope.Severity, code, one, many string) {
	if n.count > 0 {
		to.Problem(envelope.Problem{Severity: severity, Code: code, Line: n.line, Column: 1, Count: n.count,
			Message: words.Plural(n.count, one, many) + words.If(n.count > 1, ", the first") + ": " + n.first})
	}
}
