package verdict

import (
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// budget applies a cost limit to trials in canonical order. Trials without a known
// cost, and setup, do not count towards it.
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

// knowsCost reports whether any of these trials reports its cost.
func knowsCost(rows *envelope.Rows) bool { return len(rows.CostUSD().Values()) > 0 }

// anyCost is knowsCost for tests.
func anyCost(tests []envelope.Test) bool {
	return slices.ContainsFunc(tests, func(t envelope.Test) bool { return knowsCost(t.Rows) })
}

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

// yield is what trials that say their cost came to: those that do not are
// neither spent for nor passed, or passes would seem cheap.
type yield struct {
	spent  total
	passed int
}

// add adds the trials of a test that came before its cost limit was reached.
func (y *yield) add(t *envelope.Test) {
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

// perPass is the cost per passed trial, absent without one.
func (y *yield) perPass() envelope.Opt[float64] {
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
	message := fmt.Sprintf("a cost limit is set, but only %s report a cost; the limit applies to those", words.Of(known, all, "trial", "trials"))
	if known == 0 {
		message = "a cost limit is set and no trial reports its cost: there is no limit"
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeCostUnknown, Stage: envelope.StageJudge, Message: message}}
}

func limited(p envelope.Effective) bool {
	if p.CostLimitUSD.OK || p.RunCostLimitUSD.OK {
		return true
	}
	for _, o := range p.Overrides {
		if o.Policy.CostLimitUSD.OK {
			return true
		}
	}
	return false
}
