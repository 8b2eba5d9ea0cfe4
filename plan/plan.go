// Package plan computes what an experiment takes before it is run: trials for a
// half-width, what a rule does at each true pass rate, trials to distinguish two rates
// apart, and what would settle the undecided tests of a run.
//
// It exists so that the number of trials is chosen and not found out: a policy
// that can never pass at the planned size is seen here first. Everything is
// computed exactly, by binomial sums and dynamic programming; nothing is
// simulated, so equal questions give equal bytes. The arithmetic itself is in
// package stats, the rules are those of package verdict.
//
// Trials are taken to be independent, but for runs of many tests, whose trials may
// correlate within a test.
package plan

import (
	"errors"
	"fmt"
	"math"

	"tribunal/envelope"
)

// Schema is the name of the wire format of a Plan.
const Schema = "tribunal/plan/v1"

// Question is what a plan is asked. Absent parts are not planned for.
type Question struct {
	HalfWidth envelope.Opt[float64] // of the interval of a pass rate, 0..1
	Policy    *envelope.Effective   // whose rule is looked into
	Rates     *[2]float64           // two pass rates to distinguish
	// Discordant is the share of pairs whose two trials differ, for Rates.
	Discordant envelope.Opt[float64]
	// Sequential asks how many pairs it takes when they are looked at one by one.
	Sequential bool
	Envelope   *envelope.Envelope // its undecided tests are to be settled
	// RunThreshold is the pass rate that a run of many tests has to reach.
	RunThreshold envelope.Opt[float64]

	// Judge is the sensitivity and specificity of a judge that errs, and Labels how many
	// trials people label.
	Judge  *[2]float64
	Labels envelope.Opt[int]

	Trials     envelope.Opt[int]     // how many trials of a test are planned
	Tests      envelope.Opt[int]     // of how many tests a side, for a comparison of runs
	ICC        envelope.Opt[float64] // the correlation of trials of one test, for Tests
	Expect     envelope.Opt[float64] // the pass rate that is hoped for
	Power      float64               // how surely to get the right answer, a fraction
	Confidence float64               // for HalfWidth and Rates, a fraction
	PriceUSD   envelope.Opt[float64] // of one trial
}

// Plan is the answer: the document that renderers take.
type Plan struct {
	Schema     string                `json:"schema"`
	Confidence float64               `json:"confidence"`
	Power      float64               `json:"power"`
	PriceUSD   envelope.Opt[float64] `json:"price_usd,omitzero"`
	Precision  *Precision            `json:"precision,omitempty"`
	Decision   *Decision             `json:"decision,omitempty"`
	Difference *Difference           `json:"difference,omitempty"`
	Clustered  *Clustered            `json:"clustered,omitempty"`
	Judge      *Judge                `json:"judge,omitempty"`
	Run        *Run                  `json:"run,omitempty"`
	Settling   *Settling             `json:"settling,omitempty"`
}

// Effort is a number of trials and what they cost at the price.
type Effort struct {
	Trials  int                   `json:"trials"`
	CostUSD envelope.Opt[float64] `json:"cost_usd,omitzero"`
}

// New answers a question. The error lists everything that is wrong with it.
func New(q Question) (*Plan, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	p := &Plan{Schema: Schema, Confidence: q.Confidence, Power: q.Power, PriceUSD: q.PriceUSD}
	var errs [6]error
	if q.HalfWidth.OK || q.Trials.OK && q.Policy == nil && q.Rates == nil && q.Envelope == nil && !q.Tests.OK && q.Judge == nil && !q.RunThreshold.OK {
		p.Precision, errs[0] = q.precision()
	}
	if q.Policy != nil {
		p.Decision, errs[1] = q.decision()
	}
	if q.Rates != nil {
		p.Difference, errs[2] = q.difference()
	}
	if q.Tests.OK {
		p.Clustered, errs[4] = q.clustered()
	}
	if q.Judge != nil {
		p.Judge = q.judge()
	}
	if q.RunThreshold.OK {
		p.Run, errs[5] = q.run()
	}
	if q.Envelope != nil {
		p.Settling, errs[3] = q.settling()
	}
	return p, errors.Join(errs[:]...)
}

// mostTrials bounds the trials that a plan can be asked about: more than anybody
// runs, and few enough to be computed in seconds.
const mostTrials = 1_000_000

