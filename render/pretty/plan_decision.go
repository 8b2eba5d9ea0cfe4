package pretty

import (
	"fmt"
	"math"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/plan"
)

func (r *report) decision(p *plan.Plan, d *plan.Decision) error {
	if d == nil {
		return nil
	}
	r.planPart("Rule "+d.Rule+ruleTerms(d), d.Doc)
	r.line("")
	r.extremes(d)
	if err := r.chances(p, d); err != nil {
		return err
	}
	r.curve(d)
	return nil
}

func ruleTerms(d *plan.Decision) string {
	var terms []string
	if d.Threshold.OK && d.Confidence.OK {
		terms = append(terms, "threshold "+words.Fraction(d.Threshold.V))
	}
	if h := d.Hypotheses; h != nil {
		terms = append(terms, "against "+words.Fraction(h.P1), "alpha "+words.Fraction(h.Alpha), "beta "+words.Fraction(h.Beta))
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

// extremes say when the rule can decide at all.
func (r *report) extremes(d *plan.Decision) {
	least := func(e *plan.Effort, verdict envelope.Status, all string) {
		word := r.ink.of(verdict).Render(Mark(verdict))
		if e == nil {
			r.say("%s: never", word)
			return
		}
		r.say("%s: after %s at the earliest, %s", word, r.effort(*e), all)
	}
	least(d.SmallestPass, envelope.Pass, "all of them passed")
	least(d.SmallestFail, envelope.Fail, "none of them passed")
	n := d.Planned
	if n == nil {
		return
	}
	planned := "Planned: " + r.effort(n.Effort)
	switch {
	case !n.CanPass:
		r.say("%s, which can never pass a test, however they turn out", planned)
	case n.PassFrom.OK && n.FailTo.OK:
		r.say("%s: %s or more passed is a pass, %s or fewer a fail", planned, words.Count(n.PassFrom.V), words.Count(n.FailTo.V))
	case n.PassFrom.OK:
		r.say("%s: %s or more passed is a pass, nothing is a fail", planned, words.Count(n.PassFrom.V))
	default:
		r.say("%s at most; the rule looks after each", planned)
	}
}

// chances writes the table of what the rule does by true pass rate.
func (r *report) chances(p *plan.Plan, d *plan.Decision) error {
	titles := []string{"True rate"}
	if d.Sequential {
		titles = append(titles, "Pass", "Fail", "Mean trials", "90 of 100 by")
		if p.PriceUSD.OK {
			titles = append(titles, "Mean cost")
		}
	}
	sizes := d.Sizes
	if d.Sequential {
		sizes = sizes[1:]
	}
	for _, s := range sizes {
		title := "n=" + words.Count(s.Effort.Trials)
		if d.Sequential {
			title = "at most " + words.Count(s.Effort.Trials)
		}
		titles = append(titles, title)
	}
	if d.Enough != nil {
		titles = append(titles, words.Level(p.Power)+" right from")
	}
	var rows [][]string
	for i, c := range d.Sizes[0].Chances {
		row := []string{words.Fraction(c.Rate)}
		if d.Sequential {
			row = append(row, untilVerdict(c, p.PriceUSD.OK)...)
		}
		for _, s := range sizes {
			row = append(row, threeWays(s.Chances[i]))
		}
		if d.Enough != nil {
			row = append(row, enoughCell(d.Enough[i]))
		}
		rows = append(rows, row)
	}
	if _, err := r.cells(titles, rows); err != nil {
		return err
	}
	if len(sizes) > 0 {
		r.text("", "", r.ink.faint.Render("n=...: percent of tests at that true rate that pass / stay inconclusive / fail"), 3)
	}
	return nil
}

// untilVerdict are the cells of a sequential rule without a limit.
func untilVerdict(c plan.Chance, priced bool) []string {
	cells := []string{words.Percent(c.Pass) + " %", words.Percent(c.Fail) + " %", number("", c.Mean, words.Short), ""}
	if c.P90.OK {
		cells[3] = words.Count(c.P90.V)
	}
	if !c.Mean.OK {
		cells[2], cells[3] = "very many", ""
	}
	if priced {
		cells = append(cells, number("", c.MeanUSD, words.Dollars))
	}
	return cells
}

func threeWays(c plan.Chance) string {
	return words.Percent(c.Pass) + " / " + words.Percent(c.Inconclusive) + " / " + words.Percent(c.Fail)
}

func enoughCell(e plan.Enough) string {
	switch {
	case e.Verdict == envelope.Inconclusive:
		return "-"
	case e.Effort == nil:
		return "over " + words.Count(plan.MostEnough)
	}
	return effortCell(*e.Effort)
}

const (
	curveHeight  = 8
	curveColumns = 61 // at most
)

// curve draws the operating characteristic: for each true rate a column, filled
// from below as often as a test passes, and shaded above as often as it stays
// inconclusive.
func (r *report) curve(d *plan.Decision) {
	points := thin(d.Curve.Chances, min(curveColumns, r.limit-12))
	if len(points) < 2 {
		return
	}
	title := "Operating characteristic"
	if d.Curve.Effort != nil {
		title += " of " + r.effort(*d.Curve.Effort)
	}
	r.line("")
	r.text("  ", "  ", title+": of tests at each true rate, "+r.ink.pass.Render(r.filled()[8]+" pass")+", "+r.ink.inconclusive.Render(r.shade()+" inconclusive")+", blank fail", 3)
	for row := curveHeight - 1; row >= 0; row-- {
		label := map[int]string{curveHeight - 1: "100 %", curveHeight/2 - 1: " 50 %"}[row]
		r.line(fmt.Sprintf("  %5s %s%s", label, r.sign.bar, r.curveRow(points, float64(row)/curveHeight)))
	}
	r.line(fmt.Sprintf("  %5s  %s", "0 %", strings.Repeat(r.sign.rule, len(points))))
	r.line("         " + axis(points, d.Threshold))
}

// curveRow is one row of the picture, which shows the part of the fractions from
// floor on.
func (r *report) curveRow(points []plan.Chance, floor float64) string {
	const height = 1.0 / curveHeight
	var b strings.Builder
	for _, c := range points {
		part := int(math.Round(min(max((c.Pass-floor)/height, 0), 1) * 8))
		switch {
		case part > 0 && r.filled()[part] != " ":
			b.WriteString(r.ink.pass.Render(r.filled()[part]))
		case c.Pass+c.Inconclusive-floor > height/2:
			b.WriteString(r.ink.inconclusive.Render(r.shade()))
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

// filled are the cells filled by so many eighths from below.
func (r *report) filled() [9]string {
	if r.ascii() {
		return [9]string{" ", " ", " ", " ", "#", "#", "#", "#", "#"}
	}
	return [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
}

func (r *report) shade() string {
	if r.ascii() {
		return "."
	}
	return "░"
}

// thin keeps every k-th point, so that at most n are left; the rates stay evenly
// apart.
func thin(points []plan.Chance, n int) []plan.Chance {
	step := max(1, (len(points)+n-1)/max(n, 1))
	var out []plan.Chance
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

// axis labels the first rate, the last and the threshold.
func axis(points []plan.Chance, threshold envelope.Opt[float64]) string {
	line := []byte(strings.Repeat(" ", len(points)+6))
	put := func(at int, s string) {
		if strings.TrimSpace(string(line[max(0, at-1):min(len(line), at+len(s)+1)])) == "" {
			copy(line[at:], s)
		}
	}
	first, last := points[0].Rate, points[len(points)-1].Rate
	put(0, words.Fraction(first))
	put(len(points)-2, words.Fraction(last))
	if threshold.OK && threshold.V > first && threshold.V < last {
		put(int((threshold.V-first)/(last-first)*float64(len(points)-1)+0.5), "^"+words.Fraction(threshold.V))
	}
	return string(line)
}
