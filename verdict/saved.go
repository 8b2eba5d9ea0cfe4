package verdict

import (
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

// countSavedTrials sets how many planned trials the run saved by stopping at verdicts, or
// would have saved if it started all of them.
func countSavedTrials(env *envelope.Envelope, rules []*ruled) {
	var planned, saved, early bill
	var beyond envelope.Savings
	sure := settling{}
	possible := CheckEarly(env.Policy) == nil
	for i := range env.Tests {
		t := &env.Tests[i]
		if len(t.Endings) > 0 && t.Endings[0].Elsewhere {
			continue
		}
		planned.add(t, t.Trials.Planned.V)
		saved.add(t, notStartedAfterVerdict(t, &env.Run))
		trials, cost := t.Beyond()
		beyond.Trials += trials
		if cost.OK {
			beyond.CostUSD = envelope.Some(beyond.CostUSD.V + cost.V)
		}
		if possible {
			early.add(t, sure.unneeded(t, rules[i]))
		}
	}
	if planned.lost {
		return
	}
	if beyond.Trials > 0 {
		beyond.Of = planned.trials
		env.Summary.Beyond = &beyond
	}
	env.Summary.Saved, env.Summary.EarlySaves = saved.savings(planned.trials), early.savings(planned.trials)
}

// notStartedAfterVerdict are the trials that the runs of a test did not start as it
// had its verdict. Skipped trials were not to be started again, excluded ones were.
func notStartedAfterVerdict(t *envelope.Test, header *envelope.RunHeader) int64 {
	var left int64
	all := t.EndingsIn(header)
	for _, e := range all {
		if e.How != envelope.EndedDecided && e.How != envelope.EndedEarly || !e.Trials.OK {
			continue
		}
		took := int64(0)
		for i, outcome := range t.Rows.Outcome {
			if (outcome.Counted() || outcome == envelope.Skipped) && (len(all) == 1 || t.Rows.Run().At(i) == e.Run) {
				took++
			}
		}
		left += max(0, e.Trials.V-took-e.Beyond)
	}
	return left
}

// settling knows from where on no further trial can change a verdict, for each
// policy.
type settling map[*ruled]*stats.Boundary

// mostSettled bounds the trials whose limits are all worked out beforehand.
const mostSettled = 10_000

// boundary is where the rule of a policy decides; nil where scores decide.
func (s settling) boundary(r *ruled) *stats.Boundary {
	b, known := s[r]
	if !known {
		if decide := DecideFor(r.policy); decide != nil {
			b = stats.NewBoundary(decide)
		}
		s[r] = b
	}
	return b
}

// unneeded are the counted trials of a test that had all of its fixed number, after
// the one from where on every number of passes still possible gave the verdict that
// the trials so far gave. It is 0 where several runs gave the trials, whose verdict
// no one of them had.
func (s settling) unneeded(t *envelope.Test, r *ruled) int64 {
	b := s.boundary(r)
	if t.Ended != envelope.EndedFull || len(t.Endings) > 1 || r.rule.Sequential || t.Verdict.Rule != r.rule.Name || b == nil || t.Trials.Planned.V > math.MaxInt32 {
		return 0
	}
	planned := int(t.Trials.Planned.V)
	for n := range min(planned, mostSettled) {
		b.At(n + 1)
	}
	decide, counted, passed, excluded := DecideFor(r.policy), 0, 0, 0
	for _, outcome := range t.Rows.Outcome {
		switch {
		case outcome == envelope.Skipped:
			planned-- // nobody starts another for it
			continue
		case !outcome.Counted():
			excluded++
			continue
		case outcome == envelope.Passed:
			passed++
		}
		counted++
		status, settled := b.Settled(passed, counted, planned)
		if !settled {
			continue
		}
		says, unasked := standingOf(&r.rule, &r.policy, counted, excluded).status()
		if !unasked {
			says = envelope.Status(decide(passed, counted-passed).String())
		}
		if says == envelope.Status(status.String()) {
			return int64(t.Trials.Counted - counted)
		}
	}
	return 0
}

// bill is trials and what they would have cost, at the mean of the trials of their
// test that say their cost.
type bill struct {
	trials int64
	lost   bool // more than can be counted
	cost   total
}

func (b *bill) add(t *envelope.Test, trials int64) {
	if trials <= 0 {
		return
	}
	if b.lost = b.lost || trials > math.MaxInt64-b.trials; b.lost {
		return
	}
	b.trials += trials
	if known := len(t.Rows.CostUSD().Values()); known > 0 && t.CostUSD.OK {
		b.cost.add(float64(trials) * (t.CostUSD.V / float64(known)))
	}
}

// savings are those trials of the planned ones; nil where there are none.
func (b *bill) savings(of int64) *envelope.Savings {
	if b.trials == 0 || b.lost {
		return nil
	}
	return &envelope.Savings{Trials: b.trials, Of: of, CostUSD: b.cost.value()}
}
