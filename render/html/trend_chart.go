package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/history/trend"
)

// runValue is a number of a run with its interval; NaN where there is none.
type runValue struct{ v, lo, hi float64 }

var noValue = runValue{math.NaN(), math.NaN(), math.NaN()}

func alone(v float64) runValue { return runValue{v, math.NaN(), math.NaN()} }

func ofRate(r *envelope.Rate) runValue {
	if r == nil {
		return noValue
	}
	return runValue{r.Value, r.Lo, r.Hi}
}

// courseCharts draw the pass rate, or mean score, of a test over the runs, and what it took and
// cost where that is known in two runs at least.
func courseCharts(t *trend.Trend, test *trend.Test) []*chart {
	rates := slices.Repeat([]runValue{noValue}, len(t.Runs))
	times, costs := slices.Clone(rates), slices.Clone(rates)
	for _, p := range test.Points {
		if rates[p.Run] = ofRate(t.Rate(p)); test.ByScore {
			rates[p.Run] = alone(p.Share())
		}
		times[p.Run], costs[p.Run] = alone(p.DurationMS), alone(p.CostUSD)
	}
	title := "Pass rate by run"
	if test.ByScore {
		title = "Mean score by run"
	}
	return drawn(rateChart(t, title, rates), amountChart(t, "Median time by run", times, duration), amountChart(t, "Cost by run", costs, dollars))
}

// runPictures draw the runs as a whole.
func runPictures(t *trend.Trend) []picture {
	n := len(t.Runs)
	rates, undecided, times, costs := make([]runValue, n), make([]runValue, n), make([]runValue, n), make([]runValue, n)
	for i := range t.Runs {
		r := &t.Runs[i]
		rates[i] = ofRate(r.Rate)
		undecided[i] = alone(r.InconclusiveShare.Or(math.NaN()))
		times[i], costs[i] = alone(r.DurationMS.Or(math.NaN())), alone(r.CostUSD.Or(math.NaN()))
	}
	var out []picture
	add := func(c *chart, note string, values []runValue, format func(float64) string) {
		if c != nil {
			out = append(out, picture{Title: c.Title, Note: note, Chart: c, Data: runTable(t, c.Title, values, format)})
		}
	}
	add(rateChart(t, "Pass rate of the run", rates), "Of all counted trials of each run, with its interval.", rates, percent)
	if slices.ContainsFunc(undecided, func(v runValue) bool { return v.v > 0 }) {
		add(rateChart(t, "Inconclusive share", undecided), "Of the tests of each run, under the run's own policy.", undecided, percent)
	}
	add(amountChart(t, "Time of the run", times, duration), "All trials of each run together.", times, duration)
	add(amountChart(t, "Cost of the run", costs, dollars), "All trials of each run together.", costs, dollars)
	return out
}

func runTable(t *trend.Trend, title string, values []runValue, format func(float64) string) *table {
	out := newTable(title, "", "run", "started", "#"+strings.ToLower(title), "interval")
	for i, v := range values {
		between := ""
		if finite(v.lo) {
			between = span(v.lo, v.hi)
		}
		out.row(runWord(&t.Runs[i]), name(t.Runs[i].StartedAt, ""), known(v.v, format), between)
	}
	return out.compact()
}

func rateChart(t *trend.Trend, title string, values []runValue) *chart {
	return runChart(t, title, values, percent, func(c *chart) scale { return c.rateAxis() })
}

// amountChart is on an axis from 0, so that a rise looks as large as it is.
func amountChart(t *trend.Trend, title string, values []runValue, format func(float64) string) *chart {
	top := 0.
	for _, v := range values {
		if finite(v.v) {
			top = max(top, v.v)
		}
	}
	if top <= 0 {
		return nil
	}
	return runChart(t, title, values, format, func(c *chart) scale {
		y := scale{lo: 0, hi: top, from: pictureBottom, to: pictureTop}
		c.text(pictureLeft-6, y.at(0)+4, "end", format(0))
		c.text(pictureLeft-6, y.at(top)+4, "end", format(top))
		return y
	})
}

