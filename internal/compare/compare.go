// Package compare finds what changed between judged runs, per test and as a whole.
// It makes a [Comparison] from envelopes only.
//
// A rate that falls from 80 % to 50 % may be chance, with ten trials on each side.
// So this package matches tests by suite, test and variant, and trials by number. It
// tests each difference, adjusts for the number of tests, and gives each test a state.
//
// # The states
//
// With the difference d of pass rates, or of mean scores where these decide, candidate
// minus base, its interval
// [lo, hi] at the confidence level, alpha = 1 - confidence, the margin M and the
// adjusted two-sided p-value:
//
//	EQUIVALENT   -M < lo and hi < M: any change is smaller than the margin
//	REGRESSED    otherwise, p <= alpha and d < 0
//	IMPROVED     otherwise, p <= alpha and d > 0
//	UNRESOLVED   otherwise: too few trials to decide
//
// The run has a state by the same definition, with the pooled p-value and the
// interval clustered by test. For REGRESSED and IMPROVED the interval must exclude 0,
// so that a run in which some tests rose and others fell is UNRESOLVED.
//
// NonInferior means lo > -M: the candidate is not worse than base by the margin.
//
// # What is compared
//
// Counted trials are compared, without retries, which would count a failure twice.
// Checks and tools are compared within tests, each as a family of its own. For a test
// that changed, it also finds the step at which its trials diverge.
//
// Verdicts are not compared, because the policies may differ. Setup is not part of the
// time and cost of a trial.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Input is one run to compare.
type Input struct {
	Name     string // for reports
	Envelope *envelope.Envelope
	// Runs are the runs in the envelope, if it has several that differ only by chance. Past
	// are earlier runs of a base.
	Runs, Past []Counts
}

// Check rejects envelopes that verdict.Seal did not make.
func (in Input) Check() error {
	if in.Envelope == nil {
		return fmt.Errorf("cannot compare %s: there is no envelope; seal a run first", in.Name)
	}
	for i := range in.Envelope.Tests {
		if t := &in.Envelope.Tests[i]; t.Rows == nil {
			return fmt.Errorf("cannot compare %s: test %q has no rows: compare envelopes that verdict.Seal made", in.Name, t.Key)
		}
	}
	return nil
}

// Runs compares a base with each candidate. Tests, which are sorted, are matched by suite,
// test and variant. by is the label whose values the sides are, or "". more are problems of
// no side. The error is that of options out of range or of an invalid envelope.
func Runs(by string, base Input, candidates []Input, more []envelope.Problem, o Options) (*Comparison, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, in := range append([]Input{base}, candidates...) {
		if err := in.Check(); err != nil {
			return nil, err
		}
	}
	c := &Comparison{By: by, Base: sideOf(base), Settings: Settings{Confidence: o.Confidence, Alpha: o.alpha(), Margin: o.Margin,
		Adjust: o.Adjust, Pairing: o.Pairing, ClusterBy: o.ClusterBy, Sequential: o.Sequential,
		SequentialTest: words.If(o.SequentialTest != TestBetting, o.SequentialTest), FailOn: slices.Clone(o.FailOn)}}
	var all []match
	ends, runs := make([]int, len(candidates)), make([]*manyRuns, len(candidates))
	within, known := make([]*inside, len(candidates)), newIntervals()
	for i, candidate := range candidates {
		contrast := Contrast{Candidate: sideOf(candidate)}
		order, err := turnsOf(base, candidate, o)
		if err != nil {
			return nil, err
		}
		matches := contrast.match(base.Envelope, candidate.Envelope, order, known, o)
		if !o.Sequential {
			runs[i] = between(base, candidate, slices.ContainsFunc(matches, func(m match) bool { return m.byScore }))
		}
		compareAll(matches, runs[i], o)
		within[i] = look(base.Envelope, candidate.Envelope, matches, runs[i] != nil, o)
		all = append(all, matches...)
		ends[i] = len(all)
		c.Contrasts = append(c.Contrasts, contrast)
	}
	if o.Sequential {
		if err := somePairs(all); err != nil {
			return nil, err
		}
	}
	adjustInside(within, o)
	members, inTime := findLate(base.Envelope, candidates, c.Contrasts, all, ends)
	c.Settings.Asked, c.Settings.Able = adjustRates(all, members*inTime, o)
	beside, durations, costs := make([]*ScoreChange, len(all)), make([]*Measurement, len(all)), make([]*Measurement, len(all))
	for i := range all {
		if all[i].Pairs != nil && all[i].Method == MethodFisher && all[i].PAdjusted.OK {
			c.Settings.EnoughPairs = o.enoughPairs()
		}
		beside[i], durations[i], costs[i] = all[i].Scores, all[i].DurationMS, all[i].CostUSD
	}
	settleScores(beside, o)
	settleAll(durations, o)
	settleAll(costs, o)
	from, rounds := 0, make([][]Pairs, len(candidates))
	for i := range c.Contrasts {
		if err := c.Contrasts[i].decide(all[from:ends[i]], members, runs[i], within[i], by == "" && runs[i] == nil, o); err != nil {
			return nil, err
		}
		rounds[i] = roundsOf(all[from:ends[i]])
		from = ends[i]
	}
	decideRuns(c.Contrasts, rounds, by == "", o)
	c.own = slices.Clone(more)
	c.findOwn(base, candidates)
	c.Problems = c.allProblems(base, candidates)
	c.Gate = gateOf(c, base, candidates, o)
	return c, nil
}

