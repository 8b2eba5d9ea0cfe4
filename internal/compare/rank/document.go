package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// Document is the ranking as titles, texts, tables and charts: who is the best, the
// variants in their order, every two of them, and the tests that are not ranked.
func (r *Ranking) Document() *block.Document {
	by := cmp.Or(r.By, "run")
	d := &block.Document{Tab: "Ranking · " + r.Sentence(), Title: "Ranking by " + by, Problems: r.Problems}
	if len(r.Variants) > 1 && r.Variants[0].Name != "" {
		d.Next = words.Around("tribunal compare ", r.Look, " --by "+words.Shell(r.By, "--base-value", r.Variants[0].Name))
	}
	if r.Gate.ExitCode != 0 {
		d.Gate = &block.Gate{Status: r.Gate.Status, Exit: r.Gate.ExitCode, Reasons: r.Gate.Reasons}
	}
	part := block.Part{ID: "ranked", Title: r.Sentence(), Remark: words.If(len(r.Variants) > 0, "ranked by "+by+": "+r.words())}
	if len(r.Variants) > 0 {
		part.Add(r.variantTable())
		if r.Variants[0].ShrunkenRate.OK {
			part.Add(block.Text{Words: r.shrunken() + ".", Detail: true})
		}
		if r.Variants[0].HeadToHead != nil {
			part.Add(r.headToHead())
		}
		if f := r.frontier(); f != nil {
			part.Add(f)
		}
	}
	d.Parts = append(d.Parts, part)
	if len(r.Pairs) > 0 {
		d.Parts = append(d.Parts, r.pairPart())
	}
	if len(r.Missing) > 0 {
		d.Parts = append(d.Parts, r.missingPart())
	}
	return d
}

func nameOf(name string) string { return cmp.Or(name, "(no name)") }

func (r *Ranking) variantTable() *block.Table {
	passed, axis := "Passed", "0 to 100 %"
	if r.Of == compare.OfScores {
		passed, axis = "Scored", "0 to 1"
	}
	t := &block.Table{Title: "Variants in their order", Columns: block.Columns("Variant", "Place", "Can be", "P(best)", r.measure(),
		"Interval", passed, "$/success", "To separate"), Noun: block.Noun{One: "variant", Many: "variants"},
		Legend: "Can be: the places that are not ruled out. They and the intervals hold for all variants at once. P(best): the probability of " +
			"being the best, from these trials alone." + words.If(slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Beaten.V }),
			" Beaten: another variant is as good and costs less.")}
	t.Columns[0].Name = true
	spans := &block.Spans{Title: r.measure() + "s", Axis: axis, Percent: r.Of != compare.OfScores,
		Caption: "The mean over the tests and its interval. A square may be the best; a circle is worse than another variant beyond chance."}
	for i := range r.Variants {
		v := &r.Variants[i]
		cost := ""
		if v.CostUSD.OK {
			cost = words.Dollars(v.CostUSD.V)
			cost += words.If(v.Beaten.V, " beaten")
		}
		value, interval := r.value(v.Mean.Value), strings.TrimSuffix(r.value(v.Mean.Lo), " %")+" to "+r.value(v.Mean.Hi)
		t.Rows = append(t.Rows, []string{nameOf(v.Name), words.Count(v.Place), v.places(), words.Percent(v.IsBest) + " %", value, interval,
			r.trials(v), cost, r.separationWords(v)})
		spans.Of = append(spans.Of, block.Span{Value: v.Mean.Value, Lo: v.Mean.Lo, Hi: v.Mean.Hi,
			Words: value + ", " + interval, First: v.From == 1})
	}
	if !r.outside {
		t.Spans = spans
	}
	return t
}

func (r *Ranking) headToHead() *block.Table {
	t := &block.Table{Title: "Head to head", Columns: block.Columns("Head to head", "Won", "Lost", "Tied", "Strength"),
		Noun: block.Noun{One: "variant", Many: "variants"}}
	t.Columns[0].Name = true
	for i := range r.Variants {
		if h := r.Variants[i].HeadToHead; h != nil {
			t.Rows = append(t.Rows, []string{nameOf(r.Variants[i].Name), words.Count(h.Won), words.Count(h.Lost), words.Count(h.Tied),
				fmt.Sprintf("%+.2f ± %.2f", h.Strength, h.SE)})
		}
	}
	return t
}

