package plan

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/stats"
	"tribunal/verdict"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}

func resolved(t *testing.T, p envelope.Policy) *envelope.Effective {
	t.Helper()
	held, err := verdict.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	return &held
}

func answer(t *testing.T, q Question) *Plan {
	t.Helper()
	if q.Power == 0 {
		q.Power = 0.8
	}
	q.Confidence = 0.95
	p, err := New(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func at(t *testing.T, chances []Chance, rate float64) Chance {
	t.Helper()
	for _, c := range chances {
		if math.Abs(c.Rate-rate) < 1e-9 {
			return c
		}
	}
	t.Fatalf("no chance at %v", rate)
	return Chance{}
}

func TestPrecision(t *testing.T) {
	p := answer(t, Question{HalfWidth: envelope.Some(0.05), Expect: envelope.Some(0.9), PriceUSD: envelope.Some(0.02), Trials: envelope.Some(100)}).Precision
	worst, expected := p.Rates[0], p.Rates[1]
	if n := worst.Needed; n.Formula.Trials != 385 || n.Wilson.Trials != 381 || n.Exact.Trials != 402 {
		t.Errorf("0.05 in the worst case: %+v, want 385, 381 and 402", *n)
	}
	if got := worst.Needed.Formula.CostUSD.V; got != 7.7 {
		t.Errorf("385 trials at 0.02 cost %v, want 7.7", got)
	}
	if n := expected.Needed; n.Formula.Trials != 139 || expected.Worst || !worst.Worst {
		t.Errorf("0.05 at 0.9: %+v, want ceil(384.16 x 0.36) = 139", *n)
	}
	near(t, "half-width of 100", worst.Reached.Formula, 0.098, 1e-9)
}

func TestDecisionOfIntervals(t *testing.T) {
	p := answer(t, Question{Policy: resolved(t, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}), Trials: envelope.Some(34), PriceUSD: envelope.Some(0.1)}).Decision
	if p.SmallestPass.Trials != 35 || p.SmallestPass.CostUSD.V != 3.5 {
		t.Errorf("0.90 under Wilson: %+v, want 35 trials for 3.5", *p.SmallestPass)
	}
	if p.Planned.CanPass || p.Planned.PassFrom.OK {
		t.Errorf("34 planned: %+v, want that they can never pass", *p.Planned)
	}
	c := at(t, p.Sizes[0].Chances, 0.95)
	if c.Pass != 0 {
		t.Errorf("34 trials at 0.95 pass with %v", c.Pass)
	}
	near(t, "three ways", c.Pass+c.Fail+c.Inconclusive, 1, 1e-8)
	p = answer(t, Question{Policy: resolved(t, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}), Trials: envelope.Some(35)}).Decision
	near(t, "35 of 35 at 0.95", at(t, p.Sizes[0].Chances, 0.95).Pass, math.Pow(0.95, 35), 1e-8)
	if !p.Planned.CanPass || p.Planned.PassFrom.V != 35 {
		t.Errorf("35 planned: %+v, want that 35 passes pass", *p.Planned)
	}
	for _, e := range p.Enough {
		if e.Rate == 0.9 && e.Effort != nil {
			t.Errorf("at the threshold itself %d trials are said to be enough", e.Effort.Trials)
		}
		if e.Rate == 1 && e.Effort.Trials != 35 {
			t.Errorf("at rate 1 %d trials are enough, want 35", e.Effort.Trials)
		}
	}
}

// TestDecisionOfBinaryRules: all of five pass with p^5.
func TestDecisionOfBinaryRules(t *testing.T) {
	p := answer(t, Question{Policy: resolved(t, envelope.Policy{}), Trials: envelope.Some(5)}).Decision
	near(t, "five of five at 0.9", at(t, p.Sizes[0].Chances, 0.9).Pass, 0.59049, 1e-8)
	if p.SmallestPass.Trials != 1 || p.Confidence.OK || p.Enough != nil {
		t.Errorf("rule all: %+v", p)
	}
}

