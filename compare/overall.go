package compare

import (
	"fmt"
	"math"
	"slices"

	"tribunal/internal/words"
	"tribunal/stats"
)

// overall compares the runs as a whole, over the tests that have trials on both
// sides. The p-value is that of all pairs together, or stratified by test; the
// difference is the mean over tests, weighted by their trials, and its interval
// comes from how much the tests differ, so that tests which went up and tests
// which went down do not pass for precision. What it means is said by decideRuns.
// Unscored are tests that have no part in it because the others have scores.
func overall(matches []match, runs *manyRuns, o Options) (all Overall, unscored int, err error) {
	var tests strata
	var durations, costs [][2][]float64
	tests.of(matches)
	for i := range matches {
		m := &matches[i]
		if m.Difference == nil || m.late {
			continue
		}
		if !tests.takes(m) {
			unscored++
			continue
		}
		all.Tests++
		all.Base.Add(m.base.Trials)
		all.Candidate.Add(m.candidate.Trials)
		tests.add(m)
		if m.DurationMS != nil {
			durations = append(durations, m.durations)
		}
		if m.CostUSD != nil {
			costs = append(costs, m.costs)
		}
	}
	all.Base.Rate, all.Candidate.Rate = rate(all.Base.Passed, all.Base.N, o.Confidence), rate(all.Candidate.Passed, all.Candidate.N, o.Confidence)
	all.State = Unresolved
	if all.Tests == 0 {
		all.Reason = "no test has counted trials on both sides"
		return all, 0, nil
	}
	if o.Sequential {
		all.Finding = inTurn(roundsOf(matches), o)
	} else {
		all.Finding = tests.finding(o)
		tests.fill(&all, o)
	}
	if o.ClusterBy != "" {
		if err := tests.groupBy(&all, o); err != nil {
			return all, unscored, err
		}
	}
	if runs != nil {
		all.Between = &runs.Between
		runs.widen(&all.Finding, tests.keys, tests.weights(), tests.Basis.Scores, o)
		if all.Scores != nil {
			runs.widen(&all.Scores.Finding, tests.beside.keys, slices.Repeat([]float64{1}, len(tests.beside.keys)), true, o)
		}
	}
	all.NonInferior = all.Difference.above(-o.Margin)
	all.DurationMS, all.CostUSD = measureAll(durations), measureAll(costs)
	return all, unscored, nil
}

// Add adds trials.
func (t *Trials) Add(more Trials) {
	t.N += more.N
	t.Passed += more.Passed
	t.Excluded += more.Excluded
	t.Retries += more.Retries
}

// decideRuns gives the runs their states, once all are known: several against one
// base are as many questions, and their p-values are adjusted as those of tests,
// over those that could reach alpha. Apart are sides that are no parts of one run.
func decideRuns(contrasts []Contrast, rounds [][]Pairs, apart bool, o Options) {
	p := make([]float64, len(contrasts))
	var durations, costs []*Measurement
	var scores []*ScoreChange
	for i := range contrasts {
		run := &contrasts[i].Run
		switch p[i] = math.NaN(); {
		case run.PValue.OK && run.LeastP.V <= o.alpha():
			p[i] = run.PValue.V
		case o.Sequential && !contrasts[i].joined:
			p[i] = 1 // it may have pairs later, and is adjusted for from the beginning
		}
		durations, costs = append(durations, run.DurationMS), append(costs, run.CostUSD)
		scores = append(scores, run.Scores)
	}
	settleScores(scores, o)
	settleAll(durations, o)
	settleAll(costs, o)
	for i, q := range o.adjust(p) {
		run := &contrasts[i].Run
		if len(contrasts) > 1 {
			run.PAdjusted = finite(q)
		}
		if run.Tests > 0 {
			run.decide(rounds[i], contrasts[i].cut > 0, contrasts[i].waiting, apart && run.Between == nil, o)
		}
	}
}

// decide gives the run its state. Tests that moved so unevenly that their mean
// may be 0 leave it UNRESOLVED, although their trials together point one way:
// some tests changed, the run as a whole cannot be said to have. Rounds are those of
// a sequential comparison, in which scores that were cut make no run EQUIVALENT, and
// tests that wait for a pair leave it UNRESOLVED.
func (all *Overall) decide(rounds []Pairs, cut bool, waiting int, alone bool, o Options) {
	d := all.Difference
	p := all.PValue
	if all.PAdjusted.OK {
		p = all.PAdjusted
	}
	if o.Sequential {
		if all.State = all.settleInTurn(rounds, p, o); all.State == Equivalent && cut || waiting > 0 {
			all.State, all.DecidedAfter = Unresolved, 0
		}
		if cut || waiting > 0 {
			all.NonInferior = false
		}
		all.Reason = all.reason(o)
		if waiting > 0 {
			all.Reason += fmt.Sprintf("; the run is decided when every test of the base has a pair: %s none", words.Plural(waiting, "test has", "tests have"))
		}
		return
	}
	all.State = state(d, p, o)
	all.Reason = all.reason(o)
	if (all.State == Regressed || all.State == Improved) && d.Lo <= 0 && d.Hi >= 0 {
		all.State, all.Uneven = Unresolved, true
		all.Reason += "; the tests changed too unevenly to show it of the run"
	}
	if alone && all.State.changed() {
		half := d.Value - d.Lo
		if d.Value < 0 {
			half = d.Hi - d.Value
		}
		factor := math.Min(stats.VarianceAllowed(all.PValue.V, o.alpha()*all.PValue.V/p.V), d.Value*d.Value/(half*half))
		all.StandsUpTo = all.standsUpTo(factor, all.Base, all.Candidate)
		all.Reason += all.undoing()
	}
}

func (all *Overall) reason(o Options) string {
	s := comparedWords(all.Difference, all.Base, all.Candidate) + ", over " + words.Plural(all.Tests, "test", "tests")
	if p := all.Pairs; p != nil {
		s += fmt.Sprintf("; of %d pairs %d got worse and %d better", p.N(), p.Base, p.Candidate)
	}
	s += "; " + wordsOfP(all.Finding)
	if all.State == Equivalent {
		s += "; the difference is within " + all.Difference.marginWords(o.Margin) + " of 0"
	}
	return s + all.decidedWords("round", "rounds") + all.turned(all.State) + all.groupWords() + all.Between.words()
}
