package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/plan"
	"tribunal/stats"
	"tribunal/verdict"
	"tribunal/verdict/gate"
)

// meanOf is the mean rate of a variant.
func meanOf(of []Item, v int) float64 {
	sum := 0.
	for i := range of {
		sum += of[i].rates[v] / float64(len(of))
	}
	return sum
}

// withRest are the rates of each test over some variants, and their sums over all other tests.
func withRest(of []Item, variants []int) (rates, rest [][]float64) {
	rates, rest = make([][]float64, len(of)), make([][]float64, len(of))
	sums := make([]float64, len(variants))
	for i := range of {
		for k, v := range variants {
			rates[i] = append(rates[i], of[i].rates[v])
			sums[k] += of[i].rates[v]
		}
	}
	for i := range of {
		for k, sum := range sums {
			rest[i] = append(rest[i], sum-rates[i][k])
		}
	}
	return rates, rest
}

// discriminate correlates each test with the rest. A negative correlation is a finding where it
// stands among all tests by Benjamini's and Hochberg's method.
func (a *Tests) discriminate(variants int) {
	var of []*Item
	var p []float64
	rates, rest := withRest(a.Tests, places(len(a.Variants)))
	for i := range a.Tests {
		if c, ok := correlation(rates[i], rest[i], variants, a.Confidence); ok {
			a.Tests[i].Discrimination = c
			of, p = append(of, &a.Tests[i]), append(p, c.P)
		}
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		of[i].Discrimination.P = digits(adjusted)
		if of[i].Discrimination.Value < 0 && adjusted <= 1-a.Confidence {
			of[i].Says = SaysAgainst
		}
	}
}

func correlation(x, y []float64, pairs int, confidence float64) (*Correlation, bool) {
	r := stats.Correlation(x, y)
	lo, hi, p := stats.CorrelationInterval(r, pairs, confidence)
	if math.IsNaN(lo) {
		return nil, false
	}
	return &Correlation{digits(r), digits(lo), digits(hi), digits(p)}, true
}

// mostPairs bounds the pairs of tests that are listed.
const mostPairs = 100

// alike finds pairs of tests whose rates move together beyond what all other tests explain: the
// correlation of what a regression on the rest leaves.
//
// W. M. Yen, Appl. Psychol. Meas. 8 (1984) 125-145 (Q3).
func (a *Tests) alike(variants int) {
	var of []int
	var left [][]float64
	rates, rest := withRest(a.Tests, places(len(a.Variants)))
	for i := range rates {
		if r := residuals(rates[i], rest[i]); r != nil {
			of, left = append(of, i), append(left, r)
		}
	}
	var pairs []Alike
	var p []float64
	for i := range of {
		for j := range i {
			// The regression takes a degree of freedom.
			if c, ok := correlation(left[i], left[j], variants-1, a.Confidence); ok {
				pairs = append(pairs, Alike{a.Tests[of[j]].Key, a.Tests[of[i]].Key, *c})
				p = append(p, c.P)
			}
		}
	}
	if len(p) > 0 {
		a.LeastAlike = envelope.Some(digits(leastFound(variants-1, (1-a.Confidence)/float64(len(p)))))
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		if pairs[i].Correlation.P = digits(adjusted); pairs[i].Correlation.Value > 0 && adjusted <= 1-a.Confidence {
			a.Alike = append(a.Alike, pairs[i])
		}
	}
	slices.SortFunc(a.Alike, func(x, y Alike) int {
		return cmp.Or(cmp.Compare(y.Correlation.Value, x.Correlation.Value), x.First.Compare(y.First), x.Second.Compare(y.Second))
	})
	a.Alike = a.Alike[:min(mostPairs, len(a.Alike))]
}

// leastFound is the weakest correlation that has a p-value.
func leastFound(pairs int, level float64) float64 {
	lo, hi := 0., 1.
	for range 40 {
		r := (lo + hi) / 2
		if _, _, p := stats.CorrelationInterval(r, pairs, 0.95); p > level {
			lo = r
		} else {
			hi = r
		}
	}
	return hi
}

// residuals are what a regression of rates on those of the rest leaves; nil where it leaves
// nothing.
func residuals(rates, rest []float64) []float64 {
	r := stats.Correlation(rates, rest)
	if math.IsNaN(r) {
		return nil
	}
	mean, deviation := stats.MeanDeviation(rates)
	others, spread := stats.MeanDeviation(rest)
	out := make([]float64, len(rates))
	for v := range out {
		out[v] = rates[v] - mean - r*deviation/spread*(rest[v]-others)
	}
	return out
}