func TestDecisionOfSequentialRules(t *testing.T) {
	q := Question{Policy: resolved(t, envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}), Expect: envelope.Some(0.96), PriceUSD: envelope.Some(1.0)}
	p := answer(t, q).Decision
	if p.SmallestPass.Trials != 14 || p.Hypotheses.P1 != 0.8 {
		t.Errorf("sprt 0.90/0.80: %+v against %v, want 14 trials against 0.8", *p.SmallestPass, p.Hypotheses.P1)
	}
	free := p.Sizes[0]
	if free.Effort != nil {
		t.Fatal("the first size has a limit")
	}
	near(t, "mean trials at 0.96", at(t, free.Chances, 0.96).Mean.V, 19.18, 0.005)
	near(t, "mean cost at 0.96", at(t, free.Chances, 0.96).MeanUSD.V, 19.18, 0.005)
	near(t, "P(pass) at 0.90", at(t, free.Chances, 0.9).Pass, 0.961, 0.0005)
	q.Policy = resolved(t, envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9)})
	p = answer(t, q).Decision
	for _, c := range p.Sizes[0].Chances {
		if c.Rate >= 0.9 && c.Fail > 0.05 || c.Rate <= 0.8 && c.Pass > 0.2 {
			t.Errorf("anytime at %v: %+v breaks its error rates", c.Rate, c)
		}
	}
}

// TestSequentialRulesOfPlannedTrials: with 20 trials planned, the chances and the mean number
// of trials are those of at most 20. The expected ones are summed over the lattice of counts
// by a program of its own in Python 3.11 (e-processes by betainc of SciPy 1.10.1), beside
// 4000 tests of 20 random trials each judged by this program: 0.223, 0.773, 0.004 and 18.61
// for sprt, 0.278, 0.702, 0.020 and 17.50 for anytime.
func TestSequentialRulesOfPlannedTrials(t *testing.T) {
	for _, c := range []struct {
		rule                     string
		pass, none, fail, trials float64
	}{
		{"sprt", 0.228768, 0.765278, 0.005954, 18.591875},
		{"anytime", 0.28243, 0.69585, 0.02172, 17.422454},
	} {
		p := answer(t, Question{Policy: resolved(t, envelope.Policy{Rule: c.rule, Threshold: envelope.Some(0.9)}), Trials: envelope.Some(20), PriceUSD: envelope.Some(1.0)})
		got := at(t, p.Decision.Sizes[0].Chances, 0.9)
		near(t, c.rule+" passes", got.Pass, c.pass, 1e-6)
		near(t, c.rule+" is inconclusive", got.Inconclusive, c.none, 1e-6)
		near(t, c.rule+" fails", got.Fail, c.fail, 1e-6)
		near(t, c.rule+" takes", got.Mean.V, c.trials, 1e-6)
		near(t, c.rule+" costs", got.MeanUSD.V, c.trials, 1e-6)
		if got.P90.OK {
			t.Errorf("%s: 90 of 100 by %d, and %.2f have no verdict at the end", c.rule, got.P90.V, c.none)
		}
		var titles []string
		for _, c := range p.chanceTable().Columns {
			titles = append(titles, c.Title)
		}
		if titles := strings.Join(titles, ", "); titles != "True rate, at most 20, Mean trials, 90 % within, Mean cost, at most 50, at most 100" {
			t.Errorf("%s: %s", c.rule, titles)
		}
	}
}

func TestDifference(t *testing.T) {
	d := answer(t, Question{Rates: &[2]float64{0.9, 0.8}, Discordant: envelope.Some(0.14), PriceUSD: envelope.Some(0.01)}).Difference
	if n := d.Unpaired.Formula.Trials; n != 199 {
		t.Errorf("0.90 to 0.80 unpaired: %d a side, want 199 (about 200)", n)
	}
	if c := d.Unpaired.Formula.CostUSD.V; c != 3.98 {
		t.Errorf("199 on both sides at 0.01 cost %v, want 3.98", c)
	}
	// ((1.959964 sqrt(0.14) + 0.841621 sqrt(0.13)) / 0.1)^2 = (0.733352+0.303451)^2 x 100
	if n := d.Paired.Formula.Trials; n != 108 {
		t.Errorf("paired with 0.14 discordant: %d pairs, want 108", n)
	}
	if d.PairedFrom != 0.1 || d.Independent != 0.26 {
		t.Errorf("discordant from %v, %v if independent, want 0.1 and 0.9 x 0.2 + 0.8 x 0.1 = 0.26", d.PairedFrom, d.Independent)
	}
}

