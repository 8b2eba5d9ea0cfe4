package markdown

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// mostRows is how many rows of a table and items of a list are shown.
const mostRows = 500

// WriteDocument writes a document as headings, sentences, lists and tables; charts are
// left out. The error is that of the writer, or says that the limit is negative.
func WriteDocument(w io.Writer, d *block.Document, o Options) error {
	if d == nil {
		return errors.New("markdown: no document to write")
	}
	var page []*part
	gate, title := envelope.Status(""), headingOf(d.Title, d.Named)
	if g := d.Gate; g != nil {
		gate = g.Status
		page = append(page, one(rankTitle, fmt.Sprintf("## %s (exit %d): %s\n\n", standing.Mark(gate), g.Exit, title), "title", "titles"),
			&part{rank: rankReasons, n: len(g.Reasons), close: "\n", noun: always("reason", "reasons"),
				item: func(i int) string { return "- " + codeOr(g.Reasons[i], lineLimit, "no words") + "\n" }})
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		if heading := headingOf(p.Title, d.Named); gate == "" || heading != title {
			page = append(page, documentHead(p, heading)...)
		}
		page = append(page, documentPart(p)...)
	}
	if len(d.Problems) > 0 {
		page = append(page, problems(d.Problems))
	}
	last := page[len(page)-1]
	last.close = strings.TrimSuffix(last.close, "\n")
	return write(w, page, gate, o)
}

// headingOf is a title; names that somebody chose stand in code.
func headingOf(title string, named bool) string {
	if named {
		return codeOr(title, titleLimit, "no title")
	}
	return escape(text.Line(title))
}

// documentHead is the heading of a part, and its remark.
func documentHead(p *block.Part, heading string) []*part {
	if p.Folded {
		return nil
	}
	head := "## " + heading + "\n\n"
	if p.Remark != "" {
		head += escape(text.Line(strings.ToUpper(p.Remark[:1])+p.Remark[1:])) + ".\n\n"
	}
	return []*part{one(rankTitle, head, "heading", "headings")}
}

// documentPart is what stands below a heading, behind a click where it is folded.
func documentPart(p *block.Part) (page []*part) {
	if facts := factLines(p.Summary); facts != "" {
		page = append(page, one(rankCounts, facts+"\n\n", "summary", "summaries"))
	}
	for _, b := range p.Blocks {
		switch b := b.(type) {
		case block.Text:
			page = append(page, paragraph(b, rankCounts))
		case *block.List:
			page = append(page, behindClick(b.Title, fmt.Sprint(len(b.Items)), listPart(b)))
		case *block.Table:
			page = append(page, tablePart(b))
		case *block.Bars:
			page = append(page, tablePart(barTable(b)))
		}
	}
	if p.Folded {
		for _, b := range page {
			behindClick(p.Title, p.Remark, b)
		}
	}
	if about := factLines(p.About); about != "" {
		last := one(rankMethod, "<sub>"+about+"</sub>\n", "note", "notes")
		last.close = "\n"
		page = append(page, last)
	}
	return page
}

// behindClick puts a part behind a click where it has a title.
func behindClick(title, remark string, p *part) *part {
	if title != "" {
		p.rank, p.open, p.close = rankDetails, "<details><summary>"+escape(text.Line(title))+": "+escape(text.Line(remark))+"</summary>\n\n"+p.open, p.close+"</details>\n\n"
	}
	return p
}

// factLines are facts, a line each.
func factLines(facts []block.Fact) string {
	var lines []string
	for _, f := range facts {
		if f.Words == "" {
			continue
		}
		line := escape(text.Line(f.Words))
		for _, name := range slices.Backward(f.Names) {
			if name = code(name, titleLimit); name != "" {
				line = name + " · " + line
			}
		}
		if f.Label != "" {
			line = "**" + strings.TrimSpace(f.Label+" "+f.Mark) + "**: " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "<br>\n")
}

func paragraph(t block.Text, rank int) *part {
	p := one(rank, sentence(t)+"\n", "sentence", "sentences")
	p.close = "\n"
	return p
}

// sentence is a text behind its verdict, or behind its name.
func sentence(t block.Text) string {
	s := code(t.Name, nameLimit) + t.Gap() + escape(text.Line(t.Words))
	for i, other := range t.Others {
		s += map[bool]string{true: " ", false: ", "}[i == 0] + codeOr(other, nameLimit, "(no name)")
	}
	if t.Mark != "" {
		return standing.Mark(t.Mark) + s
	}
	return s
}

func listPart(l *block.List) *part {
	return rowsPart(len(l.Items), 0, "", "", l.Noun, func(i int) string {
		s := "- " + sentence(l.Items[i]) + "\n"
		for _, under := range l.Items[i].Under {
			s += "  - " + escape(text.Line(under)) + "\n"
		}
		return s
	})
}

// rowsPart is a part of at most so many rows, and says how many more there are.
func rowsPart(n, more int, open, legend string, of block.Noun, item func(int) string) *part {
	if of.One == "" {
		of = block.Noun{One: "row", Many: "rows"}
	}
	shown := min(n, mostRows)
	if more += n - shown; more > 0 {
		legend = strings.TrimSpace(legend + " And " + words.Plural(more, "more "+of.One, "more "+of.Many) + ".")
	}
	p := &part{rank: rankAttention, n: shown, open: open, close: "\n", noun: always(of.One, of.Many), item: item}
	if legend != "" {
		p.close += "<sub>" + escape(text.Line(legend)) + "</sub>\n\n"
	}
	return p
}

// tablePart is a table without its empty columns, numbers on the right, and below it
// what explains it.
func tablePart(t *block.Table) *part {
	var columns []int
	var titles, legend []string
	line := "|"
	for i, c := range t.Columns {
		if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		columns, titles, line = append(columns, i), append(titles, escape(text.Line(c.Title))), line+map[bool]string{true: " --- |", false: " ---: |"}[c.Left]
		if c.Legend != "" {
			legend = append(legend, c.Legend)
		}
	}
	if t.Legend != "" {
		legend = append(legend, t.Legend)
	}
	return rowsPart(len(t.Rows), t.More, row(titles...)+line+"\n", strings.Join(legend, " "), t.Noun, func(i int) string {
		var cells []string
		for _, at := range columns {
			if cell := t.Rows[i][at]; !t.Columns[at].Name {
				cells = append(cells, escape(text.Line(cell)))
			} else {
				cells = append(cells, codeOr(cell, nameLimit, map[bool]string{true: "(no name)"}[at == 0]))
			}
		}
		return row(cells...)
	})
}

// barTable is bars in numbers.
func barTable(b *block.Bars) *block.Table {
	t := &block.Table{Columns: block.Columns(b.Of, "Power")}
	for _, bar := range b.Bars {
		number := words.Count(bar.Number)
		if bar.Planned {
			number += " (planned)"
		}
		t.Rows = append(t.Rows, []string{number, words.Percent(bar.Share) + " %"})
	}
	return t
}
