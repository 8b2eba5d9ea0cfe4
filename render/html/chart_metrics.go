package html

import (
	"math"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The drawings of the run: larger than those of a test, all of one size.
const (
	pictureWidth, pictureHeight = 340, 220
	pictureLeft, pictureRight   = 46, 328
	pictureTop, pictureBottom   = 10, 176
)

type picture struct {
	Title, Note string
	Chart       *chart
	Data        *table
}

// pictures are the drawings of a run, as far as there is anything to see.
func newPictures(e *envelope.Envelope) []picture {
	all := []*picture{depthPicture(e.Metrics), variantPicture(e.Metrics), timePicture(e), costPicture(e), suitePicture(e.Suites)}
	drawn := each.Where(all, func(p *picture) bool { return p != nil })
	return each.Of(drawn, func(p *picture) picture { return *p })
}

type depthMetric struct {
	title, class, shape, dash string
	at                        []*envelope.Metric
	k                         []float64
}

// depthPicture draws pass@k and pass^k of the run against k with their bands; nil when the run has them at fewer than two values of k.
func depthPicture(metrics []envelope.Metric) *picture {
	any := depthsOf(metrics, depthMetric{title: "pass@k", class: "one", shape: "circle"}, "pass_at_k", "")
	all := depthsOf(metrics, depthMetric{title: "pass^k", class: "two", shape: "square", dash: dashed}, "pass_hat_k", "")
	if len(any.k) < 2 || !slices.Equal(any.k, all.k) {
		return nil
	}
	p := &picture{Title: "pass@k and pass^k against k", Chart: blank("Chance that one of k trials passes (pass@k), and that " +
		"all of them pass (pass^k)")}
	p.Note = "The chance that at least one of k trials passes, and that all k do: mean of the tests. Points are estimates from the trials. " +
		"Bands and their thin lines are the posterior, which differs most with few trials."
	p.Chart.overDepths([]depthMetric{any, all}, depthLabels)
	p.Data = depthTable(any, all)
	return p
}

// Room for the names of lines, in pixels.
const depthLabels, variantLabels = 50, 110

func (c *chart) overDepths(all []depthMetric, room float64) {
	ks := all[0].k
	lo, hi := ks[0], ks[len(ks)-1]
	x := scale{lo: lo, hi: hi, from: pictureLeft, to: pictureRight - room, log: hi/lo > 16}
	y := c.rateAxis()
	for _, k := range ks {
		c.tick(x.at(k), count(k))
	}
	c.axisTitle(map[bool]string{false: "k, trials", true: "k, trials (logarithmic)"}[x.log])
	ends := each.Of(all, func(m depthMetric) endLabel { return c.depths(m, x, y) })
	c.labelsAt(pictureRight-room+8, ends)
}

func depthsOf(metrics []envelope.Metric, m depthMetric, name, variant string) depthMetric {
	for i := range metrics {
		if at := &metrics[i]; at.Name == name && at.Variant == variant && at.Value.OK && finite(at.Value.V) {
			if k, ok := depth(at.Params["k"]); ok && (len(m.k) == 0 || k > m.k[len(m.k)-1]) {
				m.at, m.k = append(m.at, at), append(m.k, k)
			}
		}
	}
	return m
}

// depth is the parameter k, whether it was computed here or read from JSON.
func depth(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), v > 0
	case float64:
		return v, v > 0 && v == math.Trunc(v) && v < 1e9
	}
	return 0, false
}

func (c *chart) depths(m depthMetric, x, y scale) endLabel {
	var line, mean, upper, lower []spot
	for i, at := range m.at {
		line = append(line, spot{x.at(m.k[i]), y.at(at.Value.V)})
		if at.Lo.OK && at.Hi.OK && finite(at.Lo.V) && finite(at.Hi.V) {
			lower, upper = append(lower, spot{x.at(m.k[i]), y.at(at.Lo.V)}), append(upper, spot{x.at(m.k[i]), y.at(at.Hi.V)})
		}
		if at.Mu.OK && finite(at.Mu.V) {
			mean = append(mean, spot{x.at(m.k[i]), y.at(at.Mu.V)})
		}
	}
	c.mark("mean", m.class, "", linePath(mean))
	c.mark("area", m.class, "", bandPath(upper, lower))
	c.mark("line", m.class, m.dash, linePath(line))
	for i, p := range line {
		c.Marks = append(c.Marks, mark{Kind: "dot", Class: m.class, Path: shapePath(m.shape, p),
			Title: m.title + " at k = " + count(m.k[i]) + ": " + percent(m.at[i].Value.V)})
	}
	c.say(m.title + " from " + percent(m.at[0].Value.V) + " to " + percent(m.at[len(m.at)-1].Value.V))
	return endLabel{min(line[len(line)-1].y, pictureBottom-lineHeight/2), m.title} // above the axis
}

func depthTable(any, all depthMetric) *table {
	t := newTable("pass@k and pass^k", "", "k", "#pass@k", "#interval", "#pass^k", "#interval", "#tests")
	for i, m := range any.at {
		hat := all.at[i]
		t.row(count(any.k[i]), percent(m.Value.V), metricInterval(m), percent(hat.Value.V), metricInterval(hat),
			count(m.TestsUsed)+" of "+count(m.TestsTotal))
	}
	return t
}

func metricInterval(m *envelope.Metric) string {
	return words.If(m.Lo.OK && m.Hi.OK, span(m.Lo.V, m.Hi.V))
}

func blank(title string) *chart {
	c := &chart{Title: title, Width: pictureWidth, Height: pictureHeight}
	c.mark("line", "frame", "", vertical(pictureLeft, pictureTop, pictureBottom)+horizontal(pictureBottom, pictureLeft, pictureRight))
	return c
}

