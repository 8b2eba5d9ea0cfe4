package markdown

import (
	"errors"
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
const mostRows = 200

// WriteDocument writes a document as headings, sentences, lists and tables; charts are
// left out. The error is that of the writer, or says that the limit is negative.
func WriteDocument(w io.Writer, d *block.Document, o Options) error {
	if d == nil {
		return errors.New("markdown: no document to write")
	}
	var page []*part
	gate := envelope.Status("")
	if d.Gate != nil {
		gate = d.Gate.Mark
		page = append(page, paragraph(*d.Gate, rankTitle))
	}
	for i := range d.Parts {
		page = append(page, documentPart(&d.Parts[i])...)
	}
	if len(d.Problems) > 0 {
		page = append(page, problems(d.Problems))
	}
	last := page[len(page)-1]
	last.close = strings.TrimSuffix(last.close, "\n")
	return write(w, page, gate, o)
}

// documentPart is a heading and what stands below it, behind a click where it is folded.
func documentPart(p *block.Part) (page []*part) {
	for _, b := range p.Blocks {
		switch b := b.(type) {
		case block.Text:
			page = append(page, paragraph(b, rankCounts))
		case *block.List:
			page = append(page, listPart(b))
		case *block.Table:
			page = append(page, tablePart(b))
		case *block.Bars:
			page = append(page, tablePart(barTable(b)))
		}
	}
	if p.Folded {
		for _, b := range page {
			b.rank, b.open, b.close = rankDetails, "<details><summary>"+escape(text.Line(p.Title))+": "+escape(text.Line(p.Remark))+"</summary>\n\n"+b.open, b.close+"</details>\n\n"
		}
		return page
	}
	head := "## " + escape(text.Line(p.Title)) + "\n\n"
	if p.Remark != "" {
		head += escape(text.Line(strings.ToUpper(p.Remark[:1])+p.Remark[1:])) + ".\n\n"
	}
	return append([]*part{one(rankTitle, head, "heading", "headings")}, page...)
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
	return rowsPart(len(l.Items), 0, "", "", l.Noun, func(i int) string { return "- " + sentence(l.Items[i]) + "\n" })
}

// rowsPart is a part of at most so many rows, and says how many more there are.
func rowsPart(n, more int, open, legend string, of block.Noun, item func(int) string) *part {
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
	t := &block.Table{Columns: block.Columns(b.Of, "Power"), Noun: block.Noun{One: "row", Many: "rows"}}
	for _, bar := range b.Bars {
		number := words.Count(bar.Number)
		if bar.Planned {
			number += " (planned)"
		}
		t.Rows = append(t.Rows, []string{number, words.Percent(bar.Share) + " %"})
	}
	return t
}
