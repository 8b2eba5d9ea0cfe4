package plan

import (
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
	"tribunal/verdict"
)

// Decision says what a rule does: when it can decide at all, and how surely it decides right at each true pass rate.
type Decision struct {
	Rule       string                `json:"rule"`
	Doc        string                `json:"doc"`
	Threshold  envelope.Opt[float64] `json:"threshold,omitzero"`
	Confidence envelope.Opt[float64] `json:"confidence,omitzero"` // absent for rules without an error rate
	MinTrials  envelope.Opt[int]     `json:"min_trials,omitzero"`
	Sequential bool                  `json:"sequential"`
	Hypotheses *envelope.Hypotheses  `json:"hypotheses,omitempty"` // of a sequential rule

	// SmallestPass is the fewest trials after which a test can pass, all of them passes;
	// SmallestFail the fewest after which it can fail, none of them passes. Absent: it never does.
	SmallestPass *Effort `json:"smallest_pass,omitempty"`
	SmallestFail *Effort `json:"smallest_fail,omitempty"`

	// Planned says what the planned trials can do; nil when none are planned.
	Planned *Planned `json:"planned,omitempty"`
	// Sizes are operating characteristics by number of trials. The first one is that
	// of the planned trials, or without a limit for a sequential rule with none planned.
	Sizes []Size `json:"sizes"`
	// Enough is, for a rule that looks once, from how many trials on its verdict is right with the power asked for.
	Enough []Enough `json:"enough,omitempty"`
	// Curve is the operating characteristic, in small steps, of one size.
	Curve Size `json:"curve"`
}

// Planned says which counts of the planned trials decide. PassFrom is absent
// when not even all of them pass a test, FailTo when no failure fails one.
type Planned struct {
	Effort
	CanPass  bool              `json:"can_pass"`
	PassFrom envelope.Opt[int] `json:"pass_from,omitzero"` // passes
	FailTo   envelope.Opt[int] `json:"fail_to,omitzero"`   // passes
}

// Size is a number of trials, absent for no limit, and what the rule does with them.
type Size struct {
	Effort  *Effort  `json:"effort,omitempty"`
	Chances []Chance `json:"chances"`
}

// Chance is what the rule does in the long run at one true pass rate.
type Chance struct {
	Rate         float64 `json:"rate"`
	Pass         float64 `json:"pass"`
	Fail         float64 `json:"fail"`
	Inconclusive float64 `json:"inconclusive"`
	// Mean and P90 are the expected trials of a sequential rule until its verdict or its limit, and
	// those by which 90 of 100 tests have their verdict, absent where the limit comes first.
	Mean    envelope.Opt[float64] `json:"mean_trials,omitzero"`
	P90     envelope.Opt[int]     `json:"p90_trials,omitzero"`
	MeanUSD envelope.Opt[float64] `json:"mean_cost_usd,omitzero"`
}

// Enough is how many trials give the right verdict with the power asked for, at
// one true pass rate: from there on, up to twice as many, always. Absent: no
// number up to MostEnough does, as at the threshold itself.
type Enough struct {
	Rate    float64         `json:"rate"`
	Verdict envelope.Status `json:"verdict"`
	Effort  *Effort         `json:"effort,omitempty"`
}

const (
	// farthest is how many trials a plan looks ahead.
	farthest = 100_000
	// endless is what its first word is looked for up to, which may be far behind that.
	endless = min(farthest*farthest, math.MaxInt)
	// MostEnough is the largest number that Enough finds.
	MostEnough = farthest / 2
	// longest bounds a sequential rule without a limit.
	longest = 300_000
)

type decider struct {
	Question
	policy   envelope.Effective
	rule     rule.Rule
	decide   rule.Decide
	boundary *stats.Boundary
}

func (q Question) decider(p envelope.Effective) (*decider, error) {
	rule, err := rule.ByName(p.Rule)
	if err != nil {
		return nil, err
	}
	decide := verdict.DecideFor(p)
	if decide == nil {
		return nil, fmt.Errorf("rule %s judges scores, whose spread is not known yet; plan from a run (tribunal plan run.json), or with a "+
			"rule about pass rates", rule.Name)
	}
	return &decider{Question: q, policy: p, rule: rule, decide: decide, boundary: stats.NewBoundary(decide)}, nil
}

