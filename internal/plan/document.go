package plan

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

const within = "±"

// Document is the plan as titles, texts, tables and charts: a part for everything that was asked.
func (p *Plan) Document() *block.Document {
	d := &block.Document{Tab: "Plan of trials", Title: "How many trials it takes", About: words.Level(p.Confidence) + " confidence, power " +
		words.Level(p.Power)}
	d.About += words.If(p.PriceUSD.OK, ", "+words.Dollars(p.PriceUSD.V)+" per trial")
	d.Next = p.resume
	d.About += ". Trials are assumed to be independent unless you give their correlation. Nothing here is simulated."
	add := func(asked bool, part func() block.Part) {
		if asked {
			d.Parts = append(d.Parts, part())
		}
	}
	add(p.Precision != nil, p.Precision.part)
	add(p.Run != nil, p.Run.part)
	add(p.Decision != nil, p.decisionPart)
	add(p.Difference != nil, p.Difference.part)
	add(p.Clustered != nil, p.Clustered.part)
	add(p.Judge != nil, p.Judge.part)
	add(p.Settling != nil, p.settlingPart)
	return d
}

func (p *Precision) part() block.Part {
	var needed, reached []string
	t := &block.Table{Title: "Trials by pass rate", Columns: block.Columns("Pass rate", "Formula", "Wilson", "Exact"),
		Legend: "Formula: z^2 p (1-p) / h^2, of the normal interval. Wilson, Exact: half the length of that interval when this rate is seen."}
	for _, w := range p.Rates {
		name, at := words.Fraction(w.Rate), " at a pass rate of "+words.Fraction(w.Rate)
		if w.Worst {
			name, at = name+" (worst case)", " at any pass rate"
		}
		if n := w.Needed; n != nil {
			needed = append(needed, n.Wilson.Words()+at)
			t.Rows = append(t.Rows, []string{name, n.Formula.cell(), n.Wilson.cell(), n.Exact.cell()})
		}
		if h := w.Reached; h != nil {
			reached = append(reached, within+halfWidth(h.Wilson)+at)
			t.Rows = append(t.Rows, []string{name + ", " + h.Effort.Words(), within + halfWidth(h.Formula), within + halfWidth(h.Wilson),
				within + halfWidth(h.Exact)})
		}
	}
	title := words.Around("An interval of "+within+words.Fraction(p.HalfWidth.V)+" takes ", strings.Join(needed, ", or "), ".")
	if len(reached) > 0 {
		title = words.Join(" ", title, words.Plural(p.Rates[0].Reached.Effort.Trials, "trial gives", "trials give")+" an interval of "+
			strings.Join(reached, ", or ")+".")
	}
	remark := "Wilson interval, " + words.Level(p.Confidence) + " confidence, z = " + strconv.FormatFloat(p.Z, 'g', 6, 64)
	return block.Part{ID: "precision", Title: title, Remark: remark, Blocks: []block.Block{t}}
}

func (p *Plan) decisionPart() block.Part {
	d := p.Decision
	part := block.Part{ID: "decision", Title: d.answer(), Remark: "rule " + d.Rule + d.terms() + "; " + d.Doc,
		Blocks: []block.Block{p.chanceTable(), d.characteristic()}}
	if d.Sequential {
		part.Add(d.expected())
	}
	return part
}

// everyRow is of how many chances one has a row beside a chart.
const everyRow = 10

func (d *Decision) characteristic() *block.Chart {
	c := &block.Chart{Title: "Chance of each verdict", X: "true pass rate", Stacked: true, At: d.Threshold,
		Table: block.Table{Columns: block.Columns("true pass rate", "passes", "undecided", "fails")},
		Caption: "Below the lower line a test passes, between the lines it stays undecided, above the upper one it fails. The dashed line " +
			"is the threshold."}
	if d.Curve.Effort != nil {
		c.Title += " with " + d.Curve.Effort.Words()
	}
	for i, at := range d.Curve.Chances {
		c.Lines[0] = append(c.Lines[0], block.Point{X: at.Rate, Y: at.Pass})
		c.Lines[1] = append(c.Lines[1], block.Point{X: at.Rate, Y: at.Pass + at.Inconclusive})
		if i%everyRow == 0 {
			c.Table.Rows = append(c.Table.Rows, []string{words.Short(at.Rate), words.Percent(at.Pass) + " %", words.Percent(at.Inconclusive) +
				" %", words.Percent(at.Fail) + " %"})
		}
	}
	return c
}

