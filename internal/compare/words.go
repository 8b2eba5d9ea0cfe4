package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Signed is a fraction in percent or percentage points, with its sign and as many decimals as it needs: +65, -2.3, 0.05.
func Signed(fraction float64) string {
	s := points(fraction)
	if fraction > 0 && s != "0" {
		return "+" + s
	}
	return s
}

// Points is the difference with its sign: in percentage points, or in hundredths of a score; of scores that go beyond 0 to 1 as it is.
func (d *Difference) Points() string { return d.signed(d.Value) }

// Interval is the interval of the difference as Points has it; "" of none.
func (d *Difference) Interval() string {
	if d == nil {
		return ""
	}
	return "[" + d.signed(d.Lo) + ", " + d.signed(d.Hi) + "]"
}

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

// Took, Paid and Scored are by how much a test changed beyond chance, and that in words; "" where it did not.
func Took(t *Test) (float64, string) { return t.DurationMS.sureChange() }
func Paid(t *Test) (float64, string) { return t.CostUSD.sureChange() }
func Scored(t *Test) (float64, string) {
	if t.Scores == nil || !t.Scores.Sure {
		return 0, ""
	}
	return math.Abs(t.Scores.Difference.Value), t.ScorePoints()
}

func (m *Measurement) sureChange() (float64, string) {
	if m == nil || !m.Sure {
		return 0, ""
	}
	return math.Abs(m.Change.Or(math.Inf(1))), m.Relative()
}

// SureWords names the three tests that changed most of those that changed beyond chance, to
// stand behind the change of the run: "; changed beyond chance: t +40 %".
func (x *Contrast) SureWords(of func(*Test) (float64, string)) string {
	type change struct {
		size float64
		says string
	}
	var sure []change
	for i := range x.Tests {
		if size, says := of(&x.Tests[i]); says != "" {
			sure = append(sure, change{size, x.Tests[i].Key.RunnerName() + " " + says})
		}
	}
	slices.SortStableFunc(sure, func(a, b change) int { return cmp.Compare(b.size, a.size) })
	return words.Around("; changed beyond chance: ", words.First(sure, 3, func(c change) string { return c.says }))
}

var methodWords = map[string]string{
	MethodMcNemar: "McNemar's exact test", MethodFisher: "Fisher's exact test", MethodCMH: "Cochran-Mantel-Haenszel",
	MethodBetting: "a sequential test of pairs", MethodGSPRT: "GSPRT of pairs",
	MethodPermutation: "a permutation test", MethodSigns: "a sign-flip test", MethodStudent: "Student's t",
}

// MethodWords is the test behind a p-value as people call it.
func (f *Finding) MethodWords() string { return cmp.Or(methodWords[f.Method], f.Method) }

// Word is the state or group in reports: in capitals, ~ for unresolved, and words for a test that did not run.
func (s State) Word() string {
	switch s {
	case Unresolved:
		return "~"
	case "":
		return "not run"
	}
	return strings.ToUpper(s.Title())
}

// Title is the state or group as a heading.
func (s State) Title() string {
	if s == "" {
		return "Not run"
	}
	return strings.ToUpper(string(s[:1])) + strings.ReplaceAll(string(s[1:]), "-", " ")
}

// FailureWords are the most frequent reason why the candidate's trials fail, and where the test is.
func (t *Test) FailureWords() string {
	if t.Failure == nil {
		return ""
	}
	const most = 300 // bytes
	says := t.Failure.Message
	if len(says) > most {
		says = words.AtWord(says, most) + "…"
	}
	says = words.If(t.Candidate.N > 1, fmt.Sprintf("%d× ", t.Failure.Trials)) + says
	return words.Join(" · ", says, t.File+words.If(t.File != "" && t.Line > 0, ":"+strconv.Itoa(t.Line)))
}

// Answers say what came of the comparison: what fails it but a regression, and a sentence for each candidate, the worst first.
func (c *Comparison) Answers() []string {
	answers, worst := c.others(), slices.Clone(c.Contrasts)
	slices.SortStableFunc(worst, func(a, b Contrast) int { return b.Summary.Regressed - a.Summary.Regressed })
	for i := range worst {
		x := &worst[i]
		if x.Summary.Tests == 0 && c.Gate.ExitCode == gate.ExitUnusable {
			continue // an error says so
		}
		answers = append(answers, words.If(len(c.Contrasts) > 1, x.Candidate.Name+": ")+x.answer(c.Settings.FailOn))
	}
	return answers
}

// others are the reasons of the gate that are no regression.
func (c *Comparison) others() []string {
	return each.Where(c.Gate.Reasons, func(reason string) bool { return !strings.HasSuffix(reason, "regressed") })
}

func (c *Contrast) answer(failOn []string) string {
	s := &c.Summary
	if s.Tests == 0 {
		return "no test is on both sides"
	}
	broken, trials := c.broken()
	may := map[bool]string{true: "one trial a side cannot show more", false: "which may be chance"}[trials == 1]
	fell := each.Count(c.Tests, func(t Test) bool { return t.State != Regressed && t.Scores.fell() })
	return words.Join("; ", words.If(c.Run.State.changed(), "the run as a whole "+string(c.Run.State)),
		words.Of(s.Regressed, s.Tests, "test", "tests")+" regressed"+words.If(s.Regressed == 0, " beyond chance"),
		words.If(broken > 0, fmt.Sprintf("%d newly broken (%s)", broken, may)),
		words.If(s.NewFails > 0 && !slices.Contains(failOn, OnNewFails), words.Count(s.NewFails)+" new "+
			words.If(s.NewFails > s.New, "or untried ")+cmp.Or(words.If(s.NewFails == 1, "test fails"), "tests fail")),
		words.If(fell > 0, "the mean score of "+words.Plural(fell, "test", "tests")+" fell beyond chance"),
		words.If(fell+s.Regressed == 0 && c.Run.Scores.fell(), "the mean score fell beyond chance"),
		words.If(s.NotTried > 0, words.Plural(s.NotTried, "test", "tests")+" not tried: no trial counts now"),
		words.If(s.Improved > 0, words.Count(s.Improved)+" improved"),
		words.If(s.Unresolved == s.Tests && fell == 0 && broken+s.NotTried+s.NewFails == len(c.failing), "every test is unresolved"))
}