func (q Question) decision() (*Decision, error) {
	d, err := q.decider(*q.Policy)
	if err != nil {
		return nil, err
	}
	out := &Decision{Rule: d.rule.Name, Doc: d.rule.Doc, Sequential: d.rule.Sequential, Threshold: d.policy.Threshold}
	if d.rule.ThreeWay {
		out.Confidence, out.MinTrials = d.policy.Confidence, d.policy.MinTrials
	}
	if d.rule.Sequential {
		out.Hypotheses = verdict.HypothesesOf(d.policy)
	}
	least := max(1, d.policy.MinTrials.Or(1))
	if n, ok := stats.SmallestPass(d.decide, endless); ok {
		out.SmallestPass = d.effortOf(max(n, least))
	}
	if n, ok := stats.SmallestFail(d.decide, endless); ok {
		out.SmallestFail = d.effortOf(max(n, least))
	}
	if q.Trials.OK {
		out.Planned = d.planned(q.Trials.V, out.SmallestPass)
	}
	rates := d.rates()
	if !d.rule.Sequential && d.rule.ThreeWay {
		out.Enough = d.enough(rates)
	}
	out.Sizes = each.Of(d.sizes(out), func(n int) Size { return d.size(n, rates) })
	out.Curve = d.size(d.curveSize(out), d.fineRates())
	return out, nil
}

func (d *decider) effortOf(trials int) *Effort {
	e := d.effort(trials)
	return &e
}

func (d *decider) planned(n int, least *Effort) *Planned {
	p := &Planned{Effort: d.effort(n), CanPass: least != nil && least.Trials <= n}
	if d.rule.Sequential {
		return p // it looks before the last trial, so that no final count decides
	}
	at := d.boundary.At(n)
	if at.Pass <= n {
		p.PassFrom = envelope.Some(at.Pass)
	}
	if at.Fail >= 0 {
		p.FailTo = envelope.Some(at.Fail)
	}
	return p
}

func (d *decider) edge() float64 {
	if d.rule.ThreeWay {
		return d.policy.Threshold.V
	}
	return 0.5
}

// rates are the true pass rates of the tables: on both sides of the threshold,
// closer to it than to the ends, and the one that is hoped for.
func (d *decider) rates() []float64 {
	edge := d.edge()
	rates := []float64{edge, edge - 0.05, edge - 0.10, edge - 0.20}
	rates = append(rates, each.Of([]float64{0.25, 0.5, 0.75, 1}, func(part float64) float64 { return edge + part*(1-edge) })...)
	if d.rule.Sequential {
		rates = append(rates, verdict.HypothesesOf(d.policy).P1)
	}
	if !d.rule.ThreeWay {
		rates = append(rates, 0.75, 0.8, 0.9, 0.95, 0.99)
	}
	if d.Expect.OK {
		rates = append(rates, d.Expect.V)
	}
	return distinct(rates)
}

func (d *decider) fineRates() []float64 {
	low, high := math.Max(0, d.edge()-0.3), math.Min(1, d.edge()+0.3)
	if !d.rule.ThreeWay {
		low, high = 0, 1
	}
	var rates []float64
	for i := int(math.Round(low * 200)); i <= int(high*200+1e-9); i++ {
		rates = append(rates, float64(i)/200)
	}
	return rates
}

func distinct(rates []float64) []float64 {
	rounded := each.Of(rates, func(r float64) float64 { return math.Round(r*1e6) / 1e6 })
	out := each.Where(rounded, func(r float64) bool { return r >= 0 && r <= 1 })
	slices.Sort(out)
	return slices.Compact(out)
}

const unlimited = 0

var niceSizes = []int{5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000}

