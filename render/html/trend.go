package html

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/words"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

// WriteTrend writes a trend as one HTML document: the runs as a whole, and every
// test by its state, those that are not stable with their course drawn.
func WriteTrend(w io.Writer, t *trend.Trend) error {
	return writePage(w, trendKind, "trend", newTrendPage(t))
}

var trendKind = frame.Of(templates.Trend)

type trendPage struct {
	Frame        frame.Frame
	Title, About string
	Notes        []string
	Groups       []stateGroup
	Charts       []picture
}

type stateGroup struct {
	ID      string
	Badge   badge
	Meaning string
	Count   string
	Rows    []course
	More    string
}

// The states in words, and the class of their badges.
var stateWords = map[trend.State]struct{ class, meaning string }{
	trend.Broken:       {"alarm", "no trial passes any more, or ever did"},
	trend.NewFlaky:     {"doubt", "always passed, and fails now and then since"},
	trend.DriftingDown: {"doubt", "the pass rate falls from run to run"},
	trend.Flaky:        {"doubt", "passes and fails, without a change"},
	trend.New:          {"skip", "is in fewer than 5 runs"},
	trend.DriftingUp:   {"good", "the pass rate rises from run to run"},
	trend.Fixed:        {"good", "failed, and always passes since"},
	trend.Unknown:      {"skip", "no trial was counted"},
	trend.Stable:       {"good", "every trial passed"},
}

// How many tests of a state are on the page: it must open on any machine, and the other formats have them all.
const mostCourses, mostStable = 200, 2000

func newTrendPage(t *trend.Trend) trendPage {
	d := trendPage{Title: name(t.Title(), ""), Charts: runPictures(t)}
	d.About = aboutTrend(t)
	d.Notes = each.Of(t.Notes, func(note string) string { return name(note, "") })
	for _, state := range trend.States {
		if g := newStateGroup(t, state); g.Count != "0" {
			d.Groups = append(d.Groups, g)
		}
	}
	d.Frame = trendKind().Frame(shorten(d.Title, titleRunes))
	return d
}

func aboutTrend(t *trend.Trend) string {
	var parts []string
	if n := len(t.Runs); n > 0 {
		first, _, _ := strings.Cut(t.Runs[0].StartedAt, "T")
		last, _, _ := strings.Cut(t.Runs[n-1].StartedAt, "T")
		if first != "" && last != "" {
			parts = append(parts, name(first, "")+" to "+name(last, ""))
		}
	}
	if older := t.Stored - len(t.Runs); older > 0 {
		parts = append(parts, count(older)+" older left out")
	}
	return strings.Join(append(parts, percent(t.Confidence)+" confidence"), " · ")
}

func newStateGroup(t *trend.Trend, state trend.State) stateGroup {
	words := stateWords[state]
	g := stateGroup{ID: "state-" + strings.ToLower(strings.ReplaceAll(string(state), " ", "-")),
		Badge: badge{string(state[:1]) + strings.ToLower(string(state[1:])), words.class}, Meaning: words.meaning}
	n, most := 0, mostCourses
	if state == trend.Stable {
		most = mostStable
	}
	for i := range t.Tests {
		test := &t.Tests[i]
		if test.State != state {
			continue
		}
		if n++; n > most {
			continue
		}
		g.Rows = append(g.Rows, newCourse(t, test, g.Badge))
	}
	if g.Count = count(n); n > most {
		g.More = "… and " + count(n-most) + " more; json and csv have them all."
	}
	return g
}

type course struct {
	namedTest
	ID           string
	Badge        badge
	Passed, Rate string
	Evidence     string
	Spark        spark
	Charts       []*chart
	Facts        facts
	Data         *table
}

func newCourse(t *trend.Trend, test *trend.Test, state badge) course {
	c := course{namedTest: namedOf(test.Key), ID: testID(test.Key), Badge: state,
		Passed: test.Trials(), Evidence: name(test.Evidence, ""), Spark: newSpark(test), Facts: driftFacts(test)}
	if test.Rate != nil {
		c.Rate = cmp.Or(test.Score(), percent(test.Rate.Value))
	}
	if !test.Quiet() { // of which there is little to see
		c.Charts, c.Data = courseCharts(t, test), courseTable(t, test)
	}
	return c
}

