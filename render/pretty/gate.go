package pretty

import (
	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostReasons is how many reasons and how many gates are listed.
const mostReasons = 20

func (r *canvas) reasons(reasons []string) {
	for _, reason := range reasons[:min(len(reasons), mostReasons)] {
		r.text("  "+r.sign.dash+" ", "    ", r.field(reason), 4)
	}
	if n := len(reasons) - mostReasons; n > 0 {
		r.text("  ", "  ", r.sign.ellipsis+" and "+words.Plural(n, "more reason", "more reasons"), 2)
	}
}

func (r *report) gateResult(g *envelope.GateResult) {
	verdict := pad(Mark(g.Status), 6, false) + "  "
	s := r.field(g.Name)
	if expr := r.field(g.Expr); expr != "" && expr != s {
		if s != "" {
			s += ": "
		}
		s += expr
	}
	if g.Saw != "" {
		s += ", saw " + r.field(g.Saw)
	}
	r.text("  "+r.ink.of(g.Status).Render(verdict), "  "+spaces(verdict), s, 4)
}
