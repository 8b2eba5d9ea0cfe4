// Package pretty writes an envelope as a report for a person at a terminal: what
// failed and why, then one row a test, and a summary at the bottom, where the eye is
// when the command ends.
//
// It exists because a verdict over repeated trials needs more than a word: how
// many trials passed, how sure that makes one of the rate, and which trials
// they were. Everything it prints is in the envelope; it decides and recomputes
// nothing. It looks at no terminal, locale or environment: whoever calls it says
// how wide the terminal is and whether it shows colour, and the same envelope
// and options give the same bytes.
//
// It leaves out what does not fit a screen: passing tests of a long run, all
// but a few messages, the rows of the trials. The json report has them all.
//
// Tables are laid out here, and tablewriter only parts their cells into lines. It measures a
// text as the sum of its characters: a family of emoji that takes two columns as six, a flag
// as four, a heart as one. It also cuts a name that it took for too wide, ends a colour twice,
// and keeps its measure for the whole process. So names with such signs would not be aligned.
//
// Every text of a test is hostile. Package text makes it safe; what is left to
// this one is what only a terminal needs: tabs become blanks, and a line that
// wrapping began must not begin with a command.
package pretty

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"tribunal/envelope"
)

// Options say what the reader of the report can see.
type Options struct {
	// Color paints with the 256 colour palette. Nothing is told by colour alone.
	Color bool
	// Width is the number of columns no line goes over, at least 40; without one,
	// names are never cut, and other texts not before 1000 columns.
	Width int
	// Kept is for what is kept and searched, as a file or a pipe is: no name is cut and
	// nothing is folded; lines go over the width where a name alone does.
	Kept bool
	// ASCII draws with ASCII only. The texts of the tests stay as they are.
	ASCII bool
	// Detailed adds statistics, policies and transcripts.
	Detailed bool
	// Report and Show are the words that give the same run to those commands.
	Report, Show string
	// Rows is the most tests to list; 0 is DefaultRows. Of a longer run, passing
	// and skipped tests are counted instead.
	Rows int
}

const (
	minWidth = 40
	// unlimited is the width that lines are wrapped and cut to when there is no
	// terminal: it bounds what a hostile message can do to a log.
	unlimited = 1000
)

// sheet is what a report is written on.
type sheet struct {
	width int // 0 where there is none
	kept  bool
	limit int // what lines are wrapped to
	ink   inks
	sign  signs
	out   bytes.Buffer
}

func newSheet(o Options) sheet {
	s := sheet{limit: unlimited, kept: o.Kept || o.Width <= 0, ink: newInks(o.Color), sign: unicodeSigns}
	if o.Width > 0 {
		s.width = max(o.Width, minWidth)
		s.limit = s.width
	}
	if o.ASCII {
		s.sign = asciiSigns
	}
	return s
}

// report is the report of an envelope while it is written.
type report struct {
	sheet
	e       *envelope.Envelope
	options Options
	rows    int    // most tests in the table
	suite   string // of all tests, when they have the same
	printed string // that suite, as the runner prints it
	variant string
	told    map[*envelope.Test]bool // whose reason stands before the table
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
	r := &report{sheet: newSheet(o), e: e, options: o, rows: cmp.Or(o.Rows, DefaultRows), told: map[*envelope.Test]bool{}}
	r.common(e.Tests)
	return r
}

// common finds the suite and the variant that all tests share: they are said
// once, above the table, and not in every row.
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
