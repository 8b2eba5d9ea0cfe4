package pretty

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
)

const gap = 2

type placed struct {
	column
	width int
}

// Names that can be read come before the other columns.
const (
	comfortable = 40
	readable    = 30
)

// uncut keeps the names whole where they are kept.
func (r *canvas) uncut(columns []placed) []placed {
	for i := range columns {
		if r.kept && columns[i].title == testTitle {
			columns[i].column.least = 0
		}
	}
	return columns
}

// share is what a column takes of the room that is left: at most so many columns, and one of so many parts.
type share struct {
	title      string
	most, part int
}

// testShares give room to names until they are readable, then strips, and names again.
var testShares = []share{{testTitle, comfortable, 1}, {trialsTitle, unlimited, 3}, {pastTitle, unlimited, 1},
	{testTitle, unlimited, 1}, {trialsTitle, unlimited, 1}}

// fit drops columns, lowest keep first, until the others have their least width, and shares out the
// rest. If they still do not fit, it cuts those that can shrink.
func fit(columns []placed, room int, shares []share) []placed {
	for at := leastKept(columns); at >= 0 && columns[at].needs(columns) > room; at = leastKept(columns) {
		columns = slices.Delete(columns, at, at+1)
	}
	wants := make([]int, len(columns))
	room -= leastSum(columns)
	for i := range columns {
		wants[i], columns[i].width = columns[i].width, columns[i].least()
	}
	for _, s := range shares {
		for i := range columns {
			if columns[i].title == s.title {
				more := max(0, min(s.most, room/s.part, wants[i]-columns[i].width))
				columns[i].width += more
				room -= more
			}
		}
	}
	for i := range columns {
		if columns[i].column.least > 0 && room < 0 {
			const leastCut = 4
			less := max(0, min(-room, columns[i].width-leastCut))
			columns[i].width -= less
			room += less
		}
	}
	return columns
}

// leastKept is the column to drop first, -1 where there is none.
func leastKept(columns []placed) int {
	at := -1
	for i, c := range columns {
		if c.keep > 0 && (at < 0 || c.keep < columns[at].keep) {
			at = i
		}
	}
	return at
}

// needs is how wide a table has to be for the column.
func (c column) needs(columns []placed) int {
	sum := leastSum(columns)
	for _, p := range columns {
		if c.whole {
			sum += p.width - p.least()
		} else if p.title == testTitle {
			sum += max(0, min(p.width, c.name)-p.least())
		}
	}
	return sum
}

// plainFit sizes the columns of plain cells, and leaves out those without any and those for
// which there is no room. What is left goes to the first ones.
func (r *canvas) plainFit(columns []placed, rows [][]string) ([]placed, [][]string) {
	var shares []share
	for i := range columns {
		c := &columns[i]
		c.at = i
		for _, row := range rows {
			c.width = max(c.width, width(row[i]))
		}
		if c.width == 0 {
			continue
		}
		if c.width = max(width(c.title), c.width); c.most > 0 {
			c.width = min(c.width, max(c.most, width(c.title)))
		}
		if shares = append(shares, share{c.title, unlimited, 1}); !c.rated && len(shares) > 2 {
			c.keep = len(columns) - i // the last goes first, but for two
		}
	}
	columns = slices.DeleteFunc(columns, func(p placed) bool { return p.width == 0 })
	if r.width > 0 {
		columns = fit(columns, r.width, shares)
	}
	for n, row := range rows {
		rows[n] = nil
		for _, c := range columns {
			cell := row[c.at]
			if r.width > 0 {
				cell = cut(cell, c.width, r.sign.ellipsis)
			}
			rows[n] = append(rows[n], cell)
		}
	}
	return columns, rows
}

func has(columns []placed, title string) bool {
	return slices.ContainsFunc(columns, func(p placed) bool { return p.title == title })
}

func (c column) over() string {
	if c.heading != "" {
		return c.heading
	}
	return c.title
}

func (r *report) want(c column, tests []*envelope.Test) int {
	room := c.most
	if c.title == testTitle || room == 0 {
		room = unlimited // names are measured whole
	}
	widest := 0
	for _, t := range tests {
		widest = max(widest, width(c.cell(r, t, room)))
	}
	if widest == 0 {
		return 0
	}
	if c.most > 0 {
		widest = min(widest, c.most)
	}
	return max(widest, width(c.over()))
}

func (p placed) least() int {
	if p.column.least == 0 {
		return p.width
	}
	return min(p.width, p.column.least)
}

func leastSum(columns []placed) int { return gap*(len(columns)-1) + each.Sum(columns, placed.least) }
