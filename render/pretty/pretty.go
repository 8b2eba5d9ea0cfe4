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
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/history/trend"
	"tribunal/render/internal/standing"
)

// Options of the report. The zero value is for a pipe.
type Options struct {
	// Color uses the palette of 256 colours. No information is in colour alone.
	Color bool
	// Width is the most columns of a line, at least 40. If it is 0, names are never cut, and other texts at 1000 columns.
	Width int
	// Kept is for files and pipes, which people search: names are not cut and nothing is
	// folded, so lines with long names exceed the width.
	Kept bool
	// ASCII draws with ASCII only. Texts of tests do not change.
	ASCII bool
	// Detailed adds all reasons with their outputs, and statistics.
	Detailed bool
	// Commands are for the line Next.
	standing.Commands
	// Rows is the most tests to list; 0 is DefaultRows. Further passing and skipped tests are counted.
	Rows int
}

const (
	minWidth = 40
	// unlimited is the width without a terminal, which bounds hostile messages in a log.
	unlimited = 1000
)

type canvas struct {
	width    int // 0 without a terminal
	kept     bool
	detailed bool
	limit    int // width to wrap lines at
	ink      inks
	sign     signs
	out      bytes.Buffer
}

func newCanvas(o Options) canvas {
	s := canvas{limit: unlimited, kept: o.Kept || o.Width <= 0, detailed: o.Detailed, ink: newInks(o.Color), sign: unicodeSigns}
	if o.Width > 0 {
		s.width = max(o.Width, minWidth)
		s.limit = s.width
	}
	if o.ASCII {
		s.sign = asciiSigns
	}
	return s
}

type report struct {
	canvas
	e       *envelope.Envelope
	options Options
	rows    int    // most tests that are listed in detail
	suite   string // of all tests, "" if they differ
	printed string // the suite as the runner prints it
	variant string
	further func(*envelope.Test) string // what would decide a test
}

// Write writes the report of the envelope.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	r := newReport(e, o)
	if err := r.answer(); err != nil {
		return err
	}
	_, err := r.out.WriteTo(w)
	return err
}

func newReport(e *envelope.Envelope, o Options) *report {
	r := &report{canvas: newCanvas(o), e: e, options: o, rows: cmp.Or(o.Rows, DefaultRows), further: standing.Further(e)}
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

// inks are the styles of the report. The colours are from the palette of Okabe and Ito, which
// works for colour-blind readers. Their medium brightness is readable on white and on black.
type inks struct {
	strong, faint, flag                 lipgloss.Style
	pass, fail, inconclusive, err, skip lipgloss.Style
}

// newInks sets the colour profile, and has a writer that is not a terminal, so that lipgloss never queries one.
func newInks(color bool) inks {
	renderer := lipgloss.NewRenderer(io.Discard)
	renderer.SetColorProfile(termenv.Ascii)
	if color {
		renderer.SetColorProfile(termenv.ANSI256)
	}
	ink := func(code string) lipgloss.Style {
		return renderer.NewStyle().Inline(true).Foreground(lipgloss.Color(code))
	}
	return inks{
		strong:       renderer.NewStyle().Inline(true).Bold(true),
		faint:        ink("244"),            // grey
		flag:         ink("136"),            // amber
		pass:         ink("29").Bold(true),  // bluish green
		fail:         ink("166").Bold(true), // vermilion
		err:          ink("133").Bold(true), // purple
		skip:         ink("244"),            // grey
		inconclusive: ink("32").Bold(true),  // blue
	}
}

// of returns the style of a status. An unknown status looks like an error.
func (k inks) of(s envelope.Status) lipgloss.Style {
	switch s {
	case envelope.Pass:
		return k.pass
	case envelope.Fail:
		return k.fail
	case envelope.Inconclusive:
		return k.inconclusive
	case envelope.Skip:
		return k.skip
	}
	return k.err
}

// Mark is the word for a status in the report.
var Mark = standing.Mark

type signs struct {
	ellipsis, dot, rule, bar, elbow, times, dash, arrow string

	running string // a trial that has not ended

	leftOut string // between the first and the last outcomes of a long strip

	outcomes map[envelope.Outcome]string
}

var unicodeSigns = signs{
	running: "◌", ellipsis: "…", leftOut: "…", dot: " · ", rule: "─", bar: "│", elbow: "└", times: "×", dash: "–", arrow: "→",
	outcomes: map[envelope.Outcome]string{
		envelope.Passed: "●", envelope.Failed: "○", envelope.Errored: "✗", envelope.Excluded: "·", envelope.Skipped: "-"},
}

var asciiSigns = signs{
	running: "_", ellipsis: "...", leftOut: "~", dot: " | ", rule: "-", bar: "|", elbow: "`-", times: "x", dash: "-", arrow: "->",
	outcomes: map[envelope.Outcome]string{
		envelope.Passed: "P", envelope.Failed: "F", envelope.Errored: "E", envelope.Excluded: ".", envelope.Skipped: "-"},
}

func (k inks) tone(t block.Tone) lipgloss.Style {
	return [...]lipgloss.Style{block.Plain: k.faint, block.Good: k.pass, block.Bad: k.fail, block.Open: k.inconclusive}[t]
}

func (k inks) ofTrend(s trend.State) lipgloss.Style {
	switch s {
	case trend.Broken:
		return k.fail
	case trend.NewFlaky, trend.DriftingDown, trend.Flaky:
		return k.flag
	case trend.Stable, trend.Fixed, trend.DriftingUp:
		return k.pass
	}
	return k.skip
}
