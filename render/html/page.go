package html

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

type plainPage struct {
	Frame        frame.Frame
	Title, About string
	Parts        []plainPart
}

type plainPart struct {
	ID, Title string
	Lines     []string
	Items     []string
	Tables    []*table
	Notes     []string
	Pictures  []picture
}

const mostRows = 1000

var plainKind = frame.Of(templates.Plain)

// WriteDocument writes a document as one page, with the promises of Write.
func WriteDocument(w io.Writer, d *block.Document) error {
	page := plainPage{Frame: plainKind().Frame(shorten(line(d.Tab), titleRunes)), Title: line(d.Title), About: line(d.About)}
	for i := range d.Parts {
		part := newPlainPart(&d.Parts[i])
		if i == 0 && d.Gate != nil {
			part.Lines = append(part.Lines, fmt.Sprintf("%s (exit %d): %s.", newBadge(d.Gate.Status).Word, d.Gate.Exit,
				line(strings.Join(d.Gate.Reasons, "; "))))
		}
		page.Parts = append(page.Parts, part)
	}
	if len(d.Problems) > 0 {
		folded := problemPart(d.Problems)
		page.Parts = append(page.Parts, plainPart{ID: "problems", Title: folded.Title, Tables: folded.Tables})
	}
	return writePage(w, plainKind, "plain", page)
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
			out.Items = append(out.Items, each.Of(b.Items[:min(len(b.Items), mostRows)], sentence)...)
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

func (p *plainPart) say(s string) {
	if len(p.Tables)+len(p.Items) > 0 {
		p.Notes = append(p.Notes, s)
	} else {
		p.Lines = append(p.Lines, s)
	}
}

func (p *plainPart) more(n int, of block.Noun) {
	if n > 0 {
		p.say("And " + words.Plural(n, "more "+of.One, "more "+of.Many) + ".")
	}
}

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
	columns := each.Of(t.Columns, func(c block.Column) column { return column{Name: line(c.Title), Number: !c.Left} })
	out.Columns = append(out.Columns, columns...)
	for _, row := range t.Rows[:min(len(t.Rows), mostRows)] {
		cells := each.Of(row, line)
		cells[0] = name(cells[0], "no name")
		out.row(cells...)
	}
	return out.compact()
}

func sentence(t block.Text) string {
	s := strings.TrimSuffix(name(t.Name, "")+t.Gap()+line(t.Words)+" "+line(strings.Join(t.Others, ", ")), " ")
	if t.Mark != "" {
		return newBadge(t.Mark).Word + s
	}
	return s
}

func powerPicture(b *block.Bars) *picture {
	data := newTable(b.Title, "", "#"+b.Of, "#power")
	var points []block.Point
	for _, bar := range b.Bars {
		number := words.Count(bar.Number)
		if bar.Planned {
			number += " (planned)"
		} else {
			points = append(points, block.Point{X: float64(bar.Number), Y: bar.Share})
		}
		data.row(number, percent(bar.Share))
	}
	if len(points) < 2 {
		return nil
	}
	c := blank(b.Title)
	x, y := c.numberAxis(0, points[len(points)-1].X, b.Of, count), c.rateAxis()
	c.mark("line", "one", "", linePath(spots(append([]block.Point{{}}, points...), x, y)))
	return &picture{Title: b.Title, Note: "Chance to find the difference, by " + b.Of + ".", Chart: c, Data: data}
}

func (c *chart) numberAxis(lo, hi float64, title string, write func(float64) string) scale {
	x := scale{lo: lo, hi: hi, from: pictureLeft, to: pictureRight}
	for _, v := range every(tickStep(lo, hi, scatterTicks), lo, hi) {
		c.tick(x.at(v), write(v))
	}
	c.axisTitle(title)
	return x
}

func spots(points []block.Point, x, y scale) []spot {
	return each.Of(points, func(p block.Point) spot { return spot{x.at(p.X), y.at(p.Y)} })
}

