package verdict

import (
	"slices"
	"sort"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
)

// whatIf judges a test as if more equal trials had come.
type whatIf struct {
	test   *envelope.Test
	now    *rule.Sample
	rule   *ruled
	passed bool
	reach  int                                                   // how many further trials to look ahead
	counts rule.Decide                                           // what the rule says of counts, when nothing else matters
	scores func(rule.Summary, envelope.Effective) stats.Decision // what it says of scores, when nothing else matters
	scored rule.Summary                                          // of now, when scores is asked
	more   *rule.Sample                                          // now and the further trials last asked about
}

func newWhatIf(t *envelope.Test, s *rule.Sample, r *ruled, passed bool, reach int) *whatIf {
	f := &whatIf{test: t, now: s, rule: r, passed: passed, reach: reach}
	if r.rule.Counts != nil && !r.rule.Sequential && s.Retries == 0 {
		f.counts = r.rule.Counts(r.policy)
	}
	if r.rule.Scores != nil && s.Retries == 0 {
		f.scores, f.scored = r.rule.Scores, rule.Summarise(r.rule.ScoresOf(s, r.policy))
	}
	return f
}

// firstChange is a number of further trials after which the rule finds another status than before adjusting and than the
// test has, and that status; 0 when there is none. More of the same evidence can take a decision back: below the minimum of
// trials nothing is decided, and passes that come after many failures fail the test when the minimum is reached, before
// there are enough to pass it. The same goes for the coverage asked for. So the first numbers are tried one by one, and the
// number is the smallest among them. Farther out, where only the evidence grows, it is found by doubling and bisecting.
func (f *whatIf) firstChange() (int, envelope.Status) {
	if f.rule.rule.Sequential && f.now.Retries == 0 && f.now.N() >= f.rule.policy.MinTrials.V {
		return f.nextStop() // what it says of further equal trials changes once
	}
	raw := f.status(0)
	changed := func(n int) bool {
		status := f.status(n)
		return status != raw && status != f.test.Status
	}
	const near = 64 // how many trials past the minimum of trials and of coverage a look ahead tries one by one
	oneByOne := min(max(f.rule.policy.MinTrials.V-f.now.N(), f.covered())+near, f.reach)
	for n := 1; n <= oneByOne; n++ {
		if changed(n) {
			return n, f.status(n)
		}
	}
	same, reach := oneByOne, oneByOne
	for reach < f.reach {
		same, reach = reach, min(2*reach, f.reach)
		if changed(reach) {
			n := same + 1 + sort.Search(reach-same-1, func(i int) bool { return changed(same + 1 + i) })
			return n, f.status(n)
		}
	}
	return 0, ""
}

// nextStop is where what a sequential rule says changes, or where so many trials count that it is heard.
func (f *whatIf) nextStop() (int, envelope.Status) {
	onward, covered := f.rule.rule.Onward(f.now, f.rule.policy), f.covered()
	says := func(n int) stats.Decision {
		if f.passed {
			return onward(n, 0)
		}
		return onward(0, n)
	}
	now := says(0)
	change := 1 + sort.Search(f.reach, func(i int) bool { return says(i+1) != now })
	for _, n := range []int{covered, max(change, covered)} {
		if n < 1 || n > f.reach {
			continue
		}
		if status := f.after(n).Status; status != f.test.Status {
			return n, status
		}
	}
	return 0, ""
}

// covered is how many further trials it takes until enough of all count.
func (f *whatIf) covered() int {
	left := excluded(f.test.Trials)
	return sort.Search(f.reach, func(n int) bool {
		return standingOf(&f.rule.rule, &f.rule.policy, f.now.N()+n, left) != thin
	})
}

// status is that of the test after n further trials, before adjusting.
func (f *whatIf) status(n int) envelope.Status {
	if f.counts == nil && f.scores == nil {
		return f.after(n).Status
	}
	counted, passed := f.now.N()+n, f.now.Passed
	if f.passed {
		passed += n
	}
	status := f.ofThese(n, counted, passed)
	if unfinished(f.test, &f.rule.rule, &f.rule.policy, counted, passed, status) {
		return envelope.Inconclusive
	}
	return status
}

// ofThese is the status that so many trials give if there are to be no others.
func (f *whatIf) ofThese(n, counted, passed int) envelope.Status {
	if status, known := standingOf(&f.rule.rule, &f.rule.policy, counted, excluded(f.test.Trials)).status(); known {
		return status
	}
	if f.counts == nil {
		return rule.StatusOf(f.scores(f.scored.With(n, f.rule.rule.Points(f.rule.policy, f.passed)), f.rule.policy))
	}
	return rule.StatusOf(f.counts(passed, counted-passed))
}

