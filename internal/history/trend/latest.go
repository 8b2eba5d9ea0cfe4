package trend

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// Latest is what the last run shows against those before it. A test that is not in the last run is in none of its lists.
type Latest struct {
	Regressed []Change // fails, and its past is worse than before: the kind regressed
	Slipping  []Change // DRIFTING DOWN, and passes in the last run
	NewFlaky  []Change // NEW-FLAKY
	Failing   []Change // failed in the last run and passed in the one before, which may be chance
	Fixed     []Change // FIXED
	Outliers  []Outlier
}

// Change is a test that changed, with the runs between which it did; -1 where no single run is the first.
type Change struct {
	Test         *Test
	Before, From int
}

// Latest compares the last run with those before it.
func (t *Trend) Latest() Latest {
	var l Latest
	last := len(t.Runs) - 1
	for i := range t.Tests {
		test := &t.Tests[i]
		if len(test.Points) == 0 || int(test.Points[len(test.Points)-1].Run) != last {
			continue
		}
		switch {
		case test.State == DriftingDown && !test.failsNow():
			l.Slipping = append(l.Slipping, Change{test, -1, -1})
		case test.State == DriftingDown:
			l.Regressed = append(l.Regressed, Change{test, -1, -1})
		case test.Past(len(t.Runs)).Worse():
			l.Regressed = append(l.Regressed, test.changed(true, func(p Point) bool { return p.Passed > 0 }))
		case test.State == NewFlaky:
			l.NewFlaky = append(l.NewFlaky, test.changed(false, func(p Point) bool { return p.Passed == p.Counted }))
		case test.State == Fixed:
			l.Fixed = append(l.Fixed, test.changed(true, func(p Point) bool { return p.Passed < p.Counted }))
		case test.failsNow():
			if c := test.changed(true, func(p Point) bool { return !p.failed() }); c.Before >= 0 && c.From == last {
				l.Failing = append(l.Failing, c)
			}
		}
		l.Outliers = append(l.Outliers, t.outliers(test)...)
	}
	for _, all := range [][]Change{l.Regressed, l.NewFlaky, l.Failing, l.Fixed} {
		slices.SortStableFunc(all, func(a, b Change) int { return b.From - a.From })
	}
	l.Outliers = append(t.runOutliers(), l.Outliers...)
	return l
}

// Past is what a report says of a test after so many runs.
func (test *Test) Past(runs int) *envelope.Past {
	const pastShown = 20
	return &envelope.Past{State: string(test.State), Evidence: test.Evidence, StateRuns: test.Runs, Runs: runs,
		Strip: test.Strip[max(0, len(test.Strip)-pastShown):]}
}

func (p Point) failed() bool {
	return p.Status.Status() == envelope.Fail || p.Status.Status() == envelope.Error
}

func (test *Test) failsNow() bool { return test.Points[len(test.Points)-1].failed() }

// changed finds the runs between which a test left what it was before: the last run that
// was like that and the one after it, or, from the beginning, the first that was not.
func (test *Test) changed(last bool, before func(Point) bool) Change {
	c := Change{test, -1, -1}
	for _, p := range test.Points {
		switch {
		case p.Counted == 0 && !p.failed():
		case before(p):
			if !last && c.From >= 0 {
				return c
			}
			c.Before, c.From = int(p.Run), -1
		case c.From < 0:
			c.From = int(p.Run)
		}
	}
	return c
}

// Outlier is a number of the last run that lies far from those of the runs before.
type Outlier struct {
	Test   *Test // nil for the run
	Cost   bool  // a trial's cost in dollars; else a trial's time in milliseconds
	Value  float64
	Median float64 // of the runs before
	Runs   int     // that have the number, before the last
}

// outlier holds the last value against those before: it lies beyond Tukey's outer fences,
// three times the distance of the quartiles from these, and at least a quarter beside the
// median, so that numbers that hardly vary are none. NaN is no value.
func outlier(values []float64) (Outlier, bool) {
	if len(values) == 0 {
		return Outlier{}, false
	}
	o := Outlier{Value: values[len(values)-1]}
	before := slices.DeleteFunc(slices.Clone(values[:len(values)-1]), math.IsNaN)
	const fewestBefore = 8
	if o.Runs = len(before); o.Runs < fewestBefore || math.IsNaN(o.Value) {
		return o, false
	}
	slices.Sort(before)
	low, high := quartile(before, 1), quartile(before, 3)
	o.Median = quartile(before, 2)
	far := 3 * (high - low)
	return o, o.Value > high+far && o.Value >= 1.25*o.Median || o.Value < low-far && o.Value <= 0.75*o.Median
}

func quartile(sorted []float64, k int) float64 {
	place := float64(k) * float64(len(sorted)-1) / 4
	below := int(place)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
}

func (t *Trend) outliers(test *Test) []Outlier {
	times, costs := make([]float64, len(test.Points)), make([]float64, len(test.Points))
	for i, p := range test.Points {
		times[i], costs[i] = p.DurationMS, p.CostUSD/float64(p.Counted+p.Excluded)
	}
	return found(test, times, costs)
}

// runOutliers are the same of the runs as a whole. Their numbers are for each counted trial.
func (t *Trend) runOutliers() []Outlier {
	times, costs := make([]float64, len(t.Runs)), make([]float64, len(t.Runs))
	for i, r := range t.Runs {
		times[i], costs[i] = r.DurationMS.Or(math.NaN())/float64(r.Counted), r.CostUSD.Or(math.NaN())/float64(r.Counted)
	}
	return found(nil, times, costs)
}

func found(test *Test, times, costs []float64) (out []Outlier) {
	for i, values := range [][]float64{times, costs} {
		if o, far := outlier(values); far && !math.IsInf(o.Value, 0) {
			o.Test, o.Cost = test, i == 1
			out = append(out, o)
		}
	}
	return out
}

// WorstFirst are the tests that ran, those that need a look first: by state, those that fail in the last run, then by pass rate.
func (t *Trend) WorstFirst() []*Test {
	place := map[State]int{}
	for i, s := range States {
		place[s] = i
	}
	rank := func(test *Test) float64 {
		if test.ByScore {
			return test.MeanScore.V
		}
		return test.ShrunkenRate.Or(1)
	}
	out := each.Where(each.Pointers(t.Tests), func(test *Test) bool { return len(test.Points) > 0 })
	slices.SortStableFunc(out, func(a, b *Test) int {
		fails := 0
		if a.failsNow() != b.failsNow() {
			fails = 1
			if a.failsNow() {
				fails = -1
			}
		}
		return cmp.Or(place[a.State]-place[b.State], fails, cmp.Compare(rank(a), rank(b)))
	})
	return out
}

// Says is what the number is: what a trial took or cost, and what it did before.
func (o Outlier) Says(time, money func(float64) string) string {
	word, say := "takes", time
	if o.Cost {
		word, say = "costs", money
	}
	return fmt.Sprintf("a trial %s %s now; the median of the %s before is %s", word, say(o.Value), runs(o.Runs), say(o.Median))
}
