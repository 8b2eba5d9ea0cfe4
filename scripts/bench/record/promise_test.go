package record

import (
	"math"
	"strings"
	"testing"
)

func TestPromisesAreJudged(t *testing.T) {
	var b strings.Builder
	missed := Promises(&b, []Promise{
		{What: "on the limit", Value: 5, Limit: 5, Unit: "MB"},
		{What: "above it", Value: 5.01, Limit: 5, Unit: "MB"},
		{What: "above a lower limit", Value: 0.75, Limit: 0.7, AtLeast: true},
		{What: "below a lower limit", Value: 0.69, Limit: 0.7, AtLeast: true},
		{What: "unknown", Value: math.NaN(), Limit: 1},
	})
	want := `| target | measured | promised | |
| --- | ---: | ---: | --- |
| on the limit | 5 | at most 5 MB | met |
| above it | 5.01 | at most 5 MB | **not met** |
| above a lower limit | 0.75 | at least 0.7 | met |
| below a lower limit | 0.69 | at least 0.7 | **not met** |
| unknown | not measured | at most 1 | |
`
	if b.String() != want || missed != 2 {
		t.Errorf("%d missed, want 2, in\n%s", missed, &b)
	}
}
