package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// What tests can be grouped by beside their labels.
const (
	groupSuite = "suite"
	groupFile  = "file"
	groupTest  = "test"
)

func (s *strata) groupBy(all *Overall, o Options) error {
	names, err := GroupNames(s.tests, o.ClusterBy)
	if err != nil {
		return err
	}
	return s.group(all, names, o)
}

// group makes the difference of the run the mean over tests, each once, and its error
// that of groups which move together, by the name of the group of each test.
func (s *strata) group(all *Overall, names []string, o Options) error {
	place, groups := map[string]int{}, make([]int, len(names))
	for i, name := range names {
		at, known := place[name]
		if !known {
			at = len(place)
			place[name] = at
			all.Groups = append(all.Groups, Group{Name: name})
		}
		groups[i], s.contrasts[i].Weight = at, 1
		all.Groups[at].Tests++
		all.Groups[at].Difference += s.contrasts[i].Difference
	}
	if len(place) < 2 {
		return fmt.Errorf("--cluster-by %s: all tests are in one group%s, so how groups vary is unknown; name a label with more "+
			"values", o.ClusterBy, words.If(names[0] != "", fmt.Sprintf(", %q", names[0])))
	}
	for i := range all.Groups {
		all.Groups[i].Difference /= float64(all.Groups[i].Tests)
	}
	slices.SortFunc(all.Groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	if s.Basis.Scores {
		all.Finding = s.scores.finding(groups, o)
		return nil
	}
	all.Finding = s.groupedRates(groups, o)
	return nil
}

// groupedRates is the mean of the differences of rates, each test once, with the error of
// groups. Where all groups moved alike it has that of the trials.
func (s *strata) groupedRates(groups []int, o Options) Finding {
	var differences []float64
	var rated []stats.RatedTest
	n1, n2 := 0, 0
	for i, of := range s.rates {
		differences = append(differences, s.contrasts[i].Difference)
		rated = append(rated, stats.RatedTest{Of: []stats.Cluster{{Passed: of.Passed1, N: of.N1}, {Passed: of.Passed2, N: of.N2}}})
		n1, n2 = n1+of.N1, n2+of.N2
	}
	e := stats.MeanOfGroups(differences, groups, o.Confidence)
	if e.SE == 0 {
		within := stats.RateVariants(rated).Within
		e = stats.Estimate(e.Value, within[0]+within[1], e.DF, o.Confidence)
	}
	f := Finding{Method: MethodStudent, PValue: envelope.Finite(e.P)}
	if s.test.Paired() {
		f.Pairs = &s.pairs
	}
	f.takeDifference(e, IntervalGroup, scale{0, 1}, min(n1, n2), o)
	f.Difference.Of = ""
	return f
}

// GroupNames is the group of each test. A test without the label is a group of its
// own; a label that no test has is an error.
func GroupNames(tests []*envelope.Test, by string) ([]string, error) {
	names, found := make([]string, len(tests)), false
	known := map[string]bool{groupSuite: true, groupFile: true, groupTest: true, envelope.VariantLabel: true}
	for i, t := range tests {
		value, has := t.Labels[by]
		switch by {
		case groupSuite:
			value, has = t.Suite, true
		case groupFile:
			value, has = t.File, t.File != ""
		case groupTest:
			value, has = t.Key.String(), true
		case envelope.VariantLabel:
			value, has = t.Variant, true
		}
		if !has {
			value = t.Key.String()
		}
		for label := range t.Labels {
			known[label] = true
		}
		names[i], found = value, found || has
	}
	if !found && by != groupFile {
		return nil, fmt.Errorf("--cluster-by: %w (a label must have one value on all trials of a test)",
			suggest.Unknown("label", by, slices.Sorted(maps.Keys(known))))
	}
	if !found {
		return nil, fmt.Errorf("--cluster-by %s: no test has a file; use --cluster-by suite, or a label", by)
	}
	return names, nil
}

func (all *Overall) groupWords() string {
	if len(all.Groups) == 0 {
		return ""
	}
	groups := slices.Clone(all.Groups)
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Compare(max(b.Difference, -b.Difference), max(a.Difference, -a.Difference))
	})
	const mostGroups = 5
	return fmt.Sprintf("; %d groups: ", len(groups)) + words.First(groups, mostGroups, func(g Group) string {
		return fmt.Sprintf("%s %s (%s)", cmp.Or(g.Name, "(no name)"), Signed(g.Difference), words.Plural(g.Tests, "test", "tests"))
	})
}

