package html

import (
	"fmt"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/plan"
)

func decisionPart(p *plan.Plan, d *plan.Decision) *planPart {
	if d == nil {
		return nil
	}
	part := &planPart{ID: "decision", Title: "Rule " + name(d.Rule, "?")}
	part.say("%s: %s%s.", name(d.Rule, "?"), line(d.Doc), ruleTerms(d))
	part.say("A pass takes at least %s trials, all of them passed; a fail at least %s, none of them passed.", effort(d.SmallestPass), effort(d.SmallestFail))
	if words := plannedWords(d.Planned); words != "" {
		part.say("%s", words)
	}
	part.Tables = append(part.Tables, chanceTable(p, d))
	part.note("Percent of tests at each true pass rate that pass / stay inconclusive / fail.")
	part.Pictures = append(part.Pictures, characteristic(d))
	if d.Sequential {
		part.Pictures = appendKnown(part.Pictures, expected(d))
	}
	return part
}

func appendKnown(all []picture, p *picture) []picture {
	if p == nil {
		return all
	}
	return append(all, *p)
}

func ruleTerms(d *plan.Decision) string {
	words := ""
	if d.Confidence.OK {
		words = withWords("; threshold ", optional(d.Threshold, number)) + ", confidence " + percent(d.Confidence.V)
	}
	if h := d.Hypotheses; h != nil {
		words += fmt.Sprintf(", against %s with alpha %s and beta %s", number(h.P1), number(h.Alpha), number(h.Beta))
	}
	if d.MinTrials.OK && d.MinTrials.V > 1 {
		words += ", at least " + plural(int64(d.MinTrials.V), "trial")
	}
	return words
}

func plannedWords(n *plan.Planned) string {
	if n == nil {
		return ""
	}
	words := "The " + effort(&n.Effort) + " planned trials"
	switch {
	case !n.CanPass:
		return words + " can never pass a test, however they turn out."
	case n.PassFrom.OK && n.FailTo.OK:
		return words + " pass a test with " + count(int64(n.PassFrom.V)) + " or more passed, and fail it with " + count(int64(n.FailTo.V)) + " or fewer."
	case n.PassFrom.OK:
		return words + " pass a test with " + count(int64(n.PassFrom.V)) + " or more passed, and fail none."
	}
	return words + " are the most it takes: the rule looks after each."
}

// chanceTable has a row for each true rate.
func chanceTable(p *plan.Plan, d *plan.Decision) *table {
	headings := []string{"true pass rate"}
	if d.Unlimited() {
		headings = append(headings, "#passes", "#fails")
	}
	for i, s := range d.Sizes {
		if s.Effort != nil {
			headings = append(headings, "#"+effort(s.Effort)+" trials")
		}
		if i == 0 && d.Sequential {
			headings = append(headings, "#mean trials", "#90 of 100 by", "#mean cost")
		}
	}
	if d.Enough != nil {
		headings = append(headings, "#"+percent(p.Power)+" right from")
	}
	t := newTable("What the rule does by true pass rate", "", headings...)
	for i, c := range d.Sizes[0].Chances {
		row := []string{number(c.Rate)}
		if d.Unlimited() {
			row = append(row, percent(c.Pass), percent(c.Fail))
		}
		for j, s := range d.Sizes {
			if s.Effort != nil {
				at := s.Chances[i]
				row = append(row, words.Tenths(at.Pass)+" / "+words.Tenths(at.Inconclusive)+" / "+words.Tenths(at.Fail))
			}
			if j == 0 && d.Sequential {
				row = append(row, optional(c.Mean, meanTrials), optional(c.P90, func(n int) string { return count(int64(n)) }), optional(c.MeanUSD, dollars))
			}
		}
		if d.Enough != nil {
			row = append(row, enoughWords(d.Enough[i]))
		}
		t.row(row...)
	}
	return t.compact()
}

