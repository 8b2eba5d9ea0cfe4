package plan

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/stats"
)

// Precision says how many trials make an interval of a pass rate as short as
// asked for, and how short the planned trials make it.
type Precision struct {
	HalfWidth  envelope.Opt[float64] `json:"half_width,omitzero"`
	Confidence float64               `json:"confidence"`
	Z          float64               `json:"z"` // of the formula and of Wilson's interval
	Rates      []Width               `json:"rates"`
}

// Width is one pass rate of a Precision: the worst case 0.5 first.
type Width struct {
	Rate  float64 `json:"rate"`
	Worst bool    `json:"worst_case,omitempty"`
	// Needed is absent when no half-width is asked for, Reached when no number
	// of trials is planned.
	Needed  *Needed  `json:"needed,omitempty"`
	Reached *Reached `json:"reached,omitempty"`
}

// Needed are trials by three ways to compute an interval: the planning formula
// of the normal one, Wilson's and the exact one of Clopper and Pearson. The last
// two are those at which rate times the trials pass.
type Needed struct {
	Formula Effort `json:"formula"`
	Wilson  Effort `json:"wilson"`
	Exact   Effort `json:"exact"`
}

// Reached are half-widths after the planned trials, in the same three ways.
type Reached struct {
	Effort
	Formula float64 `json:"formula"`
	Wilson  float64 `json:"wilson"`
	Exact   float64 `json:"exact"`
}

const worstCase = 0.5

func (q Question) precision() (*Precision, error) {
	p := &Precision{HalfWidth: q.HalfWidth, Confidence: q.Confidence, Z: digits(stats.ConventionalZ(q.Confidence))}
	rates := []float64{worstCase}
	if q.Expect.OK && q.Expect.V != worstCase {
		rates = append(rates, q.Expect.V)
	}
	for _, rate := range rates {
		w := Width{Rate: rate, Worst: rate == worstCase}
		if q.HalfWidth.OK {
			needed, err := q.needed(rate)
			if err != nil {
				return nil, err
			}
			w.Needed = needed
		}
		if q.Trials.OK {
			w.Reached = q.reached(rate, q.Trials.V)
		}
		p.Rates = append(p.Rates, w)
	}
	return p, nil
}

func (q Question) needed(rate float64) (*Needed, error) {
	z := stats.ConventionalZ(q.Confidence)
	formula, err := stats.RecommendRunsAt(q.HalfWidth.V, z, rate)
	if err != nil {
		return nil, fmt.Errorf("trials for a half-width: %w", err)
	}
	wilson, err := stats.WilsonRuns(q.HalfWidth.V, z, rate)
	if err != nil {
		return nil, fmt.Errorf("trials for a half-width: %w", err)
	}
	exact, err := stats.ExactRuns(q.HalfWidth.V, q.Confidence, rate)
	if err != nil {
		return nil, fmt.Errorf("trials for a half-width: %w", err)
	}
	return &Needed{Formula: q.effort(formula), Wilson: q.effort(wilson), Exact: q.effort(exact)}, nil
}

func (q Question) reached(rate float64, trials int) *Reached {
	n, z := float64(trials), stats.ConventionalZ(q.Confidence)
	return &Reached{
		Effort:  q.effort(trials),
		Formula: digits(stats.NormalHalfWidth(n, z, rate)),
		Wilson:  digits(stats.WilsonHalfWidth(n, z, rate)),
		Exact:   digits(stats.ExactHalfWidth(n, q.Confidence, rate)),
	}
}
