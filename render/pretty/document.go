package pretty

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// How many rows of a table and items of a list are shown.
const mostRows, mostItems = 200, 20

// WriteDocument writes a document, part by part.
func WriteDocument(w io.Writer, d *block.Document, o Options) error {
	r := newCanvas(o)
	for i := range d.Parts {
		if err := r.part(&d.Parts[i]); err != nil {
			return err
		}
	}
	r.problems(d.Problems)
	if d.Gate != nil {
		r.line("")
		r.gate(d.Gate)
	}
	if d.Next != "" {
		r.text(r.ink.faint.Render("Next")+"  ", "      ", r.field(d.Next), 3)
	}
	_, err := r.out.WriteTo(w)
	return err
}

func (r *canvas) part(p *block.Part) error {
	if r.out.Len() > 0 {
		r.line("")
	}
	title, remark := r.ink.strong.Render(r.own(p.Title)), r.own(p.Remark)
	switch {
	case remark == "":
		r.text("", "  ", title, 6)
	case strings.HasSuffix(p.Title, "."): // a sentence
		r.text("", "  ", title, 6)
		r.text("", "  ", r.ink.faint.Render(strings.ToUpper(remark[:1])+remark[1:]), 4)
	default:
		r.text("", "  ", title+r.ink.faint.Render(r.sign.dot+remark), 4)
	}
	for _, f := range p.About {
		if f.Label == "" {
			f.Words = r.ink.faint.Render(r.own(f.Words))
		}
		r.fact(f, f.Label)
	}
	if err := r.blocks(p.Blocks); err != nil {
		return err
	}
	if len(p.Summary) > 0 {
		r.line("")
	}
	for i, f := range p.Summary {
		label := f.Label
		if i > 0 && label == p.Summary[i-1].Label {
			label = " "
		}
		r.fact(f, label)
	}
	return nil
}

func (r *canvas) fact(f block.Fact, label string) {
	if f.Words == "" {
		return
	}
	if label != "" {
		label, f.Words = pad(label, rateLabel, false), r.own(f.Words)
	}
	for _, name := range slices.Backward(f.Names) {
		if name = r.field(name); name != "" {
			f.Words = name + r.sign.dot + f.Words
		}
	}
	if f.Mark != "" {
		f.Words = r.ink.tone(f.Tone).Render(f.Mark) + "  " + f.Words
	}
	r.text(label, cmp.Or(spaces(label), "  "), f.Words, 4)
}

func (r *canvas) gate(g *block.Gate) {
	exit := r.ink.faint.Render(fmt.Sprintf(" (exit %d)", g.Exit))
	mark := r.ink.of(g.Status).Render(standing.Mark(g.Status)) + "  "
	first := g.Reasons[:min(len(g.Reasons), 1)]
	r.text(mark, spaces(mark), r.own(strings.Join(first, ""))+exit, 6)
	r.reasons(g.Reasons[len(first):])
}

func (r *canvas) blocks(all []block.Block) error {
	for i, b := range all {
		switch b := b.(type) {
		case block.Text:
			if b.Detail && !r.detailed {
				continue
			}
			if b.Aside {
				r.text("", "", r.ink.faint.Render(r.sentence(b)), 3)
				continue
			}
			if i > 0 {
				r.line("")
			}
			r.text("  ", "    ", r.sentence(b), 4)
		case *block.List:
			r.list(b)
		case *block.Table:
			if err := r.plainTable(b); err != nil {
				return err
			}
		case *block.Bars:
			r.bars(b)
		case *block.Chart:
			r.curve(b)
		}
	}
	return nil
}

// asciiOwn is what sentences of the program have beside ASCII.
var asciiOwn = strings.NewReplacer("±", "+-", "–", "-", " · ", " | ", "…", "...", "×", "x", "→", "->")

// own is a sentence of the program, in which names may stand.
func (r *canvas) own(s string) string {
	if r.ascii() {
		s = asciiOwn.Replace(s)
	}
	return r.field(s)
}

func (r *canvas) sentence(t block.Text) string {
	said := r.field(t.Name) + t.Gap() + r.own(t.Words) + words.If(len(t.Others) > 0, " "+r.field(strings.Join(t.Others, ", ")))
	if t.Mark != "" {
		return r.ink.of(t.Mark).Render(standing.Mark(t.Mark)) + said
	}
	return said
}

