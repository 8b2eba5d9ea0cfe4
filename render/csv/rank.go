package csv

import (
	"errors"
	"io"
	"strconv"

	"tribunal/compare/rank"
)

// WriteRanking writes a row per variant, the first place first. The error is that of
// the writer.
func WriteRanking(w io.Writer, r *rank.Ranking) error {
	if r == nil {
		return errors.New("csv: no ranking to write")
	}
	out := newTable(w, rankColumns)
	for i := range r.Variants {
		out.row(cells(rankColumns, &r.Variants[i]))
	}
	return out.end()
}

var rankColumns = []column[rank.Variant]{
	{"variant", func(v *rank.Variant) string { return words(v.Name) }},
	{"place", func(v *rank.Variant) string { return strconv.Itoa(v.Place) }},
	{"from", func(v *rank.Variant) string { return strconv.Itoa(v.From) }},
	{"to", func(v *rank.Variant) string { return strconv.Itoa(v.To) }},
	{"is_best", func(v *rank.Variant) string { return number(v.IsBest) }},
	{"rate", func(v *rank.Variant) string { return number(v.Mean.Value) }},
	{"lo", func(v *rank.Variant) string { return number(v.Mean.Lo) }},
	{"hi", func(v *rank.Variant) string { return number(v.Mean.Hi) }},
	{"shrunken_rate", func(v *rank.Variant) string { return optional(v.ShrunkenRate) }},
	{"trials", func(v *rank.Variant) string { return strconv.Itoa(v.N) }},
	{"passed", func(v *rank.Variant) string { return strconv.Itoa(v.Passed) }},
	{"excluded", func(v *rank.Variant) string { return strconv.Itoa(v.Excluded) }},
	{"cost_per_success_usd", func(v *rank.Variant) string { return optional(v.CostUSD) }},
	{"beaten", func(v *rank.Variant) string {
		if !v.Beaten.OK {
			return ""
		}
		return strconv.FormatBool(v.Beaten.V)
	}},
	{"more_trials", func(v *rank.Variant) string {
		if v.Telling == nil {
			return ""
		}
		return integer(v.Telling.Trials.V, v.Telling.Trials.OK)
	}},
	{"more_tests", func(v *rank.Variant) string {
		if v.Telling == nil {
			return ""
		}
		return integer(v.Telling.Tests.V, v.Telling.Tests.OK)
	}},
}
