package pretty

import (
	"strings"

	"tribunal/internal/text"
)

// line writes a line.
func (r *canvas) line(s string) { r.out.WriteString(strings.TrimRight(s, " ") + "\n") }

// text writes a text, wrapped to at most `most` lines. The first line begins
// with first, the others with rest.
func (r *canvas) text(first, rest, s string, most int) {
	room := max(r.limit-max(width(first), width(rest)), minWidth/2)
	apart := strings.Contains(s, "::")
	if apart {
		room-- // for the space that takes a command apart
	}
	for i, line := range carryInk(wrap(s, room, most, r.sign.ellipsis)) {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if apart && strings.TrimLeft(prefix, " ") == "" {
			line = apartAtStart(line)
		}
		r.line(prefix + line)
	}
}

// apartAtStart makes a line that wrapping began safe again: a :: inside a text
// is harmless until it comes to stand first, if only behind an ink.
func apartAtStart(line string) string {
	start := 0
	for start < len(line) && line[start] == escape {
		start += strings.IndexByte(line[start:], 'm') + 1
	}
	ink, line := line[:start], line[start:]
	end := strings.IndexByte(line, escape)
	if end < 0 {
		end = len(line)
	}
	return ink + text.Block(line[:end]) + line[end:]
}

// escape begins a style; only inks write it, text.Line and text.Block leave none.
const escape = 0x1b

const inkOff = "\x1b[0m"

// carryInk ends the ink that is open where a line was broken, and begins it
// again on the next line.
func carryInk(lines []string) []string {
	open := ""
	for i, line := range lines {
		line = open + line
		open = ""
		if at := strings.LastIndexByte(line, escape); at >= 0 && !strings.HasPrefix(line[at:], inkOff) {
			open = line[at : at+strings.IndexByte(line[at:], 'm')+1]
			line += inkOff
		}
		lines[i] = line
	}
	return lines
}

// heading begins a part of the report.
func (r *canvas) heading(s string) {
	r.line("")
	r.line(r.ink.strong.Render(s))
}

// spaces indents as far as s reaches.
func spaces(s string) string { return strings.Repeat(" ", width(s)) }
