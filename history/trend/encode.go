package trend

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/envelope/wire"
)

// testWire is a test in JSON, but for its points.
type testWire struct {
	envelope.Key
	Owners       []string              `json:"owners,omitempty"`
	State        State                 `json:"state"`
	Evidence     string                `json:"evidence"`
	Strip        string                `json:"strip"`
	Runs         int                   `json:"runs"`
	Counted      int                   `json:"counted"`
	Passed       int                   `json:"passed"`
	Rate         *envelope.Rate        `json:"rate,omitempty"`
	ShrunkenRate envelope.Opt[float64] `json:"shrunken_rate,omitzero"`
	MeanScore    envelope.Opt[float64] `json:"mean_score,omitzero"` // of a test that is compared by its scores
	Inconclusive envelope.Opt[float64] `json:"inconclusive_share,omitzero"`
	Drift        *Drift                `json:"drift,omitempty"`
	Ever         *Ever                 `json:"ever,omitempty"`
}

// EncodeJSON writes the trend as one document of the schema, a line per run and
// per test. Points are columns, as the rows of an envelope are; a number that is
// absent is null.
func (t *Trend) EncodeJSON(w io.Writer) error {
	out := &encoder{w: bufio.NewWriterSize(w, 1<<16)}
	out.text(`{"schema":` + strconv.Quote(Schema) + ",\n ")
	out.text(`"window":` + strconv.Itoa(t.Window) + `,"stored":` + strconv.Itoa(t.Stored) + ",\n ")
	out.text(`"confidence":`)
	out.value(t.Confidence)
	out.text(",\n \"states\":")
	out.value(t.Count())
	out.text(",\n \"notes\":")
	out.value(append([]string{}, t.Notes...))
	out.text(",\n \"runs\":[")
	for i := range t.Runs {
		out.separate(i)
		out.value(&t.Runs[i])
	}
	out.text("],\n \"tests\":[")
	for i := range t.Tests {
		out.separate(i)
		out.test(t, &t.Tests[i])
	}
	out.text("]}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// Count is the number of tests in each state.
func (t *Trend) Count() map[State]int {
	counts := map[State]int{}
	for i := range t.Tests {
		counts[t.Tests[i].State]++
	}
	return counts
}

// encoder writes until the first error and keeps that.
type encoder struct {
	w    *bufio.Writer
	line []byte
	err  error
}

func (o *encoder) text(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *encoder) separate(i int) {
	if i > 0 {
		o.text(",")
	}
	o.text("\n  ")
}

func (o *encoder) value(v any) {
	if o.err != nil {
		return
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if o.err = enc.Encode(v); o.err == nil {
		_, o.err = o.w.Write(wire.DisarmJSON(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
	}
}

func (o *encoder) test(t *Trend, test *Test) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if o.err == nil {
		o.err = enc.Encode(testWire{test.Key, test.Owners, test.State, test.Evidence, test.Strip, test.Runs, test.Counted, test.Passed, test.Rate, test.ShrunkenRate, test.MeanScore, test.Inconclusive, test.Drift, test.Ever})
	}
	if o.err != nil {
		return
	}
	o.line = append(o.line[:0], wire.DisarmJSON(bytes.TrimSuffix(text.Bytes(), []byte("}\n")))...)
	o.line = append(t.appendPoints(append(o.line, `,"points":{`...), test.Points), "}}"...)
	_, o.err = o.w.Write(o.line)
}

// appendPoints appends the columns of the points.
func (t *Trend) appendPoints(b []byte, points []Point) []byte {
	column := func(name string, cell func([]byte, Point) []byte) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), `":[`...)
		for i, p := range points {
			if i > 0 {
				b = append(b, ',')
			}
			b = cell(b, p)
		}
		b = append(b, ']')
	}
	whole := func(of func(Point) int32) func([]byte, Point) []byte {
		return func(b []byte, p Point) []byte { return strconv.AppendInt(b, int64(of(p)), 10) }
	}
	rate := func(of func(*envelope.Rate) float64) func([]byte, Point) []byte {
		return func(b []byte, p Point) []byte {
			if r := t.Rate(p); r != nil {
				return appendFloat(b, of(r))
			}
			return append(b, "null"...)
		}
	}
	column("run", whole(func(p Point) int32 { return p.Run }))
	column("counted", whole(func(p Point) int32 { return p.Counted }))
	column("passed", whole(func(p Point) int32 { return p.Passed }))
	column("excluded", whole(func(p Point) int32 { return p.Excluded }))
	column("status", func(b []byte, p Point) []byte { return strconv.AppendQuote(b, string(p.Status.Status())) })
	column("flaky", func(b []byte, p Point) []byte { return strconv.AppendBool(b, p.Flaky) })
	column("rate", rate(func(r *envelope.Rate) float64 { return r.Value }))
	column("lo", rate(func(r *envelope.Rate) float64 { return r.Lo }))
	column("hi", rate(func(r *envelope.Rate) float64 { return r.Hi }))
	if slices.ContainsFunc(points, Point.byScore) {
		column("score", func(b []byte, p Point) []byte {
			if !p.byScore() {
				return append(b, "null"...)
			}
			return appendFloat(b, p.Scores.Mean)
		})
	}
	column("cost_usd", func(b []byte, p Point) []byte { return appendFloat(b, p.CostUSD) })
	column("duration_ms", func(b []byte, p Point) []byte { return appendFloat(b, p.DurationMS) })
	return b
}

// appendFloat appends the shortest form that reads back as the same number, and
// null for NaN.
func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// Latest is what the last run shows against those before it. A test that is not in the
// last run is in none of its lists.
type Latest struct {
	Regressed []Change // BROKEN after it passed, or DRIFTING DOWN
	NewFlaky  []Change // NEW-FLAKY
	Failing   []Change // failed in the last run and passed in the one before, which may be chance
	Fixed     []Change // FIXED
	Outliers  []Outlier
}

// Change is a test that changed, with the runs between which it did; -1 where no single
// run is the first.
type Change struct {
	Test         *Test
	Before, From int
}

// Latest compares the last run with those before it.
func (t *Trend) Latest() Latest {
	var l Latest
	last := len(t.Runs) - 1
	for i := range t.Tests {
		test := &t.Tests[i]
		if len(test.Points) == 0 || int(test.Points[len(test.Points)-1].Run) != last {
			continue
		}
		switch {
		case test.State == DriftingDown:
			l.Regressed = append(l.Regressed, Change{test, -1, -1})
		case test.State == Broken && test.Passed > 0 && !test.ByScore: // by its scores it never passed
			l.Regressed = append(l.Regressed, test.changed(true, func(p Point) bool { return p.Passed > 0 }))
		case test.State == NewFlaky:
			l.NewFlaky = append(l.NewFlaky, test.changed(false, func(p Point) bool { return p.Passed == p.Counted }))
		case test.State == Fixed:
			l.Fixed = append(l.Fixed, test.changed(true, func(p Point) bool { return p.Passed < p.Counted }))
		case test.failsNow():
			if c := test.changed(true, func(p Point) bool { return !p.failed() }); c.Before >= 0 && c.From == last {
				l.Failing = append(l.Failing, c)
			}
		}
		l.Outliers = append(l.Outliers, t.outliers(test)...)
	}
	for _, all := range [][]Change{l.Regressed, l.NewFlaky, l.Failing, l.Fixed} {
		slices.SortStableFunc(all, func(a, b Change) int { return b.From - a.From })
	}
	l.Outliers = append(t.runOutliers(), l.Outliers...)
	return l
}

func (p Point) failed() bool {
	return p.Status.Status() == envelope.Fail || p.Status.Status() == envelope.Error
}

// failsNow reports whether the test failed in the last run that judged it.
func (test *Test) failsNow() bool { return test.Points[len(test.Points)-1].failed() }

// changed finds the runs between which a test left what it was before: the last run that
// was like that and the one after it, or, from the beginning, the first that was not.
func (test *Test) changed(last bool, before func(Point) bool) Change {
	c := Change{test, -1, -1}
	for _, p := range test.Points {
		switch {
		case p.Counted == 0 && !p.failed():
		case before(p):
			if !last && c.From >= 0 {
				return c
			}
			c.Before, c.From = int(p.Run), -1
		case c.From < 0:
			c.From = int(p.Run)
		}
	}
	return c
}

// Outlier is a number of the last run that lies far from those of the runs before.
type Outlier struct {
	Test   *Test // nil for the run
	Cost   bool  // a trial's cost in dollars; else a trial's time in milliseconds
	Value  float64
	Median float64 // of the runs before
	Runs   int     // that have the number, before the last
}

// fewestBefore is how many runs it takes before one of them can be an outlier.
const fewestBefore = 8

// outlier holds the last value against those before: it lies beyond Tukey's outer fences,
// three times the distance of the quartiles from these, and at least a quarter beside the
// median, so that numbers that hardly vary are none. NaN is no value.
func outlier(values []float64) (Outlier, bool) {
	if len(values) == 0 {
		return Outlier{}, false
	}
	o := Outlier{Value: values[len(values)-1]}
	before := slices.DeleteFunc(slices.Clone(values[:len(values)-1]), math.IsNaN)
	if o.Runs = len(before); o.Runs < fewestBefore || math.IsNaN(o.Value) {
		return o, false
	}
	slices.Sort(before)
	low, high := quartile(before, 1), quartile(before, 3)
	o.Median = quartile(before, 2)
	far := 3 * (high - low)
	return o, o.Value > high+far && o.Value >= 1.25*o.Median || o.Value < low-far && o.Value <= 0.75*o.Median
}

// quartile interpolates between the two values beside it.
func quartile(sorted []float64, k int) float64 {
	place := float64(k) * float64(len(sorted)-1) / 4
	below := int(place)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
}

// outliers are the time and cost of a trial of a test, where the last run's is far away.
func (t *Trend) outliers(test *Test) []Outlier {
	times, costs := make([]float64, len(test.Points)), make([]float64, len(test.Points))
	for i, p := range test.Points {
		times[i], costs[i] = p.DurationMS, p.CostUSD/float64(p.Counted+p.Excluded)
	}
	return found(test, times, costs)
}

// runOutliers are the same of the runs as a whole. Their numbers are for each counted trial.
func (t *Trend) runOutliers() []Outlier {
	times, costs := make([]float64, len(t.Runs)), make([]float64, len(t.Runs))
	for i, r := range t.Runs {
		times[i], costs[i] = r.DurationMS.Or(math.NaN())/float64(r.Counted), r.CostUSD.Or(math.NaN())/float64(r.Counted)
	}
	return found(nil, times, costs)
}

func found(test *Test, times, costs []float64) (out []Outlier) {
	for i, values := range [][]float64{times, costs} {
		if o, far := outlier(values); far && !math.IsInf(o.Value, 0) {
			o.Test, o.Cost = test, i == 1
			out = append(out, o)
		}
	}
	return out
}

// WorstFirst are the tests that ran, those that need a look first: by state, those that
// fail in the last run, then by pass rate.
func (t *Trend) WorstFirst() []*Test {
	place := map[State]int{}
	for i, s := range States {
		place[s] = i
	}
	rank := func(test *Test) float64 {
		if test.ByScore {
			return test.MeanScore.V
		}
		return test.ShrunkenRate.Or(1)
	}
	var out []*Test
	for i := range t.Tests {
		if len(t.Tests[i].Points) > 0 {
			out = append(out, &t.Tests[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Test) int {
		fails := 0
		if a.failsNow() != b.failsNow() {
			fails = 1
			if a.failsNow() {
				fails = -1
			}
		}
		return cmp.Or(place[a.State]-place[b.State], fails, cmp.Compare(rank(a), rank(b)))
	})
	return out
}

// Says is what the number is: what a trial took or cost, and what it did before.
func (o Outlier) Says(time, money func(float64) string) string {
	word, say := "takes", time
	if o.Cost {
		word, say = "costs", money
	}
	return fmt.Sprintf("a trial %s %s, %s in the %s before (median)", word, say(o.Value), say(o.Median), runs(o.Runs))
}
