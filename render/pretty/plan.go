package pretty

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/plan"
)

// WritePlan writes a plan: a part for everything that was asked.
func WritePlan(w io.Writer, p *plan.Plan, o Options) error {
	if p == nil {
		return errors.New("pretty: no plan to write")
	}
	r := newReport(&envelope.Envelope{}, o)
	err := errors.Join(r.precision(p.Precision), r.decision(p, p.Decision), r.difference(p.Difference), r.clustered(p.Clustered), r.judge(p.Judge), r.settling(p, p.Settling))
	if err != nil {
		return err
	}
	_, err = r.out.WriteTo(w)
	return err
}

// planPart begins a part of a plan; parts are a line apart.
func (r *report) planPart(title, remark string) {
	if r.out.Len() > 0 {
		r.line("")
	}
	if remark != "" {
		remark = r.ink.faint.Render(r.sign.dot + remark)
	}
	r.text("", "  ", r.ink.strong.Render(title)+remark, 4)
}

// say writes a sentence.
func (r *report) say(format string, args ...any) {
	r.text("  ", "    ", fmt.Sprintf(format, args...), 4)
}

// cells writes a table of plain cells under titles; numbers stand on the right
// but for the first column. It returns the titles of the columns that had cells
// and room.
func (r *report) cells(titles []string, rows [][]string) (shown []string, err error) {
	columns := make([]placed, len(titles))
	for i, title := range titles {
		c := column{title: title, right: i > 0}
		if i == 0 {
			c.least, c.most = 12, 70
		}
		columns[i] = placed{column: c}
	}
	columns, rows = r.fitMetrics(columns, rows)
	for _, c := range columns {
		shown = append(shown, c.title)
	}
	r.line("")
	return shown, r.table(columns, rows)
}

func (r *report) effort(e plan.Effort) string {
	s := words.Plural(e.Trials, "trial", "trials")
	if e.CostUSD.OK {
		s += " (" + words.Dollars(e.CostUSD.V) + ")"
	}
	return s
}

// effortCell is the same in a table.
func effortCell(e plan.Effort) string {
	s := words.Count(e.Trials)
	if e.CostUSD.OK {
		s += " " + words.Dollars(e.CostUSD.V)
	}
	return s
}

func (r *report) precision(p *plan.Precision) error {
	if p == nil {
		return nil
	}
	title := "Trials for an interval of the pass rate"
	if p.HalfWidth.OK {
		title += " of " + r.within() + words.Fraction(p.HalfWidth.V)
	}
	r.planPart(title, words.Level(p.Confidence)+" confidence, z = "+strconv.FormatFloat(p.Z, 'g', 6, 64))
	titles := []string{"Pass rate", "Formula", "Wilson", "Exact"}
	var rows [][]string
	for _, w := range p.Rates {
		name := words.Fraction(w.Rate)
		if w.Worst {
			name += " (worst case)"
		}
		if n := w.Needed; n != nil {
			rows = append(rows, []string{name, effortCell(n.Formula), effortCell(n.Wilson), effortCell(n.Exact)})
		}
		if h := w.Reached; h != nil {
			rows = append(rows, []string{name + ", " + r.effort(h.Effort), r.within() + short4(h.Formula), r.within() + short4(h.Wilson), r.within() + short4(h.Exact)})
		}
	}
	if _, err := r.cells(titles, rows); err != nil {
		return err
	}
	r.text("", "", r.ink.faint.Render("Formula: z^2 p (1-p) / h^2, of the normal interval. Wilson, Exact: half the length of that interval when this rate is seen."), 3)
	return nil
}

// within stands before a half-width.
func (r *report) within() string {
	if r.ascii() {
		return "+-"
	}
	return "±"
}

