package trend

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// DefaultConfidence is the confidence level of a trend unless another is asked
// for.
const DefaultConfidence = 0.95

// Builder collects runs in order of time. The zero Builder is one at the default
// confidence.
type Builder struct {
	trend    Trend
	byKey    map[envelope.Key]int
	policies []envelope.Effective // of the runs, in their order
	past     nightly
}

// NewBuilder returns a Builder. The confidence is a fraction.
func NewBuilder(confidence float64) *Builder {
	return &Builder{trend: Trend{Confidence: confidence}, byKey: map[envelope.Key]int{}}
}

// ready makes a zero Builder usable.
func (b *Builder) ready() {
	if b.byKey == nil {
		b.byKey, b.trend.Confidence = map[envelope.Key]int{}, DefaultConfidence
	}
}

// Selected says how the runs were chosen: the latest window of them (0 for all)
// of as many as are stored.
func (b *Builder) Selected(window, stored int) { b.trend.Window, b.trend.Stored = window, stored }

// Run begins the next run. The points that follow are of it.
func (b *Builder) Run(id string, h envelope.RunHeader, p envelope.Effective, s envelope.Summary) {
	b.ready()
	run := Run{ID: id, Name: h.Name, Given: h.ID, Commit: h.Commit, StartedAt: h.StartedAt, Labels: h.Labels, Rule: p.Rule,
		Counts: s.Counts, Flaky: s.Flaky, Counted: s.Trials.Counted, Passed: s.Trials.Passed, CostUSD: s.CostUSD, DurationMS: s.DurationMS}
	run.Rate = b.rate(run.Passed, run.Counted)
	if run.Tests > 0 {
		run.InconclusiveShare = envelope.Some(float64(run.Inconclusive) / float64(run.Tests))
	}
	b.trend.Runs = append(b.trend.Runs, run)
	b.policies = append(b.policies, p)
}

// Test is the number of a test, by which its points are added.
func (b *Builder) Test(key envelope.Key) int {
	b.ready()
	i, known := b.byKey[key]
	if !known {
		i = len(b.trend.Tests)
		b.byKey[key] = i
		b.trend.Tests = append(b.trend.Tests, Test{Key: key})
	}
	return i
}

// Point adds what the test did in the run begun last; before the first run there
// is nothing to add to.
func (b *Builder) Point(test int, p Point) {
	if len(b.trend.Runs) == 0 {
		return
	}
	p.Run = int32(len(b.trend.Runs) - 1)
	t := &b.trend.Tests[test]
	t.Points = append(t.Points, p)
}

// Trend finishes: it computes what the points show. The Builder is spent.
func (b *Builder) Trend() *Trend {
	b.ready()
	t := &b.trend
	b.sum()
	if b.past.on {
		t.Earlier = b.past.runs
		b.ever()
	}
	t.Tests = slices.DeleteFunc(t.Tests, func(x Test) bool { return len(x.Points) == 0 && len(b.past.runs) > 0 })
	slices.SortFunc(t.Tests, func(x, y Test) int { return x.Key.Compare(y.Key) })
	t.Notes = append(notes(t.Runs, b.policies), noteWithoutScores(t.Tests)...)
	decide(t)
	return t
}

// sum fills in what does not depend on how other tests change.
func (b *Builder) sum() {
	counts := make([]stats.Cluster, len(b.trend.Tests))
	for i := range b.trend.Tests {
		t := &b.trend.Tests[i]
		t.readScores()
		inconclusive, strip := 0, slices.Repeat([]byte{MarkAbsent}, len(b.trend.Runs))
		for _, p := range t.Points {
			strip[p.Run] = p.Mark()
			t.Counted, t.Passed = t.Counted+int(p.Counted), t.Passed+int(p.Passed)
			if p.Counted > 0 {
				t.Runs++
			}
			if p.Status.Status() == envelope.Inconclusive {
				inconclusive++
			}
		}
		t.Strip = string(strip)
		t.Rate = b.rate(t.Passed, t.Counted)
		if !t.ByScore {
			counts[i] = stats.Cluster{Passed: t.Passed, N: t.Counted}
		}
		if len(t.Points) > 0 {
			t.Inconclusive = envelope.Some(float64(inconclusive) / float64(len(t.Points)))
		}
	}
	for i, rate := range stats.ShrinkRates(counts, 0).Mean {
		if !math.IsNaN(rate) {
			b.trend.Tests[i].ShrunkenRate = envelope.Some(rate)
		}
	}
}

func (b *Builder) rate(passed, counted int) *envelope.Rate {
	return rate(passed, counted, b.trend.Confidence)
}

// rate is a pass rate with its Wilson interval, nil without a trial.
func rate(passed, counted int, confidence float64) *envelope.Rate {
	if counted == 0 {
		return nil
	}
	lo, hi := stats.Wilson(passed, counted, stats.ConventionalZ(confidence))
	return &envelope.Rate{Value: float64(passed) / float64(counted), Lo: lo, Hi: hi, Method: "wilson", Confidence: confidence}
}

// Rate is the pass rate of the test in a run with its interval, nil when no
// trial was counted.
func (t *Trend) Rate(p Point) *envelope.Rate {
	return rate(int(p.Passed), int(p.Counted), t.Confidence)
}

// PointOf is what a judged test did, as a trend keeps it.
func PointOf(t *envelope.Test) Point {
	return Point{Counted: int32(t.Trials.Counted), Passed: int32(t.Trials.Passed), Excluded: int32(t.Trials.Total - t.Trials.Counted),
		Status: CodeOf(t.Status), Flaky: t.Flaky, CostUSD: t.CostUSD.Or(math.NaN()), DurationMS: t.MedianMS().Or(math.NaN()), Scores: scoresOf(t)}
}
