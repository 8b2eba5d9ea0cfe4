// Package plan computes what an experiment takes before it is run: trials for a
// half-width, what a rule does at each true pass rate, trials to distinguish two rates
// apart, and what would settle the undecided tests of a run.
//
// It exists so that the number of trials is chosen and not found out: a policy that can never pass
// at the planned size is seen here first. Everything is computed exactly, by binomial sums and
// dynamic programming; nothing is simulated, so equal questions give equal bytes. The arithmetic
// itself is in package stats, the rules are those of package verdict.
//
// Trials are taken to be independent, but for runs of many tests, whose trials may
// correlate within a test.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// Run says how large a run must be to decide whether it reaches its threshold.
type Run struct {
	Decided    envelope.Status       `json:"decided,omitempty"` // of a run that is large enough
	Variant    string                `json:"variant,omitempty"` // of several, the one that fails, or is undecided and takes most
	Scope      string                `json:"scope"`
	Now        int                   `json:"trials_now,omitempty"` // of each test of the run
	Threshold  float64               `json:"threshold"`
	Rate       float64               `json:"rate"` // expected, or that of the run
	ICC        envelope.Opt[float64] `json:"icc,omitzero"`
	Confidence float64               `json:"confidence"`
	Power      float64               `json:"power"`
	Designs    []RunDesign           `json:"designs"` // by trials of a test
}

// RunDesign is so many trials of each test, and how many tests decide: about these tests,
// and about similar ones. Absent is a number of more than a million trials, or one that
// the unknown correlation within tests would say.
type RunDesign struct {
	Trials  int    `json:"trials"`
	These   *Tests `json:"these,omitempty"`
	Similar *Tests `json:"similar,omitempty"`
}

// Tests is a number of tests, and what they take.
type Tests struct {
	Tests  int    `json:"tests"`
	Effort Effort `json:"effort"`
}

func (q Question) run() (*Run, error) {
	r := &Run{Threshold: q.RunThreshold.V, Rate: q.Expect.V, ICC: q.ICC, Confidence: q.Confidence, Power: q.Power,
		Scope: cmp.Or(q.RunScope, policy.ScopeThese), Designs: []RunDesign{}}
	trialsOfTests := []int{1, 2, 5, 10, 20} // the designs that a plan of a run shows
	if e := q.Envelope; e != nil {
		rate, like := e.Summary.Rate.PerProtocol, e.Summary.Like
		if rate == nil {
			return nil, errors.New("no trial counts, so there is no pass rate to plan with; without inputs, give --run-threshold and --expect")
		}
		if r.Scope == policy.ScopeLike && like != nil && like.Rate != nil {
			rate = like.Rate
		}
		r.Rate = q.Expect.Or(rate.Value)
		if g := e.Gate.Gates; e.Policy.RunThreshold.OK && g[0].Status != envelope.Inconclusive && !q.Expect.OK { // the first is the run's
			r.Decided = g[0].Status
			r.hardest(e.Summary.Variants)
			return r, nil
		}
		r.Now = max(1, int(math.Round(float64(e.Summary.Trials.Counted)/float64(testsTried(e)))))
		trialsOfTests = slices.Compact(slices.Sorted(slices.Values(append(trialsOfTests, r.Now))))
		if !q.Expect.OK {
			r.hardest(e.Summary.Variants)
		}
		if like != nil && like.By == "test" && !q.ICC.OK && r.Variant == "" { // which is of all variants
			r.ICC = like.ICC
		}
		if trials := e.Summary.Trials.Total; !q.PriceUSD.OK && e.Summary.CostUSD.OK && trials > 0 {
			q.PriceUSD = known(e.Summary.CostUSD.V / float64(trials))
		}
	}
	all := r.trials()
	for _, n := range trialsOfTests {
		d := RunDesign{Trials: n}
		if r.Scope == policy.ScopeThese {
			d.These = q.tests((all+n-1)/n, n)
		}
		if r.ICC.OK || n == 1 {
			d.Similar = q.tests(r.similar(n, all), n)
		}
		r.Designs = append(r.Designs, d)
	}
	return r, nil
}