// worth writes the index of each test: the standard deviation of its rates over the variants
// times its discrimination, shrunken. The sum of such indexes over the tests is the standard
// deviation of the total, so it says how much of the order of the variants a test makes.
//
// H. Gulliksen, Theory of Mental Tests (1950), ch. 21 (index of reliability). A two-parameter
// model has as its slope the same correlation (F. M. Lord, Applications of Item Response
// Theory (1980), ch. 3), and is not identified by the few variants that a benchmark has.
func (a *Tests) worth(variants int) {
	index := indexes(a.Tests, places(variants))
	worth := byCost(a.Tests, index)
	for i := range a.Tests {
		it := &a.Tests[i]
		it.Index, it.worth = digits(index[i]), worth[i]
		if it.CostUSD.V > 0 {
			it.PerUSD = envelope.Some(digits(index[i] / it.CostUSD.V))
		}
	}
}

// indexes are those of all tests over some variants. The correlations are drawn towards their
// mean as far as chance explains that they differ: the variance of Fisher's z is 1/(n-3).
func indexes(of []Item, variants []int) []float64 {
	z, spread := make([]float64, len(of)), make([]float64, len(of))
	rates, rest := withRest(of, variants)
	var known []float64
	for i := range of {
		r := stats.Correlation(rates[i], rest[i])
		if z[i] = math.NaN(); math.IsNaN(r) {
			continue
		}
		_, spread[i] = stats.MeanDeviation(rates[i])
		z[i] = math.Atanh(math.Max(-0.999, math.Min(0.999, r)))
		known = append(known, z[i])
	}
	mean, deviation := stats.MeanDeviation(known)
	share := 0.
	if len(known) > 1 && deviation > 0 && len(variants) > 3 {
		share = math.Max(0, 1-1/float64(len(variants)-3)/(deviation*deviation))
	}
	out := make([]float64, len(of))
	for i := range of {
		if !math.IsNaN(z[i]) {
			out[i] = math.Max(0, math.Tanh(mean+share*(z[i]-mean))*spread[i])
		}
	}
	return out
}

// sort puts the test that says most for its cost first.
func (a *Tests) sort() {
	slices.SortStableFunc(a.Tests, func(x, y Item) int { return cmp.Or(cmp.Compare(y.worth, x.worth), x.Key.Compare(y.Key)) })
	slices.SortStableFunc(a.Variants, func(x, y Solver) int { return cmp.Compare(y.Rate, x.Rate) })
}

// series is what tests did in the runs, night by night.
type series struct {
	tests   []*watched
	nights  int
	red     []bool // builds
	gates   bool   // about the run, which no test decides
	broken  int    // runs with errors in the input
	commits map[string]bool
	price   envelope.Opt[float64]
	trials  float64 // of a night
	plan    GateOptions
	model   *model
	left    []*model   // without a block of nights each
	sorted  []*watched // the one that is red most often first
}

// watched is a test in the runs.
type watched struct {
	key      envelope.Key
	place    int // in the model
	policy   envelope.Effective
	rule     *plan.Rule // nil where counts do not decide
	trials   int        // of a night
	passed   []int      // of each night
	counted  []int      // of each night
	statuses []envelope.Status
	red      []bool
	excused  bool
}

