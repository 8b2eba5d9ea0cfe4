package trend

import (
	"strings"
	"testing"
)

func TestRelease(t *testing.T) {
	for _, c := range []struct {
		series string
		leaves bool
		words  string
		reason string
	}{
		{again("5/5", 7), true, "35 of 35 trials in 7 runs passed, 90.1 to 100.0 %: wholly above 90 %", "35 straight passes are the fewest for 0.90 under Wilson at 95 %: 35/(35+3.8416) = 0.9011"},
		{again("17/17", 2), false, "; 1 more pass in a row would be enough", "34/(34+3.8416) = 0.8985"},
		{"3/5", false, "not wholly above 90 %", "flaky still"},
		{again("5/5", 8) + again("3/5", 4), false, "NEW-FLAKY: all 40 trials", "it began to fail"},
		{again("50/50", 8) + "0/5", false, "BROKEN: ", "broken, though its rate over all runs is high"},
		{"x3", false, "no trial was counted in 1 run", "nothing to go by"},
	} {
		tr := seriesOf(c.series)
		got := tr.Release(&tr.Tests[0], Leaving{Threshold: 0.9, By: ByWindow})
		if got.Leaves != c.leaves || !strings.Contains(got.Why, c.words) {
			t.Errorf("%s: %v, %q; want %v, %q: %s", c.series, got.Leaves, got.Why, c.leaves, c.words, c.reason)
		}
	}
}
