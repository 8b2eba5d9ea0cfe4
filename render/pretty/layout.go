package pretty

import (
	"slices"

	"tribunal/envelope"
)

// gap is the space between two columns.
const gap = 2

// placed is a column that is shown and the width it got.
type placed struct {
	column
	width int
}

// A name that can be read comes before some columns: they stand only where the
// names have this much room, as far as they need it.
const (
	comfortable = 40 // before reasons, which have another place
	readable    = 30 // before time and cost, which the summary sums up
	known       = 24 // before flags, which would take a line under every test
)

// layout chooses the columns for these tests and their widths.
func (r *report) layout(tests []*envelope.Test) []placed {
	var chosen []placed
	for _, c := range columns {
		if c.title == intervalColumn {
			c.heading = intervalTitle(tests)
		}
		if want := r.want(c, tests); want > 0 {
			chosen = append(chosen, placed{c, want})
		}
	}
	if r.width == 0 {
		return chosen
	}
	if r.kept {
		for i := range chosen {
			if chosen[i].title == testTitle {
				chosen[i].column.least = 0 // names are not cut
			}
		}
	}
	for _, title := range sacrifices {
		if fits(chosen, r.width) {
			break
		}
		chosen = slices.DeleteFunc(chosen, func(p placed) bool { return p.title == title })
	}
	shrink(chosen, r.width)
	return chosen
}

// fits reports whether the columns can stand side by side.
func fits(columns []placed, room int) bool {
	wanted := 0
	switch {
	case has(columns, reasonTitle):
		wanted = comfortable
	case has(columns, costTitle) || has(columns, medianTitle):
		wanted = readable
	case has(columns, flagsTitle):
		wanted = known
	}
	for _, p := range columns {
		if p.title == testTitle {
			room -= max(0, min(p.width, wanted)-p.least())
		}
	}
	return leastSum(columns) <= room
}

func has(columns []placed, title string) bool {
	return slices.ContainsFunc(columns, func(p placed) bool { return p.title == title })
}

// over is what stands over the column.
func (c column) over() string {
	if c.heading != "" {
		return c.heading
	}
	return c.title
}

// want is the width of the widest cell and the title, up to what the column
// wants at most; 0 when every cell is empty.
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

func leastSum(columns []placed) int {
	sum := gap * (len(columns) - 1)
	for _, p := range columns {
		sum += p.least()
	}
	return sum
}

// shrink gives each column its least width and deals out what is left: to the
// names until they can be read, to the strips, to the reasons, and what these do
// not want to names and strips again.
func shrink(columns []placed, room int) {
	room -= leastSum(columns)
	wants := make([]int, len(columns))
	for i := range columns {
		wants[i], columns[i].width = columns[i].width, columns[i].least()
	}
	deal := func(title string, most int) {
		for i := range columns {
			if columns[i].title == title {
				more := max(0, min(most, room, wants[i]-columns[i].width))
				columns[i].width += more
				room -= more
			}
		}
	}
	deal(testTitle, comfortable)
	deal(trialsTitle, room/3)
	deal(reasonTitle, room)
	deal(pastTitle, room)
	deal(testTitle, room)
	deal(trialsTitle, room)
}
