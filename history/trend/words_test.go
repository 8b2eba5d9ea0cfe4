package trend

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/stats"
)

// TestTitle: a trend is called as its runs are, which are called as who ran them says.
func TestTitle(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "Trend of 0 tests over 0 runs"},
		{[]string{"", ""}, "Trend of 0 tests over 2 runs"},
		{[]string{"nightly", "", "nightly"}, "Trend of nightly: 0 tests over 3 runs"},
		{[]string{"nightly", "weekly"}, "Trend of nightly and weekly: 0 tests over 2 runs"},
		{[]string{"a", "b", "c", "d"}, "Trend of 0 tests over 4 runs"},
	} {
		trend := Trend{}
		for _, name := range c.names {
			trend.Runs = append(trend.Runs, Run{Name: name})
		}
		if got := trend.Title(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.names, got, c.want)
		}
	}
	for want, r := range map[string]Run{
		"this run":                            {Name: "nightly"},
		"run 0123abcd":                        {ID: "0123abcd4567"},
		"run 0123abcd of 2026-03-01":          {ID: "0123abcd4567", StartedAt: "2026-03-01T04:00:00Z"},
		"nightly 17 (0123abcd) of 2026-03-01": {ID: "0123abcd4567", Name: "nightly", Given: "17", StartedAt: "2026-03-01T04:00:00Z"},
		"pipeline 4711 (0123abcd)":            {ID: "0123abcd4567", Given: "pipeline 4711"},
	} {
		if got := nameOf(&r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestByOwner(t *testing.T) {
	made := handMade(map[string]string{
		"broke": "555555550000", "also broke": "555555550000", "flaky": "535453423434", "fine": "555555555555", "fine too": "555555555555",
	})
	owners := map[string][]string{"broke": {"@web", "@all"}, "also broke": {"@web"}, "flaky": {"@all", "@ops"}, "fine": {"@web"}, "fine too": {"@calm"}}
	for i := range made.Tests {
		made.Tests[i].Owners = owners[made.Tests[i].Test]
	}
	var got []string
	for _, o := range made.ByOwner() {
		got = append(got, o.Owner+" "+o.Says())
	}
	want := []string{"@all 1 broken, 1 flaky of 2 tests", "@web 2 broken of 3 tests", "@ops 1 flaky of 1 test"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

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

// scoredSeries makes a trend of one test from the mean scores of runs of n trials, half of
// which lie 0.02 above their mean and half below; the test passes from 0.8 on.
func scoredSeries(n int, means ...float64) *Trend {
	b := NewBuilder(0.95)
	b.Ever()
	test := b.Test(envelope.Key{Test: "t"})
	for i, mean := range means {
		b.Run(fmt.Sprintf("%08d", i+1), envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
		status := envelope.Pass
		if mean < 0.8 {
			status = envelope.Fail
		}
		b.Point(test, Point{Counted: int32(n), Passed: int32(n), Status: CodeOf(status), CostUSD: math.NaN(), DurationMS: math.NaN(),
			Scores: &Scores{Scored: stats.Scored{N: n, Mean: mean, Squares: 0.0004 * float64(n)}, Decide: true}})
	}
	return b.Trend()
}

// TestStatesOfScores: every trial passes by its score from 0.5 on. The p-value of a step is
// about the rarest of all arrangements, 2/C(40, 16). Without a trend it is that over all orders.
func TestStatesOfScores(t *testing.T) {
	for _, c := range []struct {
		n        int
		means    []float64
		state    State
		evidence string
	}{
		{8, []float64{0.92, 0.62, 0.92, 0.62}, New, "mean score 0.77 in 4 runs; a state needs 5"},
		{8, []float64{0.92, 0.92, 0.92, 0.62, 0.62}, DriftingDown, "the mean score fell: 0.92 in 3 runs up to run 00000003, 0.62 in 2 runs since (p below 0.0001 if trials of a run are independent)"},
		{8, []float64{0.62, 0.61, 0.615, 0.92, 0.93}, DriftingUp, "the mean score rose: 0.615 in 3 runs up to run 00000003, 0.925 in 2 runs since (p below 0.0001 if trials of a run are independent)"},
		{8, []float64{0.9, 0.91, 0.9, 0.905, 0.9}, Stable, "mean score 0.903 in 5 runs, from 0.9 to 0.91, without a trend (p = 0.90)"},
		{8, []float64{0.62, 0.6, 0.61, 0.62, 0.6}, Broken, "mean score 0.61: failed in 5 runs"},
		{8, []float64{0.81, 0.79, 0.805, 0.81, 0.79}, Flaky, "mean score 0.801 in 5 runs, from 0.79 to 0.81, without a trend (p = 0.60); passed in 3 of 5 runs"},
	} {
		got := scoredSeries(c.n, c.means...).Tests[0]
		evidence, _, _ := strings.Cut(got.Evidence, "; changed over")
		if got.State != c.state || evidence != c.evidence || !got.ByScore {
			t.Errorf("%v: %s, %q\n\twant %s, %q", c.means, got.State, got.Evidence, c.state, c.evidence)
		}
	}
}

// TestScoresThatFall from run to run: two of all orders of seven runs are as extreme.
func TestScoresThatFall(t *testing.T) {
	test := scoredSeries(2, 0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93).Tests[0]
	if d := test.Drift; d == nil || math.Abs(d.PValue-2./5040) > 1e-12 || test.State != DriftingDown {
		t.Errorf("%s, %+v", test.State, test.Drift)
	}
}

// TestEverOfScores is the process of nights, fed with mean scores: the same as of passes of
// the same shares.
func TestEverOfScores(t *testing.T) {
	var means []float64
	want, logE := stats.NewNightsE(), 0.
	for i := range 90 {
		passed := 92 - 40*(i/30%2)
		means = append(means, float64(passed)/100)
		logE = want.Add(passed, 100)
	}
	e := scoredSeries(10, means[:60]...).Tests[0].Ever
	if !e.Changed || e.Since != "run 00000030" || e.BeforeScore.V != 0.92 || e.AfterScore.V != 0.52 || e.Before != nil {
		t.Errorf("%+v", e)
	}
	if got := scoredSeries(10, means...).Tests[0].Ever.LogE; math.Abs(got-logE) > 1e-9 {
		t.Errorf("log e %v, want %v", got, logE)
	}
	if e := scoredSeries(10, 5, 6, 5).Tests[0].Ever; e.LogE != 0 || e.Changed {
		t.Errorf("scores beyond 0 to 1: %+v", e)
	}
}

// TestOutcomesAsScores: scores that are all 0 or 1, and scores beside a status, leave a test
// to its passes.
func TestOutcomesAsScores(t *testing.T) {
	for _, s := range []Scores{{stats.Cluster{Passed: 3, N: 4}.Scored(), true}, {stats.Scored{N: 4, Mean: 0.75, Squares: 0.01}, false}} {
		b := NewBuilder(0.95)
		b.Run("1", envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
		b.Point(b.Test(envelope.Key{Test: "t"}), Point{Counted: 4, Passed: 3, Status: CodeOf(envelope.Fail), Scores: &s})
		if got := b.Trend().Tests[0]; got.ByScore || got.Strip != "M" {
			t.Errorf("%+v: %+v", s, got)
		}
	}
}
