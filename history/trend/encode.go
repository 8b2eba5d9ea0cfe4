package trend

import (
	"bufio"
	"bytes"
	"encoding/json"
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
