package markdown

import (
	"errors"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/plan"
	"tribunal/render/internal/standing"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 200

// within stands before a half-width.
const within = "±"

// WritePlan writes a plan as headings, tables and sentences, a part for everything that
// was asked. The error is that of the writer.
func WritePlan(w io.Writer, p *plan.Plan) error {
	if p == nil {
		return errors.New("markdown: no plan to write")
	}
	var page planPage
	page.precision(p.Precision)
	page.decision(p)
	page.difference(p.Difference)
	if c := p.Clustered; c != nil {
		page.part(plan.ClusteredTitle, c.Remark())
		page.table(c.Table())
	}
	if j := p.Judge; j != nil {
		page.part(plan.JudgeTitle, j.Remark())
		page.table(j.Table(within))
	}
	page.settling(p)
	_, err := io.WriteString(w, strings.TrimRight(page.String(), "\n")+"\n")
	return err
}

// planPage is a plan while it is written. A paragraph ends with a line without text.
type planPage struct{ strings.Builder }

// part begins a part.
func (p *planPage) part(title, remark string) {
	p.WriteString("## " + escape(text.Line(title)) + "\n\n")
	p.say(strings.ToUpper(remark[:1]) + remark[1:] + ".")
}

// say writes a paragraph.
func (p *planPage) say(s string) { p.WriteString(escape(text.Line(s)) + "\n\n") }

// list writes what belongs together, an item each.
func (p *planPage) list(items ...string) {
	for _, s := range items {
		if s != "" {
			p.WriteString("- " + escape(text.Line(s)) + "\n")
		}
	}
	p.WriteString("\n")
}

// table writes a table whose numbers stand on the right, and below it what explains it.
func (p *planPage) table(t plan.Table) {
	p.cells(t.Titles, t.Rows, func(_ int, cell string) string { return escape(text.Line(cell)) })
	if t.Legend != "" {
		p.WriteString("<sub>" + escape(t.Legend) + "</sub>\n\n")
	}
}

// cells writes a table without its empty columns.
func (p *planPage) cells(titles []string, rows [][]string, cell func(column int, s string) string) {
	var columns []int
	head, line := "|", "|"
	for i, title := range titles {
		for _, row := range rows {
			if row[i] != "" {
				columns, head, line = append(columns, i), head+" "+escape(title)+" |", line+map[bool]string{true: " --- |", false: " ---: |"}[i == 0]
				break
			}
		}
	}
	p.WriteString(head + "\n" + line + "\n")
	for _, all := range rows {
		var shown []string
		for _, i := range columns {
			shown = append(shown, cell(i, all[i]))
		}
		p.WriteString(row(shown...))
	}
	p.WriteString("\n")
}

func (p *planPage) precision(of *plan.Precision) {
	if of == nil {
		return
	}
	p.part(of.Title(within), of.Remark())
	p.table(of.Table(within))
}

func (p *planPage) decision(of *plan.Plan) {
	d := of.Decision
	if d == nil {
		return
	}
	p.part("Rule "+d.Rule+d.Terms(), d.Doc)
	p.list(plan.EarliestWords(standing.Mark(envelope.Pass), d.SmallestPass, "all of them passed"), plan.EarliestWords(standing.Mark(envelope.Fail), d.SmallestFail, "none of them passed"), d.PlannedWords())
	p.table(of.ChanceTable())
}

func (p *planPage) difference(d *plan.Difference) {
	if d == nil {
		return
	}
	p.part(d.Title(), d.Remark())
	p.table(d.Table())
	p.powers(plan.UnpairedPower, &d.Unpaired)
	if d.Sequential != nil {
		p.say(d.Sequential.Words(d.Power))
	}
	if d.Paired == nil {
		p.say(d.PairsWords())
		return
	}
	p.powers(plan.PairedPower, &d.Paired.Detect)
}

// powers writes what each number of trials finds.
func (p *planPage) powers(title string, d *plan.Detect) {
	var rows [][]string
	if d.Planned != nil {
		rows = append(rows, []string{words.Count(d.Planned.Trials) + " (planned)", words.Percent(d.Planned.Power) + " %"})
	}
	for _, at := range d.Curve {
		rows = append(rows, []string{words.Count(at.Trials), words.Percent(at.Power) + " %"})
	}
	if len(rows) > 0 {
		p.say(title + ":")
		p.table(plan.Table{Titles: []string{"Number", "Power"}, Rows: rows})
	}
}

func (p *planPage) settling(of *plan.Plan) {
	s := of.Settling
	if s == nil {
		return
	}
	p.part(plan.SettlingTitle, s.Remark())
	if nothing := s.NothingWords(); nothing != "" {
		p.say(nothing)
		return
	}
	t := s.Table(of.Power, mostUnsettled)
	for _, row := range t.Rows {
		row[0], row[6] = codeOr(row[0], nameLimit, "(no name)"), code(row[6], nameLimit)
	}
	p.cells(t.Titles, t.Rows, func(column int, s string) string {
		if column == 0 || column == 6 {
			return s // it is code
		}
		return escape(s)
	})
	p.WriteString("<sub>" + escape(t.Legend) + "</sub>\n\n")
	p.say(s.SumWords() + ".")
}
