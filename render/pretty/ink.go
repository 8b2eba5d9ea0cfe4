package pretty

import (
	"cmp"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/internal/block"
	"tribunal/internal/text"
)

// inks are the styles of the report. The colours are those of the palette of
// Okabe and Ito nearest to a middle brightness, so that they can be told apart
// without seeing red or green and read on white as well as on black.
type inks struct {
	strong, faint, flag                 lipgloss.Style
	pass, fail, inconclusive, err, skip lipgloss.Style
}

// newInks never asks a terminal anything: the profile is set, and the writer
// the renderer would ask is nobody's.
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

// of is the ink of a status. A status nobody knows is as bad as an error.
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

// Mark is the word for a status, as the report has it.
func Mark(s envelope.Status) string {
	if s == envelope.Inconclusive {
		return "INCONC"
	}
	return cut(strings.ToUpper(text.Line(cmp.Or(string(s), "?"))), 6, "")
}

// signs are the characters the report is drawn with.
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

// tone is the ink of news.
func (k inks) tone(t block.Tone) lipgloss.Style {
	return [...]lipgloss.Style{block.Plain: k.faint, block.Good: k.pass, block.Bad: k.fail, block.Open: k.inconclusive}[t]
}

// ofTrend is the ink of a state of a trend.
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