// hardest plans for the variant that decides, where there are several, as each has to hold: the one that fails, or
// else the undecided one that takes most trials.
func (r *Run) hardest(variants []envelope.Variant) {
	most := 0
	for _, v := range variants {
		if r.Scope == policy.ScopeLike || v.Rate == nil || r.Decided == envelope.Pass || v.Rate.Lo > r.Threshold ||
			(v.Rate.Hi < r.Threshold) != (r.Decided == envelope.Fail) {
			continue
		}
		of := *r
		of.Rate = v.Rate.Value
		if n := cmp.Or(of.trials(), MostEnough+1); n > most {
			most, r.Variant, r.Rate = n, cmp.Or(v.Name, "(no variant)"), of.Rate
		}
	}
}

func (q Question) tests(tests, trials int) *Tests {
	if tests == 0 {
		return nil
	}
	return &Tests{tests, q.effort(tests * trials)}
}

// trials is how many trials of the same tests decide, 0 for none: from there on the interval of the
// pass rate leaves out the threshold with the power, exactly by the binomial distribution.
func (r *Run) trials() int {
	z := stats.ConventionalZ(r.Confidence)
	boundary := stats.NewBoundary(func(passed, failed int) stats.Decision {
		switch lo, hi := stats.Wilson(passed, passed+failed, z); {
		case lo > r.Threshold:
			return stats.Pass
		case hi < r.Threshold:
			return stats.Fail
		}
		return stats.Undecided
	})
	n, _ := settledFrom(r.Power, r.Threshold, 0, MostEnough, func(n int) float64 {
		c := boundary.Once(r.Rate, n)
		if r.Rate > r.Threshold {
			return c.Pass
		}
		return c.Fail
	})
	return n
}

// similar is how many tests of so many trials decide about similar ones, 0 for none: never fewer than decide about
// themselves, which takes all trials.
func (r *Run) similar(trials, all int) int {
	variance := r.Rate * (1 - r.Rate) * (r.ICC.V + (1-r.ICC.V)/float64(trials))
	n := stats.RateDecision{Rate: r.Rate, Threshold: r.Threshold, Confidence: r.Confidence, Power: r.Power}.Tests(variance,
		mostTrials/trials)
	return max(n, min(n, 1)*(all+trials-1)/trials)
}

const usualPower = 0.8

// Decides is how many tests, of how many trials each, would decide the question that the
// threshold of a run asks, if it goes on as it did; not known where its rate is none of
// its tests, or too near the threshold.
func Decides(e *envelope.Envelope) (tests, trials int, ok bool) {
	s, p := &e.Summary, &e.Policy
	if !p.RunThreshold.OK || s.Stopped != nil || s.Rate.PerProtocol == nil {
		return 0, 0, false
	}
	tests = testsTried(e)
	r := &Run{Threshold: p.RunThreshold.V, Rate: s.Rate.PerProtocol.Value, Confidence: p.Confidence.V, Power: usualPower, Scope: p.RunScope}
	if r.Scope == policy.ScopeLike {
		if s.Like == nil || s.Like.Rate == nil || !s.Like.ICC.OK {
			return 0, 0, false
		}
		groups := float64(s.Like.Count)
		r.Rate, r.ICC = s.Like.Rate.Value, s.Like.ICC
		n := r.similar(max(1, int(math.Round(float64(s.Trials.Counted)/groups))), r.trials())
		trials = max(1, int(math.Round(float64(s.Trials.Counted)/float64(tests))))
		return int(math.Ceil(float64(n) * float64(tests) / groups)), trials, n > 0
	}
	of := tests
	r.hardest(s.Variants)
	for _, v := range s.Variants {
		if cmp.Or(v.Name, "(no variant)") == r.Variant {
			of = v.Tests - v.Skip - v.Error
		}
	}
	n := r.trials()
	return tests, (n + of - 1) / max(of, 1), n > 0
}

