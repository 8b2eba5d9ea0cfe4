package ansi

import (
	"strconv"
	"strings"
)

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
		if back == 0 {
			back = white
		}
	}
	var names []string
	if back != 0 { // the page chooses a text that can be read on it
		names = append(names, "g"+strconv.Itoa(int(back)-1))
	} else if fore != 0 {
		names = append(names, "a"+strconv.Itoa(int(fore)-1))
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{{s.bold, "bold"}, {s.dim, "dim"}, {s.italic, "italic"}, {s.under, "under"}, {s.strike, "strike"}} {
		if flag.on {
			names = append(names, flag.name)
		}
	}
	return strings.Join(names, " ")
}

// white is the colour 7.
const white colour = 8

// set applies the parameters of one sequence. Unknown ones change nothing.
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

// apply applies the first parameter, and says how many it took.
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
	case 1:
		s.bold = true
	case 2:
		s.dim = true
	case 3:
		s.italic = true
	case 4:
		s.under = !none
	case 7:
		s.invert = true
	case 9:
		s.strike = true
	case 21:
		s.under = true
	case 22:
		s.bold, s.dim = false, false
	case 23:
		s.italic = false
	case 24:
		s.under = false
	case 27:
		s.invert = false
	case 29:
		s.strike = false
	case 39:
		s.text = 0
	case 49:
		s.ground = 0
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
