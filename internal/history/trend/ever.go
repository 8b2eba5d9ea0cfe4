package trend

import (
	"fmt"
	"math"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Ever is the evidence that a test changed, from all stored runs. It is valid after every run: while
// the test does not change, LogE reaches log(1/alpha) with a chance of at most alpha.
type Ever struct {
	Runs int     `json:"runs"`  // with a counted trial, from the first on
	LogE float64 `json:"log_e"` // however trials of a run depend on each other
	// LogETrials holds where trials of a run are independent, and only there; 0 for scores.
	LogETrials float64 `json:"log_e_trials"`
	// Changed says that the evidence stands among all tests: of those that are said to
	// have changed, at most a share of alpha has not, in expectation (e-BH).
	Changed bool `json:"changed"`
	// Since is the run after which a change is likeliest to have come, "" where the test
	// is not Changed; Before and After are what passed of what was counted.
	Since  string `json:"since,omitempty"`
	Before []int  `json:"before,omitempty"`
	After  []int  `json:"after,omitempty"`
	// BeforeScore and AfterScore are the mean scores of a test that is compared by these.
	BeforeScore envelope.Opt[float64] `json:"before_score,omitzero"`
	AfterScore  envelope.Opt[float64] `json:"after_score,omitzero"`

	samples []sample
	byScore bool
}

type sample struct {
	run             int32 // from the first stored
	passed, counted int32
	scores          *Scores
}

// earlierRuns are the runs before the window, as far as evidence over all runs needs them.
type earlierRuns struct {
	on     bool
	runs   []Run      // before the window: their ids and starts
	points [][]sample // by test
}

// Ever makes the Trend look at all runs for evidence that holds however often one
// looks. The runs before the window come first, by Earlier.
func (b *Builder) Ever() { b.past.on = true }

// Earlier begins a run before the window. Its points follow, by EarlierPoint.
func (b *Builder) Earlier(r Run) { b.past.runs = append(b.past.runs, r) }

// EarlierPoint adds what a test did in the run that Earlier began last.
func (b *Builder) EarlierPoint(test int, p Point) {
	for len(b.past.points) <= test {
		b.past.points = append(b.past.points, nil)
	}
	if p.Counted > 0 {
		b.past.points[test] = append(b.past.points[test], sample{int32(len(b.past.runs) - 1), p.Passed, p.Counted, p.Scores})
	}
}

// ever computes the evidence of each test; those of which all trials ended alike have none.
func (b *Builder) ever() {
	t := &b.trend
	parallel.Spans(len(t.Tests), 16, func(from, to int) {
		for i := from; i < to; i++ {
			t.Tests[i].Ever = b.everOf(i)
		}
	})
	logE := each.Of(each.Pointers(t.Tests), func(test *Test) float64 { return test.Ever.LogE })
	for _, i := range stats.EBH(logE, 1-t.Confidence) {
		b.sayChanged(t.Tests[i].Ever)
	}
}

func (b *Builder) everOf(test int) *Ever {
	e := &Ever{}
	if test < len(b.past.points) {
		e.samples = b.past.points[test]
	}
	for _, p := range b.trend.Tests[test].Points {
		if p.Counted > 0 {
			e.samples = append(e.samples, sample{p.Run + int32(len(b.past.runs)), p.Passed, p.Counted, p.Scores})
		}
	}
	if b.trend.Tests[test].ByScore {
		e.ofScores()
		return e
	}
	e.Runs = len(e.samples)
	if passed, counted := sumOf(e.samples); passed == 0 || passed == counted {
		return e
	}
	process := stats.NewRunsE()
	for _, n := range e.samples {
		e.LogE = process.Add(int(n.passed), int(n.counted))
	}
	e.LogETrials, _ = byTrials(e.samples)
	return e
}

func sumOf(samples []sample) (passed, counted int) {
	for _, n := range samples {
		passed, counted = passed+int(n.passed), counted+int(n.counted)
	}
	return passed, counted
}

func byTrials(samples []sample) (logE float64, split int) {
	var process stats.RateE
	for _, n := range samples {
		process.Add(int(n.passed), int(n.counted))
	}
	return process.Evidence()
}

func (b *Builder) sayChanged(e *Ever) {
	e.Changed = true
	if e.byScore {
		e.sayScores(b)
		return
	}
	_, split := byTrials(e.samples)
	if split == 0 {
		return
	}
	for _, part := range []struct {
		of   []sample
		into *[]int
	}{{e.samples[:split], &e.Before}, {e.samples[split:], &e.After}} {
		passed, counted := sumOf(part.of)
		*part.into = []int{passed, counted}
	}
	e.Since = b.runName(int(e.samples[split-1].run))
}

// runName is a run of all that are stored, as evidence names it.
func (b *Builder) runName(i int) string { return nameOf(b.trend.run(i)) }

func (e *Ever) words() string {
	if e == nil || !e.Changed {
		return ""
	}
	s := fmt.Sprintf("; changed over all %s", runs(e.Runs))
	switch {
	case e.Since != "" && e.byScore:
		s += fmt.Sprintf(", most likely after %s: mean score %s before, %s since", e.Since, score(e.BeforeScore.V), score(e.AfterScore.V))
	case e.Since != "":
		s += fmt.Sprintf(", most likely after %s: %d of %d (%s) passed before, %d of %d (%s) since", e.Since,
			e.Before[0], e.Before[1], percent(e.Before[0], e.Before[1]), e.After[0], e.After[1], percent(e.After[0], e.After[1]))
	}
	return s + fmt.Sprintf(" (e = %s, valid no matter how often you look)", eValue(e.LogE))
}

// eValue is an e-value with two digits that mean something.
func eValue(logE float64) string {
	switch e := math.Exp(logE); {
	case e < 100:
		return strconv.FormatFloat(e, 'g', 2, 64)
	case e < 1e6:
		return words.Count(int(e))
	}
	return "above a million"
}