// turnsOf is the order of the trials of a sequential comparison; nil for any other.
func turnsOf(base, candidate Input, o Options) (*turns, error) {
	if !o.Sequential {
		return nil, nil
	}
	if err := oneRunEach(base, candidate); err != nil {
		return nil, err
	}
	order := &turns{fewest: stats.PairedSequence(nil).Soonest(0, o.alpha(), mostPairs)}
	var err, wrong error
	order.base, err = turnsOfSide(base)
	order.candidate, wrong = turnsOfSide(candidate)
	return order, cmp.Or(err, wrong)
}

func sideOf(in Input) Side {
	s := in.Envelope.Summary
	return Side{Name: in.Name, Run: in.Envelope.Run, Tests: s.Tests, Trials: s.Trials, Rate: s.Rate,
		DurationMS: s.DurationMS, CostUSD: s.CostUSD}
}

// match pairs the tests of both sorted lists. It sets c.Gone and c.New.
func (c *Contrast) match(base, candidate *envelope.Envelope, order *turns, known *intervals, o Options) []match {
	type both struct{ base, candidate *envelope.Test }
	pairs := make([]both, 0, min(len(base.Tests), len(candidate.Tests)))
	i, j := 0, 0
	for i < len(base.Tests) || j < len(candidate.Tests) {
		switch which := c.order(base.Tests[i:], candidate.Tests[j:]); {
		case which < 0:
			c.Gone = append(c.Gone, single(&base.Tests[i], o))
			i++
		case which > 0:
			t := &candidate.Tests[j]
			c.New = append(c.New, single(t, o))
			if s := sampleOf(t, o.Confidence); t.Status == envelope.Fail || t.Status == envelope.Error {
				c.failing = append(c.failing, Test{Key: t.Key, File: t.File, Line: t.Line, Candidate: s.side(), Failure: failureOf(candidate, t),
					Reason: "only the candidate has this test: " + outOf(s.Trials)})
			}
			j++
		default:
			pairs = append(pairs, both{&base.Tests[i], &candidate.Tests[j]})
			i++
			j++
		}
	}
	out := make([]match, len(pairs))
	c.Tests = make([]Test, len(pairs))
	parallel.Spans(len(pairs), stretch, func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = match{base: sampleOf(pairs[i].base, o.Confidence), candidate: sampleOf(pairs[i].candidate, o.Confidence),
				order: order, known: known, Test: &c.Tests[i]}
			out[i].lookAtScores()
		}
	})
	return out
}

const stretch = 64

func compareAll(matches []match, runs *manyRuns, o Options) {
	family := len(matches)
	if o.Adjust == AdjustNone {
		family = 1
	}
	parallel.Spans(len(matches), stretch, func(from, to int) {
		for i := from; i < to; i++ {
			matches[i].compare(runs, o)
			if runs == nil && !o.Sequential {
				matches[i].withoutPairs(family, o)
			}
		}
	})
}

// order is below 0 if the next test is only in base, above 0 if only in candidate.
func (c *Contrast) order(base, candidate []envelope.Test) int {
	switch {
	case len(base) == 0:
		return 1
	case len(candidate) == 0:
		return -1
	}
	return base[0].Key.Compare(candidate[0].Key)
}

func failureOf(e *envelope.Envelope, t *envelope.Test) *Failure {
	all := why.Spoken(e, t)
	if len(all) == 0 {
		return nil
	}
	return &Failure{all[0].Trials, all[0].Text()}
}

func single(t *envelope.Test, o Options) Single {
	s := sampleOf(t, o.Confidence)
	return Single{Key: t.Key, Status: t.Status, Trials: s.Trials}
}

