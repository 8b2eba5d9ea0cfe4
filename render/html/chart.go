package html

import (
	"math"
	"strconv"
	"strings"
)

// chart is a drawing for charts.html: paths, and words at places. Sizes are in
// CSS pixels, from the top left. The geometry is made here, from numbers that
// are in the envelope; how lines and areas look is the style sheet's business.
type chart struct {
	Title, Words  string // what it shows, and what can be seen there
	Width, Height int
	Marks         []mark
	Labels        []label
}

// mark is a path. Kind says what it is: "line", "mean" (a thin one),
// "area", "column" or "dot".
// Class is for the colour; Dash makes a line of dashes, so that it is told from
// another one without it; Title is shown to who points at it.
type mark struct{ Kind, Class, Dash, Title, Path string }

// label is words at a place; Anchor is "start", "middle" or "end".
type label struct{ X, Y, Anchor, Text string }

// The dashes of lines.
const (
	dashed = "6 3"
	dotted = "2 3"
)

// finite reports a number that can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// whole is a coordinate to the pixel, which is enough for lines and saves bytes.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

// text adds words to a chart.
func (c *chart) text(x, y float64, anchor, words string) {
	c.Labels = append(c.Labels, label{whole(x), whole(y), anchor, words})
}

// mark adds a path unless it is empty.
func (c *chart) mark(kind, class, dash, path string) {
	if path != "" {
		c.Marks = append(c.Marks, mark{Kind: kind, Class: class, Dash: dash, Path: path})
	}
}

// scale maps numbers to places. Without an extent, all are in the middle.
type scale struct {
	lo, hi   float64 // the numbers at the ends
	from, to float64 // the places of the ends
	log      bool    // lo > 0 then
}

func (s scale) at(v float64) float64 {
	v = min(max(v, s.lo), s.hi)
	lo, hi := s.lo, s.hi
	if s.log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	part := 0.5
	if hi > lo {
		part = (v/2 - lo/2) / (hi/2 - lo/2) // halves, so that huge numbers stay finite
	}
	return s.from + (s.to-s.from)*part
}

// spot is a place in a drawing.
type spot struct{ x, y float64 }

// linePoints is how many points of a line are drawn: more than a person sees.
const linePoints = 150

// linePath is a line through points, thinned to what can be seen.
func linePath(points []spot) string {
	if len(points) < 2 {
		return ""
	}
	step := (len(points) + linePoints - 1) / linePoints
	var b strings.Builder
	last := ""
	for i, p := range points {
		if i%step != 0 && i != len(points)-1 {
			continue
		}
		if at := whole(p.x) + " " + whole(p.y); at != last {
			if last != "" {
				b.WriteByte(' ')
			}
			b.WriteString(at)
			last = at
		}
	}
	return "M" + b.String()
}

// bandPath is the area between two lines.
func bandPath(upper, lower []spot) string {
	if len(upper) < 2 || len(upper) != len(lower) {
		return ""
	}
	all := append([]spot{}, upper...)
	for i := len(lower) - 1; i >= 0; i-- {
		all = append(all, lower[i])
	}
	var b strings.Builder
	for i, p := range all {
		b.WriteString(map[bool]string{true: "M", false: " "}[i == 0] + whole(p.x) + " " + whole(p.y))
	}
	return b.String() + "z"
}

func horizontal(y, from, to float64) string {
	return "M" + whole(from) + " " + whole(y) + "H" + whole(to)
}

func vertical(x, from, to float64) string {
	return "M" + whole(x) + " " + whole(from) + "V" + whole(to)
}

// shapes are the marks of single values: told apart by shape before colour.
// Each fits a square of 8 pixels around its place.
var shapes = map[string]string{
	"circle":   "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
	"square":   "m-3-3h6v6h-6z",
	"diamond":  "m0-5l5 5l-5 5l-5-5z",
	"triangle": "m0-4l4 7h-8z",
	"cross":    "m-4-2l2-2l2 2l2-2l2 2l-2 2l2 2l-2 2l-2-2l-2 2l-2-2l2-2z",
}

func shapePath(shape string, p spot) string {
	return "M" + tenth(p.x) + " " + tenth(p.y) + shapes[shape]
}
