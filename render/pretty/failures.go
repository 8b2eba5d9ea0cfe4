package pretty

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The bounds of the parts about tests that did not pass. The json report has all that was kept.
const (
	messageLines = 3 // lines of a message
	wrappedLines = 3 // lines one of these takes on the screen
	outputLines  = 4 // last lines of an output
)

func (r *report) pValues(v *envelope.Verdict) string {
	return words.If(v.PAdjusted.OK, "p "+words.Around("", v.PValue.Text("", words.Probability), ", ")+"adjusted "+
		words.Probability(v.PAdjusted.V)+words.Around(" (", r.field(r.e.Policy.Adjust), ")"))
}

// DefaultRows is how many tests a detailed report lists unless asked otherwise. A run of
// as many is listed whole, of a longer one the first of what is not a plain pass.
const DefaultRows = 200

// How many errors, how many warnings and how many notes are listed.
const mostProblems, mostNotes = 10, 3

func (r *canvas) problems(list []envelope.Problem) {
	if len(list) == 0 {
		return
	}
	r.heading("Problems")
	r.listProblems(list, envelope.SeverityError, mostProblems, r.ink.err)
	r.listProblems(list, envelope.SeverityWarning, mostProblems, r.ink.flag)
	r.listProblems(list, envelope.SeverityInfo, mostNotes, r.ink.faint)
}

func (r *canvas) listProblems(list []envelope.Problem, severity envelope.Severity, most int, ink interface{ Render(...string) string }) {
	word := pad(severity.Word(), len(envelope.SeverityWarning), false) + "  "
	listed, more := 0, 0
	for _, p := range list {
		if p.Severity.Word() != severity.Word() {
			continue
		}
		if listed == most {
			more++
			continue
		}
		listed++
		s := r.field(p.Message)
		if at := r.field(p.Position()); at != "" {
			s = at + ": " + s
		}
		s += words.If(standing.Times(&p) > 1, " ("+r.sign.times+words.Count(p.Count)+")")
		r.text(ink.Render(word), spaces(word), s, 4)
	}
	r.more(spaces(word), more, "more "+severity.Word(), false)
}

// output writes the last lines: what a program says before it dies tells most.
func (r *report) output(bar, s string) {
	lines, more := lastLines(s, outputLines)
	inset := bar + "    "
	if more {
		r.line(inset + r.ink.faint.Render(r.sign.ellipsis))
	}
	for _, line := range lines {
		room := max(r.limit-width(inset), minWidth/2)
		r.line(inset + r.ink.faint.Render(cut(line, room, r.sign.ellipsis)))
	}
}