// decide sets the state of every test and of the run. alone means that each side is one run,
// so that the variance between runs is unknown. members counts the tests of a sequential
// comparison.
func (c *Contrast) decide(matches []match, members int, runs *manyRuns, within *inside, alone bool, o Options) (err error) {
	c.Checks, c.Tools = within.checks.list(), within.tools.list()
	for i := range matches {
		m := &matches[i]
		if m.decide(alone, o); m.Worse() != "" {
			m.Failure = failureOf(within.candidate, m.candidate.test)
		}
		within.fill(m, i, o)
		c.Summary.add(m.Test)
	}
	c.Summary.New, c.Summary.Gone = len(c.New), len(c.Gone)
	c.Summary.NewFails += len(c.failing)
	c.Run, c.unscored, err = overall(matches, runs, o)
	for i := range matches {
		m := &matches[i]
		if m.byScore && m.Difference != nil && !m.ByScore() {
			c.cut++
		}
		if m.late {
			c.late++
		} else if len(m.sequence) > 0 {
			members--
		}
	}
	c.waiting = members
	return err
}

// Sampled has the counts of a run, for many comparisons.
type Sampled struct{ tests map[envelope.Key]sample }

// Sample counts the trials of a judged run, without excluded ones and retries.
func Sample(e *envelope.Envelope) Sampled {
	s := Sampled{make(map[envelope.Key]sample, len(e.Tests))}
	for i := range e.Tests {
		s.tests[e.Tests[i].Key] = countsOf(&e.Tests[i])
	}
	return s
}

// Scores returns the scores of the trials of a test. A pass without a score is 1.
func (s Sampled) Scores(k envelope.Key) stats.Scored {
	one, has := s.tests[k]
	if !has {
		return stats.Scored{}
	}
	return stats.ScoredOf(one.points())
}

// BasisOf returns whether runs are compared by mean scores, which requires tests whose scores
// decide in all runs. If scores exceed 0 to 1, left are the tests without scores, which cannot
// be compared with the others.
func BasisOf(runs []Sampled, keys []envelope.Key) (b Basis, left []envelope.Key) {
	var without []envelope.Key
	for _, k := range keys {
		decide, graded := true, false
		for _, run := range runs {
			one := run.tests[k]
			decide = decide && one.scored && rule.ScoresDecide(one.test)
			if graded = graded || one.graded; decide {
				b.Outside = b.Outside || one.scale.outside()
			}
		}
		if decide {
			b.Scores = b.Scores || graded
		} else {
			without = append(without, k)
		}
	}
	if b.Outside = b.Outside && b.Scores; b.Outside {
		left = without
	}
	return b, left
}

// Trials returns the counts of a test, or zeros if the run does not have it.
func (s Sampled) Trials(k envelope.Key) Trials { return s.tests[k].Trials }

// Test returns the judged test, or nil if the run does not have it.
func (s Sampled) Test(k envelope.Key) *envelope.Test { return s.tests[k].test }

// Duels compares the scores of trials with the same test and number. A trial without a
// score has 1 for a pass and 0 otherwise.
func Duels(first, second Sampled, keys []envelope.Key) (won, lost, tied int) {
	for _, k := range keys {
		a, b := first.tests[k], second.tests[k]
		if a.test == nil || b.test == nil {
			continue
		}
		for _, rows := range partnersByName(&a, &b) {
			switch x, y := rule.PointsOf(a.test.Rows, rows[0]), rule.PointsOf(b.test.Rows, rows[1]); {
			case x > y:
				won++
			case x < y:
				lost++
			default:
				tied++
			}
		}
	}
	return won, lost, tied
}

// Whole returns the difference of two runs over these tests, as [Runs] does for the whole
// run. Groups has the name of the group of each test, or is nil. Tests without trials on
// one side are ignored; if none is left, there is no difference.
func Whole(base, candidate Sampled, keys []envelope.Key, groups []string, by Basis, o Options) (Overall, error) {
	all := Overall{State: Unresolved}
	tests, names := strata{Basis: by}, []string(nil)
	matches, known := make([]match, len(keys)), newIntervals()
	for i, k := range keys {
		b, c := base.tests[k], candidate.tests[k]
		if b.N == 0 || c.N == 0 {
			continue
		}
		if matches[i] = (match{base: b, candidate: c, known: known, Test: &Test{Key: k}}); by.Scores {
			matches[i].lookAtScores()
		}
		matches[i].Finding = matches[i].find(nil, o)
	}
	for i := range matches {
		m := &matches[i]
		if m.Test == nil || m.Difference == nil {
			continue
		}
		all.Tests++
		all.Base.Add(m.base.Trials)
		all.Candidate.Add(m.candidate.Trials)
		tests.add(m)
		if groups != nil {
			names = append(names, groups[i])
		}
	}
	if all.Tests == 0 {
		return all, nil
	}
	all.Finding = tests.finding(o)
	tests.fill(&all, o)
	if names != nil {
		if err := tests.group(&all, names, o); err != nil {
			return all, err
		}
	}
	all.NonInferior = all.Difference.above(-o.Margin)
	return all, nil
}
