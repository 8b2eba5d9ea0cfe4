package pretty

import (
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/history/trend"
)

// spending is a trend of runs that cost 1, 2, 3, … dollars, of which the last do
// not say; its one test failed in the first run and passed since.
func spending(runs, silent int) *trend.Trend {
	t := &trend.Trend{Stored: runs, Confidence: 0.95}
	test := trend.Test{Key: envelope.Key{Suite: "s", Test: "t"}, State: trend.Flaky, Strip: "F" + strings.Repeat("P", runs-1), Runs: runs, Counted: runs, Passed: runs - 1}
	for i := range runs {
		r := trend.Run{ID: strconv.Itoa(i), Counted: 1, Passed: 1}
		if i < runs-silent {
			r.CostUSD = envelope.Some(float64(i + 1))
		}
		t.Runs = append(t.Runs, r)
		test.Points = append(test.Points, trend.Point{Run: int32(i), Counted: 1, Passed: int32(min(i, 1))})
	}
	t.Tests = []trend.Test{test}
	return t
}

// TestTrendSaysNothingOfAPartAsOfAll: how many runs fit is no matter of numbers.
func TestTrendSaysNothingOfAPartAsOfAll(t *testing.T) {
	for _, c := range []struct {
		runs, silent, width int
		want, not           string
		reason              string
	}{
		{40, 0, 0, "$40.00 in the last, median $20.50", "the latest", "all runs fit; the middle of an even number of values"},
		{40, 0, 60, "$40.00 in the last, median $20.50", "", "few fit: the median is still that of all"},
		{40, 0, 60, "Runs: the latest ", "", "and the row of signs says that it is not all"},
		{41, 1, 0, "none in the last, median $20.50", "$40.00 in the last", "the last run does not say what it cost"},
	} {
		var b strings.Builder
		if err := WriteTrend(&b, spending(c.runs, c.silent), Options{Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.reason, c.want, c.not, got)
		}
	}
}
