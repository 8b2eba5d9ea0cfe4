// Package trend says what a series of runs shows of each test: how its pass rate went, and whether it is stable, drifting,
// flaky, broken or fixed, each with the evidence in words.
//
// It exists because a report knows one run, and the question that follows it is whether that is new. It works on counts
// (trials counted, passed, excluded), so that runs judged under different policies can stand side by side; that they were is
// said in a note. It knows no database and judges no run: package history brings the counts, package verdict made them.
//
// # States
//
// A test has exactly one state, the first of these that holds. Runs are those of the window in which a trial of the test was
// counted; p-values are two-sided for drift and one-sided for stretches, adjusted over all tests of the window by Benjamini
// and Hochberg, and compared with 1 - confidence.
//
//	UNKNOWN        no trial was counted
//	NEW            fewer than five runs counted a trial
//	BROKEN         no trial passed; or none did in the last runs, and did before, in an order that chance would not give
//	STABLE         every trial passed
//	FIXED          every trial passed in the last runs, not before, in an order that chance would not give
//	NEW-FLAKY      every trial passed in the first runs, not since, in an order that chance would not give, and the rate
//	               does not go on falling since (its own drift, not adjusted)
//	DRIFTING DOWN  the pass rate falls from run to run: over all orders of the runs, the statistic of Cochran and Armitage
//	               is as extreme
//	DRIFTING UP    it rises
//	FLAKY          trials passed and failed, and nothing says that this changes
//
// A test that is judged by its scores is compared by these, and has the first of these states:
//
//	NEW            fewer than five runs counted a trial
//	BROKEN         it failed in every run
//	UNKNOWN        only one run scored it
//	DRIFTING DOWN  the mean score fell once: every run before lies above every run since, and their trials lie further
//	               apart than chance would leave them; or it falls from run to run, as above
//	DRIFTING UP    it rose, or rises
//	FLAKY          it passed in some runs and failed in others
//	STABLE         nothing says that the mean score changes
//
// They are of this window, and of one look at it. What holds over any number of looks is [Ever].
//
// Chance would not give an order if, all orders of the test's trials being as likely, a stretch at least that long at that
// end has a small probability (stats.CleanStretch).
package trend

