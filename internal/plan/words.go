package plan

import (
	"cmp"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// Words are a number of trials, and what they cost, in a sentence.
func (e Effort) Words() string {
	return words.Plural(e.Trials, "trial", "trials") + words.If(e.CostUSD.OK, " ("+words.Dollars(e.CostUSD.V)+")")
}

func (e Effort) cell() string {
	return words.Count(e.Trials) + words.If(e.CostUSD.OK, " "+words.Dollars(e.CostUSD.V))
}

func halfWidth(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func fall(v envelope.Opt[float64]) string {
	return cmp.Or(words.Around("", v.Text("", words.Tenths), " points"), "none")
}

func (d Detect) run(one, many string) string {
	e := d.Formula
	if d.Exact != nil {
		e = *d.Exact
	}
	return words.Plural(e.Trials, one, many) + words.Around(" (", e.CostUSD.Text("", words.Dollars), " in all)")
}

func (d Detect) row(design, test string) []string {
	exact := "as the formula"
	if d.Exact != nil {
		exact = d.Exact.cell()
	}
	return []string{design, test, d.Formula.cell(), exact}
}

func (d *Decision) terms() string {
	terms := []string{words.If(d.Threshold.OK && d.Confidence.OK, "threshold "+words.Fraction(d.Threshold.V))}
	if h := d.Hypotheses; h != nil {
		terms = append(terms, "against "+words.Fraction(Digits(h.P1)), "alpha "+words.Fraction(h.Alpha), "beta "+words.Fraction(h.Beta))
	} else if d.Confidence.OK {
		terms = append(terms, words.Level(d.Confidence.V)+" confidence")
	}
	terms = append(terms, words.If(d.MinTrials.OK && d.MinTrials.V > 1, "at least "+words.Count(d.MinTrials.V)+" trials"))
	return words.Around(": ", words.Join(", ", terms...))
}

func (d *Decision) answer() string {
	after := func(e *Effort, verdict, trials string) string {
		if e == nil {
			return "never " + verdict
		}
		return verdict + " after " + e.Words() + " at the earliest, if " + trials
	}
	says := after(d.SmallestPass, "passes", "all pass") + ", and " + after(d.SmallestFail, "fails", "none does") + "."
	n := d.Planned
	if n == nil {
		return "A test " + says
	}
	planned, from := "With "+n.Effort.Words(), words.Count(n.PassFrom.V)+" or more"
	if n.PassFrom.V == n.Trials {
		from = "all " + words.Count(n.Trials)
	}
	switch {
	case !n.CanPass:
		return planned + " no test can pass. It " + says
	case n.PassFrom.OK:
		most := cmp.Or(words.If(n.FailTo.V > 0, words.Count(n.FailTo.V)+" or fewer do."), "none does.")
		fails := cmp.Or(words.If(n.FailTo.OK, "fails if "+most), "never fails.")
		return planned + " a test passes if " + from + " pass, and " + fails
	}
	return planned + " at most, a test " + says
}

func (p *Plan) chanceTable() *block.Table {
	d := p.Decision
	titles, sizes, n := []string{"True rate"}, d.Sizes, "n=N"
	if d.Sequential {
		n = "at most N"
		titles = append(titles, d.firstTitles(p.PriceUSD.OK)...)
		sizes = sizes[1:]
	}
	titles = append(titles, each.Of(sizes, func(s Size) string { return d.sizeTitle(s.Effort.Trials) })...)
	if d.Enough != nil {
		titles = append(titles, words.Level(p.Power)+" right from n")
	}
	t := &block.Table{Title: "What the rule does by true pass rate", Columns: block.Columns(titles...)}
	for i, c := range d.Sizes[0].Chances {
		row := []string{words.Fraction(c.Rate)}
		if d.Sequential {
			row = append(row, d.firstCells(c, p.PriceUSD.OK)...)
		}
		row = append(row, each.Of(sizes, func(s Size) string { return s.Chances[i].threeWays() })...)
		if d.Enough != nil {
			row = append(row, d.Enough[i].cell())
		}
		t.Rows = append(t.Rows, row)
	}
	if !d.unlimited() || len(sizes) > 0 {
		t.Legend = n + ": percent of tests at that true rate that pass / stay undecided / fail"
	}
	return t
}

func (d *Decision) sizeTitle(trials int) string {
	if d.Sequential {
		return "at most " + words.Count(trials)
	}
	return "n=" + words.Count(trials)
}

// unlimited reports a sequential rule with no number of trials planned, of which the first size is without a limit.
func (d *Decision) unlimited() bool { return d.Sequential && d.Sizes[0].Effort == nil }

// firstTitles are those of what a sequential rule does with its first size, and what it takes for it.
func (d *Decision) firstTitles(priced bool) []string {
	titles := []string{"Pass", "Fail"}
	if !d.unlimited() {
		titles = []string{d.sizeTitle(d.Sizes[0].Effort.Trials)}
	}
	titles = append(titles, "Mean trials", "90 % within")
	if priced {
		titles = append(titles, "Mean cost")
	}
	return titles
}

func (d *Decision) firstCells(c Chance, priced bool) []string {
	cells := []string{words.Percent(c.Pass) + " %", words.Percent(c.Fail) + " %"}
	if !d.unlimited() {
		cells = []string{c.threeWays()}
	}
	cells = append(cells, cmp.Or(c.Mean.Text("", words.Short), "very many"), c.P90.Text("", words.Count[int]))
	if priced {
		cells = append(cells, c.MeanUSD.Text("", words.Dollars))
	}
	return cells
}

func (c Chance) threeWays() string {
	return words.Percent(c.Pass) + " / " + words.Percent(c.Inconclusive) + " / " + words.Percent(c.Fail)
}

func (e Enough) cell() string {
	switch {
	case e.Verdict == envelope.Inconclusive:
		return "-"
	case e.Effort == nil:
		return "over " + words.Count(MostEnough)
	}
	return e.Effort.cell()
}

func (u *Unsettled) moreCells() (trials, cost string) {
	switch {
	case u.Never:
		return "never", ""
	case u.More == nil:
		return "?", ""
	}
	return words.Count(u.More.Trials), u.More.CostUSD.Text("", words.Dollars)
}

func (u *Unsettled) likely() string {
	if !u.Pass.OK || !u.Fail.OK {
		return ""
	}
	if u.Pass.V >= u.Fail.V {
		return "PASS " + words.Percent(u.Pass.V) + " %"
	}
	return "FAIL " + words.Percent(u.Fail.V) + " %"
}

func (u *Unsettled) atOnce() string {
	return words.Join(" or ", words.If(u.Passes.OK, words.Plural(u.Passes.V, "pass", "passes")),
		words.If(u.Failures.OK, words.Plural(u.Failures.V, "failure", "failures")))
}

func (s *Settling) answer() string {
	switch {
	case s.Total == 0:
		return "There is no test to decide."
	case len(s.Tests) == 0 && s.notRun > 0:
		return words.Plural(s.notRun, "test was", "tests were") + " not run: resume the run, or start another."
	case len(s.Tests) == 0:
		return "Nothing is left to decide: every test has a verdict."
	case s.Sum.Trials == 0:
		return "More trials would decide no test."
	}
	decides := words.Plural(len(s.Tests), "test", "tests")
	if left := s.Never + s.Unknown; left > 0 {
		decides = words.Of(len(s.Tests)-left, len(s.Tests), "undecided test", "undecided tests")
	}
	return "About " + strings.Replace(s.Sum.Words(), " trial", " more trial", 1) + " would decide " + decides + "."
}

func (s *Settling) remark() string {
	return words.Join("; ", words.Of(s.Inconclusive, s.Total, "test", "tests")+
		words.If(s.Total == 1 || s.Inconclusive == 1, " is")+words.If(s.Total != 1 && s.Inconclusive != 1, " are")+" undecided"+
		words.If(s.Provisional > 0, ", and the missing trials of "+words.Plural(s.Provisional, "other", "others")+" could change their verdicts"),
		words.If(s.notRun > 0, words.Plural(s.notRun, "test was", "tests were")+" not run"),
		words.If(s.Resumed > 0, "the stopped run of "+words.Plural(s.Resumed, "test", "tests")+" still needs some of these trials"),
		words.If(s.Unpriced > 0, "the cost of "+words.Plural(s.Unpriced, "test", "tests")+" is not known"),
		words.If(s.Never > 0, "more trials never decide "+words.Plural(s.Never, "test", "tests")),
		words.If(s.Unknown > 0, "there is no estimate for "+words.Plural(s.Unknown, "test", "tests")))
}