func (r *canvas) list(l *block.List) {
	if len(l.Items) == 0 {
		return
	}
	r.line("")
	if l.Title != "" {
		r.line(r.ink.strong.Render(l.Title) + " (" + words.Count(len(l.Items)) + ")")
	}
	for _, item := range l.Items[:min(len(l.Items), mostItems)] {
		r.text("  ", "    ", r.sentence(item), 4)
		for _, under := range item.Under {
			r.text("    ", "      ", r.own(under), 4)
		}
	}
	if more := len(l.Items) - mostItems; more > 0 {
		r.line("  " + r.sign.ellipsis + " and " + words.Count(more) + " more")
	}
}

const mostBelow = 3 // lines

// plainTable writes a table of plain cells and what explains it.
func (r *canvas) plainTable(t *block.Table) error {
	rows, named := t.Rows[:min(len(t.Rows), mostRows)], t.NameColumn()
	columns, cells, names := r.plainCells(t, rows)
	title := columns[named].title
	columns, cells = r.plainFit(columns, cells)
	at := slices.IndexFunc(columns, func(p placed) bool { return p.title == title })
	for i, name := range names {
		switch {
		case r.kept: // a name is cut where it is seen alone
			const mostAligned = 200 // how wide a name is that others stand below
			cells[i][at], columns[at].width = name, max(columns[at].width, min(width(name), mostAligned))
		case t.Keys != nil:
			cells[i][at] = r.fit(keyName(r, t.Keys[i]), columns[at].width).paint(r)
		}
		if t.Tones != nil {
			cells[i][0] = r.ink.tone(t.Tones[i]).Render(cells[i][0])
		}
		for of, c := range t.Columns {
			if said := r.own(rows[i][of]); said != "" && (c.Below || c.Spill && !has(columns, c.Title)) {
				said = words.If(c.Spill, strings.ToLower(c.Title)+" ") + said
				before := 0
				for _, c := range columns[:at] {
					before += c.width + gap
				}
				before += width(r.sign.elbow) + 1
				for n, line := range wrap(said, max(r.limit-before, minWidth/2), mostBelow, r.sign.ellipsis) {
					cells[i][at] += "\n" + r.ink.faint.Render(pad(words.If(n == 0, r.sign.elbow), width(r.sign.elbow), false)+" "+line)
				}
			}
		}
	}
	r.line("")
	if err := r.table(columns, cells); err != nil {
		return err
	}
	r.tableNotes(t, columns)
	return nil
}

func (r *canvas) plainCells(t *block.Table, rows [][]string) (columns []placed, cells [][]string, names []string) {
	named := t.NameColumn()
	cells, names = make([][]string, len(rows)), make([]string, len(rows))
	for at, c := range t.Columns {
		if c.Below {
			continue
		}
		p := placed{column: column{title: c.Title, right: !c.Left, keep: c.Keep, rated: t.Rated()}}
		if at == named {
			p.column.least, p.most = readable, max(r.width, r.limit)
		}
		columns = append(columns, p)
		for i, row := range rows {
			cell := r.own(row[at])
			if at == named {
				if t.Keys != nil {
					cell = keyName(r, t.Keys[i]).String()
				}
				names[i] = cell
			}
			cells[i] = append(cells[i], cell)
		}
	}
	if t.Spans != nil {
		columns = append(columns, placed{column: column{title: t.Spans.Axis, right: true}})
		for i := range rows {
			cells[i] = append(cells[i], r.span(t.Spans.Of[i]))
		}
	}
	return columns, cells, names
}

func (r *canvas) tableNotes(t *block.Table, columns []placed) {
	legend := words.Present(each.Of(t.Columns, func(c block.Column) string { return words.If(has(columns, c.Title), c.Legend) })...)
	if more := max(len(t.Rows)-mostRows, 0) + t.More; more > 0 {
		legend = append(legend, "And "+words.Plural(more, "more "+t.Noun.One, "more "+t.Noun.Many)+".")
	}
	if t.Legend != "" {
		legend = append(legend, t.Legend)
	}
	if len(legend) > 0 {
		r.text("", "", r.ink.faint.Render(r.own(strings.Join(legend, " "))), 4)
	}
}

