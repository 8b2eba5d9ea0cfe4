package pretty

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// WriteTrend writes a trend: a row for every test that is not stable, with a sign a run and the evidence, and the runs as a whole.
func WriteTrend(w io.Writer, t *trend.Trend, o Options) error {
	r := &trendReport{report: newReport(&envelope.Envelope{}, o), t: t}
	keys := make([]envelope.Test, len(t.Tests))
	for i := range t.Tests {
		keys[i].Key = t.Tests[i].Key
	}
	r.common(keys)
	r.head()
	if err := r.changes(); err != nil {
		return err
	}
	r.overall()
	r.states()
	if t.Next != "" {
		r.line(r.ink.faint.Render("Next  ") + r.field(t.Next))
	}
	_, err := r.out.WriteTo(w)
	return err
}

type trendReport struct {
	*report
	t *trend.Trend
}

func (r *trendReport) head() {
	s := r.ink.strong.Render(r.field(r.t.Title()))
	if older := r.t.Stored - len(r.t.Runs); older > 0 {
		s += r.sign.dot + words.Count(older) + " older left out"
	}
	if n := len(r.t.Runs); n > 0 {
		if first, last := day(r.t.Runs[0]), day(r.t.Runs[n-1]); first != "" && last != "" {
			s += r.sign.dot + r.field(first) + " to " + r.field(last)
		}
	}
	for _, part := range []string{r.printed, r.field(r.variant)} {
		s += words.Around(r.sign.dot, part)
	}
	r.text("", "  ", s+r.sign.dot+words.Level(r.t.Confidence)+" confidence", 4)
	for _, note := range r.t.Notes {
		r.text("", "  ", r.ink.faint.Render(text.Line(note)), 4)
	}
}

func day(run trend.Run) string {
	date, _, _ := strings.Cut(run.StartedAt, "T")
	return date
}

// Of the tests that are not stable so many are listed; stable ones only where the list is short anyway.
const mostUnstable, fewTests = 200, 20

// listed are the tests that get a row, what needs a look first.
func (r *trendReport) listed() []*trend.Test {
	var tests []*trend.Test
	for _, state := range trend.States {
		tests = append(tests, each.Where(each.Pointers(r.t.Tests), func(t *trend.Test) bool {
			return t.State == state && (!t.Quiet() || len(r.t.Tests) <= fewTests)
		})...)
	}
	return tests
}

// The widths of the table of tests that do not depend on it.
const (
	stateWidth = len(trend.DriftingDown)
	mostSigns  = 50 // runs in a row of signs
	leastSigns = 8
	leastName  = 24
	narrowName = 10 // where there is no room for more
)

const shrunkenTitle = "Shrunken"

func (r *trendReport) changes() error {
	tests := r.listed()
	if len(tests) == 0 {
		return nil
	}
	shown := tests[:min(len(tests), mostUnstable)]
	columns := r.trendColumns(shown)
	rows := each.Of(shown, func(t *trend.Test) []string { return r.changeRow(columns, t) })
	r.line("")
	if err := r.table(columns, rows); err != nil {
		return err
	}
	if n := len(tests) - len(shown); n > 0 {
		r.text("", "", r.sign.ellipsis+" and "+words.Plural(n, "more test", "more tests")+" that changed or are flaky", 2)
	}
	r.text("", "", r.runLegend(shown), 3)
	if slices.ContainsFunc(columns, func(c placed) bool { return c.title == shrunkenTitle }) {
		r.text("", "", r.ink.faint.Render(shrunkenTitle+": the rate to expect in a new run, pulled towards that of all tests"), 2)
	}
	if n := columns[len(columns)-1].width; n < len(r.t.Runs) {
		r.text("", "", r.ink.faint.Render(fmt.Sprintf("Runs: the latest %d of %d are shown; numbers and states cover all", n, len(r.t.Runs))), 2)
	}
	return nil
}

func (r *trendReport) trendColumns(tests []*trend.Test) []placed {
	columns := []placed{
		{column{title: "State"}, stateWidth}, {column{title: testTitle, least: narrowName}, width(testTitle)},
		{column{title: passedTitle, right: true, keep: 3, name: leastName}, width(passedTitle)},
		{column{title: rateTitle, right: true, keep: 2, name: leastName}, width(rateTitle)},
		{column{title: shrunkenTitle, right: true, keep: 1, whole: true}, width(shrunkenTitle)},
		{column{title: pastTitle, least: leastSigns}, max(width(pastTitle), min(len(r.t.Runs), mostSigns))},
	}
	name := &columns[1].width
	for _, t := range tests {
		*name = max(*name, width(r.trendName(t).String()))
		columns[2].width = max(columns[2].width, width(t.Trials()))
		columns[3].width = max(columns[3].width, width(r.trendRate(t)))
	}
	if r.width == 0 {
		return columns
	}
	*name = min(*name, 60)
	whole := *name
	columns = fit(columns, r.width, trendShares)
	if r.kept {
		columns[1].width = whole
	}
	return columns
}

var trendShares = []share{{testTitle, leastName - narrowName, 1}, {pastTitle, leastSigns, 1}, {testTitle, comfortable - leastName, 1},
	{pastTitle, unlimited, 1}, {testTitle, unlimited, 1}}

func (r *trendReport) trendName(t *trend.Test) name { return r.name(&envelope.Test{Key: t.Key}) }

func (r *trendReport) trendRate(t *trend.Test) string {
	if t.ByScore {
		return t.Score()
	}
	if t.Rate == nil {
		return ""
	}
	rate, _ := rateAndInterval(t.Rate.Value, t.Rate.Lo, t.Rate.Hi)
	return rate + " %"
}

