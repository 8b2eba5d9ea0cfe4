package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// Clustered says what a comparison of runs of many tests can see, whose trials
// correlate within a test: the one that is planned, and others of as many trials.
type Clustered struct {
	ICC        float64 `json:"icc"`
	Rate       float64 `json:"rate"` // of the base
	Confidence float64 `json:"confidence"`
	Power      float64 `json:"power"`
	// To is the rate to distinguish from Rate, where one is given.
	To      envelope.Opt[float64] `json:"to,omitzero"`
	Designs []Design              `json:"designs"` // the planned one first, the others by their tests
}

// Design is so many tests of so many trials each, a side.
type Design struct {
	Tests  int    `json:"tests"`
	Trials int    `json:"trials"`
	Effort Effort `json:"effort"` // of both sides
	// Same is for the same tests on both sides, each moved alike; Other for tests of their own.
	Same  Seen `json:"same_tests"`
	Other Seen `json:"other_tests"`
}

// Seen is what a design can see.
type Seen struct {
	DesignEffect float64               `json:"design_effect"`
	EffectiveN   envelope.Opt[float64] `json:"effective_n,omitzero"` // trials a side that would say as much
	Detectable   envelope.Opt[float64] `json:"detectable,omitzero"`  // the smallest fall that is seen with the power
	Power        envelope.Opt[float64] `json:"power,omitzero"`       // to see the fall to To
}

func (q Question) clustered() (*Clustered, error) {
	c := &Clustered{ICC: q.ICC.V, Rate: q.Expect.Or(0.5), Confidence: q.Confidence, Power: q.Power}
	if q.Rates != nil {
		c.Rate, c.To = q.Rates[0], envelope.Some(q.Rates[1])
	}
	for _, d := range sameBudget(q.Tests.V, q.Trials.V) {
		row := Design{Tests: d[0], Trials: d[1], Effort: q.effort(2 * d[0] * d[1])}
		for _, side := range []struct {
			paired bool
			into   *Seen
		}{{true, &row.Same}, {false, &row.Other}} {
			seen, err := c.seen(stats.ClusteredRun{Paired: side.paired, Tests: d[0], Trials: d[1], Rate: c.Rate, ICC: c.ICC,
				Alpha: 1 - c.Confidence})
			if err != nil {
				return nil, err
			}
			*side.into = seen
		}
		c.Designs = append(c.Designs, row)
	}
	return c, nil
}

func (c *Clustered) seen(run stats.ClusteredRun) (Seen, error) {
	if err := run.Check(); err != nil {
		return Seen{}, fmt.Errorf("clustered trials: %w", err)
	}
	s := Seen{DesignEffect: Digits(run.DesignEffect()), EffectiveN: known(run.EffectiveN()), Detectable: known(run.Detectable(c.Power))}
	if c.To.OK {
		s.Power = known(run.Power(c.Rate - c.To.V))
	}
	return s, nil
}

// sameBudget is the design and those of as many trials with a quarter, a half, twice
// and four times the tests, where that is a whole number of trials.
func sameBudget(tests, trials int) [][2]int {
	out := [][2]int{{tests, trials}}
	for _, factor := range []float64{0.25, 0.5, 2, 4} {
		t, n := float64(tests)*factor, float64(trials)/factor
		if t == math.Trunc(t) && n == math.Trunc(n) && t >= 1 && n >= 1 {
			out = append(out, [2]int{int(t), int(n)})
		}
	}
	return out
}

// Judge says how well the pass rate of a run can be known whose judge errs, by how many of its trials people label.
type Judge struct {
	Sensitivity float64       `json:"sensitivity"`
	Specificity float64       `json:"specificity"`
	Rate        float64       `json:"rate"` // the true one
	Seen        float64       `json:"seen"` // what the judge makes of it
	Confidence  float64       `json:"confidence"`
	Designs     []JudgeDesign `json:"designs"` // the planned one first, then without labels, with more of them, with more trials
}

// JudgeDesign is so many trials of which so many are labelled, at random, and half the
// length of each interval of the pass rate when all comes out as expected.
type JudgeDesign struct {
	Labels int    `json:"labels"`
	Trials int    `json:"trials"`
	Effort Effort `json:"effort"`
	// Own is of the judge's own rate: however short, it lies about Seen and not Rate.
	Own         float64               `json:"own"`
	RoganGladen envelope.Opt[float64] `json:"rogan_gladen,omitzero"`
	Powered     envelope.Opt[float64] `json:"prediction_powered,omitzero"`
	LabelsAlone envelope.Opt[float64] `json:"labels_alone,omitzero"`
}

const judgedTrials = 200

func (q Question) judge() *Judge {
	j := &Judge{Sensitivity: q.Judge[0], Specificity: q.Judge[1], Rate: q.Expect.Or(0.5), Confidence: q.Confidence}
	j.Seen = Digits(j.Rate*j.Sensitivity + (1-j.Rate)*(1-j.Specificity))
	labels, trials := q.Labels.V, q.Trials.Or(judgedTrials)
	for _, d := range [][2]int{{labels, trials}, {0, trials}, {2 * labels, trials}, {4 * labels, trials}, {labels, 2 * trials},
		{labels, 4 * trials}} {
		if d[0] < d[1] {
			j.Designs = append(j.Designs, q.labelling(j, d[0], d[1]))
		}
	}
	return j
}

