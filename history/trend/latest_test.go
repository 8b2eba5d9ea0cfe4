package trend

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
)

// handMade is a history of 12 runs of five trials, a test in a line: what passed in each
// run, - where the test was not in it. A test fails a run in which a trial failed.
func handMade(lines map[string]string) *Trend {
	b := NewBuilder(0.95)
	for r := range 12 {
		b.Run(fmt.Sprintf("%08d", r), envelope.RunHeader{Header: envelope.Header{Commit: fmt.Sprint("c", r)}}, envelope.Effective{}, envelope.Summary{})
		for name, line := range lines {
			if line[r] == '-' {
				continue
			}
			p := Point{Counted: 5, Passed: int32(line[r] - '0'), Status: CodeOf(envelope.Fail), CostUSD: 0.05, DurationMS: 100}
			if p.Passed == 5 {
				p.Status = CodeOf(envelope.Pass)
			}
			if strings.HasPrefix(name, "slow") && r == 11 {
				p.DurationMS = 126
			}
			if strings.HasPrefix(name, "cheap") && r == 11 {
				p.CostUSD = 0.03
			}
			b.Point(b.Test(envelope.Key{Test: name}), p)
		}
	}
	return b.Trend()
}

func TestLatest(t *testing.T) {
	l := handMade(map[string]string{
		"broke at c8":        "555555550000",
		"broke and is gone":  "55555555000-",
		"falls":              "554544343323", // DRIFTING DOWN: no single run is the first
		"flaky from c5":      "555553423434",
		"fixed at c6":        "222222555555",
		"fails now":          "535353535354",
		"failed before, too": "553355535344", // the run before failed as well
		"never passed":       "000000000000",
		"slow":               "555555555555",
		"cheap":              "555555555555",
	}).Latest()
	words := func(all []Change) (out []string) {
		for _, c := range all {
			out = append(out, fmt.Sprintf("%s: %d to %d", c.Test.Key.Test, c.Before, c.From))
		}
		return out
	}
	for _, c := range []struct {
		list []Change
		want []string
	}{
		{l.Regressed, []string{"broke at c8: 7 to 8", "falls: -1 to -1"}},
		{l.NewFlaky, []string{"flaky from c5: 4 to 5"}},
		{l.Failing, []string{"fails now: 10 to 11"}},
		{l.Fixed, []string{"fixed at c6: 5 to 6"}},
	} {
		if got := words(c.list); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	var found []string
	for _, o := range l.Outliers {
		found = append(found, fmt.Sprintf("%s %v %g %g %d", o.Test.Key.Test, o.Cost, math.Round(1e4*o.Value)/1e4, o.Median, o.Runs))
	}
	if want := []string{"cheap true 0.006 0.01 11", "slow false 126 100 11"}; !reflect.DeepEqual(found, want) {
		t.Errorf("outliers %q, want %q", found, want)
	}
}

// Tukey, Exploratory Data Analysis (1977), section 2D: far out is beyond three times the
// distance of the quartiles. Of 1 … 9 these are 3 and 7: far out is above 19 and below -9.
func TestOutlier(t *testing.T) {
	nine := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5}
	for _, c := range []struct {
		before []float64
		last   float64
		far    bool
		reason string
	}{
		{nine, 19, false, "at the fence"},
		{nine, 19.1, true, "beyond the fence"},
		{nine, -8, false, "above the lower fence"},
		{nine, -9.1, true, "below the lower fence"},
		{nine[:7], 1000, false, "too few runs before"},
		{[]float64{4, 4, 4, 4, 4, 4, 4, 4}, 4.9, false, "numbers that hardly vary"},
		{[]float64{4, 4, 4, 4, 4, 4, 4, 4}, 5, true, "a quarter more than always"},
		{[]float64{4, 4, 4, 4, 4, 4, 4, 4, math.NaN()}, 5, true, "a run without the number is left out"},
		{nine, math.NaN(), false, "the last run has none"},
	} {
		if _, far := outlier(append(append([]float64(nil), c.before...), c.last)); far != c.far {
			t.Errorf("%s: %v of %v: %v, want %v", c.reason, c.last, c.before, far, c.far)
		}
	}
	if _, far := outlier(nil); far {
		t.Error("nothing is an outlier of nothing")
	}
}

func TestWorstFirst(t *testing.T) {
	var got []string
	for _, test := range handMade(map[string]string{
		"a stable": "555555555555", "b flaky, passes now": "353535353535", "c flaky, fails now": "535353535354", "d worse, fails now": "515151515154",
		"e broken": "555555550000", "f fixed": "222222555555", "g never": "000000000000",
	}).WorstFirst() {
		got = append(got, test.Key.Test[:1])
	}
	if want := "g e d c b f a"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}
