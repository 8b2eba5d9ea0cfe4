package trend

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Release says whether a test that is excused for being flaky need not be any more.
type Release struct {
	Leaves bool
	Why    string // in words
}

const mostMore = 1_000_000

// What a release rests on.
const (
	ByWindow = "window" // the interval over the window: one look, named beforehand
	ByRuns   = "runs"   // as many looks as there are runs, however trials of a run depend on each other
	ByTrials = "trials" // the same where trials of a run are independent
)

// ReleaseBy lists them, the default first.
var ReleaseBy = []string{ByRuns, ByTrials, ByWindow}

// Leaving is what a test must show to be excused no more.
type Leaving struct {
	Threshold float64   // pass rate, a fraction
	By        string    // one of ReleaseBy
	Since     time.Time // evidence counts from then on; zero for all of it
}

// Release holds a test against a pass rate: it may leave when the interval of its
// rate over the window lies wholly above, nothing says that it gets worse, and, unless
// By is the window, the evidence since it was quarantined stands no matter how often you look.
func (t *Trend) Release(test *Test, l Leaving) Release {
	if test.Rate == nil {
		return Release{Why: "no trial was counted in " + runs(len(test.Points))}
	}
	seen := fmt.Sprintf("%d of %s in %s passed, %.1f to %.1f %%", test.Passed, trials(test.Counted), runs(test.Runs), 100*test.Rate.Lo,
		100*test.Rate.Hi)
	switch test.State {
	case Broken, NewFlaky, DriftingDown:
		return Release{Why: string(test.State) + ": " + test.Evidence}
	}
	if test.Rate.Lo <= l.Threshold {
		why := seen + fmt.Sprintf(": the lower end, %.1f %%, is not above %g %%", 100*test.Rate.Lo, 100*l.Threshold)
		if more := t.more(test, l.Threshold); more < mostMore {
			why += "; " + words.Plural(more, "more pass", "more passes") + words.If(more > 1, " in a row") + " would raise it above that"
		}
		return Release{Why: why}
	}
	above := seen + fmt.Sprintf(": above %g %%", 100*l.Threshold)
	if l.By == ByWindow {
		return Release{Leaves: true, Why: above}
	}
	return t.releaseEver(test, l, above)
}

// releaseEver asks for evidence that holds although somebody looks after every run.
func (t *Trend) releaseEver(test *Test, l Leaving, above string) Release {
	samples := t.since(test, l.Since)
	logE := logAbove(samples, l)
	bound := -math.Log(1 - t.Confidence)
	if logE >= bound {
		return Release{Leaves: true, Why: above + fmt.Sprintf("; checked after every run: evidence (e-value) %s in %s; %.4g is needed, which a "+
			"test no better than %g %% reaches at most 1 time in %.4g", eValue(logE), runs(len(samples)), math.Exp(bound), 100*l.Threshold,
			math.Exp(bound))}
	}
	above += fmt.Sprintf("; too few runs (%d%s)", len(samples), words.If(!l.Since.IsZero(), " with started_at from "+
		l.Since.Format(time.DateOnly)+" on"))
	const mostRuns = 400
	for more := 1; more <= mostRuns; more++ {
		last := test.Ever.samples[len(test.Ever.samples)-1] // another as large, all of which passed
		samples = append(samples, sample{passed: last.counted, counted: last.counted})
		if logAbove(samples, l) >= bound {
			return Release{Why: above + fmt.Sprintf(": %d more like the last, all passed, would be enough", more)}
		}
	}
	return Release{Why: above}
}

// since are the runs of a test that began at an instant or after it. Those that do not
// say when they began count where no instant is given.
func (t *Trend) since(test *Test, begin time.Time) []sample {
	if test.Ever == nil {
		return nil
	}
	return each.Where(test.Ever.samples, func(n sample) bool {
		at, dated := envelope.Instant(t.run(int(n.run)).StartedAt)
		return begin.IsZero() || dated && !time.Unix(0, at).Before(begin)
	})
}

func (t *Trend) run(i int) *Run {
	if i < len(t.Earlier) {
		return &t.Earlier[i]
	}
	return &t.Runs[i-len(t.Earlier)]
}