import (
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Schema is the name of the wire format of a Trend.
const Schema = "tribunal/trend/v1"

// Trend is what a series of runs shows. Only a Builder makes one; renderers read it and change nothing.
type Trend struct {
	Window     int     // the runs asked for, the latest; 0 for all
	Stored     int     // the runs there are
	Confidence float64 // of every interval, a fraction; 1 - Confidence is the level of every test
	Runs       []Run   // in order of time
	Tests      []Test  // by suite, test, variant
	Earlier    []Run   // runs before the window, of which evidence over all runs knows
	Notes      []string
	Next       string // command to run next, or ""
	Part       bool   // Tests are some of the tests of Runs
}

// Run is one run on the axis of time.
type Run struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Given     string            `json:"run_id,omitempty"` // what its runner calls it
	Commit    string            `json:"commit,omitempty"`
	StartedAt string            `json:"started_at,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Rule      string            `json:"rule,omitempty"`
	envelope.Counts
	Flaky             int                   `json:"flaky"`
	InconclusiveShare envelope.Opt[float64] `json:"inconclusive_share,omitzero"` // of its tests
	Counted           int                   `json:"counted"`
	Passed            int                   `json:"passed"`
	Rate              *envelope.Rate        `json:"rate,omitempty"`
	CostUSD           envelope.Opt[float64] `json:"cost_usd,omitzero"`
	DurationMS        envelope.Opt[float64] `json:"duration_ms,omitzero"`
}

// Point is what one test did in one run.
type Point struct {
	Run      int32 // index into Trend.Runs
	Counted  int32
	Passed   int32
	Excluded int32 // trials that do not count: excluded or skipped
	Status   Code
	Flaky    bool
	Scores   *Scores // nil where no counted trial has one
	// CostUSD is what its trials cost together, DurationMS the median of their durations; NaN when no trial reports it.
	CostUSD, DurationMS float64
}

// Code is the status of a test in one byte, because a trend has millions.
type Code uint8

var statuses = [...]envelope.Status{"", envelope.Pass, envelope.Fail, envelope.Inconclusive, envelope.Error, envelope.Skip}

// CodeOf is the code of a status, 0 for one that is unknown.
func CodeOf(s envelope.Status) Code { return Code(max(0, slices.Index(statuses[:], s))) }

// Status is the status that the code stands for.
func (c Code) Status() envelope.Status {
	if int(c) < len(statuses) {
		return statuses[c]
	}
	return ""
}

// State is what a series of runs makes of a test.
type State string

// The states; the package comment defines them.
const (
	Unknown      State = "UNKNOWN"
	New          State = "NEW"
	Broken       State = "BROKEN"
	Stable       State = "STABLE"
	Fixed        State = "FIXED"
	NewFlaky     State = "NEW-FLAKY"
	DriftingDown State = "DRIFTING DOWN"
	DriftingUp   State = "DRIFTING UP"
	Flaky        State = "FLAKY"
)

// States lists the states, what needs a look first.
var States = []State{Broken, NewFlaky, DriftingDown, Flaky, New, DriftingUp, Fixed, Unknown, Stable}

// IsFlaky reports a state of tests that pass and fail without a cause that lasts.
func (s State) IsFlaky() bool { return s == Flaky || s == NewFlaky }

// Quiet reports a test that always passed and still runs: stable, or too new for a state.
func (t *Test) Quiet() bool {
	return t.Gone() == 0 && (t.State == Stable || t.State == New && t.Passed == t.Counted)
}

// Gone is how many of the last runs lack the test, 0 if as many in a row did before.
func (t *Test) Gone() int {
	seen := strings.TrimRight(t.Strip, string(MarkAbsent))
	if strings.Contains(strings.TrimLeft(seen, string(MarkAbsent)), t.Strip[len(seen):]) {
		return 0
	}
	return len(t.Strip) - len(seen)
}

// Test is one test over the runs.
type Test struct {
	envelope.Key
	Owners   []string // of its file in the latest run that has it
	State    State
	Evidence string // in words
	Strip    string // a mark for every run of the trend, see Mark
	Runs     int    // with a counted trial
	Counted  int
	Passed   int
	Rate     *envelope.Rate // of all its counted trials together
	// ShrunkenRate is its rate drawn towards that of all tests; absent of tests that are
	// compared by their scores, and where the trials of all tests ended alike.
	ShrunkenRate envelope.Opt[float64]
	// ByScore says that its mean score is looked at and not its pass rate, and MeanScore is that of all its counted trials.
	ByScore   bool
	MeanScore envelope.Opt[float64]
	// Inconclusive is the share of its runs in which it was inconclusive.
	Inconclusive envelope.Opt[float64]
	Drift        *Drift // nil below 5 runs, and where all trials ended alike or scored the same
	Ever         *Ever  // evidence over all runs stored; nil where nobody asked for it
	Points       []Point
}

// Drift is the test for a trend of the pass rate, or mean score, over the runs.
type Drift struct {
	Z         float64 `json:"z"` // above 0 for a rising rate
	PValue    float64 `json:"p_value"`
	PAdjusted float64 `json:"p_adjusted"`
}

// Trials are all counted trials of the test: how many passed, or how many were scored.
func (t *Test) Trials() string {
	if t.ByScore {
		return trials(t.Counted)
	}
	return words.Count(t.Passed) + "/" + words.Count(t.Counted)
}

// Score is the mean score as evidence shows it, "" of a test that is not compared by scores.
func (t *Test) Score() string { return words.If(t.ByScore, score(t.MeanScore.V)) }

// The marks of a strip: what a test did in a run. Of a test compared by its scores the status of the run says which of P, M and F it is.
const (
	MarkAbsent  = '.' // it was not in the run
	MarkPassed  = 'P' // every counted trial passed
	MarkMixed   = 'M' // some did
	MarkFailed  = 'F' // none did
	MarkNone    = 'X' // no trial counted
	MarkSkipped = 'S' // every trial was skipped
)

// Mark is the mark of the point in a strip.
func (p Point) Mark() byte {
	status, passed, failed := p.Status.Status(), p.Passed == p.Counted, p.Passed == 0
	if p.byScore() {
		passed, failed = status == envelope.Pass, status == envelope.Fail
	}
	switch {
	case p.Counted == 0 && status == envelope.Skip:
		return MarkSkipped
	case p.Counted == 0:
		return MarkNone
	case passed:
		return MarkPassed
	case failed:
		return MarkFailed
	}
	return MarkMixed
}

// DefaultConfidence is the confidence level of a trend unless another is asked for.
const DefaultConfidence = 0.95

// Builder collects runs in order of time. The zero Builder is one at the default confidence.
type Builder struct {
	trend    Trend
	byKey    map[envelope.Key]int
	policies []envelope.Effective // of the runs, in their order
	past     earlierRuns
}

// NewBuilder returns a Builder. The confidence is a fraction.
func NewBuilder(confidence float64) *Builder {
	return &Builder{trend: Trend{Confidence: confidence}, byKey: map[envelope.Key]int{}}
}

func (b *Builder) ready() {
	if b.byKey == nil {
		b.byKey, b.trend.Confidence = map[envelope.Key]int{}, DefaultConfidence
	}
}

// Selected says how the runs were chosen: the latest window of them (0 for all) of as many as are stored.
func (b *Builder) Selected(window, stored int) { b.trend.Window, b.trend.Stored = window, stored }

// Run begins the next run. The points that follow are of it.
func (b *Builder) Run(id string, h envelope.RunHeader, p envelope.Effective, s envelope.Summary) {
	b.ready()
	run := Run{ID: id, Name: h.Name, Given: h.ID, Commit: h.Commit, StartedAt: h.StartedAt, Labels: h.Labels, Rule: p.Rule,
		Counts: s.Counts, Flaky: s.Flaky, Counted: s.Trials.Counted, Passed: s.Trials.Passed, CostUSD: s.CostUSD, DurationMS: s.DurationMS}
	run.Rate = rule.RateOf(run.Passed, run.Counted, b.trend.Confidence)
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

// Point adds what the test did in the run begun last; before the first run there is nothing to add to.
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
		t.Rate = rule.RateOf(t.Passed, t.Counted, b.trend.Confidence)
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

// Rate is the pass rate of the test in a run with its interval, nil when no trial was counted.
func (t *Trend) Rate(p Point) *envelope.Rate {
	return rule.RateOf(int(p.Passed), int(p.Counted), t.Confidence)
}

// PointOf is what a judged test did, as a trend keeps it.
func PointOf(t *envelope.Test) Point {
	return Point{Counted: int32(t.Trials.Counted), Passed: int32(t.Trials.Passed), Excluded: int32(t.Trials.Total - t.Trials.Counted),
		Status: CodeOf(t.Status), Flaky: t.Flaky, CostUSD: t.CostUSD.Or(math.NaN()), DurationMS: t.MedianMS().Or(math.NaN()), Scores: scoresOf(t)}
}
