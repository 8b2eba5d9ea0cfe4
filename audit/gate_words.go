package audit

import (
	"strconv"

	"tribunal/internal/block"
	"tribunal/internal/words"
)

// percent is a chance in percent.
func percent(p float64) string { return words.Tenths(p) + " %" }

// cell is a chance with its interval; "" for none.
func (c *Chance) cell() string {
	if c == nil {
		return ""
	}
	return percent(c.Value) + " [" + words.Tenths(c.Lo) + "–" + words.Tenths(c.Hi) + "]"
}

// Sentence is the answer: how often the gate is red by chance, what causes it, and what helps.
func (g *Gate) Sentence() string {
	steady, s := g.steady(), "This gate is red by chance in "+percent(g.ByChance.Predicted.Value)+" of runs"
	if steady > 0 {
		s = "Besides " + words.Plural(steady, "test that fails", "tests that fail") + " most runs, this gate is red by chance in " +
			percent(g.ByChance.Predicted.Value) + " of runs"
	}
	if g.ByChance.Predicted.Value <= g.AtMost {
		return s + ", at most " + percent(g.AtMost) + " as you asked."
	}
	if g.Runs > 0 {
		s += "; " + words.Plural(g.Causes, "test causes", "tests cause") + " most of it"
	}
	if len(g.Advice) == 0 {
		return s + "; no rule, threshold or number of trials that still finds most falls of 20 points brings it to " + percent(g.AtMost) + "."
	}
	best := &g.Advice[0]
	s += "; `" + best.flags() + "` brings it to " + percent(best.Predicted.Value) + " for " + times(best.Times)
	if !best.Keeps {
		s += ", but finds a test that falls by 20 points only in " + percent(best.lastPower()) + " of runs"
	}
	return s + "."
}

// times is how many times as many trials.
func times(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + " times the trials" }

// flags are those of tribunal run that judge by the option.
func (o *Option) flags() string {
	s := "--rule " + o.Rule
	if o.Threshold.OK {
		s += " --threshold " + words.Short(o.Threshold.V)
	}
	return s + " -n " + strconv.Itoa(o.Trials)
}

func (g *Gate) steady() (n int) {
	for i := range g.Tests {
		if g.Tests[i].Steady {
			n++
		}
	}
	return n
}

// Document is the audit as titles, texts and tables.
func (g *Gate) Document() *block.Document {
	if g == nil {
		return nil
	}
	d := &block.Document{Tab: "Audit of a gate · " + g.Sentence(), Title: "Audit of a gate", Problems: g.Problems}
	d.Parts = append(d.Parts, block.Part{ID: "gate", Title: g.Sentence(), Remark: g.from(), Blocks: []block.Block{g.buildTable()}})
	d.Parts = append(d.Parts, block.Part{ID: "options", Title: "What else you can do",
		Remark: "the fewest trials first; options that find a fall of 20 points in less than 80 % of runs last",
		Blocks: []block.Block{g.options()}})
	if g.Runs > 0 {
		d.Parts = append(d.Parts, block.Part{ID: "tests", Title: "Tests", Remark: "the one that is red most often first",
			Blocks: []block.Block{g.testTable()}})
	}
	return d
}

// from says what the audit is made of.
func (g *Gate) from() string {
	s := "rule " + g.Rule
	if g.Threshold.OK {
		s += " at " + words.Fraction(g.Threshold.V)
	}
	if g.Runs == 0 {
		return s + ", " + words.Plural(len(g.Tests), "test", "tests") + " that pass alike; from the plan alone"
	}
	s = words.Plural(g.Runs, "run", "runs") + ", " + words.Plural(len(g.Tests), "test", "tests") + "; " + s + "; " +
		words.Level(g.Confidence) + " intervals"
	if g.Nights.Own > 0 || g.Nights.Shared > 0 {
		s += "; runs vary more than chance (ICC of a test " + words.Decimal(g.Nights.Own) + ", shared by all tests " +
			words.Decimal(g.Nights.Shared) + " in log odds)"
	}
	return s
}

func (g *Gate) buildTable() *block.Table {
	t := &block.Table{Title: "How often the build is red", Columns: block.Columns("Red build", "Predicted", "Observed", "Runs"),
		Legend: "Predicted: from the rates of the tests, how they vary, and the rule. Observed: the share of runs."}
	row := func(name string, b *Build) {
		cells := []string{name, percent(b.Predicted.Value), "", ""}
		if g.Runs > 0 {
			cells = []string{name, b.Predicted.cell(), b.Observed.cell(), words.Of(b.Red, g.Runs, "run", "runs")}
		}
		t.Rows = append(t.Rows, cells)
	}
	if g.steady() > 0 {
		row("all tests", &g.Build)
	}
	row("by chance", &g.ByChance)
	if g.Causes > 0 && g.Runs > 0 {
		t.Rows = append(t.Rows, []string{"without " + words.Plural(g.Causes, "test", "tests"), percent(g.Without), "", ""})
	}
	return t
}

func (g *Gate) options() *block.Table {
	t := &block.Table{Title: "Ways to judge", Columns: block.Columns("Flags", "Red by chance", "Trials", "Times", "Cost", "-5", "-10",
		"-20 points"),
		Legend: "-5, -10, -20 points: how surely a test is red whose pass rate falls so far, on average over the tests. Trials: of a run, expected."}
	for i, o := range append([]Option{g.Now}, g.Advice...) {
		name := o.flags()
		if i == 0 {
			name = "now: " + name
		}
		cost := ""
		if o.CostUSD.OK {
			cost = words.Dollars(o.CostUSD.V)
		}
		chance := o.Predicted.cell()
		if g.Runs == 0 {
			chance = percent(o.Predicted.Value)
		}
		row := []string{name, chance, words.Count(int(o.Mean + 0.5)), strconv.FormatFloat(o.Times, 'f', 1, 64), cost}
		for _, p := range o.Power {
			row = append(row, percent(p.Test))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mostListed is how many tests a table lists.
const mostListed = 30

func (g *Gate) testTable() *block.Table {
	t := &block.Table{Title: "Tests by how often they are red", Columns: block.Columns("Test", "Role", "Pass rate", "Passed", "Predicted",
		"Observed", "Red"),
		Noun: block.Noun{One: "test", Many: "tests"}}
	t.Columns[0].Name, t.Columns[1].Left = true, true
	left := g.Causes
	for i := range g.Tests {
		of := &g.Tests[i]
		mark, rate := "", ""
		switch {
		case of.Steady:
			mark = "fails most runs"
		case left > 0:
			mark, left = "cause", left-1
		}
		if i >= mostListed {
			t.More++
			continue
		}
		if of.Rate.OK {
			rate = percent(of.Rate.V)
		}
		t.Keys = append(t.Keys, of.Key)
		t.Rows = append(t.Rows, []string{of.Key.RunnerName(), mark, rate, words.Count(of.Passed) + "/" + words.Count(of.Counted),
			of.Predicted.cell(), of.Observed.cell(), words.Count(of.Red) + "/" + words.Count(of.Runs)})
	}
	return t
}
