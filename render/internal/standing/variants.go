package standing

import (
	"maps"
	"slices"

	"tribunal/envelope"
)

// ByName are the tests of each suite and name, which are neighbours in an envelope.
func ByName(tests []envelope.Test) [][]envelope.Test {
	var rows [][]envelope.Test
	for len(tests) > 0 {
		n := slices.IndexFunc(tests, func(t envelope.Test) bool { return t.Suite != tests[0].Suite || t.Test != tests[0].Test })
		if n < 0 {
			n = len(tests)
		}
		rows, tests = append(rows, tests[:n]), tests[n:]
	}
	return rows
}

// Variants are those of tests by name, in order.
func Variants(rows [][]envelope.Test) []string {
	set := map[string]bool{}
	for _, row := range rows {
		for i := range row {
			set[row[i].Variant] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), envelope.CompareNames)
}
