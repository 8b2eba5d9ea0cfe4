package markdown

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// mostVariants is how many variants are shown side by side.
const mostVariants = 12

// matrix is the tests that have several variants, a column per variant.
func matrix(tests []envelope.Test) *part {
	rows := slices.DeleteFunc(standing.ByName(tests), func(of []envelope.Test) bool { return len(of) < 2 })
	variants := standing.Variants(rows)
	p := &part{rank: rankMatrix, n: len(rows), close: "\n", noun: always("row of the matrix", "rows of the matrix")}
	if len(variants) > mostVariants {
		s := "### Variants\n\n" + words.Plural(len(variants), "variant", "variants") + " are too many to show side by side.\n\n"
		return one(rankMatrix, s, "remark on variants", "remarks on variants")
	}
	titles := []string{"Test"}
	for _, v := range variants {
		titles = append(titles, codeOr(v, titleLimit, "(no variant)"))
	}
	p.open = "### Variants\n\n" + table(titles...)
	p.item = func(i int) string { return matrixRow(rows[i], variants) }
	return p
}

func matrixRow(tests []envelope.Test, variants []string) string {
	cells := make([]string, 1+len(variants))
	cells[0] = codeOr(envelope.Key{Suite: tests[0].Suite, Test: tests[0].Test}.RunnerName(), nameLimit, "(no name)")
	for i := range tests {
		t := &tests[i]
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		cells[1+at] = standing.Mark(t.Status) + " " + passedOf(t)
	}
	return row(cells...)
}