// broken counts the newly broken tests that are not shown to have regressed, and the most trials of one on a side.
func (c *Contrast) broken() (tests, trials int) {
	for i := range c.Tests {
		if t := &c.Tests[i]; t.Group() == NewlyBroken {
			tests, trials = tests+1, max(trials, t.Base.N, t.Candidate.N)
		}
	}
	return tests, trials
}

// enoughTrials are so many a side that newly broken tests that pass always before and never now are
// shown to regress, by Fisher's test or by pairs.
func (c *Contrast) enoughTrials(s Settings) int {
	family, n := c.broken()
	if s.Adjust == AdjustNone {
		family = 1
	}
	n, pairs := 2*n, Options{Confidence: s.Confidence}.enoughPairs()
	for float64(family)*map[bool]float64{true: stats.FisherExact(n, n, 0, n), false: stats.McNemarLeast(n)}[n < pairs] > s.Alpha {
		n++
	}
	return n
}

// Points is the change of the pass rate, ~ if chance may explain it or a side has no trials to compare.
func (t *Test) Points() string {
	if t.Difference == nil || t.State == Unresolved {
		return words.If(t.Difference != nil || t.Group() == Unresolved, "~")
	}
	return t.Difference.Points()
}

// DecidingP is the p-value that decided: adjusted, in brackets if outside the family, "" without one.
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
	empty := func(t *Test) bool { return t.Group() == Unresolved && (t.Base.N == 0 || t.Candidate.N == 0) }
	return words.Present(
		unresolved("~ chance may explain it", func(t *Test) bool { return t.Difference != nil }),
		unresolved("~ beside 0 trials: nothing to compare", empty),
		unresolved("~ without p: no pairs of trials", func(t *Test) bool { return t.Difference == nil && t.Base.N > 0 && t.Candidate.N > 0 }))
}

// Tally counts the tests by state, all four always, the rest where there are any.
func (s Summary) Tally() string {
	some := func(n int, word string) string { return words.If(n > 0, fmt.Sprintf("%d %s", n, word)) }
	states := each.Of(States, func(state State) string {
		return fmt.Sprintf("%d %s", s.Of(state), state) + words.If(state == Unresolved, s.untried())
	})
	return words.Join(", ", append(states, some(s.NotRun, "not run"), some(s.NewlyBroken, "newly broken"),
		some(s.NewlyFlaky, "newly flaky"), some(s.New, "new"), some(s.Gone, "gone"))...)
}

// untried says how many of the unresolved tests have no trial of the candidate.
func (s Summary) untried() string {
	return words.If(s.NotTried > 0, fmt.Sprintf(" (%d not tried)", s.NotTried))
}

// words say how the comparison was made, and which tests p-values are adjusted over, if any are: those of all comparisons of many.
func (s Settings) words(adjusted, many bool) string {
	says := fmt.Sprintf("margin %s points, %.4g %% confidence", points(s.Margin), 100*s.Confidence) +
		words.Around(", tests clustered by ", s.ClusterBy) + words.If(s.Sequential, ", sequential: pass rates, valid after every pair") +
		words.If(s.EnoughPairs > 0, fmt.Sprintf(", tests with fewer than %d pairs compared unpaired", s.EnoughPairs))
	switch {
	case !adjusted:
		return says
	case s.Asked == 0 || s.Adjust == AdjustNone:
		return says + "; p-values not adjusted"
	case s.Able == 0:
		return says + fmt.Sprintf("; in every test, too few trials differ to show a difference (p <= %.4g)", s.Alpha)
	}
	says += fmt.Sprintf("; p adjusted by %s over %s", s.Adjust, words.Plural(s.Able, "test", "tests")) + words.If(many, " of all comparisons")
	if idle := s.Asked - s.Able; idle > 0 {
		says += "; " + words.Plural(idle, "more test", "more tests") + ": too few trials differ to show a difference"
	}
	return says
}

// Sentence is the run as a whole in words and numbers.
func (all *Overall) Sentence() string {
	d := all.Difference
	if d == nil {
		return all.Reason
	}
	base, candidate := all.Sides(all.Base, all.Candidate)
	paired := words.If(base.N != all.Base.N || candidate.N != all.Candidate.N, "paired ")
	compared := fmt.Sprintf("%d of %d %strials passed before, %d of %d now", base.Passed, base.N, paired, candidate.Passed, candidate.N)
	if d.ofScores() {
		compared = fmt.Sprintf("the mean score was %s before, %s now", all.Base.Score(), all.Candidate.Score())
	}
	s := fmt.Sprintf("in %s, %s: %s, p %.3g by %s", words.Plural(all.Tests, "shared test", "shared tests"), compared, d.Words(),
		all.PValue.V, all.MethodWords())
	s += words.If(all.PAdjusted.OK && all.PAdjusted != all.PValue, fmt.Sprintf(" (%.3g adjusted for all comparisons)", all.PAdjusted.V))
	s += words.If(all.Uneven, "; the tests differ too much to show it for the whole run")
	s += words.If(all.State == Unresolved && all.NonInferior, "; worse by the margin is ruled out")
	return s + all.decidedWords("round", "rounds") + all.groupWords() + all.Between.words()
}
