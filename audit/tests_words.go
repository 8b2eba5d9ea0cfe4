package audit

import (
	"cmp"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/words"
)

// Sentence is the answer: how many tests say nothing about the variants, or something odd, and
// how many are enough.
func (a *Tests) Sentence() string {
	n, conflicting := len(a.Tests), map[envelope.Key]bool{}
	for _, c := range a.Conflicts {
		conflicting[c.Key] = true
	}
	s := words.Of(a.Saturated+a.Unsolved, n, "test", "tests") + " cannot rank these variants: " + words.Count(a.Saturated) +
		" always pass, " + words.Count(a.Unsolved) + " never"
	if a.Against > 0 {
		s += "; " + words.Plural(a.Against, "ranks", "rank") + " against the rest"
	}
	if len(conflicting) > 0 {
		s += "; checks contradict the verdict, or each other, in " + words.Count(len(conflicting))
	}
	if u := a.Subset; u != nil && u.Tests < n {
		share := u.CostUSD.Or(u.Trials)
		s += "; " + words.Plural(u.Tests, "test ranks", "tests rank") + " the variants alike for " + words.Percent(share) + " % of the " +
			map[bool]string{true: "cost", false: "trials"}[u.CostUSD.OK]
	}
	return s + "."
}

// Document is the audit as titles, texts and tables.
func (a *Tests) Document() *block.Document {
	if a == nil {
		return nil
	}
	d := &block.Document{Tab: "Audit of tests · " + a.Sentence(), Title: "Audit of tests by " + a.By, Named: true, Problems: a.Problems}
	first := block.Part{ID: "tests", Title: a.Sentence(), Remark: a.from(), Blocks: []block.Block{a.variantTable()}}
	if u := a.Subset; u != nil {
		first.Add(block.Text{Words: "Smaller set: " + words.Of(u.Tests, len(a.Tests), "test", "tests") + ", " + words.Percent(u.Trials) +
			" % of the trials. Kendall's tau with the ranking by all tests is " +
			words.Decimal(u.Tau) + " for a variant that was left out when the tests were chosen."})
	}
	if a.LeastAlike.OK {
		first.Add(block.Text{Words: "Pairs that say the same: " + words.Count(len(a.Alike)) + " found. Among all pairs, a correlation from " +
			words.Decimal(a.LeastAlike.V) + " on is sure to be found; more variants find weaker ones."})
	}
	d.Parts = append(d.Parts, first)
	for _, of := range []struct{ says, title, about string }{
		{SaysAgainst, "Tests that rank against the rest", "better variants pass them less often, beyond chance among all tests"},
		{SaysNever, "Tests that no variant solved", "they may be too hard, or broken"},
		{SaysNothing, "Tests that every variant always passed", "they cost, and tell no variants apart"},
	} {
		if t := a.findings(of.says); len(t.Rows) > 0 {
			d.Parts = append(d.Parts, block.Part{ID: strings.ReplaceAll(of.says, " ", "-"), Title: of.title, Remark: of.about,
				Blocks: []block.Block{t}})
		}
	}
	if len(a.Conflicts) > 0 {
		d.Parts = append(d.Parts, block.Part{ID: "checks", Title: "Checks that contradict",
			Remark: "the verdict of their trial, or each other", Blocks: []block.Block{a.conflictTable()}})
	}
	if len(a.Alike) > 0 {
		d.Parts = append(d.Parts, block.Part{ID: "alike", Title: "Pairs of tests that say the same",
			Remark: "beyond what all other tests explain", Blocks: []block.Block{a.alikeTable()}})
	}
	if a.Least.OK && len(a.Tests) > 0 {
		d.Parts = append(d.Parts, block.Part{ID: "information", Title: "What tests say for their cost", Remark: "the most first",
			Blocks: []block.Block{a.worthTable()}})
	}
	return d
}

func (a *Tests) from() string {
	s := words.Plural(len(a.Tests), "test", "tests") + " that all " + words.Plural(len(a.Variants), "variant", "variants") + " tried; " +
		words.Level(a.Confidence) + " intervals"
	return s + "; findings are evidence, not verdicts"
}

