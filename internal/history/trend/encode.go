package trend

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/envelope/wire"
)

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

// EncodeJSON writes the trend as one document of the schema, a line per run and per test.
// Points are columns, as the rows of an envelope are; a number that is absent is null.
func (t *Trend) EncodeJSON(w io.Writer) error {
	out := wire.NewWriter(w, false)
	out.Field("{", "schema", Schema)
	out.Field(",\n ", "window", t.Window)
	out.Field(",", "stored", t.Stored)
	out.Field(",\n ", "confidence", t.Confidence)
	out.Field(",\n ", "states", t.Count())
	out.Field(",\n ", "notes", append([]string{}, t.Notes...))
	out.Text(",\n \"runs\":")
	wire.WriteList(out, "\n  ", t.Runs)
	out.Text(",\n \"tests\":[")
	for i := range t.Tests {
		out.Next(i, "\n  ")
		test := &t.Tests[i]
		head := out.Encode(testWire{test.Key, test.Owners, test.State, test.Evidence, test.Strip, test.Runs, test.Counted, test.Passed, test.Rate,
			test.ShrunkenRate, test.MeanScore, test.Inconclusive, test.Drift, test.Ever})
		line := append(bytes.TrimSuffix(head, []byte("}")), `,"points":{`...)
		out.Write(append(t.appendPoints(line, test.Points), "}}"...))
	}
	out.Text("]}\n")
	return out.Close()
}

// Count is the number of tests in each state.
func (t *Trend) Count() map[State]int {
	counts := map[State]int{}
	for i := range t.Tests {
		counts[t.Tests[i].State]++
	}
	return counts
}

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

// appendFloat appends the shortest form that reads back as the same number, and null for NaN.
func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
