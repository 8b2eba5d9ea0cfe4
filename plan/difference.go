package plan

import (
	"fmt"
	"math"

	"tribunal/stats"
)

// Difference says how many trials tell two pass rates apart, by a two-sided test
// at 1 - Confidence: Fisher's exact test for trials of their own, McNemar's for
// pairs of trials of the same tasks.
type Difference struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"`
	Power      float64 `json:"power"`
	Unpaired   Detect  `json:"unpaired"` // trials are those of each side
	// Paired is nil unless the share of discordant pairs is given.
	Paired *Paired `json:"paired,omitempty"`
	// PairedFrom is the least share of discordant pairs that the difference
	// allows; Independent is the share if pairs had nothing in common.
	PairedFrom  float64 `json:"discordant_at_least"`
	Independent float64 `json:"discordant_if_independent"`
}

// Detect is how many trials it takes. Exact is absent where it would be more
// than a few thousand, for which the formula is as good.
type Detect struct {
	Formula Effort  `json:"formula"`         // normal approximation
	Exact   *Effort `json:"exact,omitempty"` // the fewest at which the exact test has the power
	// Planned is the power of the exact test with the planned trials.
	Planned *Power  `json:"planned,omitempty"`
	Curve   []Power `json:"curve,omitempty"`
}

// Paired is a Detect of pairs, with the share of them that is discordant.
type Paired struct {
	Discordant float64 `json:"discordant"`
	Detect
}

// Power is how surely the exact test finds the difference with some trials.
type Power struct {
	Trials int     `json:"trials"`
	Power  float64 `json:"power"`
}

// mostExact bounds the trials for which the power of an exact test is summed:
// its work grows with their square.
const mostExact = 3000

func (q Question) difference() (*Difference, error) {
	d := stats.Difference{Rate1: q.Rates[0], Rate2: q.Rates[1], Confidence: q.Confidence}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("rates to tell apart: %w", err)
	}
	least, independent := d.Discordance()
	least, independent = digits(least), digits(independent)
	out := &Difference{From: d.Rate1, To: d.Rate2, Confidence: q.Confidence, Power: q.Power, PairedFrom: least, Independent: independent}
	sides := 2.0 // both sides are paid for
	unpaired, err := q.detect(d.FormulaRuns(q.Power), sides, d.FisherPower)
	if err != nil {
		return nil, err
	}
	out.Unpaired = *unpaired
	if !q.Discordant.OK {
		return out, nil
	}
	share := q.Discordant.V
	if !(share >= least && share <= 1) {
		return nil, fmt.Errorf("discordant %v is out of range: with rates %v and %v at least %v of the pairs differ (%v if the trials of a pair had nothing in common)", share, d.Rate1, d.Rate2, least, independent)
	}
	share = math.Max(share, math.Abs(d.Rate1-d.Rate2))
	paired, err := q.detect(d.FormulaPairs(q.Power, share), sides, func(n int) float64 { return d.McNemarPower(n, share) })
	if err != nil {
		return nil, err
	}
	out.Paired = &Paired{Discordant: q.Discordant.V, Detect: *paired}
	return out, nil
}

// detect answers for one test. Each of the trials it counts costs as often as
// there are sides.
func (q Question) detect(formula, sides float64, power func(trials int) float64) (*Detect, error) {
	if !(formula < 1e15) {
		return nil, fmt.Errorf("the two rates are too near each other: more than 10^15 trials would tell them apart")
	}
	effort := func(n int) Effort { return Effort{Trials: n, CostUSD: cost(q.PriceUSD, sides*float64(n))} }
	d := &Detect{Formula: effort(int(math.Ceil(formula - 1e-9)))}
	if q.Trials.OK && q.Trials.V <= mostExact {
		d.Planned = &Power{Trials: q.Trials.V, Power: digits(power(q.Trials.V))}
	}
	if d.Formula.Trials > mostExact*9/10 {
		return d, nil
	}
	n, ok := stats.RunsForPower(formula, q.Power, mostExact, power)
	if !ok {
		return d, nil
	}
	e := effort(n)
	d.Exact = &e
	for _, part := range []float64{0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5} {
		if at := int(part * float64(n)); at >= 1 && at <= mostExact {
			d.Curve = append(d.Curve, Power{Trials: at, Power: digits(power(at))})
		}
	}
	return d, nil
}