func linesPicture(b *block.Chart) *picture {
	most := 0.0
	for _, p := range append(append([]block.Point{}, b.Lines[0]...), b.Lines[1]...) {
		most = max(most, p.Y)
	}
	if most == 0 || len(b.Lines[0]) == 0 {
		return nil
	}
	c := blank(b.Title)
	if b.Label != "" {
		c = blank(b.Label)
	}
	x := c.numberAxis(b.Lines[0][0].X, b.Lines[0][len(b.Lines[0])-1].X, b.X, number)
	class, y := "pass", scale{lo: 0, hi: most, from: pictureBottom, to: pictureTop}
	if b.Stacked {
		y = c.rateAxis()
	} else {
		class = "one"
		for _, n := range every(tickStep(0, most, scatterTicks), 0, most) {
			c.text(pictureLeft-6, y.at(n)+4, "end", count(n))
		}
	}
	lower, upper := spots(b.Lines[0], x, y), spots(b.Lines[1], x, y)
	if b.Stacked {
		floor := each.Of(lower, func(s spot) spot { return spot{s.x, y.at(0)} })
		c.mark("area", "pass", "", bandPath(lower, floor))
		c.mark("area", "inconclusive", "", bandPath(upper, lower))
	}
	c.mark("line", class, "", linePath(lower))
	c.mark("line", "two", dotted, linePath(upper))
	if b.At.OK && b.At.V >= x.lo && b.At.V <= x.hi {
		c.mark("line", "threshold", dashed, vertical(x.at(b.At.V), pictureTop, pictureBottom))
	}
	return &picture{Title: b.Title, Note: b.Caption, Chart: c, Data: plainTable(&b.Table, b.Title)}
}

type spanMark struct {
	Words, Lo, Hi, At string
	First             bool // it stands out
}

func (t *table) addSpans(s *block.Spans) {
	axis := []string{"0", "0.25", "0.5", "0.75", "1"}
	if s.Percent {
		axis = []string{"0" + nbsp + "%", "25", "50", "75", "100" + nbsp + "%"}
	}
	t.Columns = slices.Insert(t.Columns, 1, column{Name: s.Title, Axis: axis})
	at := func(v float64) string { return tenth(100 * min(max(v, 0), 1)) }
	for i := range t.Rows {
		span := s.Of[i]
		t.Rows[i] = slices.Insert(t.Rows[i], 1, cell{Span: &spanMark{span.Words, at(span.Lo), at(span.Hi), at(span.Value), span.First}})
	}
}

func (c *chart) dot(at spot, first bool, title string) {
	class, shape := "two", "circle"
	if first {
		class, shape = "one", "square"
	}
	c.Marks = append(c.Marks, mark{Kind: "dot", Class: class, Path: shapePath(shape, at), Title: title})
}

func dotsPicture(b *block.Scatter) picture {
	c := blank(b.Label)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, d := range b.Dots {
		lo, hi = min(lo, d.X), max(hi, d.X)
	}
	x := scale{lo: lo, hi: hi, from: pictureLeft + 10, to: pictureRight - 10, log: lo > 0 && hi/lo > scatterWide}
	y := c.rateAxis()
	if lo < hi {
		c.valueAxis(x, axis{words: b.X, value: dollars, tick: dollars, step: tickStep, round: roundNumbers})
	} else {
		c.tick(x.at(lo), dollars(lo))
		c.axisTitle(b.X)
	}
	for _, d := range b.Dots {
		c.text(x.at(d.X), y.at(d.Y)-7, "middle", count(d.Number))
		c.dot(spot{x.at(d.X), y.at(d.Y)}, d.First, shorten(name(d.Name, "no name"), scatterTitle)+": "+d.Words)
	}
	c.say(b.Caption)
	return picture{Title: b.Title, Note: b.Caption, Chart: c, Data: plainTable(&b.Table, b.Title)}
}
