package stats

import (
	"math"
	"testing"
)

func TestCleanStretch(t *testing.T) {
	for _, c := range []struct {
		stretch, failed, all int
		want                 float64
		reason               string
	}{
		{3, 2, 5, 1. / 10, "both failures among the other two: 1 of C(5,2)"},
		{2, 3, 5, 1. / 10, "the same the other way round"},
		{1, 1, 4, 3. / 4, "one failure anywhere but there"},
		{0, 3, 5, 1, "no stretch at all"},
		{4, 0, 5, 1, "nothing failed"},
		{3, 3, 5, 0, "six do not fit into five"},
		{1_000_000, 1, 2_000_000, 0.5, "no overflow at a million"},
		{10, 10, 20, 1. / 184756, "1 of C(20,10)"},
	} {
		near(t, "CleanStretch", CleanStretch(c.stretch, c.failed, c.all), c.want, 1e-12, c.reason)
	}
	for _, c := range [][3]int{{-1, 0, 3}, {4, 0, 3}, {0, 4, 3}, {0, -1, 3}} {
		if p := CleanStretch(c[0], c[1], c[2]); !math.IsNaN(p) {
			t.Errorf("CleanStretch(%v) = %v, want NaN", c, p)
		}
	}
}