func driftFacts(test *trend.Test) facts {
	f := facts{{"runs with a counted trial", count(test.Runs)}}
	f.add("mean score of all its trials", test.Score())
	if r := test.Rate; r != nil && !test.ByScore {
		f.add("pass rate of all its trials", rateWords(r))
	}
	f.add("share of runs undecided", test.Inconclusive.Text("", percent))
	if d := test.Drift; d != nil {
		f.add("drift, z over all orders of the runs", number(d.Z))
		f.add("p-value", number(d.PValue))
		f.add("p-value, adjusted", number(d.PAdjusted))
	}
	if e := test.Ever; e != nil {
		f.add("runs of all that are stored", count(e.Runs))
		f.add("log e-value of a change over all of them", number(e.LogE))
		f.add("the same if trials of a run are independent", number(e.LogETrials))
	}
	return f
}

func courseTable(t *trend.Trend, test *trend.Test) *table {
	out := newTable("Runs of the test", "", "run", "started", "verdict", "#passed", "#excluded", "#rate", "interval", "#median time", "#cost")
	for _, p := range test.Points {
		run := &t.Runs[p.Run]
		rate, between := "", ""
		if r := t.Rate(p); r != nil {
			rate, between = percent(r.Value), span(r.Lo, r.Hi)
		}
		if test.ByScore {
			rate, between = number(round(p.Share(), 3)), ""
		}
		status := newBadge(p.Status.Status()).Word
		excluded := words.If(p.Excluded > 0, count(p.Excluded))
		out.row(runWord(run), name(run.StartedAt, ""), status, count(p.Passed)+"/"+count(p.Counted), excluded, rate, between,
			envelope.Finite(p.DurationMS).Text("", duration), envelope.Finite(p.CostUSD).Text("", dollars))
	}
	return out.compact()
}

func runWord(r *trend.Run) string {
	return shorten(name(r.Called(), ""), 40) + " " + cmp.Or(r.Short(), "this run")
}

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

func courseCharts(t *trend.Trend, test *trend.Test) []*chart {
	rates := slices.Repeat([]runValue{noValue}, len(t.Runs))
	times, costs := slices.Clone(rates), slices.Clone(rates)
	for _, p := range test.Points {
		if rates[p.Run] = ofRate(t.Rate(p)); test.ByScore {
			rates[p.Run] = alone(p.Share())
		}
		times[p.Run], costs[p.Run] = alone(p.DurationMS), alone(p.CostUSD)
	}
	title := cmp.Or(words.If(test.ByScore, "Mean score by run"), "Pass rate by run")
	return drawn(rateChart(t, title, rates), amountChart(t, "Median time by run", times, duration),
		amountChart(t, "Cost by run", costs, dollars))
}

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
		add(rateChart(t, "Undecided share", undecided), "Of the tests of each run, under the run's own policy.", undecided, percent)
	}
	add(amountChart(t, "Time of all trials", times, duration), "All trials of each run together.", times, duration)
	add(amountChart(t, "Cost of the run", costs, dollars), "All trials of each run together.", costs, dollars)
	return out
}

func runTable(t *trend.Trend, title string, values []runValue, format func(float64) string) *table {
	out := newTable(title, "", "run", "started", "#"+strings.ToLower(title), "interval")
	for i, v := range values {
		between := words.If(finite(v.lo), span(v.lo, v.hi))
		out.row(runWord(&t.Runs[i]), name(t.Runs[i].StartedAt, ""), envelope.Finite(v.v).Text("", format), between)
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
	c.Words = fmt.Sprintf("From %s to %s over %s.", format(values[first].v), format(values[last].v), plural(len(line), "run"))
	return c
}

func (c *chart) dots(t *trend.Trend, values []runValue, format func(float64) string, x, y scale) {
	const mostDots = 60
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

// sparkOf are the latest runs of a test, at most so many. The path none stands for a run of which no trial passed.
func sparkOf(test *trend.Test, most int, none string) spark {
	first := max(0, len(test.Strip)-most)
	s := spark{Width: sparkStep * (len(test.Strip) - first), Words: "runs, the latest last: " +
		strings.Join(strings.Split(test.Strip[first:], ""), " ")}
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
func tall(p trend.Point) string { return tenth(min(sparkTall-1, max(1, sparkTall*p.Share()))) }
