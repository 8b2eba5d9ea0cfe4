package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/stats"
)

// budget applies a cost limit to trials in canonical order. Trials without a known cost, and setup, do not count towards it.
type budget struct {
	limit envelope.Opt[float64]
	spent total
}

// newBudget has no limit if no cost is known.
func newBudget(limit envelope.Opt[float64], known bool) *budget {
	if !known {
		limit = envelope.Opt[float64]{}
	}
	return &budget{limit: limit}
}

func knowsCost(rows *envelope.Rows) bool { return len(rows.CostUSD().Values()) > 0 }

// empty reports that the limit was reached by the trials so far.
func (p *budget) empty() bool { return p.limit.OK && p.spent.sum+p.spent.carry >= p.limit.V }

func (p *budget) pay(rows *envelope.Rows, i int) {
	if !p.limit.OK {
		return
	}
	if cost, ok := rows.CostUSD().At(i); ok {
		p.spent.add(cost)
	}
}

// costToVerdict is what the trials up to the verdict cost: those up to where a
// sequential rule stopped or the cost limit was reached, or all.
func costToVerdict(t *envelope.Test) envelope.Opt[float64] {
	stop, counted := t.Verdict.StoppedAt, 0
	if !stop.OK {
		return afforded(t)
	}
	var cost total
	for i, outcome := range t.Rows.Outcome {
		if counted >= stop.V {
			break
		}
		if outcome.Counted() {
			counted++
		}
		if v, ok := t.Rows.CostUSD().At(i); ok {
			cost.add(v)
		}
	}
	return cost.value()
}

// affordable is how many of the first trials came before the cost limit was reached.
func affordable(t *envelope.Test) int {
	n := t.Rows.Len()
	for left := t.Trials.Excluded[envelope.ClassCostLimit]; left > 0; n-- {
		if t.Rows.Outcome[n-1] != envelope.Skipped {
			left--
		}
	}
	return n
}

// afforded is what the trials before the cost limit cost, or all.
func afforded(t *envelope.Test) envelope.Opt[float64] {
	if !t.CostLimited {
		return t.CostUSD
	}
	return sum(t.Rows.CostUSD()[:min(affordable(t), len(t.Rows.CostUSD()))])
}

// costPerPass is what trials that say their cost came to: those that do not are neither spent for nor passed, or passes would seem cheap.
type costPerPass struct {
	spent  total
	passed int
}

func (y *costPerPass) add(t *envelope.Test) {
	if t.Rows.CostUSD() == nil {
		return
	}
	for i, outcome := range t.Rows.Outcome[:affordable(t)] {
		if _, known := t.Rows.CostUSD().At(i); known && outcome == envelope.Passed {
			y.passed++
		}
	}
	if cost := afforded(t); cost.OK {
		y.spent.add(cost.V)
	}
}

// value is the cost per passed trial, absent without one.
func (y *costPerPass) value() envelope.Opt[float64] {
	cost := y.spent.value()
	if !cost.OK || y.passed == 0 {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(cost.V / float64(y.passed))
}

// unknownCost says when a cost limit could not see all the spending.
func unknownCost(env *envelope.Envelope) []envelope.Problem {
	if !limited(env.Policy) {
		return nil
	}
	known, all := 0, 0
	for i := range env.Tests {
		known += len(env.Tests[i].Rows.CostUSD().Values())
		all += env.Tests[i].Rows.Len()
	}
	if known == all {
		return nil
	}
	message := fmt.Sprintf("a cost limit is set, but trials without a cost count as free: %s", words.Of(all-known, all, "trial", "trials"))
	if known == 0 {
		message = "a cost limit is set, but it has no effect: no trial reports a cost"
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeCostUnknown, Stage: envelope.StageJudge,
		Message: message}}
}

func limited(p envelope.Effective) bool {
	return p.CostLimitUSD.OK || p.RunCostLimitUSD.OK ||
		slices.ContainsFunc(p.Overrides, func(o envelope.Override) bool { return o.Policy.CostLimitUSD.OK })
}

// countSavedTrials sets how many planned trials the run saved by stopping at verdicts, or would have saved if it started all of them.
func countSavedTrials(env *envelope.Envelope, rules []*ruled) {
	var planned, saved, early savedCost
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

// settling knows from where on no further trial can change a verdict, for each policy.
type settling map[*ruled]*stats.Boundary

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

// unneeded are the counted trials of a test that had all of its fixed number, after the one from
// where on every number of passes still possible gave the verdict that the trials so far gave. It
// is 0 where several runs gave the trials, whose verdict no one of them had.
func (s settling) unneeded(t *envelope.Test, r *ruled) int64 {
	b := s.boundary(r)
	if t.Ended != envelope.EndedFull || len(t.Endings) > 1 || r.rule.Sequential || t.Verdict.Rule != r.rule.Name || b == nil ||
		t.Trials.Planned.V > math.MaxInt32 {
		return 0
	}
	planned := int(t.Trials.Planned.V)
	const mostSettled = 10_000 // bounds the trials whose limits are all worked out beforehand
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

// savedCost is trials and what they would have cost, at the mean of the trials of their test that say their cost.
type savedCost struct {
	trials int64
	lost   bool // more than can be counted
	cost   total
}

func (b *savedCost) add(t *envelope.Test, trials int64) {
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
func (b *savedCost) savings(of int64) *envelope.Savings {
	if b.trials == 0 || b.lost {
		return nil
	}
	return &envelope.Savings{Trials: b.trials, Of: of, CostUSD: b.cost.value()}
}

// CheckEarly reports what of a policy needs the trials that are left out when tests of a fixed number of trials stop as
// soon as no further trial can change their verdict: that verdict is known then, and no number beside it.
func CheckEarly(p envelope.Effective) error {
	var errs []error
	if p.Adjust != "" && p.Adjust != adjustmentTable[0].name {
		errs = append(errs, fmt.Errorf("adjust %s needs the p-value of all trials", p.Adjust))
	}
	if p.ClusterBy != "" {
		errs = append(errs, fmt.Errorf("cluster_by %s compares all trials", p.ClusterBy))
	}
	if p.RunThreshold.OK {
		errs = append(errs, errors.New("run_threshold needs all trials of each test"))
	}
	errs = append(errs, gate.CheckEarly(p.Gates))
	for _, rule := range rulesOf(Unresolve(p)) {
		if rule.Scored {
			errs = append(errs, fmt.Errorf("rule %s judges scores, and any further score can change its verdict", rule.Name))
		}
	}
	errs = slices.CompactFunc(errs, func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) // of tests of one rule
	return errors.Join(errs...)
}
