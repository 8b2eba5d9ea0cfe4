package plan

import (
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/verdict/rule"
)

// Words are a number of trials, and what they cost, in a sentence.
func (e Effort) Words() string {
	s := words.Plural(e.Trials, "trial", "trials")
	if e.CostUSD.OK {
		s += " (" + words.Dollars(e.CostUSD.V) + ")"
	}
	return s
}

// Cell is the same in a table.
func (e Effort) Cell() string {
	s := words.Count(e.Trials)
	if e.CostUSD.OK {
		s += " " + words.Dollars(e.CostUSD.V)
	}
	return s
}

// Table is a part of a plan as tables show it.
type Table struct {
	Titles []string
	Rows   [][]string
	Legend string // "" where nothing needs words
}

// Title is what is asked of the interval of a pass rate; within stands before a
// half-width.
func (p *Precision) Title(within string) string {
	title := "Trials for an interval of the pass rate"
	if p.HalfWidth.OK {
		title += " of " + within + words.Fraction(p.HalfWidth.V)
	}
	return title
}

// Remark is what the answer holds for.
func (p *Precision) Remark() string {
	return words.Level(p.Confidence) + " confidence, z = " + strconv.FormatFloat(p.Z, 'g', 6, 64)
}

// Table has the trials of each pass rate.
func (p *Precision) Table(within string) Table {
	t := Table{Titles: []string{"Pass rate", "Formula", "Wilson", "Exact"},
		Legend: "Formula: z^2 p (1-p) / h^2, of the normal interval. Wilson, Exact: half the length of that interval when this rate is seen."}
	for _, w := range p.Rates {
		name := words.Fraction(w.Rate)
		if w.Worst {
			name += " (worst case)"
		}
		if n := w.Needed; n != nil {
			t.Rows = append(t.Rows, []string{name, n.Formula.Cell(), n.Wilson.Cell(), n.Exact.Cell()})
		}
		if h := w.Reached; h != nil {
			t.Rows = append(t.Rows, []string{name + ", " + h.Effort.Words(), within + halfWidth(h.Formula), within + halfWidth(h.Wilson), within + halfWidth(h.Exact)})
		}
	}
	return t
}

// Title is what is to be told apart.
func (d *Difference) Title() string {
	return "Telling " + words.Fraction(d.From) + " from " + words.Fraction(d.To)
}

// Remark is how sure the answer is.
func (d *Difference) Remark() string {
	return words.Level(d.Confidence) + " confidence, two-sided, found " + words.Level(d.Power) + " of the time"
}

// Table has the trials of each design.
func (d *Difference) Table() Table {
	t := Table{Titles: []string{"Design", "Test", "Formula", "Exact"}, Rows: [][]string{d.Unpaired.row("trials a side", "Fisher")}}
	if d.Paired != nil {
		t.Rows = append(t.Rows, d.Paired.row("pairs, "+words.Fraction(d.Paired.Discordant)+" of them discordant", "McNemar"))
	}
	return t
}

// What the powers of a difference are called.
const (
	UnpairedPower = "Power of Fisher's exact test by trials a side"
	PairedPower   = "Power of McNemar's exact test by pairs"
)

// PairsWords say what pairs of trials would need, where nobody said how many differ.
func (d *Difference) PairsWords() string {
	return "Pairs of trials of the same task may need fewer: --discordant is the share of pairs that differ, " + words.Fraction(d.PairedFrom) +
		" at least and " + words.Fraction(d.Independent) + " if they had nothing in common."
}

// ClusteredTitle is what a comparison of runs of many tests is called.
const ClusteredTitle = "Comparing two runs of many tests"

// Remark is what the designs have in common.
func (c *Clustered) Remark() string {
	return "from a pass rate of " + words.Fraction(c.Rate) + ", trials of a test correlate by " + words.Fraction(c.ICC) + ", " +
		words.Level(c.Confidence) + " confidence, " + words.Level(c.Power) + " power"
}