// strata are the tests with trials on both sides. Paired tests only have their pairs.
type strata struct {
	test      stats.Stratified
	contrasts []stats.Contrast // the part of each test in the mean difference
	pairs     Pairs
	tables    []stats.Table // the tests that are not paired
	alone     Finding       // of the last test
	keys      []envelope.Key
	rates     []stats.Table // of all tests: of paired ones their pairs
	tests     []*envelope.Test

	Basis
	scores, beside means // of the run where it is compared by scores; of tests that have some beside passes
}

func (s *strata) add(m *match) {
	s.keys, s.tests = append(s.keys, m.Key), append(s.tests, m.candidate.test)
	s.alone = m.Finding
	s.alone.PAdjusted, s.alone.StandsUpTo = envelope.Opt[float64]{}, envelope.Opt[float64]{}
	if s.Basis.Scores {
		s.scores.add(m, m.Finding)
		s.contrasts = append(s.contrasts, stats.Contrast{Difference: s.scores.differences[len(s.scores.differences)-1], Weight: 1})
		return
	}
	if m.Scores != nil {
		s.beside.add(m, m.Scores.Finding)
	}
	before, after, d := m.base.N, m.candidate.N, m.Difference.Value
	rates := stats.Table{Passed1: m.candidate.Passed, N1: m.candidate.N, Passed2: m.base.Passed, N2: m.base.N}
	if p := m.Pairs; p != nil {
		rates = stats.Table{Passed1: p.Both + p.Candidate, N1: p.N(), Passed2: p.Both + p.Base, N2: p.N()}
		s.test.Pairs(p.Candidate, p.Base)
		s.pairs.add(*p)
		before, after, d = p.N(), p.N(), float64(p.Candidate-p.Base)/float64(p.N())
	} else {
		s.test.Table(m.candidate.Passed, m.candidate.N, m.base.Passed, m.base.N)
		s.tables = append(s.tables, rates)
	}
	s.rates = append(s.rates, rates)
	s.contrasts = append(s.contrasts, stats.Contrast{Difference: d, Weight: stats.ContrastWeight(after, before)})
}

func (p *Pairs) add(more Pairs) {
	p.Both += more.Both
	p.Base += more.Base
	p.Candidate += more.Candidate
	p.Neither += more.Neither
}

func (p Pairs) table() stats.PairTable {
	return stats.PairTable{N: p.N(), First: p.Candidate, Second: p.Base}
}

func (s *strata) finding(o Options) Finding {
	switch {
	case len(s.keys) == 1:
		return s.alone
	case s.Basis.Scores:
		return s.scores.finding(nil, o)
	}
	f := Finding{Method: MethodCMH, PValue: envelope.Finite(s.test.PValue()), LeastP: envelope.Finite(s.test.LeastP()),
		Difference: s.difference(o)}
	if s.test.Paired() {
		f.Method, f.Pairs = MethodMcNemar, &s.pairs
	}
	return f
}

// difference is the mean over tests. Its interval comes from how much the tests differ, and is
// never shorter than the trials alone allow: a few tests that agree by chance prove nothing.
func (s *strata) difference(o Options) *Difference {
	mean, lo, hi, _ := stats.ClusteredDifference(s.contrasts, o.Confidence) // an error is that of one test
	d := &Difference{Value: mean, Method: IntervalScore}
	_, d.Lo, d.Hi = stats.StratifiedDifference(s.tables, s.pairs.table(), stats.ConventionalZ(o.Confidence))
	if lo < d.Lo || hi > d.Hi {
		d.Method = IntervalCluster
		d.Lo, d.Hi = math.Max(-1, math.Min(d.Lo, lo)), math.Min(1, math.Max(d.Hi, hi))
	}
	return d
}