// Pairs of which nine in ten differ, all to one side, are decided by the eighth that does (see the tests of stats):
// 8/0.9 pairs on average; of nine pairs at least eight differ with the chance 0.775, of ten with 0.930.
func TestDifferenceOneByOne(t *testing.T) {
	d := answer(t, Question{Rates: &[2]float64{0.95, 0.05}, Discordant: envelope.Some(0.9), Sequential: true, PriceUSD: envelope.Some(0.01)}).Difference
	if s := d.Sequential; s == nil || s.Mean.Trials != 9 || s.Enough.Trials != 10 || s.Enough.CostUSD.V != 0.2 {
		t.Errorf("%+v", d.Sequential)
	}
	alone := answer(t, Question{Rates: &[2]float64{0.9, 0.7}, Sequential: true}).Difference
	if s := alone.Sequential; s == nil || s.Discordant != alone.Independent || alone.Paired != nil {
		t.Errorf("without a share of discordant pairs it is that of independent trials: %+v", s)
	}
}

func TestQuestionsThatMakeNoSense(t *testing.T) {
	wilson := resolved(t, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)})
	for _, c := range []struct {
		reason, says string
		q            Question
	}{
		{"no width", "half-width", Question{HalfWidth: envelope.Some(0.0)}},
		{"not a number", "half-width", Question{HalfWidth: envelope.Some(math.NaN())}},
		{"no trials", "trials", Question{Policy: wilson, Trials: envelope.Some(0)}},
		{"trials nobody runs", "trials", Question{Policy: wilson, Trials: envelope.Some(math.MaxInt)}},
		{"a rate above 1", "--expect 1.1", Question{Policy: wilson, Expect: envelope.Some(1.1)}},
		{"money back", "--cost-per-trial", Question{Policy: wilson, PriceUSD: envelope.Some(-1.0)}},
		{"power of a coin", "power", Question{HalfWidth: envelope.Some(0.1), Power: 0.3}},
		{"equal rates", "no difference", Question{Rates: &[2]float64{0.5, 0.5}}},
		{"a rate of 1", "both ends excluded", Question{Rates: &[2]float64{1, 0.5}}},
		{"pairs without rates", "discordant", Question{HalfWidth: envelope.Some(0.1), Discordant: envelope.Some(0.2)}},
		{"fewer discordant than the difference", "give 0.1 to 0.3;", Question{Rates: &[2]float64{0.9, 0.8}, Discordant: envelope.Some(0.05)}},
		{"one by one, without rates", "sequential", Question{HalfWidth: envelope.Some(0.1), Sequential: true}},
		{"rates nobody tells apart one by one", "too near", Question{Rates: &[2]float64{0.9, 0.8999}, Sequential: true}},
		{"a rule about scores", "judges scores", Question{Policy: resolved(t, envelope.Policy{Rule: "t-interval", Threshold: envelope.Some(0.5)})}},
	} {
		if c.q.Power == 0 {
			c.q.Power = 0.8
		}
		c.q.Confidence = 0.95
		if _, err := New(c.q); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error about %q", c.reason, err, c.says)
		}
	}
}

