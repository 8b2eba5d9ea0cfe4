package compare

import (
	"fmt"
	"math"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// The tests behind the p-values and the intervals of differences.
const (
	MethodMcNemar   = "mcnemar-exact"
	MethodFisher    = "fisher-exact"
	MethodCMH       = "cochran-mantel-haenszel"
	IntervalPaired  = "tango"
	IntervalPlain   = "newcombe"
	IntervalCluster = "clustered-by-test"
	IntervalScore   = "stratified-score"
	IntervalGroup   = "clustered-by-group"
	IntervalRuns    = "between-runs"
	MethodBetting   = "paired-betting"
	MethodGSPRT     = "paired-gsprt"
	IntervalBetting = "betting"

	MethodPermutation = "permutation"  // of the trials of a test, by their scores
	MethodSigns       = "sign-changes" // of the differences of pairs
	MethodStudent     = "student-t"    // of the differences of tests, and of a test with several runs
	IntervalT         = "t"            // of pairs
	IntervalWelch     = "welch"
)

// OfScores is what a difference is of where it is not of pass rates.
const OfScores = "scores"

// match is a test on both sides while it is compared.
type match struct {
	base, candidate sample
	order           *turns              // of a sequential comparison: the order of its runs
	known           *intervals          // of other tests
	sequence        []Pairs             // of a sequential comparison: one pair each
	decidable       envelope.Opt[int64] // when it had enough pairs to be decided
	late            bool                // it joined a sequential comparison that could decide tests before
	durations       [2][]float64        // of base and candidate, in order
	costs           [2][]float64
	scored, byScore bool // both sides have scores to compare; the state is theirs
	scale           scale
	*Test
}

// compare finds what the trials of one test say, before it is known how many
// tests are asked.
func (m *match) compare(runs *manyRuns, o Options) {
	base, candidate := m.base.test, m.candidate.test
	m.Key, m.File, m.Line = base.Key, candidate.File, candidate.Line
	if m.File == "" {
		m.File, m.Line = base.File, base.Line
	}
	m.Base, m.Candidate = m.base.side(), m.candidate.side()
	if !m.byScore {
		m.Newly = newly(m.base.Trials, m.candidate.Trials)
	}
	m.durations = [2][]float64{m.base.values(base.Rows.DurationMS()), m.candidate.values(candidate.Rows.DurationMS())}
	m.costs = [2][]float64{m.base.values(base.Rows.CostUSD()), m.candidate.values(candidate.Rows.CostUSD())}
	m.DurationMS, m.CostUSD = measure(m.durations[0], m.durations[1], o.Confidence), measure(m.costs[0], m.costs[1], o.Confidence)
	if m.base.N == 0 || m.candidate.N == 0 {
		return
	}
	if m.Finding = m.find(runs, o); m.scored && !m.byScore {
		m.Scores = &ScoreChange{Finding: m.besidePasses(runs, o)}
	}
}

func newly(base, candidate Trials) string {
	switch {
	case base.N == 0 || candidate.N == 0 || base.Passed == 0:
		return ""
	case candidate.Passed == 0:
		return Broken
	case base.Passed == base.N && candidate.Passed < candidate.N:
		return Flaky
	}
	return ""
}

// find is the difference of the pass rates: of the pairs, where there are enough. Few
// count as pairs only for the run. Runs that vary are compared unpaired, for a pair is of two runs.
func (m *match) find(runs *manyRuns, o Options) Finding {
	if o.Sequential {
		return m.findInPairs(o)
	}
	if m.byScore {
		return m.findScores(runs, o)
	}
	if runs != nil {
		return runs.find(m, o)
	}
	var few *Pairs
	if rows := pairedRows(&m.base, &m.candidate); rows != nil && o.Pairing == PairAuto {
		p := countPairs(&m.base, &m.candidate, rows)
		if p.N() >= o.enoughPairs() {
			return paired(p, m.known, o)
		}
		few = &p
	}
	b, c := m.base, m.candidate
	value, lo, hi := stats.NewcombeDifference(c.Passed, c.N, b.Passed, b.N, stats.ConventionalZ(o.Confidence))
	return Finding{
		Difference:  &Difference{Value: value, Lo: lo, Hi: hi, Method: IntervalPlain},
		Pairs:       few,
		Method:      MethodFisher,
		PValue:      envelope.Some(stats.FisherExact(b.Passed, b.N, c.Passed, c.N)),
		LeastP:      envelope.Some(stats.FisherLeast(b.Passed+c.Passed, b.N, c.N)),
		NonInferior: lo > -o.Margin,
	}
}

func paired(p Pairs, known *intervals, o Options) Finding {
	d := known.find(p.table(), o)
	return Finding{
		Difference:  &d,
		Pairs:       &p,
		Method:      MethodMcNemar,
		PValue:      envelope.Some(stats.McNemarExact(p.Base, p.Candidate)),
		LeastP:      envelope.Some(stats.McNemarLeast(p.discordant())),
		NonInferior: d.Lo > -o.Margin,
	}
}

// withoutPairs takes the p-value of independent scores where so few pairs could not reach
// the level among a family of tests, whatever they are. It errs on the safe side where
// pairs agree. The estimate and its interval stay those of the pairs.
func (m *match) withoutPairs(family int, o Options) {
	if m.byScore && m.Pairs != nil && float64(family)*math.Exp2(1-float64(m.Pairs.N())) > o.alpha() {
		p, least := stats.PermutationTest(m.candidate.points(), m.base.points())
		m.Method, m.PValue, m.LeastP = MethodPermutation, envelope.Finite(p), envelope.Finite(least)
	}
}

// intervals are the differences of pairs that were met: of many tests most have the
// pairs of another, and an interval takes longer than all else that is said of a test.
type intervals struct {
	sync.Mutex
	of map[stats.PairTable]Difference
}

func newIntervals() *intervals { return &intervals{of: map[stats.PairTable]Difference{}} }

func (known *intervals) find(p stats.PairTable, o Options) Difference {
	known.Lock()
	d, met := known.of[p]
	known.Unlock()
	if met {
		return d
	}
	d.Method = IntervalPaired
	d.Value, d.Lo, d.Hi = stats.StratifiedDifference(nil, p, stats.ConventionalZ(o.Confidence))
	known.Lock()
	known.of[p] = d
	known.Unlock()
	return d
}

// state says what a finding means: see the package comment.
func state(d *Difference, p envelope.Opt[float64], o Options) State {
	switch {
	case d == nil:
		return Unresolved
	case d.above(-o.Margin) && d.below(o.Margin):
		return Equivalent
	case !p.OK || p.V > o.alpha() || d.Value == 0:
		return Unresolved
	case d.Value < 0:
		return Regressed
	}
	return Improved
}

func (m *match) decide(alone bool, o Options) {
	if m.base.N == 0 && m.candidate.N == 0 {
		m.Reason = "no trial counts on either side"
		return
	}
	if o.Sequential {
		if m.State = m.settleInTurn(m.sequence, m.PAdjusted, o); m.State == Equivalent && m.byScore {
			m.State, m.DecidedAfter = Unresolved, 0 // its scores were not compared
		}
		if m.byScore {
			m.NonInferior = false
		}
	} else if m.State = state(m.Difference, m.PAdjusted, o); alone && m.State.changed() {
		factor := stats.VarianceAllowed(m.PValue.V, o.alpha()*m.PValue.V/m.PAdjusted.V)
		m.StandsUpTo = m.standsUpTo(factor, m.base.Trials, m.candidate.Trials)
	}
	m.Reason = m.reason(o)
}

func (m *match) reason(o Options) string {
	switch {
	case m.base.N == 0:
		return fmt.Sprintf("no trial of base counts, so there is nothing to compare; %s now", outOf(m.candidate.Trials))
	case m.candidate.N == 0:
		return fmt.Sprintf("%s before; no trial counts now, so there is nothing to compare", outOf(m.base.Trials))
	}
	s := comparedWords(&m.Finding, m.base.Trials, m.candidate.Trials)
	if m.Difference == nil {
		return s + "; a sequential comparison needs pairs, and no attempt number is on both sides"
	}
	if p := m.Pairs; p != nil {
		s += fmt.Sprintf("; of %s %d got worse and %d better", words.Plural(p.N(), "pair", "pairs"), p.Base, p.Candidate) +
			words.If(m.Method == MethodFisher, ", too few to compare by pairs")
	}
	s += "; " + wordsOfP(m.Finding)
	switch {
	case m.State == Equivalent:
		s += "; the difference is within " + m.Difference.marginWords(o.Margin) + " of 0"
	case o.Sequential && m.byScore:
		s += "; a sequential comparison compares passes, and this test is judged by scores"
	case m.late && m.State == Unresolved:
		s += "; it joined late, and only the others are adjusted for: compare it by itself"
	case o.Sequential && m.State == Unresolved:
		s += "; more pairs may tell"
	case m.State == Unresolved && m.LeastP.V > o.alpha():
		s += "; so few trials differ that no difference could be shown"
	}
	return s + m.decidedWords("pair", "pairs") + m.turned(m.State)
}

// Sides are the trials whose difference this is: where pairs are compared, those of the pairs.
func (f *Finding) Sides(base, candidate Trials) (Trials, Trials) {
	p := f.Pairs
	if p == nil || f.Method == MethodFisher {
		return base, candidate
	}
	if base.N, candidate.N = p.N(), p.N(); !f.Difference.ofScores() {
		base.Passed, candidate.Passed = p.Both+p.Base, p.Both+p.Candidate
		base.Rate = rule.RateOf(base.Passed, base.N, base.Rate.Confidence)
		candidate.Rate = rule.RateOf(candidate.Passed, candidate.N, candidate.Rate.Confidence)
	}
	return base, candidate
}

func comparedWords(f *Finding, base, candidate Trials) string {
	if base, candidate = f.Sides(base, candidate); !f.Difference.ofScores() {
		return fmt.Sprintf("%s before, %s now", outOf(base), outOf(candidate))
	}
	return fmt.Sprintf("mean score %s (%s) before, %s (%s) now", base.Score(), words.Plural(base.N, "trial", "trials"),
		candidate.Score(), words.Plural(candidate.N, "trial", "trials"))
}

func outOf(t Trials) string { return fmt.Sprintf("%d of %d passed", t.Passed, t.N) }

func wordsOfP(f Finding) string {
	return fmt.Sprintf("p = %.3g", f.PValue.V) +
		words.If(f.PAdjusted.OK && f.PAdjusted.V != f.PValue.V, fmt.Sprintf(", adjusted %.3g", f.PAdjusted.V))
}
