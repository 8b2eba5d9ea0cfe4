package html

import (
	"tribunal/internal/words"
	"tribunal/plan"
)

func decisionPart(p *plan.Plan, d *plan.Decision) []planPart {
	if d == nil {
		return nil
	}
	part := &planPart{ID: "decision", Title: "Rule " + name(d.Rule, "?")}
	part.say("%s%s.", line(d.Doc), d.Terms())
	part.say("%s. %s.", plan.EarliestWords("Pass", d.SmallestPass, "all of them passed"), plan.EarliestWords("Fail", d.SmallestFail, "none of them passed"))
	if planned := d.PlannedWords(); planned != "" {
		part.say("%s.", planned)
	}
	part.table("What the rule does by true pass rate", p.ChanceTable())
	part.Pictures = append(part.Pictures, characteristic(d))
	if d.Sequential {
		if p := expected(d); p != nil {
			part.Pictures = append(part.Pictures, *p)
		}
	}
	return []planPart{*part}
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
		title += " of " + d.Curve.Effort.Words()
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
			p.Data.row(number(c.Rate), optional(c.Mean, words.Short), optional(c.P90, func(n int) string { return count(int64(n)) }))
		}
	}
	p.Chart.mark("line", "one", "", linePath(mean))
	p.Chart.mark("line", "two", dotted, linePath(late))
	return p
}
