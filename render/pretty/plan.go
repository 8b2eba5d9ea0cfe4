package pretty

import (
	"errors"
	"fmt"
	"io"
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

// mostAligned is how wide a name is that others stand below.
const mostAligned = 200

// cells writes a table of plain cells under titles; numbers stand on the right
// but for the first column. It returns the titles of the columns that had cells
// and room.
func (r *report) cells(titles []string, rows [][]string) (shown []string, err error) {
	columns := make([]placed, len(titles))
	for i, title := range titles {
		c := column{title: title, right: i > 0}
		if i == 0 {
			c.least, c.most = 12, max(r.width, r.limit)
		}
		columns[i] = placed{column: c}
	}
	var names []string
	for _, row := range rows {
		names = append(names, row[0])
	}
	columns, rows = r.fitMetrics(columns, rows)
	for _, c := range columns {
		shown = append(shown, c.title)
	}
	if r.kept { // a name is cut where it is seen alone
		for i, name := range names {
			rows[i][0], columns[0].width = name, max(columns[0].width, min(width(name), mostAligned))
		}
	}
	r.line("")
	return shown, r.table(columns, rows)
}

func (r *report) precision(p *plan.Precision) error {
	if p == nil {
		return nil
	}
	r.planPart(p.Title(r.within()), p.Remark())
	return r.planTable(p.Table(r.within()))
}

// planTable writes a table and what explains it.
func (r *report) planTable(t plan.Table) error {
	if _, err := r.cells(t.Titles, t.Rows); err != nil {
		return err
	}
	if t.Legend != "" {
		r.text("", "", r.ink.faint.Render(t.Legend), 3)
	}
	return nil
}

// within stands before a half-width.
func (r *report) within() string {
	if r.ascii() {
		return "+-"
	}
	return "±"
}

func (r *report) difference(d *plan.Difference) error {
	if d == nil {
		return nil
	}
	r.planPart(d.Title(), d.Remark())
	if err := r.planTable(d.Table()); err != nil {
		return err
	}
	r.powers(plan.UnpairedPower, d.Unpaired)
	if d.Sequential != nil {
		r.say("%s", d.Sequential.Words(d.Power))
	}
	if d.Paired != nil {
		r.powers(plan.PairedPower, d.Paired.Detect)
		return nil
	}
	r.say("%s", d.PairsWords())
	return nil
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
	r.planPart(plan.ClusteredTitle, c.Remark())
	return r.planTable(c.Table())
}

// judge is a table of how many trials are labelled, the planned number first.
func (r *report) judge(j *plan.Judge) error {
	if j == nil {
		return nil
	}
	r.planPart(plan.JudgeTitle, j.Remark())
	return r.planTable(j.Table(r.within()))
}