func testsTried(e *envelope.Envelope) int {
	return each.Count(e.Tests, func(t envelope.Test) bool { return t.Trials.Counted > 0 })
}

func (r *Run) part() block.Part {
	of := words.Around(" of ", r.Variant) + words.If(r.Scope == policy.ScopeLike, " on similar tests")
	question := "whether the pass rate" + of + " is at least " + words.Level(r.Threshold)
	if r.Decided != "" {
		side := map[bool]string{true: "below ", false: "at least "}[r.Decided == envelope.Fail] + words.Level(r.Threshold) + "."
		return block.Part{ID: "run", Title: "Nothing is left to decide: the pass rate" + of + ", " + words.Tenths(r.Rate) + " %, is " + side}
	}
	t := &block.Table{Title: "Tests that decide", Columns: block.Columns("Trials of each test", "These tests", "", "Similar tests", ""),
		Legend: "The number of tests and their trials. Similar tests: the tests are a sample of others, and their rates vary."}
	t.Legend += words.If(!r.ICC.OK, " For several trials of each, give --icc, the correlation of trials of one test.")
	cells := func(of *Tests, unknown string) []string {
		if of == nil {
			return []string{unknown, ""}
		}
		return []string{words.Count(of.Tests), of.Effort.Words()}
	}
	var now RunDesign // the answer: as many trials of each test as the run has
	var tests *Tests
	for _, d := range r.Designs {
		asked := map[bool]*Tests{true: d.Similar, false: d.These}[r.Scope == policy.ScopeLike]
		if asked != nil && d.Trials <= max(r.Now, 1) {
			now, tests = d, asked
		}
		unknown := "over " + words.Count(mostTrials)
		if !r.ICC.OK && d.Trials > 1 {
			unknown = "-"
		}
		these := cells(d.These, words.If(r.Scope == policy.ScopeThese, "over "+words.Count(MostEnough)))
		t.Rows = append(t.Rows, slices.Concat([]string{words.Count(d.Trials)}, these, cells(d.Similar, unknown)))
	}
	remark := "at a pass rate of " + words.Tenths(r.Rate) + " %"
	remark += words.If(r.ICC.OK, ", trials of a test correlate by "+words.Decimal(r.ICC.V)+" (0: independent, 1: always alike)")
	remark += words.If(r.Variant != "", ", the others take fewer")
	title := "At a pass rate of " + words.Tenths(r.Rate) + " %, even " + words.Count(MostEnough) + " tests do not decide " + question +
		": use another rate (--expect), or another threshold."
	if tests != nil {
		title = "To decide " + question + ", run " + words.Count(tests.Tests) + " tests x " + words.Plural(now.Trials, "trial", "trials")
		if like := now.Similar; like != nil && like.Tests > tests.Tests {
			title += ", or " + words.Count(like.Tests) + " for similar tests"
		}
		title += "."
	}
	return block.Part{ID: "run", Title: title, Blocks: []block.Block{t},
		Remark: remark + ", " + words.Level(r.Confidence) + " confidence, " + words.Level(r.Power) + " power"}
}

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
	RunScope     string // of RunThreshold: these tests where it is empty

	// Judge is the sensitivity and specificity of a judge that errs, and Labels how many trials people label.
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

	resume string // the command that continues the run of the inputs; "" where it ended
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
	if q.HalfWidth.OK || q.Trials.OK && q.Policy == nil && q.Rates == nil && q.Envelope == nil && !q.Tests.OK && q.Judge == nil &&
		!q.RunThreshold.OK {
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
		p.resume = Resume(q.Envelope)
	}
	if q.Envelope != nil && !q.Envelope.Policy.RunJudgedAlone() {
		p.Settling, errs[3] = q.settling()
	}
	return p, errors.Join(errs[:]...)
}

// mostTrials bounds the trials that a plan can be asked about: more than anybody runs, and few enough to be computed in seconds.
const mostTrials = 1_000_000

