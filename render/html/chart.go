package html

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
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

// mark is a path. Kind says what it is: "line", "mean" (a thin one), "area", "column" or
// "dot". Class is for the colour; Dash makes a line of dashes, so that it differs from another
// one without it; Title is shown to who points at it.
type mark struct{ Kind, Class, Dash, Title, Path string }

// label is words at a place; Anchor is "start", "middle" or "end".
type label struct{ X, Y, Anchor, Text string }

// The dashes of lines.
const dashed, dotted = "6 3", "2 3"

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// whole is a coordinate to the pixel, which is enough for lines and saves bytes.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

func (c *chart) text(x, y float64, anchor, words string) {
	c.Labels = append(c.Labels, label{whole(x), whole(y), anchor, words})
}

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

type spot struct{ x, y float64 }

const linePoints = 150

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

func bandPath(upper, lower []spot) string {
	if len(upper) < 2 || len(upper) != len(lower) {
		return ""
	}
	back := slices.Clone(lower)
	slices.Reverse(back)
	places := each.Of(slices.Concat(upper, back), func(p spot) string { return whole(p.x) + " " + whole(p.y) })
	return "M" + strings.Join(places, " ") + "z"
}

func horizontal(y, from, to float64) string {
	return "M" + whole(from) + " " + whole(y) + "H" + whole(to)
}

func vertical(x, from, to float64) string {
	return "M" + whole(x) + " " + whole(from) + "V" + whole(to)
}

// shapes are the marks of single values: they differ by shape before colour. Each fits a square of 8 pixels around its place.
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

// ticks are the numbers at an axis: few, round, and within lo and hi.

var steps = []float64{1, 2, 5, 10}

// timeSteps are those of milliseconds from half a minute on.
var timeSteps = []float64{30e3, 60e3, 120e3, 300e3, 600e3, 1800e3, 3600e3, 7200e3, 18000e3, 36000e3}

// tickStep is the smallest round distance that gives at most most ticks.
func tickStep(lo, hi float64, most int) float64 {
	rough := (hi - lo) / float64(most)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, s := range steps {
		if s*power >= rough {
			return s * power
		}
	}
	return 10 * power
}

// timeStep is tickStep for milliseconds, where minutes have sixty seconds.
func timeStep(lo, hi float64, most int) float64 {
	rough := (hi - lo) / float64(most)
	if rough > 20e3 {
		for _, s := range timeSteps {
			if s >= rough {
				return s
			}
		}
	}
	return tickStep(lo, hi, most)
}

func every(step, lo, hi float64) []float64 {
	if !(step > 0) || !finite(lo/step) || !finite(hi/step) {
		return nil
	}
	var out []float64
	for i := math.Ceil(lo/step - 1e-9); i <= hi/step+1e-9 && len(out) < 20; i++ {
		out = append(out, round(i*step, 12))
	}
	return out
}

// roundNumbers and roundTimes are the numbers that read well on an axis that is a logarithm:
// 1, 2 and 5 times the powers of ten; of times those in the units people use.
var (
	roundNumbers = decades(-9, 9)
	roundTimes   = append(decades(-6, 4)[:32], 30e3, 60e3, 120e3, 300e3, 600e3, 1200e3, 1800e3, 3600e3, 7200e3, 18e6, 36e6, 72e6, 18e7, 36e7)
)

func decades(from, to int) []float64 {
	var out []float64
	for e := from; e <= to; e++ {
		out = append(out, each.Of(steps[:3], func(s float64) float64 { return round(s*math.Pow10(e), 6) })...)
	}
	return out
}

// logTicks are at most most of some round numbers that lie within lo and hi:
// all, every third one, and so on, which leaves powers of ten of 1, 2 and 5.
func logTicks(all []float64, lo, hi float64, most int) []float64 {
	for step := 1; step <= len(all); step *= 3 {
		var out []float64
		for i := 0; i < len(all); i += step {
			if all[i] >= lo && all[i] <= hi {
				out = append(out, all[i])
			}
		}
		if len(out) <= most {
			return out
		}
	}
	return nil
}

// tickTime is a time at an axis: whole seconds, minutes and hours without a rest.
func tickTime(ms float64) string {
	switch {
	case ms >= 3600e3 && math.Mod(ms, 3600e3) == 0:
		return number(ms/3600e3) + nbsp + "h"
	case ms >= 60e3 && math.Mod(ms, 60e3) == 0:
		return number(ms/60e3) + nbsp + "min"
	case ms >= 1e3 && ms < 60e3 && math.Mod(ms, 1e3) == 0:
		return number(ms/1e3) + nbsp + "s"
	}
	return duration(ms)
}

