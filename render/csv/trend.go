package csv

import (
	"io"
	"strconv"

	"tribunal/envelope"
	"tribunal/history/trend"
)

// WriteTrend writes a row per test of a trend. The error is that of the writer.
func WriteTrend(w io.Writer, t *trend.Trend) error {
	out := newTable(w, trendColumns)
	for i := range t.Tests {
		out.row(cells(trendColumns, &t.Tests[i]))
	}
	return out.end()
}

var trendColumns = []column[trend.Test]{
	{"id", func(t *trend.Test) string { return id(t.Key) }},
	{"suite", func(t *trend.Test) string { return words(t.Suite) }},
	{"test", func(t *trend.Test) string { return words(t.Test) }},
	{"variant", func(t *trend.Test) string { return words(t.Variant) }},
	{"state", func(t *trend.Test) string { return string(t.State) }},
	{"evidence", func(t *trend.Test) string { return words(t.Evidence) }},
	{"strip", func(t *trend.Test) string { return t.Strip }},
	{"runs", func(t *trend.Test) string { return strconv.Itoa(t.Runs) }},
	{"counted", func(t *trend.Test) string { return strconv.Itoa(t.Counted) }},
	{"passed", func(t *trend.Test) string { return strconv.Itoa(t.Passed) }},
	{"rate", ofRate(func(t *trend.Test) *envelope.Rate { return t.Rate }, rateValue)},
	{"lo", ofRate(func(t *trend.Test) *envelope.Rate { return t.Rate }, rateLo)},
	{"hi", ofRate(func(t *trend.Test) *envelope.Rate { return t.Rate }, rateHi)},
	{"shrunken_rate", func(t *trend.Test) string { return optional(t.ShrunkenRate) }},
	{"inconclusive_share", func(t *trend.Test) string { return optional(t.Inconclusive) }},
	{"drift_z", ofDrift(func(d *trend.Drift) float64 { return d.Z })},
	{"drift_p", ofDrift(func(d *trend.Drift) float64 { return d.PValue })},
	{"drift_p_adjusted", ofDrift(func(d *trend.Drift) float64 { return d.PAdjusted })},
	{"ever_runs", ofEver(func(e *trend.Ever) string { return strconv.Itoa(e.Runs) })},
	{"ever_log_e", ofEver(func(e *trend.Ever) string { return number(e.LogE) })},
	{"ever_log_e_trials", ofEver(func(e *trend.Ever) string { return number(e.LogETrials) })},
	{"ever_changed", ofEver(func(e *trend.Ever) string { return strconv.FormatBool(e.Changed) })},
}

func rateValue(r *envelope.Rate) float64 { return r.Value }
func rateLo(r *envelope.Rate) float64    { return r.Lo }
func rateHi(r *envelope.Rate) float64    { return r.Hi }

func ofRate[T any](rate func(*T) *envelope.Rate, part func(*envelope.Rate) float64) func(*T) string {
	return func(t *T) string {
		if r := rate(t); r != nil {
			return number(part(r))
		}
		return ""
	}
}

func ofDrift(part func(*trend.Drift) float64) func(*trend.Test) string {
	return func(t *trend.Test) string {
		if t.Drift == nil {
			return ""
		}
		return number(part(t.Drift))
	}
}

func ofEver(part func(*trend.Ever) string) func(*trend.Test) string {
	return func(t *trend.Test) string {
		if t.Ever == nil {
			return ""
		}
		return part(t.Ever)
	}
}

// moment is a test in a run.
type moment struct {
	test  *trend.Test
	run   *trend.Run
	point trend.Point
	rate  *envelope.Rate
	id    string
}

// WriteTrendRuns writes a row per test and run. The error is that of the writer.
func WriteTrendRuns(w io.Writer, t *trend.Trend) error {
	out := newTable(w, momentColumns)
	for i := range t.Tests {
		m := moment{test: &t.Tests[i], id: id(t.Tests[i].Key)}
		for _, m.point = range m.test.Points {
			m.run, m.rate = &t.Runs[m.point.Run], t.Rate(m.point)
			out.row(cells(momentColumns, &m))
		}
	}
	return out.end()
}

var momentColumns = []column[moment]{
	{"id", func(m *moment) string { return m.id }},
	{"suite", func(m *moment) string { return words(m.test.Suite) }},
	{"test", func(m *moment) string { return words(m.test.Test) }},
	{"variant", func(m *moment) string { return words(m.test.Variant) }},
	{"run", func(m *moment) string { return words(m.run.ID) }},
	{"run_name", func(m *moment) string { return words(m.run.Name) }},
	{"run_id", func(m *moment) string { return words(m.run.Given) }},
	{"commit", func(m *moment) string { return words(m.run.Commit) }},
	{"started_at", func(m *moment) string { return words(m.run.StartedAt) }},
	{"status", func(m *moment) string { return string(m.point.Status.Status()) }},
	{"flaky", func(m *moment) string { return strconv.FormatBool(m.point.Flaky) }},
	{"counted", func(m *moment) string { return integer(m.point.Counted, true) }},
	{"passed", func(m *moment) string { return integer(m.point.Passed, true) }},
	{"excluded", func(m *moment) string { return integer(m.point.Excluded, true) }},
	{"rate", ofRate(func(m *moment) *envelope.Rate { return m.rate }, rateValue)},
	{"lo", ofRate(func(m *moment) *envelope.Rate { return m.rate }, rateLo)},
	{"hi", ofRate(func(m *moment) *envelope.Rate { return m.rate }, rateHi)},
	{"cost_usd", func(m *moment) string { return number(m.point.CostUSD) }},
	{"duration_ms", func(m *moment) string { return number(m.point.DurationMS) }},
}
