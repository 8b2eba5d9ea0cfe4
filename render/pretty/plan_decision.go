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
	r.planPart("Rule "+d.Rule+d.Terms(), d.Doc)
	r.line("")
	r.extremes(d)
	if err := r.planTable(p.ChanceTable()); err != nil {
		return err
	}
	r.curve(d)
	return nil
}

// extremes say when the rule can decide at all.
func (r *report) extremes(d *plan.Decision) {
	least := func(e *plan.Effort, verdict envelope.Status, all string) {
		word := r.ink.of(verdict).Render(Mark(verdict))
		r.say("%s", plan.EarliestWords(word, e, all))
	}
	least(d.SmallestPass, envelope.Pass, "all of them passed")
	least(d.SmallestFail, envelope.Fail, "none of them passed")
	if planned := d.PlannedWords(); planned != "" {
		r.say("%s", planned)
	}
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
		title += " of " + d.Curve.Effort.Words()
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