// seriesOf reads the runs, or makes the tests of a plan.
func seriesOf(runs []*envelope.Envelope, held envelope.Effective, o GateOptions) (*series, error) {
	s := &series{nights: len(runs), plan: o, commits: map[string]bool{}, gates: len(held.Gates) > 0 || held.RunThreshold.OK}
	if len(runs) == 0 {
		return s, s.planned(held)
	}
	known, rules, trials, cost := map[envelope.Key]*watched{}, map[string]*plan.Rule{}, 0, 0.
	for night, e := range runs {
		policies := verdict.NewPolicies(e)
		s.red = append(s.red, e.Gate.ExitCode == gate.ExitFailed || e.Gate.ExitCode == gate.ExitInconclusive)
		s.commits[e.Run.Commit] = true
		if e.Gate.ExitCode == gate.ExitUnusable {
			s.broken++
		}
		trials += e.Summary.Trials.Total
		if e.Summary.CostUSD.OK {
			cost += e.Summary.CostUSD.V
			s.price = envelope.Some(0.)
		}
		for i := range e.Tests {
			t := &e.Tests[i]
			w := known[t.Key]
			if w == nil {
				p, err := policies.Of(t)
				if err != nil {
					return nil, fmt.Errorf("policy for test %s: %w", t.Key, err)
				}
				name := fmt.Sprint(p.Rule, p.Threshold, p.Confidence, p.MinTrials, p.Alpha, p.Beta, p.Gap, p.PriorAlpha, p.PriorBeta)
				if _, made := rules[name]; !made {
					rules[name], _ = plan.RuleOf(p) // nil where counts do not decide
				}
				w = &watched{key: t.Key, policy: p, passed: make([]int, s.nights), counted: make([]int, s.nights), red: make([]bool, s.nights),
					statuses: make([]envelope.Status, s.nights), rule: rules[name]}
				known[t.Key] = w
				s.tests = append(s.tests, w)
			}
			w.see(night, t, e)
		}
	}
	slices.SortFunc(s.tests, func(a, b *watched) int { return a.key.Compare(b.key) })
	for i, w := range s.tests {
		w.place, w.trials = i, w.usual()
	}
	if s.trials = float64(trials) / float64(s.nights); s.price.OK && trials > 0 {
		s.price.V = cost / float64(trials)
	}
	return s, nil
}

// see writes what a test did in a night.
func (w *watched) see(night int, t *envelope.Test, e *envelope.Envelope) {
	w.passed[night], w.counted[night], w.statuses[night] = t.Trials.Passed, t.Trials.Counted, t.Status
	inconclusive := t.Status == envelope.Inconclusive && treatedRed(e.Policy)
	alone := t.Status == envelope.Fail && e.RunJudgedAlone()
	w.red[night] = !t.Excused() && !alone && (t.Status == envelope.Fail || t.Status == envelope.Error || inconclusive)
	w.excused = t.Excused() || e.RunJudgedAlone()
	w.trials = max(w.trials, int(t.Trials.Planned.V))
	for row := range t.Rows.Len() {
		if t.Rows.Retry().At(row) {
			w.rule = nil
		}
	}
	if e.Policy.Adjust != "none" {
		w.rule = nil
	}
}

// usual is how many trials a night has: those planned, or the median of those counted.
func (w *watched) usual() int {
	var counted []int
	for _, n := range w.counted {
		if n > 0 {
			counted = append(counted, n)
		}
	}
	if w.trials > 0 || len(counted) == 0 {
		return w.trials
	}
	slices.Sort(counted)
	return counted[len(counted)/2]
}

// runs is in how many of them the test is.
func (w *watched) runs() (n int) {
	for _, status := range w.statuses {
		if status != "" && status != envelope.Skip {
			n++
		}
	}
	return n
}

// anyRed are the nights in which one of the tests was red.
func (s *series) anyRed(of []*watched) []bool {
	red := make([]bool, s.nights)
	for _, w := range of {
		for night, is := range w.red {
			red[night] = red[night] || is
		}
	}
	return red
}

func (w *watched) all() (passed, counted int) {
	for night, n := range w.counted {
		passed, counted = passed+w.passed[night], counted+n
	}
	return passed, counted
}

func count(of []bool) (n int) {
	for _, is := range of {
		if is {
			n++
		}
	}
	return n
}

// planned makes tests that all pass at the rate expected.
func (s *series) planned(held envelope.Effective) error {
	rule, err := plan.RuleOf(held)
	if err != nil {
		return err
	}
	for i := range s.plan.Tests {
		s.tests = append(s.tests, &watched{key: envelope.Key{Test: fmt.Sprintf("test %d", i+1)}, place: i, policy: held, rule: rule,
			trials: s.plan.Trials})
	}
	s.trials = float64(s.plan.Tests) * rule.Chance(s.plan.Trials, s.plan.Expect, s.plan.ICC).Mean.V
	return nil
}

// observed is the share of red runs; nil without runs.
func observed(red, runs int, confidence float64) *Chance {
	if runs == 0 {
		return nil
	}
	lo, hi := stats.ClopperPearson(red, runs, confidence)
	return &Chance{digits(float64(red) / float64(runs)), digits(lo), digits(hi)}
}

// digits rounds as a plan does.
func digits(v float64) float64 { return plan.Digits(v) }