func (c *chart) rateAxis() scale {
	y := scale{lo: 0, hi: 1, from: pictureBottom, to: pictureTop}
	grid := ""
	for _, rate := range []float64{0, 0.25, 0.5, 0.75, 1} {
		if rate > 0 {
			grid += horizontal(y.at(rate), pictureLeft, pictureRight)
		}
		c.text(pictureLeft-6, y.at(rate)+4, "end", percent(rate))
	}
	c.mark("line", "grid", "", grid)
	return y
}

func (c *chart) tick(x float64, words string) {
	c.mark("line", "frame", "", vertical(x, pictureBottom, pictureBottom+4))
	c.text(x, pictureBottom+17, "middle", words)
}

func (c *chart) axisTitle(words string) {
	c.text((pictureLeft+pictureRight)/2, pictureHeight-8, "middle", words)
}

// The drawing of how many tests passed how many of their trials.
const (
	spreadWidth, spreadHeight = 330, 116
	spreadTop, spreadBottom   = 20, 97
	spreadMost                = 10 // trials of which each count has its own column
	spreadTests               = 20 // of fewer, the list is the picture
)

// spreadChart draws the tests by their passed trials; nil where each has one trial, or where they are few.
func spreadChart(e *envelope.Envelope) *chart {
	if standing.Ordinary(e) || len(e.Tests) < spreadTests {
		return nil
	}
	k := 0 // trials of every test, -1 where they differ
	for i := range e.Tests {
		if n := e.Tests[i].Trials.Counted; k == 0 {
			k = n
		} else if n > 0 && n != k {
			k = -1
		}
	}
	names := []string{"0 %", "–25", "–50", "–75", "–99", "100 %"}
	if 2 <= k && k <= spreadMost {
		names = nil
		for passed := range k + 1 {
			names = append(names, strconv.Itoa(passed)+"/"+strconv.Itoa(k))
		}
	}
	in, most := make([]int, len(names)), 0
	for i := range e.Tests {
		if t := &e.Tests[i].Trials; t.Counted > 0 {
			at := spreadColumn(t.Passed, t.Counted, len(names)-1)
			in[at]++
			most = max(most, in[at])
		}
	}
	if most == 0 {
		return nil
	}
	c := &chart{Title: "Tests by passed trials", Width: spreadWidth, Height: spreadHeight}
	step := float64(spreadWidth) / float64(len(names))
	for i, n := range in {
		class := [...]string{"fail", "inconclusive", "pass"}[min(i, 1)+i/(len(in)-1)]
		x, height := step*(float64(i)+.5), float64(spreadBottom-spreadTop)*float64(n)/float64(most)
		if n > 0 {
			wide := min(step-6, 64)
			c.mark("column", class, "", "M"+tenth(x-wide/2)+" "+whole(spreadBottom)+"v-"+tenth(max(height,
				2))+"h"+tenth(wide)+"V"+whole(spreadBottom)+"z")
			c.text(x, spreadBottom-max(height, 2)-6, "middle", words.Count(n))
			c.say(plural(n, "test") + " passed " + names[i])
		}
		c.text(x, spreadBottom+15, "middle", names[i])
	}
	c.mark("line", "grid", "", horizontal(spreadBottom, 0, spreadWidth))
	return c
}

// spreadColumn is the column of a test that passed so many of n trials: none and all have
// their own, and what is between is dealt among the others.
func spreadColumn(passed, n, last int) int {
	switch {
	case passed <= 0:
		return 0
	case passed >= n:
		return last
	}
	return 1 + (passed*(last-1)-1)/n
}

// variantLines is how each variant is drawn, and so how many are.
var variantLines = []depthMetric{
	{class: "one", shape: "circle"}, {class: "two", shape: "square", dash: dashed},
	{class: "three", shape: "diamond", dash: "2 3"}, {class: "four", shape: "triangle", dash: "9 3 2 3"},
}

// variantPicture draws pass^k of each variant against k, which tells variants
// apart that pass@1 does not; nil when there are no two with the same values of
// k, or more than can be told apart.
func variantPicture(metrics []envelope.Metric) *picture {
	names := metricVariants(metrics)
	if len(names) < 2 || len(names) > len(variantLines) {
		return nil
	}
	var all []depthMetric
	for i, variant := range names {
		m := variantLines[i]
		const variantName = 16
		m.title = shorten(name(variant, "no variant"), variantName)
		m = depthsOf(metrics, m, "pass_hat_k", variant)
		if len(m.k) < 2 || i > 0 && !slices.Equal(m.k, all[0].k) {
			return nil
		}
		all = append(all, m)
	}
	p := &picture{Title: "pass^k by variant", Chart: blank("Chance that all of k trials pass, by variant")}
	p.Note = "The chance that all of k trials pass, mean of the tests of each variant. Points are estimates from the trials. Bands and " +
		"their thin lines are the posterior."
	p.Chart.overDepths(all, variantLabels)
	p.Data = newTable("pass^k by variant", "", "variant", "#k", "#pass^k", "#interval", "#tests")
	for i, m := range all {
		for j, at := range m.at {
			p.Data.row(name(names[i], "no variant"), count(m.k[j]), percent(at.Value.V), metricInterval(at),
				count(at.TestsUsed)+" of "+count(at.TestsTotal))
		}
	}
	return p
}

func metricVariants(metrics []envelope.Metric) []string {
	var names []string
	for i := range metrics {
		if v := metrics[i].Variant; v != "" && !slices.Contains(names, v) {
			names = append(names, v)
			if len(names) > len(variantLines) {
				break
			}
		}
	}
	return names
}

// A scatter names every test while there are at most scatterTests of them, and has a dot for each place with tests beyond that.
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
		const shapeWords = "circle passed, cross failed, diamond undecided, square errored, triangle other"
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