// sizes chooses the numbers of trials of the tables: the planned one, the first that can pass, and a few larger ones.
func (d *decider) sizes(out *Decision) []int {
	var sizes []int
	from := 1
	switch {
	case d.Trials.OK:
		sizes, from = append(sizes, d.Trials.V), d.Trials.V
	case out.SmallestPass != nil && out.SmallestPass.Trials <= farthest:
		sizes, from = append(sizes, out.SmallestPass.Trials), out.SmallestPass.Trials
	}
	more := 4
	if d.Trials.OK || d.rule.Sequential {
		more = 2
	}
	if d.rule.Sequential && !d.Trials.OK {
		sizes = append([]int{unlimited}, sizes...)
	}
	for _, n := range niceSizes {
		if n > from && more > 0 {
			sizes = append(sizes, n)
			more--
		}
	}
	return sizes
}

// curveSize is the number of trials that the curve is drawn for: the planned one, or what is enough at the rate that is hoped for.
func (d *decider) curveSize(out *Decision) int {
	if d.Trials.OK {
		return d.Trials.V
	}
	if d.rule.Sequential {
		return unlimited
	}
	hoped := d.Expect.Or((1 + d.edge()) / 2)
	for _, e := range out.Enough {
		if math.Abs(e.Rate-hoped) < 1e-6 && e.Effort != nil {
			return e.Effort.Trials
		}
	}
	return out.Sizes[min(1, len(out.Sizes)-1)].Effort.Trials
}

func (d *decider) size(n int, rates []float64) Size {
	s := Size{}
	if n != unlimited {
		s.Effort = d.effortOf(n)
	}
	s.Chances = each.Of(rates, func(rate float64) Chance { return d.chance(n, rate) })
	return s
}

func (d *decider) chance(n int, rate float64) Chance {
	c := Chance{Rate: rate}
	if !d.rule.Sequential {
		once := d.boundary.Once(rate, n)
		c.Pass, c.Fail, c.Inconclusive = Digits(once.Pass), Digits(once.Fail), Digits(once.Undecided)
		return c
	}
	limit := n
	if n == unlimited {
		limit = longest
	}
	const share = 0.9
	course := d.boundary.Follow(rate, stats.Start{}, limit, max(1, d.policy.MinTrials.Or(1)), share)
	c.Pass, c.Fail, c.Inconclusive = Digits(course.Pass), Digits(course.Fail), Digits(course.Undecided)
	if n == unlimited && course.Undecided > 1e-6 {
		return c // it goes on beyond what was followed
	}
	if n == unlimited {
		c.Inconclusive = 0 // what is left of 1e-12
	}
	c.Mean, c.MeanUSD = known(course.Mean), cost(d.PriceUSD, course.Mean)
	if course.Within > 0 {
		c.P90 = envelope.Some(course.Within)
	}
	return c
}

func (d *decider) enough(rates []float64) []Enough {
	var out []Enough
	for _, rate := range rates {
		e := Enough{Rate: rate, Verdict: envelope.Pass}
		right := func(n int) float64 { return d.boundary.Once(rate, n).Pass }
		switch {
		case rate == d.edge():
			e.Verdict = envelope.Inconclusive
			out = append(out, e)
			continue
		case rate < d.edge():
			e.Verdict = envelope.Fail
			right = func(n int) float64 { return d.boundary.Once(rate, n).Fail }
		}
		if n, ok := settledFrom(d.Power, d.edge(), 0, MostEnough, right); ok {
			e.Effort = d.effortOf(n)
		}
		out = append(out, e)
	}
	return out
}

// settledFrom finds the number of further trials from which a probability that rises with a saw's
// teeth stays at the power: up to twice as many trials in all, those begun with included, and over
// three teeth at the least; none over most. A threshold of 0.99 has a tooth every hundred trials.
func settledFrom(power, threshold float64, begun, most int, right func(n int) float64) (int, bool) {
	teeth := int(math.Ceil(3 / math.Min(threshold, 1-threshold)))
	first, ok := stats.RunsForPower(1, power, most, right)
	for n := first; ok; n++ {
		if n >= first+min(max(first+begun, teeth), most) {
			return first, true
		}
		if right(n) < power {
			first = n + 1
		}
		ok = first <= most
	}
	return 0, false
}
