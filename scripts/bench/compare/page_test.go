package main

import (
	"math"
	"testing"
)

func TestTargetsAreJudged(t *testing.T) {
	for _, c := range []struct {
		target
		value float64
		want  string
	}{
		{target{limit: 5}, 5, "| x | 5 | at most 5 | met |\n"},
		{target{limit: 5}, 5.01, "| x | 5.01 | at most 5 | **not met** |\n"},
		{target{limit: 0.7, atLeast: true}, 0.75, "| x | 0.75 | at least 0.7 | met |\n"},
		{target{limit: 0.7, atLeast: true}, 0.69, "| x | 0.69 | at least 0.7 | **not met** |\n"},
		{target{limit: 1}, math.NaN(), "| x | not measured | at most 1 | |\n"},
	} {
		if row, missed := c.row("x", c.value); row != c.want || missed != (c.value == 5.01 || c.value == 0.69) {
			t.Errorf("%v of %+v: %q, missed %v", c.value, c.target, row, missed)
		}
	}
}