func (f *whatIf) after(n int) rule.Judgement {
	if f.more == nil || f.more.N() > f.now.N()+n {
		f.more = f.now.Clone()
	}
	for f.more.N() < f.now.N()+n {
		f.more.Add(f.passed)
	}
	then := *f.test
	then.Trials.Total, then.Trials.Counted = then.Trials.Total+n, then.Trials.Counted+n
	_, found := decide(&then, f.more, f.rule)
	return found
}

// findChanges sets how many further passes or failures in a row would change the status of
// each test that was tried and did not pass. Tests at a cost limit get none.
func findChanges(env *envelope.Envelope, rules []*ruled) {
	var common outlooks
	verdicts := sync.Pool{New: func() any { return new(envelope.Verdicts) }}
	parallel.Spans(len(env.Tests), spanTests, func(from, to int) {
		var s rule.Sample
		shared := verdicts.Get().(*envelope.Verdicts)
		defer verdicts.Put(shared)
		for i := from; i < to; i++ {
			t := &env.Tests[i]
			if t.Status != envelope.Pass && t.Status != envelope.Skip && (!t.CostLimited || t.Ended == envelope.EndedCost) {
				v := *t.Verdict
				v.Changes = common.of(t, &s, rules[i])
				t.Verdict = shared.Own(&v)
			}
		}
	})
}

// outlooks are what many tests in one situation have in common.
type outlooks struct {
	mu    sync.Mutex
	known map[situation][]envelope.Change
}

// of is what a test would be after more trials. The sample is room for its trials.
func (o *outlooks) of(t *envelope.Test, s *rule.Sample, r *ruled) []envelope.Change {
	where, common := situationOf(t, s, r)
	if !common {
		s.Fill(t.Rows)
		return changesOf(t, s, r)
	}
	o.mu.Lock()
	found, known := o.known[where]
	o.mu.Unlock()
	if known {
		return found
	}
	s.Fill(t.Rows)
	found = changesOf(t, s, r) // two may find the same at the same time
	o.mu.Lock()
	defer o.mu.Unlock()
	each.Put(&o.known, where, found)
	return found
}

// situation is all that this depends on, when that can be compared.
type situation struct {
	rule              int // see ruled.id
	n, passed, left   int
	status, rawStatus envelope.Status
	order             rule.Order // where it matters
	// What a journal says of it.
	ended            envelope.How
	planned, skipped int
}

// situationOf says where a test is, and whether tests that are there have one look ahead: not where scores count. Where
// retries or the order of trials do, they are in it, if there are few. What a sequential rule that was heard and has not
// stopped says next depends on the counts alone. The sample is room for the trials.
func situationOf(t *envelope.Test, s *rule.Sample, r *ruled) (where situation, common bool) {
	n, passed := t.Trials.Counted, t.Trials.Passed
	where = situation{rule: r.id, n: n, passed: passed, left: excluded(t.Trials), status: t.Status, rawStatus: t.Verdict.RawStatus}
	if listed(t) {
		where.ended, where.planned, where.skipped = t.Ended, int(t.Trials.Planned.Or(-1)), t.Trials.Excluded[string(envelope.Skip)]
	}
	if r.scored() && t.Rows.Score() != nil {
		return where, false
	}
	ordered := r.rule.Sequential && (t.Verdict.StoppedAt.OK || standingOf(&r.rule, &r.policy, n, excluded(t.Trials)) != ready)
	if t.Rows.Retry() == nil && !ordered {
		return where, true
	}
	s.Fill(t.Rows)
	where.order, common = s.Order()
	return where, common
}

func changesOf(t *envelope.Test, s *rule.Sample, r *ruled) []envelope.Change {
	if offScale(s, r) {
		return nil
	}
	var out []envelope.Change
	for _, outcome := range []envelope.Status{envelope.Pass, envelope.Fail} {
		const foreseen = 1000 // how many further trials of one kind an envelope looks ahead
		n, status := newWhatIf(t, s, r, outcome == envelope.Pass, foreseen).firstChange()
		if n > 0 {
			out = append(out, envelope.Change{Outcome: outcome, Trials: n, Status: status})
		}
	}
	return out
}

// offScale reports scores that decide, have no range and are outside 0..1: what a further pass would score is not known then.
func offScale(s *rule.Sample, r *ruled) bool {
	return r.scored() && !r.rule.Ranged && s.HasScores && slices.ContainsFunc(s.Scores, func(v float64) bool { return v < 0 || v > 1 })
}