// frontier is what a success costs against the rate; nil without the costs of two.
func (r *Ranking) frontier() *block.Scatter {
	measure := strings.ToLower(r.measure())
	s := &block.Scatter{Title: "Cost against " + measure, X: "cost per success, US dollars",
		Caption: "Cheaper is to the left, better is up; the numbers are the places. A square is not beaten: no other variant passes as often " +
			"and costs less, or more often and costs no more.",
		Table: block.Table{Columns: block.Columns("Variant", r.measure(), "Cost per success", "Beaten")}}
	for i := range r.Variants {
		v := &r.Variants[i]
		if !v.Beaten.OK || math.IsInf(v.CostUSD.V, 0) || math.IsNaN(v.CostUSD.V) {
			continue
		}
		value, cost, beaten := r.value(v.Mean.Value), words.Dollars(v.CostUSD.V), "no"
		if v.Beaten.V {
			beaten = "yes"
		}
		s.Dots = append(s.Dots, block.Dot{Point: block.Point{X: v.CostUSD.V, Y: v.Mean.Value}, Name: v.Name,
			Words: value + ", " + cost, Number: v.Place, First: !v.Beaten.V})
		s.Table.Rows = append(s.Table.Rows, []string{nameOf(v.Name), value, cost, beaten})
	}
	if len(s.Dots) < 2 || r.outside {
		return nil
	}
	s.Label = "Cost per success against " + measure + " of " + words.Plural(len(s.Dots), "variant", "variants")
	return s
}

func (r *Ranking) pairPart() block.Part {
	t := &block.Table{Title: "Every two variants", Columns: block.Columns("First", "Second", "Points", "Interval", "p"),
		Noun:   block.Noun{One: "pair", Many: "pairs"},
		Legend: "Points: first minus second. Intervals hold for all pairs at once, p for one. ~: chance may explain it (p adjusted for all)."}
	t.Columns[0].Name, t.Columns[1].Name, t.Columns[1].Left = true, true, true
	for i := range r.Pairs {
		p := &r.Pairs[i]
		points, pValue := p.Difference.Points(), ""
		if !p.Sure {
			points = "~ " + points
		}
		if p.PValue.OK {
			pValue = words.Probability(p.PValue.V)
		}
		t.Rows = append(t.Rows, []string{nameOf(p.First), nameOf(p.Second), points, p.Difference.Interval(), pValue})
	}
	return block.Part{ID: "pairs", Title: "Pairs", Blocks: []block.Block{t}}
}

func (r *Ranking) missingPart() block.Part {
	l := &block.List{Noun: block.Noun{One: "test", Many: "tests"}, Items: each.Of(r.Missing, func(m Missing) block.Text {
		return block.Text{Name: cmp.Or(m.Key.RunnerName(), "(no name)"), Words: ": not tried by", Others: m.Without}
	})}
	return block.Part{ID: "missing", Title: "Not ranked", Folded: true, Blocks: []block.Block{l},
		Remark: words.Plural(len(r.Missing), "test", "tests") + " that not every variant tried"}
}

func (r *Ranking) shrunken() string {
	rates := each.Of(r.Variants, func(v Variant) string { return nameOf(v.Name) + " " + words.Tenths(v.ShrunkenRate.V) + " %" })
	return "Expected in a new run (shrunken rates): " + list(rates)
}

func (r *Ranking) value(v float64) string {
	if r.Of == compare.OfScores {
		return compare.ScoreText(v)
	}
	return words.Tenths(v) + " %"
}