func (d *Decision) expected() *block.Chart {
	c := &block.Chart{Title: "Trials until the verdict",
		Label: "Mean trials until the verdict, and those by which 90 of 100 tests have theirs", X: "true pass rate",
		Caption: "Solid: the mean. Dotted: by then 90 of 100 tests are decided.",
		Table:   block.Table{Columns: block.Columns("true pass rate", "mean", "90 % within")}}
	for i, at := range d.Curve.Chances {
		late := ""
		if at.Mean.OK {
			c.Lines[0] = append(c.Lines[0], block.Point{X: at.Rate, Y: at.Mean.V})
		}
		if at.P90.OK {
			late = words.Count(at.P90.V)
			c.Lines[1] = append(c.Lines[1], block.Point{X: at.Rate, Y: float64(at.P90.V)})
		}
		if i%everyRow == 0 {
			c.Table.Rows = append(c.Table.Rows, []string{words.Short(at.Rate), at.Mean.Text("", words.Short), late})
		}
	}
	return c
}

func (d *Difference) part() block.Part {
	t := &block.Table{Title: "Trials to distinguish the two rates", Columns: block.Columns("Design", "Test", "Formula", "Exact"),
		Rows: [][]string{d.Unpaired.row("trials per side", "Fisher")}}
	runs := []string{d.Unpaired.run("trial per side", "trials per side")}
	if d.Paired != nil {
		runs = append(runs, d.Paired.run("pair", "pairs"))
		t.Rows = append(t.Rows, d.Paired.row("pairs, "+words.Fraction(d.Paired.Discordant)+" of them discordant", "McNemar"))
	}
	part := block.Part{ID: "difference", Title: "To distinguish " + words.Fraction(d.From) + " from " + words.Fraction(d.To) + ", run " +
		strings.Join(runs, ", or ") + ".",
		Remark: words.Level(d.Confidence) + " confidence, two-sided, found " + words.Level(d.Power) + " of the time",
		Blocks: []block.Block{t, d.Unpaired.bars("Power of Fisher's exact test by trials per side", "trials per side")}}
	if d.Sequential != nil {
		part.Add(block.Text{Words: d.Sequential.words(d.Power)})
	}
	if d.Paired != nil {
		part.Add(d.Paired.bars("Power of McNemar's exact test by pairs", "pairs"))
	} else {
		part.Add(block.Text{Words: "Pairs of trials of the same test may need fewer: --discordant is the share of pairs that differ, " +
			words.Fraction(d.PairedFrom) + " at least, " + words.Fraction(d.Independent) + " if they are independent."})
	}
	return part
}

func (d *Detect) bars(title, of string) *block.Bars {
	b := &block.Bars{Title: title, Of: of}
	if d.Planned != nil {
		b.Bars = append(b.Bars, block.Bar{Number: d.Planned.Trials, Share: d.Planned.Power, Planned: true})
	}
	b.Bars = append(b.Bars, each.Of(d.Curve, func(at Power) block.Bar { return block.Bar{Number: at.Trials, Share: at.Power} })...)
	return b
}