func (q Question) check() error {
	var errs []error
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	inside := func(v float64) bool { return v > 0 && v < 1 }
	say(q.HalfWidth.OK && !inside(q.HalfWidth.V), "half-width %v is out of range: give a fraction above 0 and below 1, such as 0.05", q.HalfWidth.V)
	say(!(q.Confidence >= 0.80 && q.Confidence <= 0.999), "confidence %v is out of range: give 80 to 99.9 percent", q.Confidence)
	say(!(q.Power >= 0.5 && q.Power <= 0.999), "power %v is out of range: give 50 to 99.9 percent", q.Power)
	say(q.Expect.OK && !(q.Expect.V >= 0 && q.Expect.V <= 1), "expected rate %v is out of range: give a fraction from 0 to 1", q.Expect.V)
	say(q.Trials.OK && !(q.Trials.V >= 1 && q.Trials.V <= mostTrials), "trials %d are out of range: give 1 to %d", q.Trials.V, mostTrials)
	say(q.PriceUSD.OK && !(q.PriceUSD.V >= 0 && !math.IsInf(q.PriceUSD.V, 0)), "price %v is out of range: give 0 or more dollars per trial", q.PriceUSD.V)
	say(q.Sequential && q.Rates == nil, "sequential needs two rates to compare; give --detect as well")
	say(q.Discordant.OK && q.Rates == nil, "discordant needs two rates to compare; give --detect as well")
	say(q.Tests.OK && !(q.Tests.V >= 1 && q.Tests.V <= mostTrials), "tests %d are out of range: give 1 to %d", q.Tests.V, mostTrials)
	say(q.Tests.OK && !q.Trials.OK, "for tests, also give how many trials each has (trials)")
	say(q.ICC.OK && !q.Tests.OK && !q.RunThreshold.OK, "icc needs several tests; give how many (tests)")
	say(q.RunThreshold.OK && !q.Expect.OK && q.Envelope == nil, "for a threshold of the run, also give the pass rate you expect (expect), or a run")
	say(q.ICC.OK && !(q.ICC.V >= 0 && q.ICC.V <= 1), "icc %v is out of range: give a correlation from 0 to 1, such as 0.1", q.ICC.V)
	say(q.Labels.OK && q.Judge == nil, "for labels, also give the sensitivity and specificity of the judge (judge)")
	if j := q.Judge; j != nil {
		usable := j[0] > 0 && j[0] <= 1 && j[1] > 0 && j[1] <= 1
		say(!usable, "judge %v:%v is out of range: give its shares of right answers on good and on bad trials, such as 0.95:0.9", j[0], j[1])
		say(usable && !(j[0]+j[1] > 1), "judge %v:%v is no better than a coin, because sensitivity and specificity add up to 1 or less; labels cannot correct that", j[0], j[1])
		say(!q.Labels.OK, "for a judge with errors, also give how many trials people label (labels)")
		say(q.Labels.OK && !(q.Labels.V >= 1 && q.Labels.V <= mostTrials), "labels %d are out of range: give 1 to %d", q.Labels.V, mostTrials)
		say(q.Labels.V >= q.Trials.Or(judgedTrials), "%d labels of %d trials leave nothing to correct; give more trials than labels (trials)", q.Labels.V, q.Trials.Or(judgedTrials))
	}
	return errors.Join(errs...)
}

func (q Question) effort(trials int) Effort {
	return Effort{Trials: trials, CostUSD: cost(q.PriceUSD, float64(trials))}
}

// cost is what trials cost at a price, to the millionth of a dollar, so that
// three trials at 0.1 are 0.3.
func cost(price envelope.Opt[float64], trials float64) envelope.Opt[float64] {
	total := price.V * trials
	if !price.OK || math.IsInf(total, 0) {
		return envelope.Opt[float64]{}
	}
	if rounded := math.Round(total*1e6) / 1e6; rounded != 0 && !math.IsInf(total*1e6, 0) {
		total = rounded
	}
	return envelope.Some(total)
}

// digits rounds a computed number to nine significant digits: what two machines
// agree on.
func digits(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(scale, 0) {
		return 0
	}
	return math.Round(v*scale) / scale
}

// Digits is digits, for who puts plans together.
func Digits(v float64) float64 { return digits(v) }

func known(v float64) envelope.Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(digits(v))
}