// mostDots is how many runs have a dot of their own that says what it is.
const mostDots = 60

// runChart draws values over the runs; nil for fewer than two.
func runChart(t *trend.Trend, title string, values []runValue, format func(float64) string, axis func(*chart) scale) *chart {
	c := blank(title)
	y := axis(c)
	x := scale{lo: 0, hi: float64(len(values) - 1), from: pictureLeft + 6, to: pictureRight - 6}
	var line, upper, lower []spot
	first, last := -1, -1
	for i, v := range values {
		if !finite(v.v) {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		line = append(line, spot{x.at(float64(i)), y.at(v.v)})
		if finite(v.lo) {
			upper, lower = append(upper, spot{x.at(float64(i)), y.at(v.hi)}), append(lower, spot{x.at(float64(i)), y.at(v.lo)})
		}
	}
	if len(line) < 2 {
		return nil
	}
	c.mark("area", "one", "", bandPath(upper, lower))
	c.mark("line", "one", "", linePath(line))
	c.dots(t, values, format, x, y)
	c.text(pictureLeft, pictureBottom+17, "start", runDay(&t.Runs[0], "first run"))
	c.text(pictureRight, pictureBottom+17, "end", runDay(&t.Runs[len(t.Runs)-1], "latest run"))
	c.Words = fmt.Sprintf("From %s to %s over %s.", format(values[first].v), format(values[last].v), plural(int64(len(line)), "run"))
	return c
}

func (c *chart) dots(t *trend.Trend, values []runValue, format func(float64) string, x, y scale) {
	if len(values) > mostDots {
		return
	}
	for i, v := range values {
		if finite(v.v) {
			c.Marks = append(c.Marks, mark{Kind: "dot", Class: "one", Title: runWord(&t.Runs[i]) + ": " + format(v.v),
				Path: shapePath("circle", spot{x.at(float64(i)), y.at(v.v)})})
		}
	}
}

func runDay(r *trend.Run, otherwise string) string {
	day, _, _ := strings.Cut(r.StartedAt, "T")
	return shorten(name(day, otherwise), 12)
}

// spark is the latest runs of a test as bars: the path of each kind of them.
type spark struct {
	Width                      int
	Words                      string
	Passed, Mixed, None, Empty string
}

// The bars of a spark.
const (
	sparkRuns = 50
	sparkStep = 5
	sparkTall = 16.0
)

func newSpark(test *trend.Test) spark {
	return sparkOf(test, sparkRuns, "13l1-1l1 1l1-1l1 1l-1 1l1 1l-1 1l-1-1l-1 1l-1-1l1-1z")
}

// sparkOf are the latest runs of a test, at most so many. The path none stands for a run of
// which no trial passed.
func sparkOf(test *trend.Test, most int, none string) spark {
	first := max(0, len(test.Strip)-most)
	s := spark{Width: sparkStep * (len(test.Strip) - first), Words: "runs, the latest last: " + strings.Join(strings.Split(test.Strip[first:], ""), " ")}
	for _, p := range test.Points {
		if int(p.Run) >= first {
			s.bar(p, sparkStep*(int(p.Run)-first), none)
		}
	}
	return s
}

func (s *spark) bar(p trend.Point, x int, none string) {
	switch p.Mark() {
	case trend.MarkPassed:
		s.Passed += fmt.Sprintf("M%d 17v-16h4v16z", x)
	case trend.MarkMixed:
		s.Mixed += fmt.Sprintf("M%d 17v-%sh4v%sz", x, tall(p), tall(p))
	case trend.MarkFailed:
		s.None += fmt.Sprintf("M%d %s", x, none)
	default:
		s.Empty += fmt.Sprintf("M%d 15h2v2h-2z", x+1)
	}
}

// tall is the height of a bar, never 0 and never whole.
func tall(p trend.Point) string {
	return tenth(min(sparkTall-1, max(1, sparkTall*p.Share())))
}
