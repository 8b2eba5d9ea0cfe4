// Package csv writes an envelope as comma-separated values for spreadsheets and data frames: Write a row per test,
// WriteTrials a row per trial, in the order of the envelope, below a header row.
//
// The form is RFC 4180, CRLF included. The columns are always the same, in the same order, and new ones are only ever added
// at the end; those on the inside of trials are there where a test of the run has any, and policy_file where one said a
// part of the policy. An empty cell is unknown, never 0. Numbers are plain, with a point, as exact as the envelope has
// them; truth is true or false; rates are fractions of 1.
//
// A spreadsheet runs a cell that starts with = + - or @ as a formula, whoever wrote it. Words that start like that, or with
// the full-width forms of these signs, a tab or a CR, get an apostrophe in front; numbers do not. Words are one line
// without control characters. Where that makes the names of two tests equal, the column id still tells them apart: it is
// made of the exact suite, test and variant, is the same in every run, and joins the two tables.
//
// The package leaves out problems, gates and metrics of the run, which are no
// rows, and the outputs of trials, which are no cells.
package csv

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// Write writes a row per test. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	columns := testColumns
	inside := func(t envelope.Test) bool { return len(t.Checks) > 0 || t.Parting != nil }
	if slices.ContainsFunc(e.Tests, inside) {
		columns = slices.Concat(columns, insideColumns)
	}
	if file := words(e.Policy.Config); file != "" {
		columns = append(slices.Clip(columns), column[envelope.Test]{"policy_file", func(*envelope.Test) string { return file }})
	}
	return rows(w, columns, e.Tests)
}

func rows[T any](w io.Writer, columns []column[T], list []T) error {
	out := newTable(w, columns)
	for i := range list {
		out.row(cells(columns, &list[i]))
	}
	return out.end()
}

// WriteTrials writes a row per trial, its columns named as in a stream of
// trials wherever they hold the same. The error is that of the writer.
func WriteTrials(w io.Writer, e *envelope.Envelope) error {
	columns := trialColumns
	if envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return t.StoppedByOutcome(&e.Run) }) {
		columns = append(slices.Clip(columns), column[trial]{"adaptive", func(t *trial) string { return t.adaptive }})
	}
	out := newTable(w, columns)
	for i := range e.Tests {
		t := &e.Tests[i]
		trial := trial{Test: t, id: id(t.Key), message: messages(t), adaptive: map[bool]string{true: "true"}[t.StoppedByOutcome(&e.Run)]}
		for trial.row = range t.Rows.Outcome {
			out.row(cells(columns, &trial))
		}
	}
	return out.end()
}

type column[T any] struct {
	name string
	cell func(*T) string
}

func cells[T any](columns []column[T], of *T) []string {
	return each.Of(columns, func(c column[T]) string { return c.cell(of) })
}

// table writes rows until the first error, which csv.Writer keeps.
type table struct{ w *csv.Writer }

func newTable[T any](w io.Writer, columns []column[T]) table {
	out := table{csv.NewWriter(w)}
	out.w.UseCRLF = true
	header := each.Of(columns, func(c column[T]) string { return c.name })
	out.row(header)
	return out
}

func (t table) row(cells []string) { _ = t.w.Write(cells) } // end reports the error

func (t table) end() error {
	t.w.Flush()
	return t.w.Error()
}

func words(s string) string {
	const cellLimit = 32000 // bytes; spreadsheets take 32,767 characters
	s = text.CutLine(text.Line(s), cellLimit)
	const formula = "=+-@\t\r＝＋－＠" // holds the first characters of what a spreadsheet runs
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formula, first) {
		return "'" + s
	}
	return s
}

func formatNumber(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func optional(v envelope.Opt[float64]) string { return v.Text("", formatNumber) }

func integer[T ~int | ~int32 | ~int64](v T, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.FormatInt(int64(v), 10)
}

func object(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil { // strings always marshal
		return ""
	}
	return words(string(b))
}

// id is a word made of the key. The letter in front keeps spreadsheets from taking it for a number.
func id(k envelope.Key) string {
	sum := standing.Digest(k.Suite, k.Test, k.Variant)
	return "t" + hex.EncodeToString(sum[:8])
}

// WriteTrend writes a row per test of a trend. The error is that of the writer.
func WriteTrend(w io.Writer, t *trend.Trend) error { return rows(w, trendColumns, t.Tests) }

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
	{"rate", known(trendRate, value)},
	{"lo", known(trendRate, lower)},
	{"hi", known(trendRate, upper)},
	{"shrunken_rate", func(t *trend.Test) string { return optional(t.ShrunkenRate) }},
	{"inconclusive_share", func(t *trend.Test) string { return optional(t.Inconclusive) }},
	{"drift_z", known(drift, func(d *trend.Drift) float64 { return d.Z })},
	{"drift_p", known(drift, func(d *trend.Drift) float64 { return d.PValue })},
	{"drift_p_adjusted", known(drift, func(d *trend.Drift) float64 { return d.PAdjusted })},
	{"ever_runs", part(ever, func(e *trend.Ever) string { return strconv.Itoa(e.Runs) })},
	{"ever_log_e", part(ever, func(e *trend.Ever) string { return formatNumber(e.LogE) })},
	{"ever_log_e_trials", part(ever, func(e *trend.Ever) string { return formatNumber(e.LogETrials) })},
	{"ever_changed", part(ever, func(e *trend.Ever) string { return strconv.FormatBool(e.Changed) })},
}

func trendRate(t *trend.Test) *envelope.Rate { return t.Rate }
func momentRate(m *moment) *envelope.Rate    { return m.rate }
func drift(t *trend.Test) *trend.Drift       { return t.Drift }
func ever(t *trend.Test) *trend.Ever         { return t.Ever }

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
	{"rate", known(momentRate, value)},
	{"lo", known(momentRate, lower)},
	{"hi", known(momentRate, upper)},
	{"cost_usd", func(m *moment) string { return formatNumber(m.point.CostUSD) }},
	{"duration_ms", func(m *moment) string { return formatNumber(m.point.DurationMS) }},
}