const spanWidth = 21

func (r *canvas) span(s block.Span) string {
	line, point := "─", "●"
	if r.ascii() {
		line, point = "-", "o"
	}
	at := func(v float64) int { return min(spanWidth-1, max(0, int(v*spanWidth))) }
	signs := slices.Repeat([]string{" "}, spanWidth)
	for i := at(s.Lo); i <= at(s.Hi); i++ {
		signs[i] = line
	}
	signs[at(s.Value)] = point
	return strings.Join(signs, "")
}

func (r *canvas) bars(b *block.Bars) {
	if len(b.Bars) == 0 {
		return
	}
	r.line("")
	r.text("  ", "    ", b.Title, 2)
	for _, p := range b.Bars {
		note := words.If(p.Planned, "  planned")
		r.line(fmt.Sprintf("  %8s  %6s  %s%s", words.Count(p.Number), words.Percent(p.Share)+" %", r.bar(p.Share, min(24, r.limit-32)), note))
	}
}

func (r *canvas) bar(fraction float64, n int) string {
	full, eighths := "█", []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	if r.ascii() {
		full, eighths = "#", make([]string, 8)
	}
	units := min(max(int(fraction*float64(n)*8+0.5), 0), n*8)
	return strings.Repeat(full, units/8) + eighths[units%8]
}

func (r *canvas) ascii() bool { return r.sign.bar == asciiSigns.bar }

const (
	curveHeight  = 8
	curveColumns = 61 // at most
)

// curve draws stacked shares: for each rate a column, filled from below as often as a
// test passes, and shaded above as often as it stays inconclusive.
func (r *canvas) curve(c *block.Chart) {
	room := min(curveColumns, r.limit-12)
	pass, open := thin(c.Lines[0], room), thin(c.Lines[1], room)
	if !c.Stacked || len(pass) < 2 {
		return
	}
	r.line("")
	r.text("  ", "  ", c.Title+": of tests at each true rate, "+r.ink.pass.Render(r.filled()[8]+" pass")+", "+
		""+r.ink.inconclusive.Render(r.shade()+" undecided")+", blank fail", 3)
	for row := curveHeight - 1; row >= 0; row-- {
		label := map[int]string{curveHeight - 1: "100 %", curveHeight/2 - 1: " 50 %"}[row]
		r.line(fmt.Sprintf("  %5s %s%s", label, r.sign.bar, r.curveRow(pass, open, float64(row)/curveHeight)))
	}
	r.line(fmt.Sprintf("  %5s  %s", "0 %", strings.Repeat(r.sign.rule, len(pass))))
	r.line("         " + axis(c, pass))
}

func (r *canvas) curveRow(pass, open []block.Point, floor float64) string {
	const height = 1.0 / curveHeight
	var b strings.Builder
	for i, p := range pass {
		part := int(math.Round(min(max((p.Y-floor)/height, 0), 1) * 8))
		switch {
		case part > 0 && r.filled()[part] != " ":
			b.WriteString(r.ink.pass.Render(r.filled()[part]))
		case open[i].Y-floor > height/2:
			b.WriteString(r.ink.inconclusive.Render(r.shade()))
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

func (r *canvas) filled() [9]string {
	if r.ascii() {
		return [9]string{" ", " ", " ", " ", "#", "#", "#", "#", "#"}
	}
	return [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
}

func (r *canvas) shade() string {
	if r.ascii() {
		return "."
	}
	return "░"
}

func thin(points []block.Point, n int) []block.Point {
	step := max(1, (len(points)+n-1)/max(n, 1))
	var out []block.Point
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

func axis(c *block.Chart, points []block.Point) string {
	line := []byte(strings.Repeat(" ", len(points)+6))
	put := func(at int, s string) {
		if strings.TrimSpace(string(line[max(0, at-1):min(len(line), at+len(s)+1)])) == "" {
			copy(line[at:], s)
		}
	}
	first, last := points[0].X, points[len(points)-1].X
	put(0, words.Fraction(first))
	put(len(points)-2, words.Fraction(last))
	if c.At.OK && c.At.V > first && c.At.V < last {
		put(int((c.At.V-first)/(last-first)*float64(len(points)-1)+0.5), "^"+words.Fraction(c.At.V))
	}
	return string(line)
}