func logAbove(samples []sample, l Leaving) float64 {
	if l.By == ByTrials {
		passed, counted := sumOf(samples)
		return stats.Anytime{P0: l.Threshold, P1: l.Threshold}.LogE(passed, counted-passed).LogPass
	}
	process, logE := stats.NewAboveE(l.Threshold), 0.
	for _, n := range samples {
		logE = process.Add(int(n.passed), int(n.counted))
	}
	return logE
}

func (t *Trend) more(test *Test, threshold float64) int {
	z := stats.ConventionalZ(t.Confidence)
	return sort.Search(mostMore, func(more int) bool {
		lo, _ := stats.Wilson(test.Passed+more, test.Counted+more, z)
		return lo > threshold
	})
}

// StateRuns is the fewest runs on which a state rests: a test in fewer is new.
const StateRuns = 5

// driftRuns is the fewest runs in which a drift is looked for: two runs show a difference, not a direction.
const driftRuns = 3

type edges struct {
	cleanFirst, cleanLast, failedLast stretch
}

// stretch is a row of runs at one end whose trials all ended alike.
type stretch struct {
	trials, runs int
	beyond       int32 // the first run of the trend beyond it, seen from that end
	p            float64
}

// decide gives every test its state. p-values are adjusted over the tests whose
// trials ended differently, the only ones that could show a change.
func decide(t *Trend) {
	all, byScore := make([]edges, len(t.Tests)), make([]*scored, len(t.Tests))
	var scratch series
	for i := range t.Tests {
		test := &t.Tests[i]
		all[i] = noEdges
		switch {
		case test.Runs < StateRuns:
			continue
		case test.ByScore:
			byScore[i] = newScored(test.Points)
			test.Drift = byScore[i].drift()
			continue
		}
		scratch.read(test.Points)
		test.Drift = scratch.drift()
		all[i] = edgesOf(test)
	}
	adjust(len(all), func(i int) *float64 {
		if d := t.Tests[i].Drift; d != nil {
			return &d.PAdjusted
		}
		return nil
	})
	adjust(len(all), func(i int) *float64 { return &all[i].cleanFirst.p })
	adjust(len(all), func(i int) *float64 { return &all[i].cleanLast.p })
	adjust(len(all), func(i int) *float64 { return &all[i].failedLast.p })
	adjust(len(all), func(i int) *float64 {
		if byScore[i] != nil {
			return &byScore[i].step.p
		}
		return nil
	})
	for i := range t.Tests {
		test := &t.Tests[i]
		if s := byScore[i]; s != nil {
			test.State, test.Evidence = s.stateOf(t, test)
		} else {
			test.State, test.Evidence = t.stateOf(test, all[i])
		}
		if test.Evidence += test.Ever.words(); test.Gone() > 0 {
			test.Evidence = "not in the last " + strings.TrimPrefix(runs(test.Gone()), "1 ") + "; " + test.Evidence
		}
	}
}

func (t *Trend) stateOf(test *Test, e edges) (State, string) {
	level := 1 - t.Confidence
	drifts := test.Drift != nil && test.Drift.PAdjusted <= level
	switch {
	case test.Counted == 0:
		return Unknown, "no trial was counted in " + runs(len(test.Points))
	case test.Runs < StateRuns:
		return New, newWords(test)
	case test.Passed == 0:
		return Broken, fmt.Sprintf("none of %s passed in %s", trials(test.Counted), runs(test.Runs))
	case test.Passed == test.Counted:
		return Stable, fmt.Sprintf("all %s passed in %s", trials(test.Counted), runs(test.Runs))
	case e.failedLast.p <= level:
		s := e.failedLast
		return Broken, fmt.Sprintf("%d of %s passed up to %s, %s in %s since (p %s)",
			test.Passed, trials(test.Counted-s.trials), t.runName(s.beyond), every("none of ", 0, s.trials), runs(s.runs), probability(s.p))
	case e.cleanLast.p <= level:
		s := e.cleanLast
		return Fixed, fmt.Sprintf("%d of %s failed up to %s, %s in %s passed since (p %s)",
			test.Counted-test.Passed, trials(test.Counted-s.trials), t.runName(s.beyond), every("all ", 1, s.trials), runs(s.runs),
			probability(s.p))
	case e.cleanFirst.p <= level && !fallsSince(test, e.cleanFirst, level):
		s := e.cleanFirst
		return NewFlaky, fmt.Sprintf("%s in %s passed before %s, %d of %s failed since (p %s)",
			every("all ", 1, s.trials), runs(s.runs), t.runName(s.beyond), test.Counted-test.Passed, trials(test.Counted-s.trials),
			probability(s.p))
	case drifts && test.Drift.Z < 0:
		return DriftingDown, driftWords(test, "falls")
	case drifts:
		return DriftingUp, driftWords(test, "rises")
	}
	return Flaky, flakyWords(test)
}