func (c *Clustered) part() block.Part {
	to, titles := "", []string{"Tests x trials", "Both sides", "Same tests", "Other tests"}
	if c.To.OK {
		titles = append(titles, "Power, same", "other")
		to = ", and the power to detect a fall to " + words.Fraction(c.To.V)
	}
	t := &block.Table{Title: "What designs can detect", Columns: block.Columns(titles...),
		Legend: "The smallest fall that is detected" + to + ". Same tests: both sides have them, and all change alike. Other tests: each " +
			"side has its own. Normal approximation." + words.If(c.ICC == 0, " --icc sets how trials of a test correlate; 0 is optimistic.")}
	for i, d := range c.Designs {
		name := words.Count(d.Tests) + " x " + words.Count(d.Trials) + words.If(i == 0, " (planned)")
		row := []string{name, d.Effort.cell(), fall(d.Same.Detectable), fall(d.Other.Detectable)}
		if c.To.OK {
			row = append(row, d.Same.Power.Text("", words.Decimal), d.Other.Power.Text("", words.Decimal))
		}
		t.Rows = append(t.Rows, row)
	}
	first := c.Designs[0]
	title := "The smallest fall that " + words.Plural(first.Tests, "test", "tests") + " x " + words.Plural(first.Trials, "trial", "trials") +
		" per side can show: " + fall(first.Same.Detectable) + " on the same tests, " + fall(first.Other.Detectable) + " on other tests."
	return block.Part{ID: "clustered", Title: title, Blocks: []block.Block{t},
		Remark: "from a pass rate of " + words.Fraction(c.Rate) + ", trials of a test correlate by " + words.Fraction(c.ICC) + ", " +
			words.Level(c.Confidence) + " confidence, " + words.Level(c.Power) + " power"}
}

func (j *Judge) part() block.Part {
	half := func(v envelope.Opt[float64]) string { return cmp.Or(v.Text(within, halfWidth), "none") }
	t := &block.Table{Title: "Intervals by number of labels", Columns: block.Columns("Labels", "Trials", "Rogan-Gladen", "Powered",
		"Labels alone", "Judge's own"),
		Legend: "Half the length of each interval if labels are a random part of the trials, with rates as expected. The judge's own rate is " +
			"off by " + words.Tenths(math.Abs(j.Seen-j.Rate)) + " points, however many trials; the others correct it. " +
			"Rogan-Gladen: uses only trials without a label. Powered: prediction-powered."}
	for i, d := range j.Designs {
		name := words.Plural(d.Labels, "label", "labels")
		switch {
		case i == 0:
			name += " (planned)"
		case d.Labels == 0:
			name = "no labels"
		}
		t.Rows = append(t.Rows, []string{name, d.Effort.cell(), half(d.RoganGladen), half(d.Powered), half(d.LabelsAlone),
			within + halfWidth(d.Own)})
	}
	first := j.Designs[0]
	title := "With " + words.Plural(first.Labels, "label", "labels") + " on " + first.Effort.Words() + ", " +
		cmp.Or(first.Powered.Text("the corrected pass rate is known to "+within, halfWidth), "nothing corrects the judge") + "."
	return block.Part{ID: "judge", Title: title, Blocks: []block.Block{t},
		Remark: "sensitivity " + words.Fraction(j.Sensitivity) + ", specificity " + words.Fraction(j.Specificity) + ", true pass rate " +
			words.Fraction(j.Rate) + ", reported as " + words.Fraction(j.Seen) + "; " + words.Level(j.Confidence) + " confidence"}
}

func (p *Plan) settlingPart() block.Part {
	s := p.Settling
	part := block.Part{ID: "settling", Title: s.answer(), Remark: s.remark()}
	if len(s.Tests) == 0 {
		return part
	}
	t := &block.Table{Title: "Undecided tests", Noun: block.Noun{One: "test", Many: "tests"},
		Columns: block.Columns("Test", "Passed", "More trials", "Cost", "Then", "At the earliest", "Why")}
	t.Columns[0].Name = true
	t.Columns[2].Legend = "More trials: decide the test " + words.Level(p.Power) + " of the time, if its rate stays the same."
	t.Columns[4].Legend = "Then: the likely verdict, and how likely it is."
	t.Columns[5].Spill, t.Columns[5].Legend = true, "At the earliest: after that many in a row."
	t.Columns[6].Left, t.Columns[6].Name, t.Columns[6].Below = true, true, true
	for i := range s.Tests {
		u := &s.Tests[i]
		t.Keys = append(t.Keys, u.Key)
		more, cost := u.moreCells()
		t.Rows = append(t.Rows, []string{u.Key.String(), words.Count(u.Passed) + "/" + words.Count(u.Trials), more, cost, u.likely(),
			u.atOnce(), u.Why})
	}
	if s.Peeking {
		t.Legend = "An interval is valid for one look at the results. If you add trials because it was undecided, you look twice. Rules " +
			strings.Join(rule.Sequential(), " and ") + " allow a look after every trial."
	}
	part.Add(t)
	return part
}
