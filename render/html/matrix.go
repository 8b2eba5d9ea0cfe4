package html

import (
	"slices"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
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
	rows := standing.ByName(tests)
	variants := standing.Variants(rows)
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
	m.Note = plural(int64(len(rows)), "test") + " × " + m.Note
	if len(rows) > matrixRows {
		rows = slices.DeleteFunc(rows, func(of []envelope.Test) bool { return passesEverywhere(of, len(variants)) })
		rows = rows[:min(len(rows), matrixRows)]
		m.Note += "; shown are " + count(int64(len(rows))) + " that do not pass under every variant"
	}
	for _, of := range rows {
		m.Rows = append(m.Rows, newMatrixRow(of, variants))
	}
	m.Open = len(m.Rows) <= matrixOpen
	return m
}

// passesEverywhere says that a test passes under each of so many variants: its row is
// the first to be left out of a matrix that nobody could read.
func passesEverywhere(of []envelope.Test, variants int) bool {
	return len(of) == variants && !slices.ContainsFunc(of, func(t envelope.Test) bool { return t.Status != envelope.Pass })
}

func newMatrixRow(of []envelope.Test, variants []string) matrixRow {
	title := envelope.Key{Suite: name(of[0].Suite, ""), Test: name(of[0].Test, "no name")}
	row := matrixRow{Name: title.RunnerName(), Cells: make([]*matrixCell, len(variants))}
	for i := range of {
		t := &of[i]
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		row.Cells[at] = &matrixCell{testID(t.Key), newBadge(t.Status), passedOf(t)}
	}
	return row
}