// The drawing of the rate^k of a test: the pass rate of its first k trials, to the power k.
const (
	curveWidth, curveHeight = 300, 110
	curveLeft, curveRight   = 44, 280
	curveTop, curveBottom   = 10, 90
)

// curve is that drawing, and every value in words. pass^k is another estimate, without bias.
type curve struct {
	Title, Values string
	Chart         *chart
	points        []int
}

// newCurve is nil for a curve that says nothing the targets do not, because it is empty or the same at every k.
func newCurve(values []int) *curve {
	if len(values) == 0 || flatFrom(values) == 0 {
		return nil
	}
	return &curve{Title: "rate^k, the pass rate of the first k trials to the power k", Values: curveWords(values), points: values}
}

func (c *curve) draw() {
	if c != nil {
		c.Chart = curveChart(c.Title, c.points)
	}
}

func flatFrom(values []int) int {
	last := len(values) - 1
	for last > 0 && values[last-1] == values[last] {
		last--
	}
	return last
}

const curvePoints = 60

func curveWords(values []int) string {
	flat := flatFrom(values)
	words := ""
	for k, v := range values[:min(flat+1, curvePoints)] {
		if k > 0 {
			words += ", "
		}
		words += strconv.Itoa(v)
	}
	k := func(i int) string { return "k = " + count(i+1) }
	switch {
	case flat >= curvePoints:
		words += ", … " + count(values[len(values)-1]) + nbsp + "% at " + k(len(values)-1)
	case flat < len(values)-1:
		words += nbsp + "% from " + k(flat) + " to " + k(len(values)-1)
	default:
		words += nbsp + "% at " + k(flat)
	}
	return "From k = 1: " + words + "."
}

func curveChart(title string, values []int) *chart {
	n := len(values)
	c := &chart{Title: title, Width: curveWidth, Height: curveHeight}
	x := scale{lo: 1, hi: float64(n), from: curveLeft, to: curveRight}
	y := scale{lo: 0, hi: 100, from: curveBottom, to: curveTop}
	c.mark("line", "frame", "", vertical(curveLeft, curveTop, curveBottom)+horizontal(curveBottom, curveLeft, curveRight))
	for _, tick := range []int{0, 100} {
		c.text(curveLeft-4, y.at(float64(tick))+4, "end", strconv.Itoa(tick)+nbsp+"%")
	}
	c.text(curveLeft, curveHeight-5, "start", "k = 1")
	c.text(curveRight, curveHeight-5, "end", count(n))
	points := make([]spot, 0, n)
	for i, v := range values {
		points = append(points, spot{x.at(float64(i + 1)), y.at(float64(v))})
	}
	c.mark("line", "either", "", linePath(points))
	return c
}

// plot is a pass rate on the axis from 0 to 1: coordinates for charts.html, each "" when there is nothing to draw, and the same in words.
type plot struct {
	Words     string
	Point     string
	Interval  string
	Threshold string
}

// The axis of plot in charts.html.
const axisStart, axisLength = 5.0, 130.0

func at(v float64) string { return words.If(v >= 0 && v <= 1, tenth(axisStart+axisLength*v)) }

func tenth(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

func intervalPath(lo, hi float64) string {
	from, to := at(lo), at(hi)
	return words.If(from != "" && to != "", "M"+from+" 9H"+to)
}

func ratePlot(r *envelope.Rate, threshold envelope.Opt[float64]) plot {
	p := wordlessPlot(r, threshold)
	p.Words = "pass rate " + percent(r.Value) + ", interval " + span(r.Lo, r.Hi)
	p.Words += words.If(p.Threshold != "", ", threshold "+percent(threshold.V))
	return p
}

func wordlessPlot(r *envelope.Rate, threshold envelope.Opt[float64]) plot {
	p := plot{Point: at(r.Value), Interval: intervalPath(r.Lo, r.Hi)}
	if threshold.OK {
		if x := at(threshold.V); x != "" {
			p.Threshold = "M" + x + " 1v16"
		}
	}
	return p
}

// barOrder is the order of the tests below: what needs looking at comes first.
var barOrder = []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive, envelope.Pass, envelope.Skip}
