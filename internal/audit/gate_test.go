package audit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/audit"
	"tribunal/verdict"
)

func held(t *testing.T, p envelope.Policy) envelope.Effective {
	t.Helper()
	out, err := verdict.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func planned(t *testing.T, p envelope.Policy, o audit.GateOptions) *audit.Gate {
	t.Helper()
	o.Policy, o.AtMost = held(t, p), 0.05
	g, err := audit.OfGate(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-8 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestPlannedGate has closed forms. Under rule all a build of 40 tests of 3 trials is green
// if 120 trials pass: 1 - 0.99^120. With correlation rho, three trials of one test pass with
// the beta-binomial a (a+1) (a+2) / (s (s+1) (s+2)), s = 1/rho - 1, a = 0.99 s. Under rule
// majority 3 trials fail if at most one passes: q^3 + 3 p q^2.
func TestPlannedGate(t *testing.T) {
	g := planned(t, envelope.Policy{Rule: "all"}, audit.GateOptions{Tests: 40, Trials: 3, Expect: 0.99})
	near(t, "rule all", g.Build.Predicted.Value, 1-math.Pow(0.99, 120))
	near(t, "a fall of 20 points", g.Now.Power[2].Test, 1-math.Pow(0.79, 3))
	s := 1/0.2 - 1
	a := 0.99 * s
	green := a * (a + 1) * (a + 2) / (s * (s + 1) * (s + 2))
	g = planned(t, envelope.Policy{Rule: "all"}, audit.GateOptions{Tests: 40, Trials: 3, Expect: 0.99, ICC: 0.2})
	near(t, "correlated", g.Build.Predicted.Value, 1-math.Pow(green, 40))
	g = planned(t, envelope.Policy{Rule: "majority"}, audit.GateOptions{Tests: 1, Trials: 3, Expect: 0.9})
	near(t, "rule majority", g.Build.Predicted.Value, 0.001+3*0.9*0.01)
	if len(g.Advice) != 0 {
		t.Errorf("2.8 %% is below 5 %%, and there is advice: %+v", g.Advice)
	}
}

// TestPlannedInconclusive: wilson at 0.9 with min_trials 5 decides nothing about 3 trials,
// which treat_as fail turns red.
func TestPlannedInconclusive(t *testing.T) {
	g := planned(t, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), TreatAs: "fail"}, audit.GateOptions{Tests: 1, Trials: 3,
		Expect: 0.9})
	near(t, "inconclusive is red", g.Build.Predicted.Value, 1)
	g = planned(t, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}, audit.GateOptions{Tests: 1, Trials: 3, Expect: 0.9})
	near(t, "inconclusive is neutral", g.Build.Predicted.Value, 0)
}

