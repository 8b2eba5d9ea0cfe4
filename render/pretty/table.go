package pretty

import (
	"iter"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/trend"
)

// tests writes the table of the tests.
func (r *report) tests() {
	l := list(r.e.Tests, r.rows)
	if len(l.shown) > 0 {
		r.line("")
		r.testTable(l.shown)
	}
	if rest := l.rest(); rest != "" {
		r.text("", "", r.sign.ellipsis+" "+rest, 3)
	}
}

func (r *report) testTable(tests []*envelope.Test) {
	columns := r.layout(tests)
	rows := make([][]string, len(tests))
	for i, t := range tests {
		rows[i] = r.row(columns, t)
	}
	r.table(columns, rows)
	if legend := r.legend(tests); legend != "" && has(columns, trialsTitle) {
		r.text("", "", legend, 3)
	}
	if has(columns, pastTitle) {
		r.text("", "", r.ink.faint.Render(pastTitle+", the latest on the right: ")+r.markLegend(pasts(tests), r.runSigns()[trend.MarkMixed]), 3)
	}
}

// row makes the cells of a test. What has no column stands on a second line
// under the name.
func (r *report) row(columns []placed, t *envelope.Test) []string {
	cells := make([]string, len(columns))
	at := 0
	for i, c := range columns {
		room := c.width
		if r.width == 0 && c.title == testTitle {
			room = math.MaxInt32 // whole, however long
		}
		cells[i] = c.cell(r, t, room)
		if c.paint != nil && cells[i] != "" {
			cells[i] = c.paint(r, t, cells[i])
		}
		if c.title == testTitle {
			if note := r.note(columns, t, r.limit-at); note != "" {
				cells[i] += "\n" + note
			}
		}
		at += c.width + gap
	}
	return cells
}

// note is what a test that is not a plain pass has to say and no column shows.
func (r *report) note(columns []placed, t *envelope.Test, room int) string {
	note, words, reason := r.sign.elbow+" ", flagsCell(r, t, 0), r.reason(t)
	if has(columns, flagsTitle) {
		words = ""
	}
	if has(columns, reasonTitle) || plain(t) {
		reason = ""
	}
	if words+reason == "" {
		return ""
	}
	if words != "" && reason != "" {
		reason = r.sign.dot + reason
	}
	reason = cut(reason, room-width(note+words), r.sign.ellipsis)
	return r.ink.faint.Render(note) + r.ink.flag.Render(words) + r.ink.faint.Render(reason)
}

// table writes rows under the titles of the columns. A cell may have several lines.
func (r *sheet) table(columns []placed, rows [][]string) {
	titles := make([]string, len(columns))
	total := -gap
	for i, c := range columns {
		titles[i] = r.ink.faint.Render(c.over())
		total += c.width + gap
	}
	r.tableLine(columns, titles)
	r.line(r.ink.faint.Render(strings.Repeat(r.sign.rule, total)))
	for _, row := range rows {
		for lines := range linesOf(row) {
			r.tableLine(columns, lines)
		}
	}
}

// linesOf yields the lines of a row: its cells beside each other, line by line.
// Where a cell has fewer than others, it is empty.
func linesOf(row []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		rest := slices.Clone(row)
		for more := true; more; {
			more = false
			line := make([]string, len(rest))
			for i := range rest {
				var further bool
				line[i], rest[i], further = strings.Cut(rest[i], "\n")
				more = more || further
			}
			if !yield(line) {
				return
			}
		}
	}
}

// tableLine writes one line of a table.
func (r *sheet) tableLine(columns []placed, cells []string) {
	var b strings.Builder
	for i, c := range columns {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(pad(cells[i], c.width, c.right))
	}
	r.out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}