// Table has the designs, the planned one first.
func (c *Clustered) Table() Table {
	to := ""
	t := Table{Titles: []string{"Tests x trials", "Both sides", "Same tests", "Other tests"}}
	if c.To.OK {
		t.Titles = append(t.Titles, "Power, same", "other")
		to = ", and the power to see a fall to " + words.Fraction(c.To.V)
	}
	for i, d := range c.Designs {
		name := words.Count(d.Tests) + " x " + words.Count(d.Trials)
		if i == 0 {
			name += " (planned)"
		}
		row := []string{name, d.Effort.Cell(), fall(d.Same.Detectable), fall(d.Other.Detectable)}
		if c.To.OK {
			row = append(row, optional(d.Same.Power, words.Decimal), optional(d.Other.Power, words.Decimal))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Legend = "The smallest fall that is seen" + to + ". Same tests: the difference of each, where all moved alike. Other tests: each side has its own. Normal approximation."
	return t
}

// JudgeTitle is what labels for a judge that errs are called.
const JudgeTitle = "Labels for a judge that errs"

// Remark is what is taken of the judge.
func (j *Judge) Remark() string {
	return "sensitivity " + words.Fraction(j.Sensitivity) + ", specificity " + words.Fraction(j.Specificity) + ", true pass rate " + words.Fraction(j.Rate) +
		", of which it sees " + words.Fraction(j.Seen) + "; " + words.Level(j.Confidence) + " confidence"
}

// Table has the half-widths by how many trials are labelled, the planned number first.
func (j *Judge) Table(within string) Table {
	half := func(v envelope.Opt[float64]) string {
		if !v.OK {
			return "none"
		}
		return within + halfWidth(v.V)
	}
	t := Table{Titles: []string{"Labels", "Trials", "Rogan-Gladen", "Powered", "Labels alone", "Judge's own"},
		Legend: "Half the length of each interval when labels, a random part of the trials, come out as expected. The judge's own rate is off by " +
			words.Tenths(j.Off()) + " points, whatever the trials; the others allow for it. Powered: prediction-powered."}
	for i, d := range j.Designs {
		name := words.Plural(d.Labels, "label", "labels")
		switch {
		case i == 0:
			name += " (planned)"
		case d.Labels == 0:
			name = "no labels"
		}
		t.Rows = append(t.Rows, []string{name, d.Effort.Cell(), half(d.RoganGladen), half(d.Powered), half(d.LabelsAlone), within + halfWidth(d.Own)})
	}
	return t
}

// halfWidth is half the length of an interval, without its sign.
func halfWidth(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// fall is a fall of a pass rate in points.
func fall(v envelope.Opt[float64]) string {
	if !v.OK {
		return "none"
	}
	return words.Tenths(v.V) + " points"
}

// row are the cells of a design: what it is, its test, and the trials by the formula
// and exactly.
func (d Detect) row(design, test string) []string {
	exact := "as the formula"
	if d.Exact != nil {
		exact = d.Exact.Cell()
	}
	return []string{design, test, d.Formula.Cell(), exact}
}

// Terms are the parameters of a rule, behind its name.
func (d *Decision) Terms() string {
	var terms []string
	if d.Threshold.OK && d.Confidence.OK {
		terms = append(terms, "threshold "+words.Fraction(d.Threshold.V))
	}
	if h := d.Hypotheses; h != nil {
		terms = append(terms, "against "+words.Fraction(digits(h.P1)), "alpha "+words.Fraction(h.Alpha), "beta "+words.Fraction(h.Beta))
	} else if d.Confidence.OK {
		terms = append(terms, words.Level(d.Confidence.V)+" confidence")
	}
	if d.MinTrials.OK && d.MinTrials.V > 1 {
		terms = append(terms, "at least "+words.Count(d.MinTrials.V)+" trials")
	}
	if len(terms) == 0 {
		return ""
	}
	return ": " + strings.Join(terms, ", ")
}

// EarliestWords say when a rule can give a verdict at all, by trials of which all, or none, passed.
func EarliestWords(verdict string, e *Effort, trials string) string {
	if e == nil {
		return verdict + ": never"
	}
	return verdict + ": after " + e.Words() + " at the earliest, " + trials
}

// PlannedWords are what the planned trials can show; "" where none are planned.
func (d *Decision) PlannedWords() string {
	n := d.Planned
	if n == nil {
		return ""
	}
	planned := "Planned: " + n.Effort.Words()
	switch {
	case !n.CanPass:
		return planned + ", which can never pass a test, however they turn out"
	case n.PassFrom.OK && n.FailTo.OK:
		return planned + ": " + words.Count(n.PassFrom.V) + " or more passed is a pass, " + words.Count(n.FailTo.V) + " or fewer a fail"
	case n.PassFrom.OK:
		return planned + ": " + words.Count(n.PassFrom.V) + " or more passed is a pass, nothing is a fail"
	}
	return planned + " at most; the rule looks after each"
}

// ChanceTable is what the rule does by true pass rate.
func (p *Plan) ChanceTable() Table {
	d := p.Decision
	var rows [][]string
	titles := []string{"True rate"}
	sizes := d.Sizes
	if d.Sequential {
		titles = append(titles, d.firstTitles(p.PriceUSD.OK)...)
		sizes = sizes[1:]
	}
	for _, s := range sizes {
		titles = append(titles, d.sizeTitle(s.Effort.Trials))
	}
	if d.Enough != nil {
		titles = append(titles, words.Level(p.Power)+" right from")
	}
	for i, c := range d.Sizes[0].Chances {
		row := []string{words.Fraction(c.Rate)}
		if d.Sequential {
			row = append(row, d.firstCells(c, p.PriceUSD.OK)...)
		}
		for _, s := range sizes {
			row = append(row, s.Chances[i].threeWays())
		}
		if d.Enough != nil {
			row = append(row, d.Enough[i].cell())
		}
		rows = append(rows, row)
	}
	t := Table{Titles: titles, Rows: rows}
	if !d.Unlimited() || len(sizes) > 0 {
		t.Legend = "n=...: percent of tests at that true rate that pass / stay inconclusive / fail"
	}
	return t
}

func (d *Decision) sizeTitle(trials int) string {
	if d.Sequential {
		return "at most " + words.Count(trials)
	}
	return "n=" + words.Count(trials)
}

// Unlimited reports a sequential rule with no number of trials planned, of which the
// first size is without a limit.
func (d *Decision) Unlimited() bool { return d.Sequential && d.Sizes[0].Effort == nil }

// firstTitles are those of what a sequential rule does with its first size, and what it
// takes for it.
func (d *Decision) firstTitles(priced bool) []string {
	titles := []string{"Pass", "Fail"}
	if !d.Unlimited() {
		titles = []string{d.sizeTitle(d.Sizes[0].Effort.Trials)}
	}
	titles = append(titles, "Mean trials", "90 of 100 by")
	if priced {
		titles = append(titles, "Mean cost")
	}
	return titles
}

// firstCells are the cells under firstTitles.
func (d *Decision) firstCells(c Chance, priced bool) []string {
	cells := []string{words.Percent(c.Pass) + " %", words.Percent(c.Fail) + " %"}
	if !d.Unlimited() {
		cells = []string{c.threeWays()}
	}
	mean, by := optional(c.Mean, words.Short), ""
	if c.P90.OK {
		by = words.Count(c.P90.V)
	}
	if !c.Mean.OK {
		mean = "very many"
	}
	cells = append(cells, mean, by)
	if priced {
		cells = append(cells, optional(c.MeanUSD, words.Dollars))
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
	return e.Effort.Cell()
}

func optional(v envelope.Opt[float64], format func(float64) string) string {
	if !v.OK {
		return ""
	}
	return format(v.V)
}

// MoreCell is how many more trials would settle a test.
func (u *Unsettled) MoreCell() string {
	switch {
	case u.Never:
		return "never"
	case u.More == nil:
		return "?"
	}
	return words.Count(u.More.Trials)
}

// CostCell is what these trials would cost; "" where nothing is known.
func (u *Unsettled) CostCell() string {
	if u.More == nil {
		return ""
	}
	return optional(u.More.CostUSD, words.Dollars)
}

// Likely is the verdict that is the more probable one.
func (u *Unsettled) Likely() string {
	if !u.Pass.OK || !u.Fail.OK {
		return ""
	}
	if u.Pass.V >= u.Fail.V {
		return "PASS " + words.Percent(u.Pass.V) + " %"
	}
	return "FAIL " + words.Percent(u.Fail.V) + " %"
}

// AtOnce is how many passes or failures in a row settle a test.
func (u *Unsettled) AtOnce() string {
	s := ""
	if u.Passes.OK {
		s = words.Plural(u.Passes.V, "pass", "passes")
	}
	if u.Failures.OK {
		if s != "" {
			s += " or "
		}
		s += words.Plural(u.Failures.V, "failure", "failures")
	}
	return s
}

// SettlingTitle is what is asked of a run that is there.
const SettlingTitle = "What would settle this run"

// Remark is how many tests are open.
func (s *Settling) Remark() string {
	remark := words.Count(s.Inconclusive) + " of " + words.Plural(s.Total, "test is", "tests are") + " inconclusive"
	if s.Provisional > 0 {
		remark += ", and the missing trials of " + words.Plural(s.Provisional, "other", "others") + " could change the verdict"
	}
	return remark
}

// NothingWords say why nothing would settle the run; "" where something would.
func (s *Settling) NothingWords() string {
	switch {
	case s.Total == 0:
		return "There is no test to settle."
	case len(s.Tests) == 0:
		return "Nothing: every test has a verdict."
	}
	return ""
}

// Table has the undecided tests, at most so many of them.
func (s *Settling) Table(power float64, most int) Table {
	t := Table{Titles: []string{"Test", "Passed", "More trials", "Cost", "Then", "At once by", "Why"},
		Legend: "More trials: settle the test " + words.Level(power) + " of the time if it goes on at the rate seen so far. At once by: that many in a row."}
	for i := range s.Tests[:min(len(s.Tests), most)] {
		u := &s.Tests[i]
		t.Rows = append(t.Rows, []string{u.Key.String(), words.Count(u.Passed) + "/" + words.Count(u.Trials), u.MoreCell(), u.CostCell(), u.Likely(), u.AtOnce(), u.Why})
	}
	if n := len(s.Tests) - most; n > 0 {
		t.Legend += " And " + words.Plural(n, "more test", "more tests") + "."
	}
	if s.Peeking {
		t.Legend += " An interval holds its level for one look: adding trials because it was undecided is a second. Rules " +
			strings.Join(rule.Sequential(), " and ") + " may be looked at after every trial."
	}
	return t
}

// SumWords are what it takes to settle all tests.
func (s *Settling) SumWords() string {
	sum := "In all: " + s.Sum.Words()
	if s.Resumed > 0 {
		sum += "; of " + words.Plural(s.Resumed, "test", "tests") + " they are those that its stopped run still asks for"
	}
	if s.Unpriced > 0 {
		sum += "; the cost of " + words.Plural(s.Unpriced, "test", "tests") + " is not known"
	}
	if s.Never > 0 {
		sum += "; " + words.Plural(s.Never, "test is", "tests are") + " never settled by more trials"
	}
	if s.Unknown > 0 {
		sum += "; of " + words.Plural(s.Unknown, "test", "tests") + " nothing can be said"
	}
	return sum
}