// fallsSince reports whether the pass rate goes on falling after a clean stretch at the beginning: that is a drift and no step.
func fallsSince(test *Test, s stretch, level float64) bool {
	from := slices.IndexFunc(test.Points, func(p Point) bool { return p.Run == s.beyond })
	var since series
	since.read(test.Points[max(0, from):])
	d := since.drift()
	return d != nil && d.Z < 0 && d.PValue <= level
}

var noEdges = edges{stretch{p: math.NaN()}, stretch{p: math.NaN()}, stretch{p: math.NaN()}}

// edgesOf finds the stretches of a test; their p-values are NaN when its trials all ended alike, for then there is nothing to find.
func edgesOf(test *Test) edges {
	if test.Passed == 0 || test.Passed == test.Counted {
		return noEdges
	}
	failed := test.Counted - test.Passed
	e := edges{
		cleanFirst: stretchAt(test.Points, false, allPassed),
		cleanLast:  stretchAt(test.Points, true, allPassed),
		failedLast: stretchAt(test.Points, true, func(p Point) bool { return p.Passed == 0 }),
	}
	e.cleanFirst.p = stats.CleanStretch(e.cleanFirst.trials, failed, test.Counted)
	e.cleanLast.p = stats.CleanStretch(e.cleanLast.trials, failed, test.Counted)
	e.failedLast.p = stats.CleanStretch(e.failedLast.trials, test.Passed, test.Counted)
	return e
}

func allPassed(p Point) bool { return p.Passed == p.Counted }

// stretchAt measures the longest row of alike runs at one end.
func stretchAt(points []Point, fromEnd bool, alike func(Point) bool) stretch {
	s := stretch{beyond: -1}
	for i := range points {
		p := points[i]
		if fromEnd {
			p = points[len(points)-1-i]
		}
		if p.Counted == 0 {
			continue
		}
		if !alike(p) {
			s.beyond = p.Run
			break
		}
		s.trials, s.runs = s.trials+int(p.Counted), s.runs+1
	}
	return s
}

// adjust adjusts the p-values of so many tests; nil is the p-value of a test without one.
func adjust(n int, of func(i int) *float64) {
	p := make([]float64, n)
	for i := range p {
		p[i] = math.NaN()
		if at := of(i); at != nil {
			p[i] = *at
		}
	}
	for i, q := range stats.BenjaminiHochberg(p) {
		if at := of(i); at != nil {
			*at = q
		}
	}
}

// series is a test's counts as the statistics take them; its slices are used again for the next test.
type series struct {
	passed, trials []int
	scores         []float64
}

func (s *series) read(points []Point) {
	s.passed, s.trials, s.scores = s.passed[:0], s.trials[:0], s.scores[:0]
	for _, p := range points {
		if p.Counted > 0 {
			s.passed, s.trials, s.scores = append(s.passed, int(p.Passed)), append(s.trials, int(p.Counted)), append(s.scores, float64(p.Run))
		}
	}
}

// drift tests for a trend over the places of the runs, which are taken to be equally far
// apart, by all orders of the runs: trials of one run may have anything in common.
func (s *series) drift() *Drift {
	if len(s.trials) < driftRuns {
		return nil
	}
	return driftOf(stats.PermutedTrend(s.passed, s.trials, s.scores))
}

// driftOf is the drift before its p-value is adjusted; nil where there is nothing to test.
func driftOf(d stats.RunTrend) *Drift {
	if math.IsNaN(d.Z) {
		return nil
	}
	return &Drift{Z: d.Z, PValue: d.P, PAdjusted: d.P}
}
