package pretty

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"tribunal/compare"
	"tribunal/envelope"
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
	r.labelled("Run", r.ink.ofState(run.State).Render(strings.ToUpper(string(run.State)))+"  "+r.verdict(run))
	r.labelled("Time", r.measured(run.DurationMS, duration))
	r.labelled("Cost", r.measured(run.CostUSD, dollars))
}

// tally counts the tests by state.
func (r *comparison) tally(s *compare.Summary) string {
	var parts []string
	for _, state := range compare.States {
		n := s.Of(state)
		word := count(n) + " " + string(state)
		if n > 0 {
			word = r.ink.ofState(state).Render(word)
		}
		parts = append(parts, word)
	}
	for _, more := range []struct {
		n    int
		word string
	}{{s.NotRun, "not run"}, {s.NewlyBroken, "newly broken"}, {s.NewlyFlaky, "newly flaky"}, {s.New, "new"}, {s.Gone, "gone"}} {
		if more.n > 0 {
			parts = append(parts, count(more.n)+" "+more.word)
		}
	}
	return r.ink.strong.Render(plural(s.Tests, "test", "tests")+":") + " " + strings.Join(parts, ", ")
}

// verdict is the difference of the run in numbers.
func (r *comparison) verdict(run *compare.Overall) string {
	d := run.Difference
	s := fmt.Sprintf("%s of %s passed before, %s of %s now: %s [%s, %s], p %s by %s",
		count(run.Base.Passed), count(run.Base.N), count(run.Candidate.Passed), count(run.Candidate.N),
		change(d.Value)+" points", change(d.Lo), change(d.Hi), probability(run.PValue.V), method(run.Method))
	if uneven := run.State == compare.Unresolved && run.PValue.V <= r.c.Settings.Alpha; uneven {
		s += "; the tests moved too unevenly to say it of the run"
	}
	if run.State == compare.Unresolved && run.NonInferior {
		s += "; worse by the margin is ruled out"
	}
	return s
}

// method is the test behind a p-value in words.
func method(s string) string {
	switch s {
	case compare.MethodMcNemar:
		return "McNemar's exact test"
	case compare.MethodFisher:
		return "Fisher's exact test"
	case compare.MethodCMH:
		return "Cochran-Mantel-Haenszel"
	}
	return s
}

// measured is what a typical trial took before and now; ~ where chance explains
// it.
func (r *comparison) measured(m *compare.Measurement, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("typically %s before, %s now: %s (p %s)", unit(m.Base), unit(m.Candidate), relative(m), orNone(m.PValue))
}

func orNone(p envelope.Opt[float64]) string {
	if !p.OK {
		return "?"
	}
	return probability(p.V)
}

// relative is a sure change in percent, and ~ for any other.
func relative(m *compare.Measurement) string {
	if !m.Sure || !m.Change.OK {
		return "~"
	}
	return change(m.Change.V) + " %"
}

// change is a fraction in percent or points with its sign.
func change(v float64) string {
	s := points(v)
	if v > 0 && s != "0" {
		return "+" + s
	}
	return s
}

// points is a fraction in percentage points with as many decimals as differences
// of its size need.
func points(f float64) string {
	v := 100 * f
	form := "%.1f"
	switch {
	case v > -0.95 && v < 0.95 && v != 0:
		form = "%.2f"
	case v <= -99.5 || v >= 99.5:
		form = "%.0f"
	}
	s := strings.TrimRight(fmt.Sprintf(form, v), "0")
	if form == "%.0f" {
		s = fmt.Sprintf(form, v)
	}
	s = strings.TrimSuffix(s, ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}
