package html

import "strconv"

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

// newCurve is nil for a curve that says nothing the targets do not, because it
// is empty or the same at every k.
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

// flatFrom is the index from which on all values are the last one.
func flatFrom(values []int) int {
	last := len(values) - 1
	for last > 0 && values[last-1] == values[last] {
		last--
	}
	return last
}

// curvePoints is how many values of a curve are written.
const curvePoints = 60

// curveWords lists the values as far as they change.
func curveWords(values []int) string {
	flat := flatFrom(values)
	words := ""
	for k, v := range values[:min(flat+1, curvePoints)] {
		if k > 0 {
			words += ", "
		}
		words += strconv.Itoa(v)
	}
	k := func(i int) string { return "k = " + count(int64(i)+1) }
	switch {
	case flat >= curvePoints:
		words += ", … " + count(int64(values[len(values)-1])) + nbsp + "% at " + k(len(values)-1)
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
	c.text(curveRight, curveHeight-5, "end", count(int64(n)))
	points := make([]spot, 0, n)
	for i, v := range values {
		points = append(points, spot{x.at(float64(i + 1)), y.at(float64(v))})
	}
	c.mark("line", "either", "", linePath(points))
	return c
}
