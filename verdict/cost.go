package verdict

import (
	"fmt"
	"slices"

	"tribunal/envelope"
)

// purse spends a cost limit in canonical order. Trials without a cost are free,
// for nobody knows what they cost; setup is never paid from it.
type purse struct {
	limit envelope.Opt[float64]
	spent total
}

// newPurse is a purse for trials with these costs. Where none is known there is
// no limit, be it 0.
func newPurse(limit envelope.Opt[float64], known bool) *purse {
	if !known {
		limit = envelope.Opt[float64]{}
	}
	return &purse{limit: limit}
}

// knowsCost reports whether any of these trials reports its cost.
func knowsCost(rows *envelope.Rows) bool { return len(rows.CostUSD.Values()) > 0 }

// anyCost is knowsCost for tests.
func anyCost(tests []envelope.Tally) bool {
	return slices.ContainsFunc(tests, func(t envelope.Tally) bool { return knowsCost(t.Rows) })
}

// empty reports that the limit was reached by the trials so far.
func (p *purse) empty() bool { return p.limit.OK && p.spent.sum+p.spent.carry >= p.limit.V }

func (p *purse) pay(rows *envelope.Rows, i int) {
	if !p.limit.OK {
		return
	}
	if cost, ok := rows.CostUSD.At(i); ok {
		p.spent.add(cost)
	}
}

// costToVerdict is what the trials up to the verdict cost: those up to where a
// sequential rule stopped, or all.
func costToVerdict(t *envelope.Test) envelope.Opt[float64] {
	stop, counted := t.Verdict.StoppedAt, 0
	if !stop.OK {
		return t.CostUSD
	}
	var cost total
	for i, outcome := range t.Rows.Outcome {
		if counted >= stop.V {
			break
		}
		if outcome.Counted() {
			counted++
		}
		if v, ok := t.Rows.CostUSD.At(i); ok {
			cost.add(v)
		}
	}
	return cost.value()
}

func perSuccess(cost envelope.Opt[float64], passed int) envelope.Opt[float64] {
	if !cost.OK || passed == 0 {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(cost.V / float64(passed))
}

// unknownCost says when a cost limit could not see all the spending.
func unknownCost(env *envelope.Envelope) []envelope.Problem {
	if !limited(env.Policy) {
		return nil
	}
	known, all := 0, 0
	for i := range env.Tests {
		known += len(env.Tests[i].Rows.CostUSD.Values())
		all += env.Tests[i].Rows.Len()
	}
	if known == all {
		return nil
	}
	message := fmt.Sprintf("a cost limit is set and %d of %s report their cost: it is enforced on those alone", known, trials(all))
	if known == 0 {
		message = "a cost limit is set and no trial reports its cost: there is no limit"
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeCostUnknown, Stage: envelope.StageJudge, Message: message}}
}

func limited(p envelope.Policy) bool {
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