// Sentence says which variant is the best, or which may be, and what would tell.
func (r *Ranking) Sentence() string {
	named := func(i int) string { return cmp.Or(r.Variants[i].Name, "(no name)") }
	switch n, level := len(r.Variants), words.Level(r.Settings.Confidence); {
	case n == 0:
		return "Nothing is ranked."
	case len(r.Best) == 1 && n == 2:
		return "Best is " + named(0) + ": " + named(1) + " is worse, with " + level + " confidence."
	case len(r.Best) == 1:
		return "Best is " + named(0) + fmt.Sprintf(": the %d others are worse, with %s confidence.", n-1, level)
	}
	s := "Best is " + named(0) + ", or one of " + list(r.Best[1:])
	switch len(r.Best) {
	case len(r.Variants):
		s = "No variant is shown to be the best"
	case 2:
		s = "Best is " + named(0) + ", or " + cmp.Or(r.Best[1], "(no name)")
	}
	return s + words.Around(": ", r.telling()) + "."
}

func (r *Ranking) telling() string {
	best := cmp.Or(r.Variants[0].Name, "(no name)")
	var byTrials, byTests, never, alike []string
	var trials, tests []int
	for i := range r.Variants[1:] {
		v := &r.Variants[i+1]
		switch t := v.ToSeparate; {
		case v.From != 1:
		case t == nil:
			alike = append(alike, v.Name)
		case r.byTests(v):
			byTests, tests = append(byTests, v.Name), append(tests, t.Tests.V)
		case t.Trials.OK:
			byTrials, trials = append(byTrials, v.Name), append(trials, t.Trials.V)
		default:
			never = append(never, v.Name)
		}
	}
	var parts []string
	if len(byTrials) > 0 {
		parts = append(parts, upTo(trials, "more trial", "more trials")+" each would separate "+best+" from "+r.listed(byTrials))
	}
	if len(byTests) > 0 {
		parts = append(parts, upTo(tests, "more test", "more tests")+" like these would separate "+best+" from "+r.listed(byTests))
	}
	return words.Join("; ", append(parts, words.If(len(alike) > 0, list(alike)+r.alike()+best+" so far"),
		words.If(len(never) > 0, "a million trials or tests could not separate "+best+" from "+r.listed(never)))...)
}

// listed are names that the answer may have just named.
func (r *Ranking) listed(names []string) string {
	if len(names) > 1 && len(r.Best) < len(r.Variants) && slices.Equal(names, r.Best[1:]) {
		return "each of them"
	}
	return list(names)
}

func upTo(n []int, one, many string) string {
	return words.If(slices.Min(n) < slices.Max(n), "up to ") + words.Plural(slices.Max(n), one, many)
}

func (r *Ranking) alike() string {
	if r.Of == compare.OfScores {
		return " scored the same as "
	}
	return " passed as often as "
}

func (r *Ranking) measure() string {
	if r.Of == compare.OfScores {
		return "Mean score"
	}
	return "Pass rate"
}

func (r *Ranking) trials(v *Variant) string {
	if r.Of == compare.OfScores {
		return words.Plural(v.N, "trial", "trials")
	}
	return words.Count(v.Passed) + "/" + words.Count(v.N)
}

func (r *Ranking) separationWords(v *Variant) string {
	switch t := v.ToSeparate; {
	case t == nil:
		return ""
	case r.byTests(v):
		return words.Plural(t.Tests.V, "more test", "more tests")
	case t.Trials.OK:
		return words.Plural(t.Trials.V, "more trial", "more trials")
	}
	return "over a million"
}

// byTests reports whether more tests separate v from the first in fewer trials than more trials of the same tests.
func (r *Ranking) byTests(v *Variant) bool {
	t := v.ToSeparate
	return t.Tests.OK && (!t.Trials.OK || t.Tests.V*v.N/r.Tests < t.Trials.V)
}

func (r *Ranking) words() string {
	s := fmt.Sprintf("%s of %s", words.Plural(r.Tests, "test", "tests"), words.Plural(len(r.Variants), "variant", "variants"))
	s += words.If(r.Settings.ClusterBy != "" && r.Groups != r.Tests, fmt.Sprintf(" in %d groups by %s", r.Groups, r.Settings.ClusterBy))
	s += words.If(r.Of == compare.OfScores, " by mean score")
	return s + ", each test counts equally; " + words.Level(r.Settings.Confidence) + " confidence for all intervals, pairs and places at once"
}

// places are those that a variant can have: 1, or 1 to 3.
func (v *Variant) places() string {
	if v.From == v.To {
		return words.Count(v.From)
	}
	return words.Count(v.From) + " to " + words.Count(v.To)
}