// TestClustered by hand: 20 tests of 20 trials from 0.9, other tests each side, ICC 0.1: the design effect is 1 + 19 0.1
// = 2.9, K = (1.959964 + 0.841621)² 2.9/400 = 0.0569037, and the smallest fall (0.8 K + sqrt(0.64 K² + 8 K (1+K)
// 0.09))/(2 (1+K)) = 0.1223. For the same tests K = 7.848880 0.9/400 = 0.0176600.
func TestClustered(t *testing.T) {
	p := answer(t, Question{Tests: envelope.Some(20), Trials: envelope.Some(20), ICC: envelope.Some(0.1), Expect: envelope.Some(0.9), PriceUSD: envelope.Some(0.01)})
	if p.Precision != nil || len(p.Clustered.Designs) != 5 {
		t.Fatalf("%+v", p)
	}
	first := p.Clustered.Designs[0]
	fall := func(k float64) float64 {
		return (0.8*k + math.Sqrt(0.64*k*k+8*k*(1+k)*0.09)) / (2 * (1 + k))
	}
	if first.Tests != 20 || first.Trials != 20 || first.Effort.Trials != 800 || first.Effort.CostUSD.V != 8 {
		t.Errorf("%+v", first)
	}
	for _, c := range []struct{ got, want float64 }{
		{first.Other.DesignEffect, 2.9}, {first.Other.EffectiveN.V, 400 / 2.9}, {first.Other.Detectable.V, fall(0.0569043805)},
		{first.Same.DesignEffect, 0.9}, {first.Same.Detectable.V, fall(0.01765998)},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%v, want %v: %+v", c.got, c.want, first)
		}
	}
	for i, want := range [][2]int{{20, 20}, {5, 80}, {10, 40}, {40, 10}, {80, 5}} {
		if d := p.Clustered.Designs[i]; d.Tests != want[0] || d.Trials != want[1] {
			t.Errorf("design %d is %d x %d, want %v", i, d.Tests, d.Trials, want)
		}
	}
	more := p.Clustered.Designs[3].Other.Detectable.V
	if !(more < first.Other.Detectable.V) {
		t.Errorf("40 x 10 sees %v, 20 x 20 %v: more tests see more where trials correlate", more, first.Other.Detectable.V)
	}
	told := answer(t, Question{Tests: envelope.Some(20), Trials: envelope.Some(10), ICC: envelope.Some(1.), Rates: &[2]float64{0.9, 0.8}}).Clustered
	if told.Rate != 0.9 || math.Abs(told.Designs[0].Other.Power.V-0.1433) > 5e-5 || told.Designs[0].Same.EffectiveN.OK {
		t.Errorf("%+v", told)
	}
}

func TestClusteredQuestions(t *testing.T) {
	for _, c := range []struct {
		q    Question
		says string
	}{
		{Question{Tests: envelope.Some(20)}, "needs the number of trials of each test; give --trials as well"},
		{Question{Tests: envelope.Some(0), Trials: envelope.Some(1)}, "out of range"},
		{Question{ICC: envelope.Some(0.1), Trials: envelope.Some(1)}, "give how many (--tests)"},
		{Question{Tests: envelope.Some(2), Trials: envelope.Some(1), ICC: envelope.Some(1.5)}, "0 to 1"},
	} {
		c.q.Power, c.q.Confidence = 0.8, 0.95
		if _, err := New(c.q); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want it to say %q", c.q, err, c.says)
		}
	}
}

// TestJudge: 50 labels of 250 trials of a judge 0.9:0.8 at 0.7 come out, on average, as
// 31.5, 3, 3.5 and 12: in whole ones 32 (the first of the equal halves), 3, 3 and 12. The
// judge passes 0.63 + 0.06 of trials, 138 of the other 200. The intervals are those that
// the report would have.
func TestJudge(t *testing.T) {
	p := answer(t, Question{Judge: &[2]float64{0.9, 0.8}, Labels: envelope.Some(50), Trials: envelope.Some(250), Expect: envelope.Some(0.7), PriceUSD: envelope.Some(0.1)})
	if p.Precision != nil || p.Judge == nil {
		t.Fatalf("%+v", p)
	}
	j := p.Judge
	if math.Abs(j.Seen-0.69) > 1e-12 || j.Rate != 0.7 {
		t.Errorf("%+v", j)
	}
	first := j.Designs[0]
	of := stats.Judged{BothPass: 32, JudgeOnly: 3, TruthOnly: 3, Neither: 12}
	x, y := stats.RoganGladenRate(138, 200, of, 0.95), stats.PPIRate(138, 200, of, 0.95)
	if first.Labels != 50 || first.Trials != 250 || first.Effort.CostUSD.V != 25 || math.Abs(first.RoganGladen.V-(x.Hi-x.Lo)/2) > 1e-8 || math.Abs(first.Powered.V-(y.Hi-y.Lo)/2) > 1e-8 {
		t.Errorf("%+v", first)
	}
	// 35 of 50: Wilson's interval is 0.5625 to 0.8090; 172 or 173 of 250 about 0.057.
	if math.Abs(first.LabelsAlone.V-0.1233) > 5e-4 || math.Abs(first.Own-0.0571) > 5e-4 {
		t.Errorf("%+v", first)
	}
	if none := j.Designs[1]; none.Labels != 0 || none.RoganGladen.OK || none.Powered.OK || none.LabelsAlone.OK {
		t.Errorf("without labels there is no correction: %+v", none)
	}
	for i, want := range [][2]int{{50, 250}, {0, 250}, {100, 250}, {200, 250}, {50, 500}, {50, 1000}} {
		d := j.Designs[i]
		if [2]int{d.Labels, d.Trials} != want {
			t.Errorf("design %d: %+v, want %v", i, d, want)
		}
		if i > 1 && !(d.RoganGladen.V < first.RoganGladen.V) && want[0] < 200 {
			t.Errorf("more tells no more: %+v, %+v", d, first)
		}
	}
}

