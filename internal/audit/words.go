package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

func percent(p float64) string { return words.Tenths(p) + " %" }

func (c *Chance) cell() string {
	if c == nil {
		return ""
	}
	return percent(c.Value) + words.If(c.Lo.OK, " ["+words.Tenths(c.Lo.V)+"–"+words.Tenths(c.Hi.V)+"]")
}

// Sentence is the answer: how often the policy is red by chance, what causes it, and what helps.
func (g *Gate) Sentence() string {
	steady := each.Count(g.Tests, func(t GateTest) bool { return t.Steady })
	s := words.If(steady > 0, words.Plural(steady, "test fails", "tests fail")+" most runs. Apart from that, ")
	hi, runs := g.ByChance.Predicted.Hi, words.Plural(g.Runs, "run", "runs")
	switch {
	case steady > 0 && steady == len(g.Tests):
		return strings.TrimSuffix(s, " Apart from that, ")
	case g.Runs == 0 || g.failed > 0 || hi.OK && hi.V == 0:
		s += "this policy is red by chance in " + percent(g.ByChance.Predicted.Value) + " of runs" +
			words.If(g.Runs == 1, ", if its single run is typical")
	case hi.OK:
		s += "no test failed in " + runs + ": this policy is red by chance in at most " + percent(hi.V) + " of runs"
	default:
		s += fmt.Sprintf("no test failed in %s; give %d or more to see how often this policy is red by chance", runs, fewRuns)
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	switch {
	case g.misses:
		s += ". It misses " + percent(1-g.Now.lastPower()) + " of tests that drop by 20 points" + words.If(g.needs > g.Now.Trials, fmt.Sprintf(
			"; with %s no test can pass, which takes at least %d", words.Plural(g.Now.Trials, "trial", "trials"), g.needs))
	case !g.red():
		return s + words.If(g.failed > 0 || g.Runs == 0, "; you accept up to "+percent(g.AtMost)+" (--at-most)") + "."
	}
	if g.red() && g.Runs > 0 {
		s += ". " + words.Plural(g.Causes, "test causes", "tests cause") + map[bool]string{false: " most of it",
			true: " part of it; the rest is estimated for tests that never failed"}[g.unseen]
	}
	if len(g.Advice) == 0 {
		return s + ". No option is red by chance in at most " + percent(g.AtMost) +
			" of runs and finds most drops of 20 points; allow more with --at-most."
	}
	best := &g.Advice[0]
	return s + ". `tribunal run " + best.flags() + "` is red by chance in " + percent(best.Predicted.Value) + " for " +
		strconv.FormatFloat(best.Times, 'f', 1, 64) + " times the trials" + words.If(!best.Keeps || g.misses,
		", and finds a test that drops by 20 points in "+percent(best.lastPower())+" of runs") + "."
}

func (o *Option) flags() string {
	return "--rule " + o.Rule + words.If(o.Threshold.OK, " --threshold "+words.Short(o.Threshold.V)) +
		words.If(o.Trials > 0, " -n "+strconv.Itoa(o.Trials))
}

// Document is the audit as titles, texts and tables.
func (g *Gate) Document() *block.Document {
	d := &block.Document{Tab: "Audit of a gate · " + g.Sentence(), Title: "Audit of a gate", Problems: g.Problems}
	if len(g.Advice) > 0 {
		d.Next = "tribunal run " + g.Advice[0].flags() + " -- COMMAND"
	}
	add(d, "gate", g.Sentence(), g.from(), g.buildTable())
	add(d, "options", "Options", "fewest trials first, then those that miss more than 20 % of drops by 20 points, the best first", g.options())
	if g.Runs > 0 {
		add(d, "tests", "Tests", "most often red first", g.testTable())
	}
	return d
}

func add(d *block.Document, id, title, remark string, t *block.Table) {
	d.Parts = append(d.Parts, block.Part{ID: id, Title: title, Remark: remark, Blocks: []block.Block{t}})
}

func (g *Gate) from() string {
	s := "rule " + g.Rule + words.If(g.Threshold.OK, " at "+words.Fraction(g.Threshold.V))
	if g.Runs == 0 {
		return s + ", " + words.Plural(len(g.Tests), "test", "tests") + " with the same pass rate; from the plan alone"
	}
	s = words.Plural(g.Runs, "run", "runs") + ", " + words.Plural(len(g.Tests), "test", "tests") + "; " + s + "; " +
		words.Level(g.Confidence) + " intervals"
	unseen := slices.ContainsFunc(g.Problems, func(p envelope.Problem) bool { return p.Code == CodeGates })
	s += words.If(unseen, "; without gates")
	s += words.If(g.Nights.Own > 0 || g.Nights.Shared > 0, "; pass rates vary from run to run more than chance explains")
	return s
}

func (g *Gate) buildTable() *block.Table {
	t := &block.Table{Title: "How often the build is red", Columns: block.Columns("Red build", "Predicted", "Observed", "Runs"),
		Legend: "Predicted: from the rates of the tests, how they vary, and the rule." + words.If(g.Runs > 0, " Observed: the share of runs.")}
	row := func(name string, b *Build) {
		t.Rows = append(t.Rows, []string{name, b.Predicted.cell(), b.Observed.cell(),
			words.If(g.Runs > 0, words.Of(b.Red, g.Runs, "run", "runs"))})
	}
	if slices.ContainsFunc(g.Tests, func(t GateTest) bool { return t.Steady }) {
		row("all tests", &g.Build)
	}
	row("by chance", &g.ByChance)
	if g.Causes > 0 && g.Runs > 0 {
		t.Rows = append(t.Rows, []string{"without its " + words.Plural(g.Causes, "cause", "causes"), percent(g.Without), "", ""})
	}
	return t
}

func (g *Gate) options() *block.Table {
	t := &block.Table{Title: "Ways to judge", Columns: block.Columns("Flags", "Red by chance", "Trials", "Times", "Cost", "-5", "-10",
		"-20 points"), Legend: "Trials: expected in a run."}
	for i, keep := range []int{0, 0, 6, 3, 4, 1, 2, 5} {
		t.Columns[i].Keep = keep
	}
	t.Columns[7].Legend = "-20 points: chance that a test is red after its pass rate drops this far, averaged over the tests."
	for i, o := range append([]Option{g.Now}, g.Advice...) {
		name := o.flags()
		if i == 0 {
			name = "now: " + name
		}
		row := []string{name, o.Predicted.cell(), words.Count(int(o.Mean + 0.5)), strconv.FormatFloat(o.Times, 'f', 1, 64),
			o.CostUSD.Text("", words.Dollars)}
		row = append(row, each.Of(o.Power, func(p Power) string { return percent(p.Test) })...)
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (g *Gate) testTable() *block.Table {
	t := shown("Tests by how often they are red", "Test", "Role", "Passed", "Expected", "Predicted", "Observed", "Red")
	t.Columns[1].Left = true
	t.Columns[3].Legend = "Expected: the pass rate, drawn towards those of the other tests."
	for i, keep := range []int{0, 0, 3, 4, 0, 1, 2} {
		t.Columns[i].Keep = keep
	}
	for i := range g.Tests {
		of := &g.Tests[i]
		mark := ""
		switch {
		case of.Steady:
			mark = map[bool]string{true: "errors in most runs", false: "fails most runs"}[of.Counted == 0]
		case of.Excused:
			mark = "quarantined"
		case of.Cause:
			mark = "cause"
		}
		row(t, of.Key, mark, words.Count(of.Passed)+"/"+words.Count(of.Counted), of.Rate.Text("", percent), of.Predicted.cell(),
			of.Observed.cell(), words.Count(of.Red)+"/"+words.Count(of.Runs))
	}
	return t
}

// Sentence is the answer: how many tests say nothing about the variants, or something odd, and how many are enough.
func (a *Tests) Sentence() string {
	n, conflicting := len(a.Tests), each.Set(a.Conflicts, func(c Conflict) envelope.Key { return c.Key })
	s := words.Of(a.Saturated+a.Unsolved, n, "test", "tests") + " cannot rank these variants: " + words.Count(a.Saturated) +
		words.Verb(a.Saturated, " always passes, ", " always pass, ") + words.Count(a.Unsolved) + " never"
	if n > 0 && a.Saturated+a.Unsolved == 0 {
		s = "No test always passes or always fails"
	}
	s += words.If(a.Against > 0, ". "+words.Plural(a.Against, "ranks", "rank")+" against the rest")
	s += words.If(len(conflicting) > 0, ". Checks contradict the verdict, or each other, in "+words.Count(len(conflicting)))
	if u := a.Subset; u != nil && u.Tests < n {
		share := u.CostUSD.Or(u.Trials)
		s += ". " + words.Plural(u.Tests, "test gives", "tests give") + " nearly the same ranking for " + words.Percent(share) + " % of the " +
			map[bool]string{true: "cost", false: "trials"}[u.CostUSD.OK]
	}
	return s + "."
}

// Document is the audit as titles, texts and tables.
func (a *Tests) Document() *block.Document {
	d := &block.Document{Tab: "Audit of tests · " + a.Sentence(), Title: "Audit of tests by " + a.By, Named: true, Problems: a.Problems,
		Next: words.Around("tribunal rank ", a.Look, " --by "+words.Shell(a.By))}
	first := block.Part{ID: "tests", Title: a.Sentence(), Remark: a.from(), Blocks: []block.Block{a.variantTable()}}
	if u := a.Subset; u != nil {
		first.Add(block.Text{Words: "Smaller set: " + words.Of(u.Tests, len(a.Tests), "test", "tests") + ", " + words.Percent(u.Trials) +
			" % of the trials, rank nearly the same: Kendall's tau is " + words.Decimal(u.Tau) + " on average, each variant left out in turn."})
	}
	if a.LeastAlike.OK {
		first.Add(block.Text{Words: "Redundant pairs: " + words.Count(len(a.Alike)) + " found. With these variants, a correlation of " +
			words.Decimal(a.LeastAlike.V) + " or more is found; more variants find weaker ones."})
	}
	d.Parts = append(d.Parts, first)
	for _, of := range []struct {
		id, title, about string
		table            *block.Table
	}{
		{"against-the-rest", "Tests that rank against the rest", "better variants pass them less often, beyond chance among all tests",
			a.findings(SaysAgainst)},
		{"never-solved", "Tests that no variant solved", "they may be too hard, or broken", a.findings(SaysNever)},
		{"saturated", "Tests that every variant always passed", "they cost money and cannot rank variants", a.findings(SaysNothing)},
		{"checks", "Checks that contradict", "the verdict of their trial, or each other", a.conflictTable()},
		{"alike", "Redundant pairs of tests", "their rates move together beyond what all other tests explain", a.alikeTable()},
		{"information", "What each test contributes for its cost", "the best first", a.worthTable()},
	} {
		if len(of.table.Rows) > 0 && (of.id != "information" || a.Least.OK) {
			add(d, of.id, of.title, of.about, of.table)
		}
	}
	return d
}

func (a *Tests) from() string {
	return words.Plural(len(a.Tests), "test", "tests") + " that " + map[bool]string{true: "both variants",
		false: "all " + words.Plural(len(a.Variants), "variant", "variants")}[len(a.Variants) == 2] + " tried; " +
		words.Level(a.Confidence) + " intervals; findings are evidence, not verdicts"
}

func (a *Tests) variantTable() *block.Table {
	t := &block.Table{Title: "Variants", Columns: block.Columns("Variant", "Pass rate"), Noun: block.Noun{One: "variant", Many: "variants"}}
	t.Columns[0].Name = true
	t.Rows = each.Of(a.Variants, func(v Solver) []string { return []string{cmp.Or(v.Name, "(no name)"), percent(v.Rate)} })
	return t
}

func (c *Correlation) cell() string {
	if c == nil {
		return ""
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return f(c.Value) + " [" + f(c.Lo) + " to " + f(c.Hi) + "]"
}

func trials(of []Seen) string {
	return words.List(of, func(s Seen) string {
		return cmp.Or(s.Variant, "(no name)") + " trial " + words.Count(s.Trial+1) + " " + string(s.Status)
	})
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
	const mostListed = 30
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
	t.Legend = "Index: how much of the spread between variants comes from this test. Cost: of its trials, of one variant. " +
		"Kept: in the smaller set."
	for i := range a.Tests {
		it := &a.Tests[i]
		kept := words.If(it.Kept, "kept")
		row(t, it.Key, kept, percent(it.Rate.Value), it.Discrimination.cell(), strconv.FormatFloat(it.Index, 'f', 3, 64),
			it.CostUSD.Text("", words.Dollars), it.PerUSD.Text("", words.Short))
	}
	return t
}
