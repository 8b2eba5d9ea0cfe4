package html

import "tribunal/envelope"

// A scatter names every test while there are at most scatterTests of them, and has a dot
// for each place with tests beyond that.
const (
	scatterTests = 200
	scatterWide  = 30 // times the smallest value, from where the axis is logarithmic
	scatterLeast = 3
	scatterTicks = 5
)

type measured struct {
	test *envelope.Test
	x    float64
}

type axis struct {
	of    func(*envelope.Test) (float64, bool)
	words string
	value func(float64) string // in a table
	tick  func(float64) string
	step  func(lo, hi float64, most int) float64
	round []float64 // the numbers that read well
}

func timePicture(e *envelope.Envelope) *picture {
	return scatterPicture(e, "Time against pass rate", axis{
		of: func(t *envelope.Test) (float64, bool) {
			median := t.MedianMS()
			return median.V, median.OK
		},
		words: "median time of a trial", value: duration, tick: tickTime, step: timeStep, round: roundTimes,
	})
}

func costPicture(e *envelope.Envelope) *picture {
	return scatterPicture(e, "Cost against pass rate", axis{
		of:    func(t *envelope.Test) (float64, bool) { return t.CostUSD.V, t.CostUSD.OK },
		words: "cost of all trials of the test, US dollars", value: dollars, tick: dollars, step: tickStep, round: roundNumbers,
	})
}

func scatterPicture(e *envelope.Envelope, title string, a axis) *picture {
	points := measure(e.Tests, a)
	if len(points) < scatterLeast {
		return nil
	}
	lo, hi := points[0].x, points[0].x
	for _, p := range points {
		lo, hi = min(lo, p.x), max(hi, p.x)
	}
	if !(lo < hi) || !finite(hi-lo) {
		return nil
	}
	p := &picture{Title: title, Chart: blank(title + " of " + plural(len(points), "test"))}
	p.Chart.say("from " + a.value(lo) + " to " + a.value(hi))
	x := scale{lo: lo, hi: hi, from: pictureLeft + 10, to: pictureRight - 10, log: lo > 0 && hi/lo > scatterWide}
	y := p.Chart.rateAxis()
	p.Chart.valueAxis(x, a)
	p.Chart.threshold(e.Policy.Threshold, y)
	if len(points) <= scatterTests {
		p.Note = "A mark for each test, its shape by verdict: " + shapeWords + "."
		p.Chart.testMarks(points, x, y, a)
		p.Data = scatterTable(points, a)
		return p
	}
	p.Note = plural(len(points), "test") + ": a dot for each place that has any."
	places, path := map[string]bool{}, ""
	for _, t := range points {
		if at := "M" + whole(x.at(t.x)-1) + " " + whole(y.at(t.test.Rate.PerProtocol.Value)-1) + "h2v2h-2z"; !places[at] {
			places[at], path = true, path+at
		}
	}
	p.Chart.mark("dot", "many", "", path)
	return p
}

func measure(tests []envelope.Test, a axis) []measured {
	var out []measured
	for i := range tests {
		t := &tests[i]
		if v, ok := a.of(t); ok && finite(v) && t.Rate.PerProtocol != nil && finite(t.Rate.PerProtocol.Value) {
			out = append(out, measured{t, v})
		}
	}
	return out
}

func (c *chart) valueAxis(x scale, a axis) {
	words := a.words
	var ticks []float64
	if x.log {
		words += " (logarithmic)"
		ticks = logTicks(a.round, x.lo, x.hi, scatterTicks)
	} else {
		ticks = every(a.step(x.lo, x.hi, scatterTicks), x.lo, x.hi)
	}
	if len(ticks) < 2 {
		ticks = []float64{x.lo, x.hi}
	}
	for _, v := range ticks {
		c.tick(x.at(v), a.tick(v))
	}
	c.axisTitle(words)
}

func (c *chart) threshold(v envelope.Opt[float64], y scale) {
	if v.OK && v.V > 0 && v.V <= 1 {
		c.mark("line", "threshold", dashed, horizontal(y.at(v.V), pictureLeft, pictureRight))
		c.say("threshold " + percent(v.V) + ", a dashed line")
	}
}

var statusShapes = map[envelope.Status]string{
	envelope.Pass: "circle", envelope.Fail: "cross", envelope.Inconclusive: "diamond", envelope.Error: "square",
}

const shapeWords = "circle passed, cross failed, diamond inconclusive, square errored, triangle other"

func (c *chart) testMarks(points []measured, x, y scale, a axis) {
	for _, p := range points {
		shape, ok := statusShapes[p.test.Status]
		if !ok {
			shape = "triangle"
		}
		rate := p.test.Rate.PerProtocol.Value
		b := newBadge(p.test.Status)
		c.Marks = append(c.Marks, mark{Kind: "dot", Class: b.Class, Path: shapePath(shape, spot{x.at(p.x), y.at(rate)}),
			Title: shorten(testName(p.test), scatterTitle) + ": " + percent(rate) + ", " + a.value(p.x)})
	}
}

const scatterTitle = 80

func testName(t *envelope.Test) string {
	return envelope.Key{Suite: name(t.Suite, ""), Test: name(t.Test, "no name"), Variant: name(t.Variant, "")}.RunnerName()
}

func scatterTable(points []measured, a axis) *table {
	t := newTable(a.words, "", "test", "verdict", "#pass rate", "#"+a.words)
	for _, p := range points {
		t.row(testName(p.test), newBadge(p.test.Status).Word, percent(p.test.Rate.PerProtocol.Value), a.value(p.x))
	}
	return t
}
