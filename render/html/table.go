package html

// table is any plain table: the first cell of a row is its heading.
type table struct {
	Title   string // for those who hear the page
	Caption string // for everybody; "" where a heading says it
	Columns []column
	Rows    [][]cell
}

type column struct {
	Name   string
	Number bool // aligned to the right
	Axis   []string
}

type cell struct {
	Text   string
	Number bool
	Span   *spanMark // drawn in place of the text
}

// newTable returns a table without rows. A heading that starts with # is of a
// column of numbers.
func newTable(title, caption string, headings ...string) *table {
	t := &table{Title: title, Caption: caption}
	for _, h := range headings {
		number := h[0] == '#'
		if number {
			h = h[1:]
		}
		t.Columns = append(t.Columns, column{Name: h, Number: number})
	}
	return t
}

func (t *table) row(texts ...string) {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{Text: text, Number: t.Columns[i].Number}
	}
	t.Rows = append(t.Rows, row)
}

// compact leaves out the columns that say nothing in any row.
func (t *table) compact() *table {
	said := make([]bool, len(t.Columns))
	said[0] = true
	for _, row := range t.Rows {
		for i, c := range row {
			said[i] = said[i] || c.Text != ""
		}
	}
	t.Columns = chosen(t.Columns, said)
	for i, row := range t.Rows {
		t.Rows[i] = chosen(row, said)
	}
	return t
}

func chosen[T any](all []T, which []bool) []T {
	var out []T
	for i, v := range all {
		if which[i] {
			out = append(out, v)
		}
	}
	return out
}

// folded is a part of the page behind a line that says what is in it.
type folded struct {
	Title, Note string
	Open        bool
	Facts       facts
	Tables      []*table
}
