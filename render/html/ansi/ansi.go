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
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/internal/text"
	"tribunal/internal/words"
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

// spans makes each run safe to show. One that does not start its line gets
// a letter in front, or its first :: would be taken for a command.
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

// style is what a terminal remembers from one SGR sequence to the next.
type style struct {
	text, ground                             colour
	bold, dim, italic, under, strike, invert bool
}

// colour is one of the sixteen, 1 to 16, or 0 for that of the page.
type colour int

// class names the style; "" is plain. Inverted text has the colours exchanged.
func (s *style) class() string {
	fore, back := s.text, s.ground
	if s.invert {
		fore, back = back, fore
		back = cmp.Or(back, white)
	}
	var names []string
	if back != 0 { // the page chooses a text that can be read on it
		names = append(names, "g"+strconv.Itoa(int(back)-1))
	} else if fore != 0 {
		names = append(names, "a"+strconv.Itoa(int(fore)-1))
	}
	names = append(names, words.If(s.bold, "bold"), words.If(s.dim, "dim"), words.If(s.italic, "italic"), words.If(s.under, "under"),
		words.If(s.strike, "strike"))
	return words.Join(" ", names...)
}

const white colour = 8

func (s *style) set(params string) {
	if params == "" {
		*s = style{}
		return
	}
	fields := strings.Split(params, ";")
	for len(fields) > 0 {
		if strings.Contains(fields[0], ":") { // ISO 8613-6: the parts of one parameter
			s.apply(strings.Split(fields[0], ":"))
			fields = fields[1:]
			continue
		}
		fields = fields[s.apply(fields):]
	}
}

func (s *style) apply(fields []string) int {
	switch n := parameter(fields[0]); {
	case n == 38 || n == 48:
		c, took := extended(fields[1:])
		if n == 38 && c != 0 {
			s.text = c
		} else if c != 0 {
			s.ground = c
		}
		return 1 + took
	case n >= 30 && n <= 37:
		s.text = colour(n - 29)
	case n >= 90 && n <= 97:
		s.text = colour(n - 81)
	case n >= 40 && n <= 47:
		s.ground = colour(n - 39)
	case n >= 100 && n <= 107:
		s.ground = colour(n - 91)
	default:
		s.flag(n, len(fields) > 1 && fields[1] == "0")
	}
	return 1
}

// flag turns on or off what is no colour; none says that an underline has the
// style none (4:0).
func (s *style) flag(n int, none bool) {
	switch n {
	case 0:
		*s = style{}
	case 4:
		s.under = !none
	case 22:
		s.bold, s.dim = false, false
	case 39:
		s.text = 0
	case 49:
		s.ground = 0
	default:
		if is := map[int]*bool{1: &s.bold, 2: &s.dim, 3: &s.italic, 7: &s.invert, 9: &s.strike, 21: &s.under,
			23: &s.italic, 24: &s.under, 27: &s.invert, 29: &s.strike}[n]; is != nil {
			*is = n < 22
		}
	}
}

// parameter is a number; an empty one is 0, one that is none is -1.
func parameter(field string) int {
	if field == "" {
		return 0
	}
	n, err := strconv.Atoi(field)
	if err != nil {
		return -1
	}
	return n
}

// extended reads what follows 38 or 48: 5 and one of 256 colours, or 2 and the parts of a
// colour, perhaps behind the number of a colour space as ISO 8613-6 has it. It returns the
// nearest of the sixteen, 0 for none, and how many parameters it took.
func extended(fields []string) (c colour, took int) {
	if len(fields) == 0 {
		return 0, 0
	}
	switch parameter(fields[0]) {
	case 5:
		if len(fields) < 2 {
			return 0, len(fields)
		}
		return indexed(parameter(fields[1])), 2
	case 2:
		if len(fields) < 4 {
			return 0, len(fields)
		}
		parts := fields[1:4]
		if len(fields) == 5 && fields[1] == "" {
			parts = fields[2:5]
		}
		return nearest(parameter(parts[0]), parameter(parts[1]), parameter(parts[2])), 4
	}
	return 0, 1
}

func indexed(n int) colour {
	switch {
	case n < 0 || n > 255:
		return 0
	case n < 16:
		return colour(n + 1)
	case n < 232:
		n -= 16
		return nearest(cube[n/36], cube[n/6%6], cube[n%6])
	}
	grey := 8 + 10*(n-232)
	return nearest(grey, grey, grey)
}

var cube = [6]int{0, 95, 135, 175, 215, 255}

// nearest is the named colour of the same hue: grey where the parts hardly differ, otherwise
// red, green, blue or the mixture of the two or three parts that are above the middle of the
// range they cover, bright or dark by the largest.
func nearest(r, g, b int) colour {
	if min(r, g, b) < 0 || max(r, g, b) > 255 {
		return 0
	}
	low, high := min(r, g, b), max(r, g, b)
	if high-low < 32 {
		return grey((r + g + b) / 3)
	}
	middle := (low + high + 1) / 2
	hue := 0
	for bit, part := range [3]int{r, g, b} {
		if part >= middle {
			hue |= 1 << bit
		}
	}
	if high > 192 {
		hue += 8
	}
	return colour(hue + 1)
}

func grey(level int) colour {
	switch {
	case level < 64:
		return 1
	case level < 150:
		return 9
	case level < 224:
		return white
	}
	return 16
}