func TestGateRefuses(t *testing.T) {
	for what, o := range map[string]audit.GateOptions{
		"at most all": {AtMost: 1, Tests: 1, Trials: 1, Expect: 0.9}, "no rate": {AtMost: 0.05, Tests: 1, Trials: 1},
		"no trials": {AtMost: 0.05, Tests: 1, Expect: 0.9}, "too many tests": {AtMost: 0.05, Tests: 1e6, Trials: 1, Expect: 0.9},
		"an icc of 1": {AtMost: 0.05, Tests: 1, Trials: 1, Expect: 0.9, ICC: 1}, "NaN": {AtMost: math.NaN(), Tests: 1, Trials: 1, Expect: 0.9},
	} {
		o.Policy = held(t, envelope.Policy{Rule: "all"})
		if _, err := audit.OfGate(nil, o); err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}

// design is what simulated tests do in nights.
type design struct {
	rates  []float64
	trials int
	nights int
	shared float64 // standard deviation of the log odds of nights
	policy envelope.Policy
}

func (d design) night(r *rand.Rand) []float64 {
	u := r.NormFloat64() * d.shared
	out := make([]float64, len(d.rates))
	for i, p := range d.rates {
		out[i] = 1 / (1 + math.Exp(-math.Log(p/(1-p))-u))
	}
	return out
}

// run is a night as it is judged, and which tests have a failed trial.
func (d design) run(t *testing.T, r *rand.Rand, night int) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(0, 0.5)
	in := b.Input(fmt.Sprint("night ", night), "native")
	for i, p := range d.night(r) {
		for attempt := range d.trials {
			trial := envelope.Trial{Key: envelope.Key{Test: fmt.Sprintf("t%02d", i)}, Status: envelope.Fail, Attempt: envelope.Some(int32(attempt))}
			if r.Float64() < p {
				trial.Status = envelope.Pass
			}
			in.Trial(&trial)
		}
	}
	in.Close()
	p := held(t, d.policy)
	e, err := verdict.Seal(b.Run(p.OnConflict, 0), p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// trueRed is the chance of a red build, by the mean over drawn nights: given its rates, a
// test is red that passes at most so many of its trials, a sum of the binomial distribution.
func (d design) trueRed(r *rand.Rand) float64 {
	const draws = 2000
	most, red := d.trials-1, 0.
	if d.policy.Rule == "majority" {
		most = d.trials / 2
	}
	for range draws {
		green := 1.
		for _, p := range d.night(r) {
			fails, mass := 0., math.Pow(1-p, float64(d.trials))
			for k := 0; k <= most; k++ {
				fails += mass
				mass *= float64(d.trials-k) / float64(k+1) * p / (1 - p)
			}
			green *= 1 - fails
		}
		red += (1 - green) / draws
	}
	return red
}

func (d design) audited(t *testing.T, r *rand.Rand) *audit.Gate {
	t.Helper()
	var runs []*envelope.Envelope
	for night := range d.nights {
		runs = append(runs, d.run(t, r, night))
	}
	g, err := audit.OfGate(runs, audit.GateOptions{AtMost: 0.999})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRunsThatAreAlike: runs in which two tests never fail and one always does say little about how runs vary.
// The chance of any red test is at least that of each, and one that passed 100 of 100 trials may pass 96.4 % of
// them (0.025^(1/100)), and so 20 of 20 in 48 % of runs. Four runs have no interval.
func TestRunsThatAreAlike(t *testing.T) {
	d := design{rates: []float64{1 - 1e-12, 1 - 1e-12, 0.5}, trials: 20, policy: envelope.Policy{Rule: "all"}}
	for d.nights = 4; d.nights <= 5; d.nights++ {
		g := d.audited(t, rand.New(rand.NewPCG(1, 1)))
		if got := g.ByChance.Predicted; got.Hi.OK != (d.nights == 5) || got.Hi.OK && (got.Lo.V > 0 || got.Hi.V < 0.52) {
			t.Errorf("%d runs: %+v", d.nights, got)
		}
		for _, of := range g.Tests {
			if of.Predicted.Hi.V > g.Build.Predicted.Hi.V || of.Cause {
				t.Errorf("%s %+v is a cause, or beyond the build %+v", of.Test, of.Predicted, g.Build.Predicted)
			}
		}
	}
}

// TestPredictedOfNights simulates 50 designs of nights, half of them correlated, whose true
// chance of a red build is known. The mean error is within Monte Carlo error of none, and
// the intervals hold as often as they say, less three standard errors.
func TestPredictedOfNights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 49))
	sum, squares, holds := 0., 0., 0
	const designs = 50
	for i := range designs {
		d := design{trials: 3 + 2*(i%2), nights: 12, shared: []float64{0, 0.5, 0, 1}[i%4], policy: envelope.Policy{Metrics: "none", Rule: "all"}}
		lowest := 1.
		if i%3 == 0 {
			d.policy.Rule, lowest = "majority", 0.5
		}
		for range 3 + i%5 {
			d.rates = append(d.rates, 1-math.Pow(10, -lowest-1.2*r.Float64()))
		}
		truth, got := d.trueRed(r), d.audited(t, r).Build.Predicted
		sum, squares = sum+got.Value-truth, squares+(got.Value-truth)*(got.Value-truth)
		if got.Lo.V <= truth && truth <= got.Hi.V {
			holds++
		}
	}
	off, error := sum/designs, math.Sqrt(squares)/designs
	t.Logf("mean error %.4f, standard error %.4f, %d of %d intervals hold", off, error, holds, designs)
	if math.Abs(off) > 3*error {
		t.Errorf("predicted is off by %.4f on average, standard error %.4f", off, error)
	}
	if p := 0.95; float64(holds) < designs*p-3*math.Sqrt(designs*p*(1-p)) {
		t.Errorf("%d of %d intervals hold the truth", holds, designs)
	}
}
