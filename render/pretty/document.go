package pretty

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/words"
)

// How many rows of a table and items of a list are shown.
const (
	mostRows  = 200
	mostItems = 20
)

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
	_, err := r.out.WriteTo(w)
	return err
}

// part begins a part and writes its blocks; parts are a line apart.
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
	line := r.ink.strong.Render("Gate:") + " " + r.ink.of(g.Status).Render(Mark(g.Status)) + fmt.Sprintf(" (exit %d)", g.Exit)
	if len(g.Reasons) == 1 {
		r.text("", "  ", line+": "+r.field(g.Reasons[0]), 6)
		return
	}
	r.line(line)
	r.reasons(g.Reasons)
}

func (r *canvas) blocks(all []block.Block) error {
	for i, b := range all {
		switch b := b.(type) {
		case block.Text:
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

// sentence is a text behind its verdict, or behind its name.
func (r *canvas) sentence(t block.Text) string {
	said := r.field(t.Name) + t.Gap() + r.own(t.Words)
	said += words.If(len(t.Others) > 0, " "+r.field(strings.Join(t.Others, ", ")))
	if t.Mark != "" {
		return r.ink.of(t.Mark).Render(Mark(t.Mark)) + said
	}
	return said
}

func (r *canvas) list(l *block.List) {
	if len(l.Items) == 0 {
		return
	}
	r.line("")
	if l.Title != "" {
		r.line(r.ink.strong.Render(l.Title) + " " + words.Count(len(l.Items)))
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

// mostAligned is how wide a name is that others stand below.
const mostAligned = 200

// plainTable writes a table of plain cells and what explains it. What has no column is
// said below, test by test.
func (r *canvas) plainTable(t *block.Table) error {
	rows, named := t.Rows[:min(len(t.Rows), mostRows)], t.NameColumn()
	columns, cells, names := r.plainCells(t, rows)
	title := columns[named].title
	columns, cells = r.plainFit(columns, cells)
	at := slices.IndexFunc(columns, func(p placed) bool { return p.title == title })
	for i, name := range names {
		switch {
		case r.kept: // a name is cut where it is seen alone
			cells[i][at], columns[at].width = name, max(columns[at].width, min(width(name), mostAligned))
		case t.Keys != nil:
			cells[i][at] = r.fit(keyName(r, t.Keys[i]), columns[at].width).paint(r)
		}
		if t.Tones != nil {
			cells[i][0] = r.ink.tone(t.Tones[i]).Render(cells[i][0])
		}
	}
	r.line("")
	if err := r.table(columns, cells); err != nil {
		return err
	}
	r.tableNotes(t, columns, names)
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
			p.column.least, p.most = 12, max(r.width, r.limit)
			if t.Tones != nil {
				p.column.least = readable
			}
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

// tableNotes explain the columns of a table, and say what has none.
func (r *canvas) tableNotes(t *block.Table, columns []placed, names []string) {
	var legend []string
	for _, c := range t.Columns {
		if c.Legend != "" && has(columns, c.Title) {
			legend = append(legend, c.Legend)
		}
	}
	if more := max(len(t.Rows)-mostRows, 0) + t.More; more > 0 {
		legend = append(legend, "And "+words.Plural(more, "more "+t.Noun.One, "more "+t.Noun.Many)+".")
	}
	if t.Legend != "" {
		legend = append(legend, t.Legend)
	}
	if len(legend) > 0 {
		r.text("", "", r.ink.faint.Render(r.own(strings.Join(legend, " "))), 4)
	}
	for at, c := range t.Columns {
		if !c.Below && (!c.Spill || has(columns, c.Title)) {
			continue
		}
		for i, name := range names {
			if said := t.Rows[i][at]; said != "" {
				if !c.Below {
					said = strings.ToLower(c.Title) + " " + said
				}
				r.text("  "+r.sign.dash+" ", "    ", name+": "+r.own(said), 4)
			}
		}
	}
}
