// Package ansi turns a terminal's colours into runs of text with CSS classes.
//
// It exists because the logs of agents and test runners are coloured for a
// terminal, and a reviewer reads them faster with what was red still red. It
// knows SGR (ECMA-48 8.3.117, and the colours of 256 and of 24 bits that
// ISO 8613-6 and xterm added) and nothing else: every other sequence is removed
// or shown by package text, which also makes the text itself safe.
//
// Colours become the nearest of sixteen, because a page chooses those to be
// readable on its own ground, light or dark, and may not use style attributes.
// Concealed and blinking text is plain text: nothing a test wrote is hidden.
package ansi

import (
	"strings"
	"unicode/utf8"

	"tribunal/internal/text"
)

// Span is a run of text that looks the same. Class is "" for plain text and a
// list of class names otherwise: a0 to a15 for a colour of the text, g0 to g15
// for one of the ground, and bold, dim, italic, under, strike.
type Span struct{ Class, Text string }

// MaxSpans is how many runs a text may have. What comes behind them is plain,
// so that a log which changes colour at every letter stays a page of a size.
const MaxSpans = 400

// Spans returns s as safe text of any number of lines, in runs that look the
// same. Together they are what text.Block makes of s, but for commands of build
// servers that a colour parts in two: those are none any more.
func Spans(s string) []Span {
	var all runs
	var now style
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	for len(all) < MaxSpans {
		at, params, end := nextSGR(s)
		if at < 0 {
			break
		}
		all.add(now.class(), s[:at])
		now.set(params)
		s = s[end:]
	}
	if len(all) >= MaxSpans {
		now = style{}
	}
	all.add(now.class(), s)
	return all.spans()
}

// runs are spans in the making: the pieces of each, without sequences.
type runs []struct {
	class  string
	pieces []string
}

// add appends a run, or makes the last one longer when it looks the same. What
// is left when a sequence goes must not make another: so the piece is stripped
// before it stands beside another.
func (r *runs) add(class, raw string) {
	raw = text.Strip(raw)
	if raw == "" {
		return
	}
	last := len(*r) - 1
	if last < 0 || (*r)[last].class != class {
		*r = append(*r, struct {
			class  string
			pieces []string
		}{class: class})
		last++
	}
	(*r)[last].pieces = append((*r)[last].pieces, raw)
}

// spans makes each run safe to show. One that does not start its line is told
// so by a letter in front, or its first :: would be taken for a command.
func (r runs) spans() []Span {
	out := make([]Span, len(r))
	start := true
	for i, run := range r {
		raw := strings.Join(run.pieces, "")
		if start {
			out[i] = Span{run.class, text.Block(raw)}
		} else {
			out[i] = Span{run.class, text.Block("x" + raw)[1:]}
		}
		line := raw[strings.LastIndexAny(raw, "\n\r")+1:]
		start = (start || len(line) < len(raw)) && strings.TrimSpace(line) == ""
	}
	return out
}

// nextSGR finds the next complete SGR sequence: where it starts, its parameters
// and where it ends; at is -1 when there is none. No other sequence can have one
// inside: an ESC or a C1 control ends them all.
func nextSGR(s string) (at int, params string, end int) {
	if strings.IndexByte(s, 0x1b) < 0 && !strings.Contains(s, "\u009b") { // as most texts
		return -1, "", 0
	}
	for from := 0; ; {
		i := strings.IndexAny(s[from:], "\x1b\u009b")
		if i < 0 {
			return -1, "", 0
		}
		at = from + i
		body := at + 2
		from = at + 1
		if s[at] == 0x1b && (body > len(s) || s[at+1] != '[') {
			continue
		}
		end = body
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == ';' || s[end] == ':') {
			end++
		}
		if end < len(s) && s[end] == 'm' {
			return at, s[body:end], end + 1
		}
	}
}