// meanTrials is a mean of whole numbers, to a tenth.
func meanTrials(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func enoughWords(e plan.Enough) string {
	switch {
	case e.Verdict == envelope.Inconclusive:
		return "none"
	case e.Effort == nil:
		return "over " + count(plan.MostEnough)
	}
	return effort(e.Effort)
}

// trueRates draws the axis of the true pass rate.
func (c *chart) trueRates(chances []plan.Chance) scale {
	x := scale{lo: chances[0].Rate, hi: chances[len(chances)-1].Rate, from: pictureLeft, to: pictureRight}
	for _, rate := range every(tickStep(x.lo, x.hi, scatterTicks), x.lo, x.hi) {
		c.tick(x.at(rate), number(rate))
	}
	c.axisTitle("true pass rate")
	return x
}

// characteristic draws how often a test passes, and above it how often it stays
// inconclusive.
func characteristic(d *plan.Decision) picture {
	chances := d.Curve.Chances
	title := "Operating characteristic"
	if d.Curve.Effort != nil {
		title += " of " + effort(d.Curve.Effort) + " trials"
	}
	p := picture{Title: title, Chart: blank(title), Data: newTable(title, "", "true pass rate", "#passes", "#inconclusive", "#fails"),
		Note: "Below the lower line a test passes, between the lines it stays inconclusive, above the upper one it fails. The dashed line is the threshold."}
	x, y := p.Chart.trueRates(chances), p.Chart.rateAxis()
	var pass, decided, floor []spot
	for i, c := range chances {
		at := x.at(c.Rate)
		pass, decided, floor = append(pass, spot{at, y.at(c.Pass)}), append(decided, spot{at, y.at(c.Pass + c.Inconclusive)}), append(floor, spot{at, y.at(0)})
		if i%10 == 0 {
			p.Data.row(number(c.Rate), percent(c.Pass), percent(c.Inconclusive), percent(c.Fail))
		}
	}
	p.Chart.mark("area", "pass", "", bandPath(pass, floor))
	p.Chart.mark("area", "inconclusive", "", bandPath(decided, pass))
	p.Chart.mark("line", "pass", "", linePath(pass))
	p.Chart.mark("line", "two", dotted, linePath(decided))
	if t := d.Threshold; t.OK && t.V >= x.lo && t.V <= x.hi {
		p.Chart.mark("line", "threshold", dashed, vertical(x.at(t.V), pictureTop, pictureBottom))
	}
	return p
}

// expected draws the trials that a sequential rule takes, without a limit or up
// to the planned number; nil where none is known.
func expected(d *plan.Decision) *picture {
	p := &picture{Title: "Trials until the verdict", Chart: blank("Mean trials until the verdict, and those by which 90 of 100 tests have theirs"),
		Note: "Solid: the mean. Dotted: by then 90 of 100 tests are decided.", Data: newTable("Trials until the verdict", "", "true pass rate", "#mean", "#90 of 100 by")}
	most := 0.0
	for _, c := range d.Curve.Chances {
		most = max(most, c.Mean.V, float64(c.P90.V))
	}
	if most == 0 {
		return nil
	}
	x, y := p.Chart.trueRates(d.Curve.Chances), scale{lo: 0, hi: most, from: pictureBottom, to: pictureTop}
	for _, n := range every(tickStep(0, most, scatterTicks), 0, most) {
		p.Chart.text(pictureLeft-6, y.at(n)+4, "end", count(int64(n)))
	}
	var mean, late []spot
	for i, c := range d.Curve.Chances {
		if c.Mean.OK {
			mean = append(mean, spot{x.at(c.Rate), y.at(c.Mean.V)})
		}
		if c.P90.OK {
			late = append(late, spot{x.at(c.Rate), y.at(float64(c.P90.V))})
		}
		if i%10 == 0 {
			p.Data.row(number(c.Rate), optional(c.Mean, meanTrials), optional(c.P90, func(n int) string { return count(int64(n)) }))
		}
	}
	p.Chart.mark("line", "one", "", linePath(mean))
	p.Chart.mark("line", "two", dotted, linePath(late))
	return p
}
