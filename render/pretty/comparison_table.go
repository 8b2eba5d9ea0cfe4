package pretty

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/compare"
	"tribunal/internal/words"
)

// How many tests are shown: all that changed up to a bound that no terminal
// scrolls back, and of those that only might have changed the nearest ones.
const (
	mostChanged = 200
	mostMaybe   = 15
)

const pTitle = "p"

// facet is a column of the table of changes.
type facet struct {
	title string
	right bool
	// keep is how long the column stays when the terminal is narrow; the ones
	// with the least go first, 0 never.
	keep  int
	cell  func(r *comparison, t *compare.Test) string
	paint func(r *comparison, t *compare.Test, cell string) string
}

var facets = []facet{
	{title: "State", cell: func(_ *comparison, t *compare.Test) string { return t.State.Word() }, paint: statePaint},
	{title: "Test"},
	{title: "Base", right: true, keep: 7, cell: func(_ *comparison, t *compare.Test) string { return t.Compared(t.Base.Trials) }},
	{title: "Cand", right: true, keep: 8, cell: func(_ *comparison, t *compare.Test) string { return t.Compared(t.Candidate.Trials) }},
	{title: "Points", right: true, keep: 6, cell: func(_ *comparison, t *compare.Test) string { return t.Points() }},
	{title: intervalColumn, keep: 4, cell: betweenFacet, paint: func(r *comparison, _ *compare.Test, cell string) string { return r.ink.faint.Render(cell) }},
	{title: pTitle, right: true, keep: 5, cell: func(_ *comparison, t *compare.Test) string { return t.DecidingP() }},
	{title: "Newly", keep: 3, cell: func(_ *comparison, t *compare.Test) string { return t.Newly },
		paint: func(r *comparison, _ *compare.Test, cell string) string { return r.ink.flag.Render(cell) }},
	{title: "Score", right: true, keep: 2, cell: func(_ *comparison, t *compare.Test) string { return t.ScorePoints() }},
	{title: "Time", right: true, keep: 2, cell: func(_ *comparison, t *compare.Test) string { return t.DurationMS.Relative() }},
	{title: "Cost", right: true, keep: 1, cell: func(_ *comparison, t *compare.Test) string { return t.CostUSD.Relative() }},
}

func statePaint(r *comparison, t *compare.Test, cell string) string {
	return r.ink.ofState(t.State).Render(cell)
}

func betweenFacet(_ *comparison, t *compare.Test) string {
	if t.Difference == nil {
		return ""
	}
	return t.Difference.Interval()
}

// changes writes the table of tests.
func (r *comparison) changes(tests []*compare.Test) error {
	columns, rows := r.facets(tests)
	at := slices.IndexFunc(columns, func(c placed) bool { return c.title == testTitle })
	room := columns[at].width
	for i, t := range tests {
		rows[i][at] = r.fit(keyName(&r.sheet, t.Key), room).paint(&r.sheet)
	}
	if err := r.table(columns, rows); err != nil {
		return err
	}
	r.legend(tests, columns)
	return nil
}

// legend explains the signs that these tests have.
func (r *comparison) legend(tests []*compare.Test, columns []placed) {
	if signs := compare.Legend(tests, r.c.Settings, has(columns, pTitle)); len(signs) > 0 {
		r.text("", "", r.ink.faint.Render(strings.Join(signs, r.sign.dot)), 2)
	}
}

// facets makes every column but the names, drops what is empty and what has no
// room, and leaves the rest of the width to the names.
func (r *comparison) facets(tests []*compare.Test) ([]placed, [][]string) {
	shown := make([]facet, 0, len(facets))
	cells, widths := map[string][]string{}, map[string]int{}
	for _, f := range facets {
		if f.cell == nil {
			shown, widths[f.title] = append(shown, f), r.nameWidth(tests)
			continue
		}
		cells[f.title] = make([]string, len(tests))
		widest := 0
		for i, t := range tests {
			cells[f.title][i] = f.cell(r, t)
			widest = max(widest, width(cells[f.title][i]))
		}
		if widest > 0 {
			shown, widths[f.title] = append(shown, f), max(widest, width(cmp.Or(r.over(f), f.title)))
		}
	}
	shown = r.narrow(shown, widths)
	columns, rows := make([]placed, len(shown)), make([][]string, len(tests))
	for at, f := range shown {
		columns[at] = placed{column{title: f.title, heading: r.over(f), right: f.right}, widths[f.title]}
		for i, t := range tests {
			rows[i] = append(rows[i], r.painted(f, t, cells[f.title], i))
		}
	}
	return columns, rows
}

// over stands over a column in place of its title.
func (r *comparison) over(f facet) string {
	if f.title == intervalColumn {
		return words.Level(r.c.Settings.Confidence) + " interval"
	}
	return ""
}

func (r *comparison) painted(f facet, t *compare.Test, cells []string, i int) string {
	switch {
	case cells == nil:
		return ""
	case f.paint == nil || cells[i] == "":
		return cells[i]
	}
	return f.paint(r, t, cells[i])
}

// nameWidth is the width of the widest name.
func (r *comparison) nameWidth(tests []*compare.Test) int {
	const most = 60
	widest := width(testTitle)
	for _, t := range tests {
		widest = max(widest, width(keyName(&r.sheet, t.Key).String()))
	}
	return min(widest, most)
}

// narrow drops columns until the names have room, and gives them what is left.
func (r *comparison) narrow(shown []facet, widths map[string]int) []facet {
	if r.width == 0 {
		return shown
	}
	for {
		left := r.width
		for _, f := range shown {
			left -= gap
			if f.title != testTitle {
				left -= widths[f.title]
			}
		}
		left += gap
		least := widths[testTitle]
		if !r.kept {
			least = min(least, readable)
		}
		last := leastKept(shown)
		if left >= least || last < 0 {
			widths[testTitle] = min(widths[testTitle], max(left, 4))
			return shown
		}
		shown = slices.Delete(shown, last, last+1)
	}
}

// leastKept is the column to drop first, -1 when none is left to drop.
func leastKept(shown []facet) int {
	at := -1
	for i, f := range shown {
		if f.keep > 0 && (at < 0 || f.keep < shown[at].keep) {
			at = i
		}
	}
	return at
}
