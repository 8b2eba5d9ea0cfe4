// Package csv writes an envelope as comma-separated values for spreadsheets and
// data frames: Write a row per test, WriteTrials a row per trial, in the order of
// the envelope, below a header row.
//
// The form is RFC 4180, CRLF included. The columns are always the same, in the
// same order, and new ones are only ever added at the end; those on the inside of
// trials are there where a test of the run has any, and policy_file where one said a part
// of the policy. An empty cell is
// unknown, never 0. Numbers are plain, with a point, as exact as the envelope
// has them; truth is true or false; rates are fractions of 1.
//
// A spreadsheet runs a cell that starts with = + - or @ as a formula, whoever
// wrote it. Words that start like that, or with the full-width forms of these
// signs, a tab or a CR, get an apostrophe in front; numbers do not. Words are one
// line without control characters. Where that makes the names of two tests
// equal, the column id still tells them apart: it is made of the exact suite,
// test and variant, is the same in every run, and joins the two tables.
//
// The package leaves out problems, gates and metrics of the run, which are no
// rows, and the outputs of trials, which are no cells.
package csv

import (
	"encoding/csv"
	"io"
	"slices"

	"tribunal/envelope"
)

// Options of both tables; they have none.
type Options struct{}

// Write writes a row per test. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	columns := testColumns
	inside := func(t envelope.Test) bool { return len(t.Checks) > 0 || t.Parting != nil }
	if slices.ContainsFunc(e.Tests, inside) {
		columns = slices.Concat(columns, insideColumns)
	}
	if file := words(e.Policy.Config); file != "" {
		columns = append(slices.Clip(columns), column[envelope.Test]{"policy_file", func(*envelope.Test) string { return file }})
	}
	out := newTable(w, columns)
	for i := range e.Tests {
		out.row(cells(columns, &e.Tests[i]))
	}
	return out.end()
}

// WriteTrials writes a row per trial, its columns named as in a stream of
// trials wherever they hold the same. The error is that of the writer.
func WriteTrials(w io.Writer, e *envelope.Envelope, _ Options) error {
	out := newTable(w, trialColumns)
	for i := range e.Tests {
		t := &e.Tests[i]
		trial := trial{Test: t, id: id(t.Key), message: messages(t)}
		for trial.row = range t.Rows.Outcome {
			out.row(cells(trialColumns, &trial))
		}
	}
	return out.end()
}

// column is a name and how its cell is made.
type column[T any] struct {
	name string
	cell func(*T) string
}

func cells[T any](columns []column[T], of *T) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.cell(of)
	}
	return row
}

// table writes rows until the first error, which csv.Writer keeps.
type table struct{ w *csv.Writer }

func newTable[T any](w io.Writer, columns []column[T]) table {
	out := table{csv.NewWriter(w)}
	out.w.UseCRLF = true
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.name
	}
	out.row(header)
	return out
}

func (t table) row(cells []string) { _ = t.w.Write(cells) } // end reports the error

func (t table) end() error {
	t.w.Flush()
	return t.w.Error()
}
