package verdict

import (
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/verdict/rule"
)

// foreseen is how many further trials of one kind an envelope looks ahead.
const foreseen = 1000

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
	if o.known == nil {
		o.known = map[situation][]envelope.Change{}
	}
	o.known[where] = found
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

// situationOf says where a test is, and whether tests that are there have one
// look ahead: not where scores count. Where retries or the order of trials do, they are in it,
// if there are few. What a sequential rule that was heard and has not stopped says next
// depends on the counts alone. The sample is room for the trials.
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
		n, status := newWhatIf(t, s, r, outcome == envelope.Pass, foreseen).firstChange()
		if n > 0 {
			out = append(out, envelope.Change{Outcome: outcome, Trials: n, Status: status})
		}
	}
	return out
}

// offScale reports whether scores decide and some are outside 0..1: what a
// further pass would score is not known then.
func offScale(s *rule.Sample, r *ruled) bool {
	return r.scored() && s.HasScores && slices.ContainsFunc(s.Scores, func(v float64) bool { return v < 0 || v > 1 })
}