func TestJudgeRefuses(t *testing.T) {
	for want, q := range map[string]Question{
		"no better than a coin": {Judge: &[2]float64{0.5, 0.5}, Labels: envelope.Some(50)},
		"out of range":          {Judge: &[2]float64{1.5, 0.5}, Labels: envelope.Some(50)},
		"needs the number of trials that people label; give --labels": {Judge: &[2]float64{0.9, 0.9}},
		"sensitivity and specificity of the judge":                    {Labels: envelope.Some(50)},
		"--labels 0 is out of range":                                  {Judge: &[2]float64{0.9, 0.9}, Labels: envelope.Some(0)},
		"more trials than labels":                                     {Judge: &[2]float64{0.9, 0.9}, Labels: envelope.Some(50), Trials: envelope.Some(50)},
	} {
		q.Confidence, q.Power = 0.95, 0.8
		if _, err := New(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestToSeparate: by hand, with z = 1.96 and 0.8416 for a power of 80 %.
func TestToSeparate(t *testing.T) {
	one := Gap{Difference: 0.1, Variance: 0.005, Within: 0.005, Groups: 1, Tests: 1, Trials: 64, Alpha: 0.05, Power: 0.8}
	// bound (0.1/2.8016)^2 = 0.0012741; 0.005/0.0012741 = 3.9244 times 64 trials is 251.2, so 188 more.
	if got := one.Required(); got.Trials != envelope.Some(188) {
		t.Errorf("one test: %+v, want 188 more trials", got)
	}
	uneven := Gap{Difference: 0.1, Variance: 0.01, Within: 0.002, Groups: 10, Tests: 10, Trials: 100, Alpha: 0.05, Power: 0.8}
	// The tests differ by 0.008, above (0.1/(2.262 + 0.8416))^2 = 0.00104: trials do not help.
	got := uneven.Required()
	if got.Trials.OK || !got.Tests.OK {
		t.Errorf("tests that differ: %+v, want tests alone", got)
	}
	// 0.01 10/T <= (0.1/(t(T-1) + 0.8416))^2: t(80) = 1.990 asks T >= 80.2, t(81) = 1.9897 T >= 80.16, so 81 in all.
	if got.Tests.V < 70 || got.Tests.V > 72 {
		t.Errorf("%d more tests, want 71", got.Tests.V)
	}
	if one.Power = 0.5; one.Required().Trials != envelope.Some(59) { // as likely as not: (0.1/1.96)^2 = 0.0026031, 1.9208 × 64 is 122.9
		t.Errorf("power 50 %%: %+v, want 59 more trials", one.Required())
	}
	for name, g := range map[string]Gap{"no difference": {Variance: 1, Within: 1, Tests: 1, Trials: 1, Alpha: 0.05, Power: 0.8},
		"nothing tried": {Difference: 0.1, Alpha: 0.05, Power: 0.8}, "too near": {Difference: 1e-7, Variance: 0.01, Within: 0.01, Groups: 2, Tests: 2, Trials: 10, Alpha: 0.05, Power: 0.8}} {
		if got := g.Required(); got.Trials.OK || got.Tests.OK {
			t.Errorf("%s: %+v, want nothing", name, got)
		}
	}
}
