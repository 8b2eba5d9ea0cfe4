package pretty

import (
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
)

// stripCell draws the trials of a test in their order, a sign a trial. Of more
// trials than there is room for it keeps the first and the last.
func stripCell(r *report, t *envelope.Test, room int) string {
	all := t.Rows.Outcome
	if len(all) <= room {
		return r.draw(all)
	}
	room -= width(r.sign.leftOut)
	if room < 2 {
		return ""
	}
	first := (room + 1) / 2
	return r.draw(all[:first]) + r.sign.leftOut + r.draw(all[len(all)-(room-first):])
}

func (r *canvas) draw(outcomes envelope.Outcomes) string {
	var b strings.Builder
	for _, o := range outcomes {
		b.WriteString(r.outcomeSign(o))
	}
	return b.String()
}

func (r *canvas) outcomeSign(o envelope.Outcome) string {
	if s, ok := r.sign.outcomes[o]; ok {
		return s
	}
	return "?"
}

// stripPaint paints each run of equal signs.
func stripPaint(r *report, _ *envelope.Test, cell string) string {
	var b strings.Builder
	for cell != "" {
		_, size := utf8.DecodeRuneInString(cell)
		sign := cell[:size]
		rest := strings.TrimLeft(cell, sign)
		b.WriteString(r.paintSign(sign, cell[:len(cell)-len(rest)]))
		cell = rest
	}
	return b.String()
}

func (r *canvas) paintSign(sign, run string) string {
	switch sign {
	case r.sign.outcomes[envelope.Passed]:
		return r.ink.pass.UnsetBold().Render(run)
	case r.sign.outcomes[envelope.Failed]:
		return r.ink.fail.UnsetBold().Render(run)
	case r.sign.outcomes[envelope.Errored]:
		return r.ink.err.UnsetBold().Render(run)
	}
	return r.ink.faint.Render(run)
}

// legend explains the signs that the strips of these tests have; nothing needs
// to be explained when every trial passed.
func (r *report) legend(tests []*envelope.Test) string {
	seen := map[envelope.Outcome]bool{}
	for _, t := range tests {
		for _, o := range t.Rows.Outcome[:min(len(t.Rows.Outcome), 1000)] {
			seen[o] = true
		}
	}
	var parts []string
	for _, o := range []struct {
		outcome envelope.Outcome
		word    string
	}{{envelope.Passed, "passed"}, {envelope.Failed, "failed"}, {envelope.Errored, "error"},
		{envelope.Excluded, "excluded"}, {envelope.Skipped, "skipped"}} {
		if seen[o.outcome] {
			sign := r.outcomeSign(o.outcome)
			parts = append(parts, r.paintSign(sign, sign)+r.ink.faint.Render(" "+o.word))
		}
	}
	if len(seen) == 1 && seen[envelope.Passed] {
		return ""
	}
	return strings.Join(parts, "  ")
}
