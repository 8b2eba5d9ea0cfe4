package history

import (
	"math"
	"testing"

	"tribunal/history/trend"
	"tribunal/stats"
)

// TestPackedScores: scores come out as they went in, and counts without any keep the form
// that earlier versions read.
func TestPackedScores(t *testing.T) {
	plain := trend.Point{Counted: 5, Passed: 4, CostUSD: math.NaN(), DurationMS: 12}
	scored := trend.Point{Counted: 3, Passed: 3, Flaky: true, CostUSD: 0.5, DurationMS: math.NaN(), Scores: &trend.Scores{Scored: stats.Scored{N: 3, Mean: 0.7, Squares: 0.02}, Decide: true}}
	if b := packCounts([]trend.Point{plain}); b[0] != countsForm {
		t.Errorf("counts alone have form %d", b[0])
	}
	var got []trend.Point
	if err := unpackCounts(packCounts([]trend.Point{plain, scored}), 2, func(_ int, p trend.Point) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	if got[0].Scores != nil || got[0].DurationMS != 12 || *got[1].Scores != *scored.Scores || got[1].CostUSD != 0.5 || !got[1].Flaky {
		t.Errorf("%+v, %+v", got[0], got[1])
	}
}