func (q Question) check() error {
	var errs []error
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	say(q.HalfWidth.OK && !(q.HalfWidth.V > 0 && q.HalfWidth.V < 1),
		"--half-width %v is out of range: give a fraction above 0 and below 1, such as 0.05 or 5%%", q.HalfWidth.V)
	say(!(q.Confidence >= 0.80 && q.Confidence <= 0.999), "confidence %s is out of range: give 80 to 99.9 percent",
		words.Level(q.Confidence))
	say(!(q.Power >= 0.5 && q.Power <= 0.999), "power %s is out of range: give 50 to 99.9 percent", words.Level(q.Power))
	say(q.Expect.OK && !(q.Expect.V >= 0 && q.Expect.V <= 1), "--expect %v is out of range: give a rate such as 0.95 or 95%%", q.Expect.V)
	say(q.Trials.OK && !(q.Trials.V >= 1 && q.Trials.V <= mostTrials), "--trials %d is out of range: give 1 to %d", q.Trials.V, mostTrials)
	say(q.PriceUSD.OK && !(q.PriceUSD.V >= 0 && !math.IsInf(q.PriceUSD.V, 0)), "--cost-per-trial %v is out of range: give 0 or more dollars",
		q.PriceUSD.V)
	say(q.Sequential && q.Rates == nil, "--sequential needs two rates to compare; give --detect as well")
	say(q.Discordant.OK && q.Rates == nil, "--discordant needs two rates to compare; give --detect as well")
	say(q.Tests.OK && !(q.Tests.V >= 1 && q.Tests.V <= mostTrials), "--tests %d is out of range: give 1 to %d", q.Tests.V, mostTrials)
	say(q.Tests.OK && !q.Trials.OK, "--tests needs the number of trials of each test; give --trials as well")
	say(q.ICC.OK && !q.Tests.OK && !q.RunThreshold.OK, "--icc needs several tests; give how many (--tests)")
	say(q.RunThreshold.OK && !q.Expect.OK && q.Envelope == nil,
		"--run-threshold needs the pass rate you expect; give --expect as well, or a run (run.json)")
	say(q.ICC.OK && !(q.ICC.V >= 0 && q.ICC.V <= 1), "--icc %v is out of range: give a correlation from 0 to 1, such as 0.1", q.ICC.V)
	say(q.Labels.OK && q.Judge == nil, "--labels needs the sensitivity and specificity of the judge; give --judge as well")
	if j := q.Judge; j != nil {
		usable := j[0] > 0 && j[0] <= 1 && j[1] > 0 && j[1] <= 1
		say(!usable, "--judge %v:%v is out of range: give its shares of right answers for good and for bad trials, such as 0.95:0.9", j[0], j[1])
		say(usable && !(j[0]+j[1] > 1), "--judge %v:%v is no better than a coin, because sensitivity and specificity add up to 1 or less; "+
			"labels cannot correct that", j[0], j[1])
		say(!q.Labels.OK, "--judge needs the number of trials that people label; give --labels as well")
		say(q.Labels.OK && !(q.Labels.V >= 1 && q.Labels.V <= mostTrials), "--labels %d is out of range: give 1 to %d",
			q.Labels.V, mostTrials)
		say(q.Labels.V >= q.Trials.Or(judgedTrials), "--labels %d leaves no trial of %d to correct; give more trials than labels (--trials)",
			q.Labels.V, q.Trials.Or(judgedTrials))
	}
	return errors.Join(errs...)
}

func (q Question) effort(trials int) Effort {
	return Effort{Trials: trials, CostUSD: cost(q.PriceUSD, float64(trials))}
}

// cost is what trials cost at a price, to the millionth of a dollar, so that three trials at 0.1 are 0.3.
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

// Digits rounds a computed number to nine significant digits: what two machines agree on.
func Digits(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(scale, 0) {
		return 0
	}
	return math.Round(v*scale) / scale
}

func known(v float64) envelope.Opt[float64] { return envelope.Finite(Digits(v)) }
