// Package pretty writes an envelope for a terminal: what failed and why, a row per test,
// and the summary last, where the cursor is.
//
// All numbers come from the envelope. The same envelope and options give the same bytes: the
// caller passes the width of the terminal and whether it has colours. Long runs are
// shortened: passing tests and most messages are left out. The json report has them.
//
// tablewriter only divides cells into lines. Columns are measured here, because it counts a
// family of emoji as six columns instead of two, cuts names that it measures as too wide, ends
// a colour twice, and keeps its settings for the whole process.
//
// Texts of tests are hostile. Package text makes them safe. This package replaces tabs, and
// keeps wrapped lines from beginning with a command of a CI system.
package pretty

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"tribunal/envelope"
)

// Options of the report. The zero value is for a pipe.
type Options struct {
	// Color uses the palette of 256 colours. No information is in colour alone.
	Color bool
	// Width is the most columns of a line, at least 40. If it is 0, names are never cut, and
	// other texts at 1000 columns.
	Width int
	// Kept is for files and pipes, which people search: names are not cut and nothing is
	// folded, so lines with long names exceed the width.
	Kept bool
	// ASCII draws with ASCII only. Texts of tests do not change.
	ASCII bool
	// Detailed adds statistics, policies and transcripts.
	Detailed bool
	// Report and Show are command lines for the same run, for the line Next.
	Report, Show string
	// Rows is the most tests to list; 0 is DefaultRows. Further passing and skipped tests
	// are counted.
	Rows int
}

const (
	minWidth = 40
	// unlimited is the width without a terminal, which bounds hostile messages in a log.
	unlimited = 1000
)

// canvas is the output of a report and its layout.
type canvas struct {
	width int // 0 without a terminal
	kept  bool
	limit int // width to wrap lines at
	ink   inks
	sign  signs
	out   bytes.Buffer
}

func newCanvas(o Options) canvas {
	s := canvas{limit: unlimited, kept: o.Kept || o.Width <= 0, ink: newInks(o.Color), sign: unicodeSigns}
	if o.Width > 0 {
		s.width = max(o.Width, minWidth)
		s.limit = s.width
	}
	if o.ASCII {
		s.sign = asciiSigns
	}
	return s
}

// report is a report while it is written.
type report struct {
	canvas
	e         *envelope.Envelope
	options   Options
	rows      int    // most tests in the table
	suite     string // of all tests, "" if they differ
	printed   string // the suite as the runner prints it
	variant   string
	explained map[*envelope.Test]bool // tests whose reason is above the table
}

// Write writes the report of the envelope.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	if e == nil {
		return errors.New("pretty: no envelope to write")
	}
	r := newReport(e, o)
	if !o.Detailed {
		if err := r.answer(); err != nil {
			return err
		}
		_, err := r.out.WriteTo(w)
		return err
	}
	r.title()
	r.failures()
	if err := r.tests(); err != nil {
		return err
	}
	r.problems(e.Problems)
	if err := r.metrics(); err != nil {
		return err
	}
	r.summary()
	r.headline(list(e.Tests, r.rows).shown)
	_, err := r.out.WriteTo(w)
	return err
}

func newReport(e *envelope.Envelope, o Options) *report {
	r := &report{canvas: newCanvas(o), e: e, options: o, rows: cmp.Or(o.Rows, DefaultRows), explained: map[*envelope.Test]bool{}}
	r.common(e.Tests)
	return r
}

// common sets the suite and variant that all tests share, which are above the table.
func (r *report) common(tests []envelope.Test) {
	if len(tests) == 0 {
		return
	}
	suite, variant := tests[0].Suite, tests[0].Variant
	for i := range tests {
		if tests[i].Suite != suite {
			suite = ""
		}
		if tests[i].Variant != variant {
			variant = ""
		}
	}
	if r.suite, r.variant = suite, variant; suite != "" {
		suite, _ = tests[0].Key.RunnerSuite()
		r.printed = r.field(suite)
	}
}
