package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/words"
)

// Signed is a fraction in percent or percentage points, with its sign and as
// many decimals as differences of its size need: +65, -2.3, 0.05.
func Signed(fraction float64) string {
	s := points(fraction)
	if fraction > 0 && s != "0" {
		return "+" + s
	}
	return s
}

// Points is the difference with its sign: in percentage points, or in hundredths of a
// score; of scores that go beyond 0 to 1 as it is.
func (d *Difference) Points() string { return d.signed(d.Value) }

// Interval is the interval of the difference as Points has it.
func (d *Difference) Interval() string { return "[" + d.signed(d.Lo) + ", " + d.signed(d.Hi) + "]" }

// Words are the difference and its interval.
func (d *Difference) Words() string {
	if d.outside {
		return d.Points() + " " + d.Interval()
	}
	return d.Points() + " points " + d.Interval()
}

func (d *Difference) signed(v float64) string {
	if !d.outside {
		return Signed(v)
	}
	s := ScoreText(v)
	if v > 0 {
		return "+" + s
	}
	return s
}

func points(fraction float64) string {
	v := 100 * fraction
	form := "%.1f"
	switch {
	case math.Abs(v) < 0.95:
		form = "%.2f"
	case math.Abs(v) >= 99.5:
		return fmt.Sprintf("%.0f", v)
	}
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf(form, v), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// Relative is a sure change in percent, and ~ for any other. Of one from or to nothing,
// which has no percentage, it says which way it went. It is empty without a measurement.
func (m *Measurement) Relative() string {
	switch {
	case m == nil:
		return ""
	case !m.Sure:
		return "~"
	case m.Change.OK:
		return Signed(m.Change.V) + " %"
	case m.Candidate > m.Base:
		return "more"
	case m.Candidate < m.Base:
		return "less"
	}
	return "changed"
}

// ApartFrom names the tests that have no place in the means of a run, to stand behind
// them: ", apart from 1 test up from 0"; "" where there are none.
func (m *Measurement) ApartFrom() string {
	tests := func(n int, what string) string { return words.If(n > 0, words.Plural(n, "test", "tests")+what) }
	return words.Around(", apart from ", words.Join(" and ", tests(m.FromZero, " up from 0"), tests(m.ToZero, " down to 0")))
}

// Took and Paid are what trials of a test took and cost, for SureWords.
func Took(t *Test) *Measurement { return t.DurationMS }
func Paid(t *Test) *Measurement { return t.CostUSD }

// SureWords names the three tests whose own measurement changed most of those that
// changed beyond chance, to stand behind that of the run: "; changed beyond chance: t +40 %".
func (x *Contrast) SureWords(of func(*Test) *Measurement) string {
	var sure []*Test
	for i := range x.Tests {
		if m := of(&x.Tests[i]); m != nil && m.Sure {
			sure = append(sure, &x.Tests[i])
		}
	}
	slices.SortStableFunc(sure, func(a, b *Test) int {
		return cmp.Compare(math.Abs(of(b).Change.Or(math.Inf(1))), math.Abs(of(a).Change.Or(math.Inf(1))))
	})
	first := words.First(sure, 3, func(t *Test) string { return t.Key.RunnerName() + " " + of(t).Relative() })
	return words.Around("; changed beyond chance: ", first)
}

var methodWords = map[string]string{
	MethodMcNemar: "McNemar's exact test", MethodFisher: "Fisher's exact test", MethodCMH: "Cochran-Mantel-Haenszel",
	MethodBetting: "betting on pairs", MethodGSPRT: "GSPRT of pairs",
	MethodPermutation: "permutation of trials", MethodSigns: "changes of sign", MethodStudent: "Student's t",
}

// MethodWords is the test behind a p-value as people call it.
func (f *Finding) MethodWords() string { return cmp.Or(methodWords[f.Method], f.Method) }

// Word is the state as reports show it: in capitals, ~ for what the trials do
// not say, and words for a test that did not run.
func (s State) Word() string {
	switch s {
	case Unresolved:
		return "~"
	case "":
		return "not run"
	}
	return strings.ToUpper(string(s))
}

// Points is the change of the pass rate, ~ where chance may explain it, or where
// a side has no trials to compare.
func (t *Test) Points() string {
	if t.Difference == nil || t.State == Unresolved {
		return "~"
	}
	return t.Difference.Points()
}

// DecidingP is the p-value that decided: the adjusted one, in brackets one that
// is outside the family; "" without any.
func (t *Test) DecidingP() string {
	switch {
	case t.PAdjusted.OK:
		return fmt.Sprintf("%.3g", t.PAdjusted.V)
	case t.PValue.OK:
		return fmt.Sprintf("(%.3g)", t.PValue.V)
	}
	return ""
}

// legend explains the signs that tests have in a table: those of Word and Points.
func legend(tests []*Test) []string {
	unresolved := func(says string, is func(*Test) bool) string {
		return words.If(slices.ContainsFunc(tests, func(t *Test) bool { return t.State == Unresolved && is(t) }), says)
	}
	empty := func(t *Test) bool { return t.Base.N == 0 || t.Candidate.N == 0 }
	return words.Present(
		unresolved("~ chance may explain it", func(t *Test) bool { return t.Difference != nil }),
		unresolved("~ beside 0 trials: nothing to compare", empty),
		unresolved("~ without p: no pairs of trials", func(t *Test) bool { return t.Difference == nil && !empty(t) }))
}

// Tally counts the tests by state, all four always, the rest where there are any.
func (s Summary) Tally() string {
	parts := each.Of(States, func(state State) string { return fmt.Sprintf("%d %s", s.Of(state), state) })
	for _, more := range s.Others() {
		parts = append(parts, fmt.Sprintf("%d %s", more.N, more.Word))
	}
	return strings.Join(parts, ", ")
}

// Count is a number of tests and what they are.
type Count struct {
	N    int
	Word string
}

// Others counts, beside the states, what there is.
func (s Summary) Others() []Count {
	return each.Where([]Count{{s.NotRun, "not run"}, {s.NewlyBroken, "newly broken"}, {s.NewlyFlaky, "newly flaky"}, {s.New, "new"},
		{s.Gone, "gone"}}, func(more Count) bool {
		return more.N > 0
	})
}

// Words says how the comparison was made, and which tests its p-values are
// adjusted over.
func (s Settings) Words() string {
	says := fmt.Sprintf("margin %s points, %.4g %% confidence", points(s.Margin), 100*s.Confidence) +
		words.Around(", tests clustered by ", s.ClusterBy) + words.If(s.Sequential, ", sequential: pass rates, valid after every pair")
	switch {
	case s.Asked == 0 || s.Adjust == AdjustNone:
		return says + "; p-values not adjusted"
	case s.Able == 0:
		return says + fmt.Sprintf("; with these trials no test could show a difference alone (p <= %.4g)", s.Alpha)
	}
	says += fmt.Sprintf("; p adjusted by %s over %s", s.Adjust, words.Plural(s.Able, "test", "tests"))
	if idle := s.Asked - s.Able; idle > 0 {
		says += "; " + words.Plural(idle, "more test has", "more tests have") + " too few trials to show a difference"
	}
	return says
}

// Sentence is the run as a whole in words and numbers.
func (all *Overall) Sentence() string {
	d := all.Difference
	if d == nil {
		return all.Reason
	}
	compared := fmt.Sprintf("%d of %d passed before, %d of %d now", all.Base.Passed, all.Base.N, all.Candidate.Passed, all.Candidate.N)
	if d.ofScores() {
		compared = fmt.Sprintf("the mean score was %s before, %s now", all.Base.Score(), all.Candidate.Score())
	}
	s := fmt.Sprintf("in %s %s: %s, p %.3g by %s", words.Plural(all.Tests, "shared test", "shared tests"), compared, d.Words(),
		all.PValue.V, all.MethodWords())
	s += words.If(all.PAdjusted.OK && all.PAdjusted != all.PValue, fmt.Sprintf(" (%.3g for all runs compared)", all.PAdjusted.V))
	s += words.If(all.Uneven, "; the tests differ too much to show it for the whole run")
	s += words.If(all.State == Unresolved && all.NonInferior, "; worse by the margin is ruled out")
	return s + all.decidedWords("round", "rounds") + all.undoing() + all.groupWords() + all.Between.words()
}
