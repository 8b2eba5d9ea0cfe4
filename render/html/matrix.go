package html

import (
	"maps"
	"slices"

	"tribunal/envelope"
)

// matrix is the tests by variant, when there are several.
type matrix struct {
	Note     string
	Open     bool
	Variants []string
	Rows     []matrixRow
}

type matrixRow struct {
	Name  string
	Cells []*matrixCell // nil where the test was not run
}

type matrixCell struct {
	ID     string
	Badge  badge
	Passed string
}

const (
	matrixVariants = 24 // wider, it is no table a person reads, and its size no longer follows the run's
	matrixOpen     = 12 // rows shown without a click
	matrixRows     = 500
)

// newMatrix returns nil for a run of one variant.
func newMatrix(tests []envelope.Test) *matrix {
	variants := variantsOf(tests)
	if len(variants) < 2 {
		return nil
	}
	m := &matrix{Note: plural(int64(len(variants)), "variant")}
	if len(variants) > matrixVariants {
		m.Note += ", too many to show side by side"
		return m
	}
	for _, v := range variants {
		m.Variants = append(m.Variants, name(v, "no variant"))
	}
	m.fill(tests, variants)
	m.Note = plural(int64(len(m.Rows)), "test") + " × " + m.Note
	m.Open = len(m.Rows) <= matrixOpen
	m.cut()
	return m
}

// cut leaves rows out of a matrix that nobody could read: those of tests that
// pass under every variant first.
func (m *matrix) cut() {
	all := len(m.Rows)
	if all <= matrixRows {
		return
	}
	m.Rows = slices.DeleteFunc(m.Rows, passesEverywhere)
	m.Rows = m.Rows[:min(len(m.Rows), matrixRows)]
	m.Note += "; shown are " + count(int64(len(m.Rows))) + " that do not pass under every variant"
}

func passesEverywhere(r matrixRow) bool {
	return !slices.ContainsFunc(r.Cells, func(c *matrixCell) bool { return c == nil || c.Badge.Class != string(envelope.Pass) })
}

func variantsOf(tests []envelope.Test) []string {
	set := map[string]bool{}
	for i := range tests {
		set[tests[i].Variant] = true
	}
	return slices.SortedFunc(maps.Keys(set), envelope.CompareNames)
}

// fill makes a row for each suite and test; those of one test are neighbours.
func (m *matrix) fill(tests []envelope.Test, variants []string) {
	var last envelope.Key
	for i := range tests {
		t := &tests[i]
		key := envelope.Key{Suite: t.Suite, Test: t.Test}
		if i == 0 || key != last {
			title := envelope.Key{Suite: name(t.Suite, ""), Test: name(t.Test, "no name")}
			m.Rows = append(m.Rows, matrixRow{Name: title.String(), Cells: make([]*matrixCell, len(variants))})
			last = key
		}
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		m.Rows[len(m.Rows)-1].Cells[at] = &matrixCell{testID(t.Key), newBadge(t.Status), passedOf(t)}
	}
}
