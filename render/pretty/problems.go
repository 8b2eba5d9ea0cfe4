package pretty

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostProblems is how many errors and how many warnings are listed.
const mostProblems = 10

// mostNotes is how many notes are told in words.
const mostNotes = 3

// problems writes errors and warnings with their positions, a few notes in words, and in
// one line how many other notes there are of each kind.
func (r *canvas) problems(list []envelope.Problem) {
	if len(list) == 0 {
		return
	}
	r.heading("Problems")
	r.listProblems(list, envelope.SeverityError, r.ink.err)
	r.listProblems(list, envelope.SeverityWarning, r.ink.flag)
	r.notes(list)
}

func (r *canvas) listProblems(list []envelope.Problem, severity envelope.Severity, ink interface{ Render(...string) string }) {
	word := pad(string(severity), len(envelope.SeverityWarning), false) + "  "
	listed, more := 0, 0
	for _, p := range list {
		if p.Severity != severity {
			continue
		}
		if listed == mostProblems {
			more++
			continue
		}
		listed++
		s := r.field(p.Message)
		if at := r.field(p.Position()); at != "" {
			s = at + ": " + s
		}
		if p.Count > 1 {
			s += " (" + r.sign.times + words.Count(p.Count) + ")"
		}
		r.text(ink.Render(word), spaces(word), s, 4)
	}
	if more > 0 {
		r.text(spaces(word), spaces(word), r.sign.ellipsis+" and "+words.Plural(more, "more "+string(severity), "more "+string(severity)+"s"), 2)
	}
}

// toldInWords are notes that say what somebody wrote and nobody read, or what the rates
// beside them are worth.
var toldInWords = map[string]bool{envelope.CodeByName: true, envelope.CodeUnknown: true, envelope.CodeByOutcome: true, envelope.CodeAdvice: true}

// notes counts everything that is neither error nor warning by its code.
func (r *canvas) notes(list []envelope.Problem) {
	number := map[string]int{}
	total, told := 0, 0
	word := pad("notes", len(envelope.SeverityWarning), false) + "  "
	for _, p := range list {
		if told < mostNotes && toldInWords[p.Code] && p.Severity == envelope.SeverityInfo {
			told++
			s := r.field(p.Message)
			if p.Input != "" {
				s = r.field(p.Input) + ": " + s
			}
			r.text(r.ink.faint.Render(word), spaces(word), s, 4)
			continue
		}
		if p.Severity != envelope.SeverityError && p.Severity != envelope.SeverityWarning {
			number[r.field(p.Code)] += max(p.Count, 1)
			total++
		}
	}
	if total == 0 {
		return
	}
	var kinds []string
	for kind := range number {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(cmp.Compare(number[b], number[a]), strings.Compare(a, b))
	})
	for i, kind := range kinds {
		kinds[i] = kind + " " + r.sign.times + words.Count(number[kind])
	}
	if len(kinds) > mostProblems {
		kinds = append(kinds[:mostProblems], r.sign.ellipsis)
	}
	r.text(r.ink.faint.Render(word), spaces(word), strings.Join(kinds, ", "), 4)
}
