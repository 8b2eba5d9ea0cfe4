package pretty

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/words"
)

// ofState is the ink of a state.
func (k inks) ofState(s compare.State) lipgloss.Style {
	switch s {
	case compare.Regressed:
		return k.fail
	case compare.Improved:
		return k.pass
	case compare.Unresolved:
		return k.inconclusive
	}
	return k.faint
}

// whole writes the tests by state and the run as one.
func (r *comparison) whole(x *compare.Contrast) {
	r.text("", "  ", r.tally(&x.Summary), 4)
	run := &x.Run
	if run.Difference == nil {
		r.labelled("Run", r.field(run.Reason))
		return
	}
	r.labelled("Run", r.ink.ofState(run.State).Render(strings.ToUpper(string(run.State)))+"  "+r.field(run.Sentence()))
	r.labelled("Score", r.field(run.ScoreWords()))
	r.labelled("Time", r.measured(run.DurationMS, x.SureWords(compare.Took), words.Duration))
	r.labelled("Cost", r.measured(run.CostUSD, x.SureWords(compare.Paid), words.Dollars))
	for i, line := range x.InsideWords() {
		label := ""
		if i == 0 {
			label = "Inside"
		}
		r.labelled(label, r.field(line))
	}
}

// tally counts the tests by state.
func (r *comparison) tally(s *compare.Summary) string {
	var parts []string
	for _, state := range compare.States {
		n := s.Of(state)
		word := words.Count(n) + " " + string(state)
		if n > 0 {
			word = r.ink.ofState(state).Render(word)
		}
		parts = append(parts, word)
	}
	for _, more := range s.Others() {
		parts = append(parts, words.Count(more.N)+" "+more.Word)
	}
	return r.ink.strong.Render(words.Plural(s.Tests, "test", "tests")+":") + " " + strings.Join(parts, ", ")
}

// measured is what a typical trial took before and now; ~ where chance explains
// it.
func (r *comparison) measured(m *compare.Measurement, single string, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("typically %s before, %s now: %s (p %s)%s", unit(m.Base), unit(m.Candidate), m.Relative(), orNone(m.PValue), m.ApartFrom()+r.field(single))
}

func orNone(p envelope.Opt[float64]) string {
	if !p.OK {
		return "?"
	}
	return words.Probability(p.V)
}
