package pretty

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostReasons is how many reasons and how many gates are listed.
const mostReasons = 20

// gate writes what the run does to the build, and why.
func (r *report) gate() {
	g := &r.e.Gate
	reasons := untold(g)
	for i, n := range g.Notices {
		reasons = slices.Insert(slices.DeleteFunc(reasons, func(r string) bool { return r == n.String() }), i, n.String())
	}
	line := r.ink.strong.Render("Gate:") + " " + r.ink.of(g.Status).Render(Mark(g.Status)) + fmt.Sprintf(" (exit %d)", g.ExitCode)
	if len(reasons) == 1 {
		r.text("", "  ", line+": "+r.field(reasons[0]), 6)
	} else {
		r.line(line)
		r.reasons(reasons)
	}
	for _, one := range g.Gates[:min(len(g.Gates), mostReasons)] {
		r.gateResult(&one)
	}
	if n := len(g.Gates) - mostReasons; n > 0 {
		r.text("  ", "  ", r.sign.ellipsis+" and "+words.Plural(n, "more gate", "more gates"), 2)
	}
}

// untold are the reasons that repeat no gate listed below them.
func untold(g *envelope.Gate) []string {
	listed := g.Gates[:min(len(g.Gates), mostReasons)]
	return slices.DeleteFunc(slices.Clone(g.Reasons), func(reason string) bool {
		return slices.ContainsFunc(listed, func(one envelope.GateResult) bool {
			return one.Status != envelope.Pass && one.Saw != "" && strings.Contains(reason, one.Name) && strings.HasSuffix(reason, one.Saw)
		})
	})
}

func (r *sheet) reasons(reasons []string) {
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
