package markdown

import (
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// mostVariants is how many variants are shown side by side.
const mostVariants = 12

// matrix is the tests that have several variants, a column per variant.
func matrix(tests []envelope.Test) *part {
	rows := several(tests)
	variants := variantsOf(rows)
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

// several are the tests of each suite and name that there are several of. Those
// of one name are neighbours in the envelope.
func several(tests []envelope.Test) [][]*envelope.Test {
	var rows [][]*envelope.Test
	for from := 0; from < len(tests); {
		same := []*envelope.Test{&tests[from]}
		for to := from + 1; to < len(tests) && tests[to].Suite == tests[from].Suite && tests[to].Test == tests[from].Test; to++ {
			same = append(same, &tests[to])
		}
		if from += len(same); len(same) > 1 {
			rows = append(rows, same)
		}
	}
	return rows
}

func variantsOf(rows [][]*envelope.Test) []string {
	set := map[string]bool{}
	for _, row := range rows {
		for _, t := range row {
			set[t.Variant] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), envelope.CompareNames)
}

func matrixRow(tests []*envelope.Test, variants []string) string {
	cells := make([]string, 1+len(variants))
	cells[0] = codeOr(envelope.Key{Suite: tests[0].Suite, Test: tests[0].Test}.RunnerName(), nameLimit, "(no name)")
	for _, t := range tests {
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		cells[1+at] = standing.Mark(t.Status) + " " + passedOf(t)
	}
	return row(cells...)
}
