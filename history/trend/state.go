package trend

import (
	"fmt"
	"math"
	"slices"

	"tribunal/stats"
)

// StateRuns is the fewest runs on which a state rests: a test in fewer is new.
const StateRuns = 5

// driftRuns is the fewest runs in which a drift is looked for: two runs show a
// difference, not a direction.
const driftRuns = 3

// edges are the stretches at both ends of a test's runs, in counted trials.
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
	adjustDrift(t.Tests)
	adjust(all, func(e *edges) *float64 { return &e.cleanFirst.p })
	adjust(all, func(e *edges) *float64 { return &e.cleanLast.p })
	adjust(all, func(e *edges) *float64 { return &e.failedLast.p })
	adjustSteps(byScore)
	for i := range t.Tests {
		test := &t.Tests[i]
		if s := byScore[i]; s != nil {
			test.State, test.Evidence = s.stateOf(t, test)
		} else {
			test.State, test.Evidence = t.stateOf(test, all[i])
		}
		test.Evidence += test.Ever.words()
	}
}

// stateOf is the first state that holds, as the package comment lists them.
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
		return Broken, t.brokenWords(test, e.failedLast)
	case e.cleanLast.p <= level:
		return Fixed, t.fixedWords(test, e.cleanLast)
	case e.cleanFirst.p <= level && !fallsSince(test, e.cleanFirst, level):
		return NewFlaky, t.newFlakyWords(test, e.cleanFirst)
	case drifts && test.Drift.Z < 0:
		return DriftingDown, driftWords(test, "falls")
	case drifts:
		return DriftingUp, driftWords(test, "rises")
	}
	return Flaky, flakyWords(test)
}

// fallsSince reports whether the pass rate goes on falling after a clean stretch
// at the beginning: that is a drift and no step.
func fallsSince(test *Test, s stretch, level float64) bool {
	from := slices.IndexFunc(test.Points, func(p Point) bool { return p.Run == s.beyond })
	var since series
	since.read(test.Points[max(0, from):])
	d := since.drift()
	return d != nil && d.Z < 0 && d.PValue <= level
}

var noEdges = edges{stretch{p: math.NaN()}, stretch{p: math.NaN()}, stretch{p: math.NaN()}}

// edgesOf finds the stretches of a test; their p-values are NaN when its trials
// all ended alike, for then there is nothing to find.
func edgesOf(test *Test) edges {
	if test.Passed == 0 || test.Passed == test.Counted {
		return noEdges
	}
	failed := test.Counted - test.Passed
	e := edges{
		cleanFirst: stretchAt(test.Points, false, allPassed),
		cleanLast:  stretchAt(test.Points, true, allPassed),
		failedLast: stretchAt(test.Points, true, nonePassed),
	}
	e.cleanFirst.p = stats.CleanStretch(e.cleanFirst.trials, failed, test.Counted)
	e.cleanLast.p = stats.CleanStretch(e.cleanLast.trials, failed, test.Counted)
	e.failedLast.p = stats.CleanStretch(e.failedLast.trials, test.Passed, test.Counted)
	return e
}

func allPassed(p Point) bool  { return p.Passed == p.Counted }
func nonePassed(p Point) bool { return p.Passed == 0 }

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

func adjust(all []edges, of func(*edges) *float64) {
	p := make([]float64, len(all))
	for i := range all {
		p[i] = *of(&all[i])
	}
	for i, q := range stats.BenjaminiHochberg(p) {
		*of(&all[i]) = q
	}
}

// adjustSteps adjusts the p-values of steps over the tests compared by scores; nil is another.
func adjustSteps(all []*scored) {
	p := make([]float64, len(all))
	for i, s := range all {
		p[i] = math.NaN()
		if s != nil {
			p[i] = s.step.p
		}
	}
	for i, q := range stats.BenjaminiHochberg(p) {
		if all[i] != nil {
			all[i].step.p = q
		}
	}
}

func adjustDrift(tests []Test) {
	p := make([]float64, len(tests))
	for i := range tests {
		p[i] = math.NaN()
		if d := tests[i].Drift; d != nil {
			p[i] = d.PValue
		}
	}
	for i, q := range stats.BenjaminiHochberg(p) {
		if d := tests[i].Drift; d != nil {
			d.PAdjusted = q
		}
	}
}

// series is a test's counts as the statistics take them; its slices are used
// again for the next test.
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

// drift tests for a trend over the places of the runs, which are taken to be
// equally far apart, by all orders of the runs: trials of one run may have anything
// in common.
func (s *series) drift() *Drift {
	if len(s.trials) < driftRuns {
		return nil
	}
	d := stats.PermutedTrend(s.passed, s.trials, s.scores)
	if math.IsNaN(d.Z) {
		return nil
	}
	return &Drift{Z: d.Z, PValue: d.P}
}
