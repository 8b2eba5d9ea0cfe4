package html

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"tribunal/internal/block"
	"tribunal/internal/words"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

// plainPage is what plain.html shows.
type plainPage struct {
	Frame        frame.Frame
	Title, About string
	Parts        []plainPart
}

// plainPart is a heading and what stands below it.
type plainPart struct {
	ID, Title string
	Lines     []string
	Items     []string
	Tables    []*table
	Notes     []string
	Pictures  []picture
}

// mostRows is how many rows of a table and items of a list are shown.
const mostRows = 1000

var loadPlain = sync.OnceValues(func() (*frame.Kind, error) { return frame.Load(templates.Plain) })

// WriteDocument writes a document as one page, with the promises of Write.
func WriteDocument(w io.Writer, d *block.Document) error {
	if d == nil {
		return errors.New("html: no document to write")
	}
	kind, err := loadPlain()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	page := plainPage{Frame: kind.Frame(shorten(line(d.Tab), titleRunes)), Title: line(d.Title), About: line(d.About)}
	for i := range d.Parts {
		part := newPlainPart(&d.Parts[i])
		if i == 0 && d.Gate != nil {
			part.Lines = append(part.Lines, fmt.Sprintf("%s (exit %d): %s.", newBadge(d.Gate.Status).Word, d.Gate.Exit, line(strings.Join(d.Gate.Reasons, "; "))))
		}
		page.Parts = append(page.Parts, part)
	}
	if len(d.Problems) > 0 {
		folded := problemPart(d.Problems)
		page.Parts = append(page.Parts, plainPart{ID: "problems", Title: folded.Title, Tables: folded.Tables})
	}
	return writePage(w, kind, "plain", page)
}

// newPlainPart has what is said before the first table above it, and the rest below.
func newPlainPart(p *block.Part) plainPart {
	out := plainPart{ID: p.ID, Title: line(p.Title)}
	if p.Remark != "" {
		out.Lines = append(out.Lines, line(p.Remark)+".")
	}
	for _, b := range p.Blocks {
		switch b := b.(type) {
		case block.Text:
			out.say(sentence(b))
		case *block.List:
			for _, item := range b.Items[:min(len(b.Items), mostRows)] {
				out.Items = append(out.Items, sentence(item))
			}
			out.more(len(b.Items)-mostRows, b.Noun)
		case *block.Table:
			out.table(b)
		case *block.Bars:
			if c := powerPicture(b); c != nil {
				out.Pictures = append(out.Pictures, *c)
			}
		case *block.Chart:
			if c := linesPicture(b); c != nil {
				out.Pictures = append(out.Pictures, *c)
			}
		case *block.Scatter:
			out.Pictures = append(out.Pictures, dotsPicture(b))
		}
	}
	return out
}

// say adds a sentence.
func (p *plainPart) say(s string) {
	if len(p.Tables)+len(p.Items) > 0 {
		p.Notes = append(p.Notes, s)
	} else {
		p.Lines = append(p.Lines, s)
	}
}

// more says how many are not shown.
func (p *plainPart) more(n int, of block.Noun) {
	if n > 0 {
		p.say("And " + words.Plural(n, "more "+of.One, "more "+of.Many) + ".")
	}
}

// table adds a table and what explains it.
func (p *plainPart) table(t *block.Table) {
	p.Tables = append(p.Tables, plainTable(t, t.Title))
	for _, c := range t.Columns {
		if c.Legend != "" {
			p.say(c.Legend)
		}
	}
	p.more(max(len(t.Rows)-mostRows, 0)+t.More, t.Noun)
	if t.Legend != "" {
		p.say(line(t.Legend))
	}
	if t.Spans != nil {
		p.Tables[len(p.Tables)-1].addSpans(t.Spans)
		p.say(line(t.Spans.Caption))
	}
}

func plainTable(t *block.Table, title string) *table {
	out := newTable(title, "")
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, column{Name: line(c.Title), Number: !c.Left})
	}
	for _, row := range t.Rows[:min(len(t.Rows), mostRows)] {
		cells := make([]string, len(row))
		for i, s := range row {
			cells[i] = line(s)
		}
		cells[0] = name(cells[0], "no name")
		out.row(cells...)
	}
	return out.compact()
}

// sentence is a text behind its verdict, or behind its name.
func sentence(t block.Text) string {
	s := strings.TrimSuffix(name(t.Name, "")+t.Gap()+line(t.Words)+" "+line(strings.Join(t.Others, ", ")), " ")
	if t.Mark != "" {
		return newBadge(t.Mark).Word + s
	}
	return s
}