func (a *Tests) variantTable() *block.Table {
	t := &block.Table{Title: "Variants", Columns: block.Columns("Variant", "Pass rate"), Noun: block.Noun{One: "variant", Many: "variants"}}
	t.Columns[0].Name = true
	for _, v := range a.Variants {
		t.Rows = append(t.Rows, []string{cmp.Or(v.Name, "(no name)"), percent(v.Rate)})
	}
	return t
}

// cell is a correlation with its interval.
func (c *Correlation) cell() string {
	if c == nil {
		return ""
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return f(c.Value) + " [" + f(c.Lo) + " to " + f(c.Hi) + "]"
}

// trials are the names of trials that show a finding.
func trials(of []Seen) string {
	var names []string
	for _, s := range of {
		names = append(names, cmp.Or(s.Variant, "(no name)")+" trial "+words.Count(s.Trial+1)+" "+string(s.Status))
	}
	return strings.Join(names, ", ")
}

// shown is a table of tests, of which those beyond the most listed are counted.
func shown(title string, columns ...string) *block.Table {
	t := &block.Table{Title: title, Columns: block.Columns(columns...), Noun: block.Noun{One: "test", Many: "tests"}}
	t.Columns[0].Name = true
	if last := &t.Columns[len(columns)-1]; columns[len(columns)-1] == "Trials that show it" {
		last.Left, last.Below = true, true
	}
	return t
}

func row(t *block.Table, k envelope.Key, cells ...string) {
	if len(t.Rows) >= mostListed {
		t.More++
		return
	}
	t.Keys = append(t.Keys, k)
	t.Rows = append(t.Rows, append([]string{k.RunnerName()}, cells...))
}

func (a *Tests) findings(says string) *block.Table {
	t := shown("Tests", "Test", "Passed", "Pass rate", "Discrimination", "Trials that show it")
	for i := range a.Tests {
		if it := &a.Tests[i]; it.Says == says {
			show := ""
			if says == SaysAgainst { // any trial shows the others
				show = trials(it.Seen)
			}
			row(t, it.Key, words.Count(it.Passed)+"/"+words.Count(it.Trials), it.Rate.cell(), it.Discrimination.cell(), show)
		}
	}
	return t
}

func (a *Tests) conflictTable() *block.Table {
	t := shown("Checks that contradict", "Test", "What", "Checks", "Trials", "Trials that show it")
	t.Columns[1].Left, t.Columns[2].Left = true, true
	for _, c := range a.Conflicts {
		row(t, c.Key, c.Kind, strings.Join(c.Checks, ", "), words.Count(c.Trials)+" of "+words.Count(c.Of), trials(c.Seen))
	}
	return t
}

func (a *Tests) alikeTable() *block.Table {
	t := shown("Pairs", "First", "Second", "Correlation")
	t.Columns[1].Name, t.Columns[1].Left, t.Noun = true, true, block.Noun{One: "pair", Many: "pairs"}
	for _, p := range a.Alike {
		row(t, p.First, p.Second.RunnerName(), p.Correlation.cell())
	}
	return t
}

func (a *Tests) worthTable() *block.Table {
	t := shown("Information", "Test", "Kept", "Pass rate", "Discrimination", "Index", "Cost", "Index per $")
	t.Columns[1].Left = true
	t.Legend = "Index: the part of the spread of the variants that the test makes. Cost: of its trials, of one variant. Kept: in the smaller set."
	for i := range a.Tests {
		it := &a.Tests[i]
		kept, cost, per := "", "", ""
		if it.Kept {
			kept = "kept"
		}
		if it.CostUSD.OK {
			cost = words.Dollars(it.CostUSD.V)
		}
		if it.PerUSD.OK {
			per = words.Short(it.PerUSD.V)
		}
		row(t, it.Key, kept, percent(it.Rate.Value), it.Discrimination.cell(), strconv.FormatFloat(it.Index, 'f', 3, 64), cost, per)
	}
	return t
}