// short4 writes a half-width.
func short4(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func (r *report) difference(d *plan.Difference) error {
	if d == nil {
		return nil
	}
	r.planPart("Telling "+words.Fraction(d.From)+" from "+words.Fraction(d.To), words.Level(d.Confidence)+" confidence, two-sided, found "+words.Level(d.Power)+" of the time")
	titles := []string{"Design", "Test", "Formula", "Exact"}
	rows := [][]string{detectRow("trials a side", "Fisher", d.Unpaired)}
	if d.Paired != nil {
		rows = append(rows, detectRow("pairs, "+words.Fraction(d.Paired.Discordant)+" of them discordant", "McNemar", d.Paired.Detect))
	}
	if _, err := r.cells(titles, rows); err != nil {
		return err
	}
	r.powers("Power of Fisher's exact test by trials a side", d.Unpaired)
	if d.Sequential != nil {
		r.say("%s", d.Sequential.Words(d.Power))
	}
	if d.Paired != nil {
		r.powers("Power of McNemar's exact test by pairs", d.Paired.Detect)
		return nil
	}
	r.say("Pairs of trials of the same task may need fewer: --discordant is the share of pairs that differ, %s at least and %s if they had nothing in common.",
		words.Fraction(d.PairedFrom), words.Fraction(d.Independent))
	return nil
}

func detectRow(design, test string, d plan.Detect) []string {
	exact := "as the formula"
	if d.Exact != nil {
		exact = effortCell(*d.Exact)
	}
	return []string{design, test, effortCell(d.Formula), exact}
}

// powers draws a bar for each number of trials.
func (r *report) powers(title string, d plan.Detect) {
	curve := d.Curve
	if d.Planned != nil {
		curve = append([]plan.Power{*d.Planned}, curve...)
	}
	if len(curve) == 0 {
		return
	}
	r.line("")
	r.text("  ", "    ", title, 2)
	for i, p := range curve {
		note := ""
		if d.Planned != nil && i == 0 {
			note = "  planned"
		}
		r.line(fmt.Sprintf("  %8s  %6s  %s%s", words.Count(p.Trials), words.Percent(p.Power)+" %", r.bar(p.Power, min(24, r.limit-32)), note))
	}
}

// bar is a fraction as a length of up to n columns.
func (r *report) bar(fraction float64, n int) string {
	full, eighths := "█", []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	if r.ascii() {
		full, eighths = "#", make([]string, 8)
	}
	units := min(max(int(fraction*float64(n)*8+0.5), 0), n*8)
	return strings.Repeat(full, units/8) + eighths[units%8]
}

func (r *sheet) ascii() bool { return r.sign.bar == asciiSigns.bar }

// clustered is a table of designs, the planned one first.
func (r *report) clustered(c *plan.Clustered) error {
	if c == nil {
		return nil
	}
	r.planPart("Comparing two runs of many tests", fmt.Sprintf("from a pass rate of %s, trials of a test correlate by %s, %s confidence, %s power",
		words.Fraction(c.Rate), words.Fraction(c.ICC), words.Level(c.Confidence), words.Level(c.Power)))
	to := ""
	titles := []string{"Tests x trials", "Both sides", "Same tests", "Other tests"}
	if c.To.OK {
		titles = append(titles, "Power, same", "other")
		to = ", and the power to see a fall to " + words.Fraction(c.To.V)
	}
	var rows [][]string
	for i, d := range c.Designs {
		name := words.Count(d.Tests) + " x " + words.Count(d.Trials)
		if i == 0 {
			name += " (planned)"
		}
		row := []string{name, effortCell(d.Effort), fallCell(d.Same.Detectable), fallCell(d.Other.Detectable)}
		if c.To.OK {
			row = append(row, number("", d.Same.Power, words.Decimal), number("", d.Other.Power, words.Decimal))
		}
		rows = append(rows, row)
	}
	if _, err := r.cells(titles, rows); err != nil {
		return err
	}
	r.text("", "", r.ink.faint.Render("The smallest fall that is seen"+to+". Same tests: the difference of each, where all moved alike. Other tests: each side has its own. Normal approximation."), 3)
	return nil
}

// judge is a table of how many trials are labelled, the planned number first.
func (r *report) judge(j *plan.Judge) error {
	if j == nil {
		return nil
	}
	r.planPart("Labels for a judge that errs", fmt.Sprintf("sensitivity %s, specificity %s, true pass rate %s, of which it sees %s; %s confidence",
		words.Fraction(j.Sensitivity), words.Fraction(j.Specificity), words.Fraction(j.Rate), words.Fraction(j.Seen), words.Level(j.Confidence)))
	half := func(v envelope.Opt[float64]) string {
		if !v.OK {
			return "none"
		}
		return r.within() + short4(v.V)
	}
	var rows [][]string
	for i, d := range j.Designs {
		name := words.Plural(d.Labels, "label", "labels")
		switch {
		case i == 0:
			name += " (planned)"
		case d.Labels == 0:
			name = "no labels"
		}
		rows = append(rows, []string{name, effortCell(d.Effort), half(d.RoganGladen), half(d.Powered), half(d.LabelsAlone), r.within() + short4(d.Own)})
	}
	if _, err := r.cells([]string{"Labels", "Trials", "Rogan-Gladen", "Powered", "Labels alone", "Judge's own"}, rows); err != nil {
		return err
	}
	r.text("", "", r.ink.faint.Render(fmt.Sprintf("Half the length of each interval when labels, a random part of the trials, come out as expected. The judge's own rate is off by %s points, whatever the trials; the others allow for it. Powered: prediction-powered.", words.Tenths(j.Off()))), 3)
	return nil
}

// fallCell is a fall of a pass rate in points.
func fallCell(v envelope.Opt[float64]) string {
	if !v.OK {
		return "none"
	}
	return words.Tenths(v.V) + " points"
}