// changeRow makes the cells of a test, its evidence on lines of their own.
func (r *trendReport) changeRow(columns []placed, t *trend.Test) []string {
	cells := make([]string, len(columns))
	at := 0
	for i, c := range columns {
		switch c.title {
		case "State":
			cells[i] = r.ink.ofTrend(t.State).Render(string(t.State))
		case testTitle:
			name := r.fit(r.trendName(t), c.width)
			cells[i] = name.paint(&r.canvas) + r.evidence(t, r.limit-at)
		case passedTitle:
			cells[i] = t.Trials()
		case rateTitle:
			cells[i] = r.trendRate(t)
		case shrunkenTitle:
			cells[i] = words.Around("", t.ShrunkenRate.Text("", words.Percent), " %")
		case pastTitle:
			cells[i] = r.signs(t, c.width)
		}
		at += c.width + gap
	}
	return cells
}

func (r *trendReport) evidence(t *trend.Test, room int) string {
	var b strings.Builder
	for i, line := range wrap(text.Line(t.Evidence), room-3, 3, r.sign.ellipsis) {
		lead := r.sign.elbow + " "
		if i > 0 {
			lead = "  "
		}
		b.WriteString("\n" + r.ink.faint.Render(pad(lead, 3, false)+line))
	}
	return b.String()
}

// levels are the heights of a pass rate above 0 and below 1.
var levels = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇"}

func (r *trendReport) signs(t *trend.Test, room int) string {
	first := max(0, len(r.t.Runs)-room)
	row := slices.Repeat([]string{r.runSigns()[trend.MarkAbsent]}, len(r.t.Runs)-first)
	for _, p := range t.Points {
		if int(p.Run) >= first {
			row[int(p.Run)-first] = r.runSign(p)
		}
	}
	return r.painted(row, t.Strip[first:])
}

func (r *trendReport) runSign(p trend.Point) string {
	mark := p.Mark()
	if mark != trend.MarkMixed {
		return r.runSigns()[mark]
	}
	rate := p.Share()
	if r.ascii() {
		return string(rune('1' + min(8, max(0, int(rate*10)-1))))
	}
	return levels[min(len(levels)-1, int(rate*float64(len(levels))))]
}

func (r *trendReport) runLegend(tests []*trend.Test) string {
	mixed := levels[0] + ".." + levels[len(levels)-1]
	if r.ascii() {
		mixed = "1..9"
	}
	strips := each.Of(tests, func(t *trend.Test) string { return t.Strip })
	return r.markLegend(strips, mixed)
}

func (r *trendReport) overall() {
	if len(r.t.Runs) < 2 {
		return
	}
	r.line("")
	if r.t.Part {
		r.line("All tests of these runs:")
	}
	r.sparkline("pass rate", func(run *trend.Run) (float64, bool) {
		if run.Rate == nil {
			return 0, false
		}
		return run.Rate.Value, true
	}, 1, func(v float64) string { return words.Percent(v) + " %" })
	r.sparkline("undecided", func(run *trend.Run) (float64, bool) { return run.InconclusiveShare.V, run.InconclusiveShare.OK }, 1,
		func(v float64) string { return words.Percent(v) + " % of tests" })
	r.sparkline("cost", func(run *trend.Run) (float64, bool) { return run.CostUSD.V, run.CostUSD.OK }, 0, words.Dollars)
	r.sparkline("trial time", func(run *trend.Run) (float64, bool) { return run.DurationMS.V, run.DurationMS.OK }, 0, words.Duration)
}

// sparkline draws a number of the latest runs, up to most or, where that is 0,
// to the largest of all runs; nothing when no run has it, or all have 0. Its
// words are about all runs, however many are drawn.
func (r *trendReport) sparkline(what string, of func(*trend.Run) (float64, bool), most float64, write func(float64) string) {
	const label, numbers = 16, 44
	room := max(leastSigns, min(mostSigns, r.limit-label-numbers))
	var values []float64
	last := "none"
	for i := range r.t.Runs {
		last = "none"
		if v, ok := of(&r.t.Runs[i]); ok {
			values = append(values, v)
			last = write(v)
		}
	}
	if len(values) == 0 || slices.Max(values) == 0 {
		return
	}
	top := max(most, slices.Max(values))
	var b strings.Builder
	for i := max(0, len(r.t.Runs)-room); i < len(r.t.Runs); i++ {
		v, ok := of(&r.t.Runs[i])
		b.WriteString(r.height(v/top, ok))
	}
	drawn := "  " + pad(what, label-2, false) + b.String() + "  "
	r.line(drawn + cut(fmt.Sprintf("%s in the last run, median %s", last, write(middle(values))), r.limit-width(drawn), r.sign.ellipsis))
}

// middle is the median; it sorts the values.
func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2]/2 + values[n/2]/2
}

func (r *trendReport) height(share float64, known bool) string {
	switch {
	case !known && r.ascii():
		return "."
	case !known:
		return "·"
	case r.ascii():
		return string(rune('0' + min(9, max(0, int(share*10)))))
	}
	all := append(slices.Clone(levels), "█")
	return all[min(len(all)-1, max(0, int(share*float64(len(levels)))))]
}

func (r *trendReport) states() {
	counts := r.t.Count()
	states := words.Some(trend.States, func(state trend.State) string {
		return words.If(counts[state] > 0, r.ink.ofTrend(state).Render(words.Count(counts[state])+" "+strings.ToLower(string(state))))
	})
	r.line("")
	r.text("", "", cmp.Or(states, "no test"), 3)
	const most = 10
	owned := r.t.ByOwner()
	for _, o := range owned[:min(len(owned), most)] {
		r.text("  ", "    ", r.field(o.Owner)+": "+o.Says(), 3)
	}
	r.more("  ", len(owned)-most, "more owner", false)
}