// overall compares the runs over the tests with trials on both sides. The p-value is of all
// pairs together, or stratified by test. The difference is the mean over tests, weighted by
// trials; its interval comes from how much the tests differ. decideRuns sets the state.
// Unscored are tests left out because the others have scores.
func overall(matches []match, runs *manyRuns, o Options) (all Overall, unscored int, err error) {
	var tests strata
	var durations, costs [][2][]float64
	for i := range matches { // where scores go beyond 0 to 1, a pass is no score of 1, and tests without scores have no part in it
		if m := &matches[i]; m.byScore && m.Difference.ofScores() {
			tests.Basis = Basis{true, tests.Outside || m.scale.outside()}
		}
	}
	for i := range matches {
		m := &matches[i]
		if m.Difference == nil || m.late {
			continue
		}
		if !m.byScore && tests.Outside {
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
	all.Base.Rate = rule.RateOf(all.Base.Passed, all.Base.N, o.Confidence)
	all.Candidate.Rate = rule.RateOf(all.Candidate.Passed, all.Candidate.N, o.Confidence)
	all.State = Unresolved
	if all.Tests == 0 {
		all.Reason = "no test has trials on both sides that can be compared"
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
		weights := each.Of(tests.contrasts, func(c stats.Contrast) float64 { return c.Weight })
		runs.widen(&all.Finding, tests.keys, weights, tests.Basis.Scores, o)
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

// decideRuns sets the states of the runs. With several candidates, p-values are adjusted as
// those of tests, over those that could reach alpha. Apart are sides from different runs.
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
			run.PAdjusted = envelope.Finite(q)
		}
		if run.Tests > 0 {
			run.decide(rounds[i], contrasts[i].cut > 0, contrasts[i].waiting, apart && run.Between == nil, o)
		}
	}
}

// decide sets the state of the run. If tests changed so unevenly that their mean may be 0, it is
// UNRESOLVED, even if the pooled trials differ. Rounds are those of a sequential comparison, in
// which cut scores never make a run EQUIVALENT, and tests without a pair leave it UNRESOLVED.
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
		all.Reason += words.If(waiting > 0, fmt.Sprintf("; the run is decided when every test of the base has a pair: %s none",
			words.Plural(waiting, "test has", "tests have")))
		return
	}
	all.State = state(d, p, o)
	all.Reason = all.reason(o)
	if (all.State == Regressed || all.State == Improved) && d.Lo <= 0 && d.Hi >= 0 {
		all.State, all.Uneven = Unresolved, true
		all.Reason += "; the tests differ too much to show it for the whole run"
	}
	if alone && all.State.changed() {
		half := d.Value - d.Lo
		if d.Value < 0 {
			half = d.Hi - d.Value
		}
		factor := math.Min(stats.VarianceAllowed(all.PValue.V, o.alpha()*all.PValue.V/p.V), d.Value*d.Value/(half*half))
		all.StandsUpTo = all.standsUpTo(factor, all.Base, all.Candidate)
	}
}

func (all *Overall) reason(o Options) string {
	s := comparedWords(&all.Finding, all.Base, all.Candidate) + ", over " + words.Plural(all.Tests, "test", "tests")
	if p := all.Pairs; p != nil {
		s += fmt.Sprintf("; of %s %d got worse and %d better", words.Plural(p.N(), "pair", "pairs"), p.Base, p.Candidate)
	}
	s += "; " + wordsOfP(all.Finding)
	if all.State == Equivalent {
		s += "; the difference is within " + all.Difference.marginWords(o.Margin) + " of 0"
	}
	return s + all.decidedWords("round", "rounds") + all.turned(all.State) + all.groupWords() + all.Between.words()
}
