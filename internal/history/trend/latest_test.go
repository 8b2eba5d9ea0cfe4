package trend

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/stats"
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
	course := handMade(map[string]string{
		"broke at c8":        "555555550000",
		"broke and is gone":  "55555555000-",
		"falls":              "554544343323", // DRIFTING DOWN: no single run is the first
		"falls and passes":   "545544321105",
		"flaky from c5":      "555553423434",
		"fixed at c6":        "222222555555",
		"fails now":          "535353535354",
		"failed before, too": "553355535344", // the run before failed as well
		"never passed":       "000000000000",
		"slow":               "555555555555",
		"cheap":              "555555555555",
	})
	l := course.Latest()
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
		{l.Slipping, []string{"falls and passes: -1 to -1"}},
		{l.NewFlaky, []string{"flaky from c5: 4 to 5"}},
		{l.Failing, []string{"fails now: 10 to 11"}},
		{l.Fixed, []string{"fixed at c6: 5 to 6"}},
	} {
		if got := words(c.list); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for kind, all := range map[envelope.Kind][]Change{envelope.KindRegressed: l.Regressed, envelope.KindFlaky: append(l.NewFlaky, l.Failing...)} {
		for _, c := range all { // a headline counts the same tests
			e := envelope.Test{Status: envelope.Fail, Trials: envelope.TrialCounts{Counted: 5, Passed: 3}, History: c.Test.Past(12)}
			if e.KindOf() != kind {
				t.Errorf("%s is %s in a headline, want %s", c.Test.Key.Test, e.KindOf(), kind)
			}
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

// everOf makes a trend of one test with evidence over all runs, of which the first lie before the window.
func everOf(words string, earlier int) *Trend {
	b := NewBuilder(0.95)
	b.Ever()
	test := b.Test(envelope.Key{Test: "t"})
	b.Test(envelope.Key{Test: "gone"})
	for i, word := range strings.Fields(words) {
		id := fmt.Sprintf("%08d", i+1)
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i).Format(time.RFC3339)
		p, ok := pointOf(word)
		if i < earlier {
			b.Earlier(Run{ID: id, StartedAt: start})
			if ok {
				b.EarlierPoint(test, p)
			}
			b.EarlierPoint(1, Point{Counted: 1})
			continue
		}
		b.Run(id, envelope.RunHeader{Header: envelope.Header{StartedAt: start}}, envelope.Effective{}, envelope.Summary{})
		if ok {
			b.Point(test, p)
		}
	}
	return b.Trend()
}

// TestEver: where runs stand does not matter to evidence over all of them, and a test that is only in earlier ones is not in the window.
func TestEver(t *testing.T) {
	series := again("20/20", 60) + again("12/20", 20)
	whole, cut := everOf(series, 0), everOf(series, 70)
	if len(cut.Tests) != 1 || len(cut.Runs) != 10 || len(cut.Earlier) != 70 {
		t.Fatalf("%d tests, %d runs, %d earlier", len(cut.Tests), len(cut.Runs), len(cut.Earlier))
	}
	w, c := whole.Tests[1].Ever, cut.Tests[0].Ever
	if whole.Tests[0].Key.Test != "gone" {
		t.Fatal(whole.Tests[0].Key)
	}
	if w.LogE != c.LogE || w.LogETrials != c.LogETrials || !c.Changed || c.Runs != 80 {
		t.Errorf("whole %+v, cut %+v", w, c)
	}
	if want := "; changed over all 80 runs, most likely after run 00000060 of 2026-03-01: 1200 of 1200 (100 %) passed before, 240 of 400 (60 %) since (e = "; !strings.Contains(cut.Tests[0].Evidence, want) {
		t.Errorf("%q lacks %q", cut.Tests[0].Evidence, want)
	}
	if !(c.LogETrials > c.LogE) {
		t.Errorf("independent trials say more: %+v", c)
	}
	steady := everOf(again("19/20 20/20 18/20", 40), 100).Tests[0]
	if steady.Ever.Changed || steady.Ever.LogE >= math.Log(20) || strings.Contains(steady.Evidence, "changed") {
		t.Errorf("a steady test: %+v %s", steady.Ever, steady.Evidence)
	}
	if alike := everOf(again("5/5", 30), 0).Tests[1]; alike.Ever.LogE != 0 || alike.Ever.Runs != 30 {
		t.Errorf("all passed: %+v", alike.Ever)
	}
	if seriesOf("5/5 4/5").Tests[0].Ever != nil {
		t.Error("evidence that nobody asked for")
	}
}

// TestReleaseHowever by hand, against 0.9: a sample that passes multiplies the three bets
// by 1 + 1/36, 1 + 1/18 and 1 + 1/9; their mean is 19.8 after 37 samples and 21.8 after 38.
// Of independent trials n passes are (1 - 0.9^(n+1))/((n+1) 0.1 0.9^n): 16.3 after 40, and
// 22.8 after 44.
func TestReleaseHowever(t *testing.T) {
	for _, c := range []struct {
		series, by string
		leaves     bool
		says       string
	}{
		{again("5/5", 37), ByRuns, false, "too few runs (37): 1 more like the last, all passed, would be enough"},
		{again("5/5", 38), ByRuns, true, "evidence (e-value) 22 in 38 runs; 20 is needed, which "},
		{again("4/4", 10), ByTrials, false, "1 more like the last, all passed, would be enough"},
		{again("4/4", 11), ByTrials, true, "in 11 runs"},
	} {
		tr := everOf(c.series, 0)
		got := tr.Release(&tr.Tests[1], Leaving{Threshold: 0.9, By: c.by})
		if got.Leaves != c.leaves || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s by %s: %+v, want %v and %q", c.series, c.by, got, c.leaves, c.says)
		}
	}
	tr := everOf(again("0/5", 30)+again("5/5", 60), 30)
	begun := Leaving{Threshold: 0.9, By: ByRuns, Since: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}
	if got := tr.Release(&tr.Tests[0], begun); !got.Leaves || !strings.Contains(got.Why, "in 60 runs") {
		t.Errorf("what came before the entry does not count: %+v", got)
	}
	begun.Since = time.Time{}
	if got := tr.Release(&tr.Tests[0], begun); got.Leaves {
		t.Errorf("all of it counts where the entry names no day: %+v", got)
	}
}

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
		{again("5/5", 7), true, "35 of 35 trials in 7 runs passed, 90.1 to 100.0 %: above 90 %", "35 straight passes are the fewest for 0.90 under Wilson at 95 %: 35/(35+3.8416) = 0.9011"},
		{again("17/17", 2), false, "; 1 more pass would raise it above that", "34/(34+3.8416) = 0.8985"},
		{"3/5", false, "is not above 90 %", "flaky still"},
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
		{8, []float64{0.92, 0.62, 0.92, 0.62}, New, "mean score 0.77; other states need 5 runs"},
		{8, []float64{0.92, 0.92, 0.92, 0.62, 0.62}, DriftingDown, "the mean score fell: 0.92 in 3 runs up to run 00000003, 0.62 in 2 runs since (p below 0.0001 if trials of a run are independent)"},
		{8, []float64{0.62, 0.61, 0.615, 0.92, 0.93}, DriftingUp, "the mean score rose: 0.615 in 3 runs up to run 00000003, 0.925 in 2 runs since (p below 0.0001 if trials of a run are independent)"},
		{8, []float64{0.9, 0.91, 0.9, 0.905, 0.9}, Stable, "mean score 0.903 in 5 runs, between 0.9 and 0.91, no steady rise or fall (p = 0.90)"},
		{8, []float64{0.62, 0.6, 0.61, 0.62, 0.6}, Broken, "mean score 0.61; failed in 5 of 5 runs"},
		{8, []float64{0.81, 0.79, 0.805, 0.81, 0.79}, Flaky, "mean score 0.801 in 5 runs, between 0.79 and 0.81, no steady rise or fall (p = 0.60); passed in 3 of 5 runs"},
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

// TestEverOfScores is the process of samples, fed with mean scores: the same as of passes of the same shares.
func TestEverOfScores(t *testing.T) {
	var means []float64
	want, logE := stats.NewRunsE(), 0.
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

// TestOutcomesAsScores: scores that are all 0 or 1, and scores beside a status, leave a test to its passes.
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