func (q Question) labelling(j *Judge, labels, trials int) JudgeDesign {
	d := JudgeDesign{Labels: labels, Trials: trials, Effort: q.effort(trials)}
	half := func(lo, hi float64) float64 { return Digits((hi - lo) / 2) }
	d.Own = half(stats.Wilson(int(math.Round(float64(trials)*j.Seen)), trials, stats.ConventionalZ(j.Confidence)))
	if labels == 0 {
		return d
	}
	of := expected(j, labels)
	rest := trials - labels
	passed := int(math.Round(float64(rest) * j.Seen))
	x := stats.RoganGladenRate(passed, rest, of, j.Confidence)
	d.RoganGladen = known(half(x.Lo, x.Hi))
	p := stats.PPIRate(passed, rest, of, j.Confidence)
	d.Powered = known(half(p.Lo, p.Hi))
	d.LabelsAlone = known(half(stats.Wilson(of.Positives(), labels, stats.ConventionalZ(j.Confidence))))
	return d
}

// expected are labels as they come out on average, in whole ones: what is left of rounding down goes where most was cut off.
func expected(j *Judge, labels int) stats.Judged {
	n := float64(labels)
	shares := []float64{j.Rate * j.Sensitivity, (1 - j.Rate) * (1 - j.Specificity), j.Rate * (1 - j.Sensitivity), (1 - j.Rate) * j.Specificity}
	counts, order, left := make([]int, 4), []int{0, 1, 2, 3}, labels
	for i, share := range shares {
		counts[i] = int(n*share + 1e-9)
		left -= counts[i]
	}
	cutOff := func(i int) float64 { return math.Round((n*shares[i]-float64(counts[i]))*1e9) / 1e9 }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cutOff(b), cutOff(a)) })
	for _, i := range order[:max(0, left)] {
		counts[i]++
	}
	return stats.Judged{BothPass: counts[0], JudgeOnly: counts[1], TruthOnly: counts[2], Neither: counts[3]}
}

// Rule is the rule of a policy, whose chances are known at every pass rate.
type Rule struct {
	by    *decider
	known map[tried]Chance
}

type tried struct {
	trials    int
	rate, icc float64
}

// RuleOf is the rule that judges tests under a policy. The error is that of a rule which counts alone do not decide.
func RuleOf(p envelope.Effective) (*Rule, error) {
	by, err := Question{}.decider(p)
	if err != nil {
		return nil, err
	}
	return &Rule{by: by, known: map[tried]Chance{}}, nil
}

const leastICC = 1e-9

// Chance is what the rule does with so many trials whose rate is drawn around the given one
// for all of them at once, from the beta law: then two of them correlate by icc.
func (r *Rule) Chance(trials int, rate, icc float64) Chance {
	asked := tried{trials, rate, icc}
	c, known := r.known[asked]
	if known {
		return c
	}
	switch {
	case icc < leastICC || rate <= 0 || rate >= 1:
		c = r.by.chance(trials, rate)
	default:
		size := 1/math.Min(icc, 1-leastICC) - 1
		c = r.correlated(trials, stats.Beta{Passes: rate * size, Failures: (1 - rate) * size})
		c.Rate = rate
	}
	if !c.Mean.OK {
		c.Mean = envelope.Some(float64(trials))
	}
	r.known[asked] = c
	return c
}

func (r *Rule) correlated(trials int, law stats.Beta) (c Chance) {
	if r.by.rule.Sequential {
		mean, before := 0., 1.
		for _, at := range r.by.boundary.Foresee(law, stats.Start{}, trials) {
			c.Pass, c.Fail = c.Pass+at.Pass, c.Fail+at.Fail
			mean, before = mean+before, at.Undecided
		}
		c.Inconclusive, c.Mean = math.Max(0, 1-c.Pass-c.Fail), envelope.Some(mean)
		return c
	}
	at := r.by.boundary.At(trials)
	for passed, mass := range stats.BetaBinomial(nil, trials, law.Passes, law.Failures) {
		switch {
		case passed >= at.Pass:
			c.Pass += mass
		case passed <= at.Fail:
			c.Fail += mass
		default:
			c.Inconclusive += mass
		}
	}
	return c
}

// Precision says how many trials make an interval of a pass rate as short as asked for, and how short the planned trials make it.
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
	// Needed is absent when no half-width is asked for, Reached when no number of trials is planned.
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
	p := &Precision{HalfWidth: q.HalfWidth, Confidence: q.Confidence, Z: Digits(stats.ConventionalZ(q.Confidence))}
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
	formula, err1 := stats.RecommendRunsAt(q.HalfWidth.V, z, rate)
	wilson, err2 := stats.WilsonRuns(q.HalfWidth.V, z, rate)
	exact, err3 := stats.ExactRuns(q.HalfWidth.V, q.Confidence, rate)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("--%w; give a wider one", err)
	}
	return &Needed{Formula: q.effort(formula), Wilson: q.effort(wilson), Exact: q.effort(exact)}, nil
}

func (q Question) reached(rate float64, trials int) *Reached {
	n, z := float64(trials), stats.ConventionalZ(q.Confidence)
	return &Reached{
		Effort:  q.effort(trials),
		Formula: Digits(stats.NormalHalfWidth(n, z, rate)),
		Wilson:  Digits(stats.WilsonHalfWidth(n, z, rate)),
		Exact:   Digits(stats.ExactHalfWidth(n, q.Confidence, rate)),
	}
}
