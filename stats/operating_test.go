package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// follow is the whole course of a rule from its first trial to the n-th.
func follow(p float64, n int, b *Boundary) Course { return b.Follow(p, Start{}, n, 1, 0.9) }

// only keeps one decision of a rule and ignores the other: the probability of
// ever reaching it is then the worst any way of stopping can do.
func only(kept Decision, decide func(passed, failed int) Decision) *Boundary {
	return NewBoundary(func(passed, failed int) Decision {
		if decide(passed, failed) == kept {
			return kept
		}
		return Undecided
	})
}

const horizon = 300

// TestAnytimeErrorRates: whenever one stops, a rate of P0 or better is failed
// with probability at most alpha, a rate of P1 or worse passed with at most
// beta.
func TestAnytimeErrorRates(t *testing.T) {
	for _, threshold := range []float64{0.3, 0.5, 0.8, 0.9, 0.95, 0.99} {
		for _, gap := range []float64{0, 0.05, 0.1, 0.25} {
			for _, rates := range [][2]float64{{0.05, 0.2}, {0.05, 0.05}, {0.01, 0.1}, {0.2, 0.01}} {
				a, err := NewAnytime(threshold, gap, rates[0], rates[1])
				if err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) { checkAnytime(t, a) })
			}
		}
	}
}

func checkAnytime(t *testing.T, a Anytime) {
	t.Parallel()
	bounds := a.Bounds()
	failing := NewBoundary(func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogFail >= bounds.LogFail {
			return Fail
		}
		return Undecided
	})
	passing := NewBoundary(func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogPass >= bounds.LogPass {
			return Pass
		}
		return Undecided
	})
	for _, p := range []float64{a.P0, (a.P0 + 1) / 2, 1} {
		if got := follow(p, horizon, failing).Fail; got > a.Alpha {
			t.Errorf("at rate %v, at least %v: P(ever fail) = %v > %v", p, a.P0, got, a.Alpha)
		}
	}
	for _, p := range []float64{a.P1, a.P1 / 2, 0} {
		if got := follow(p, horizon, passing).Pass; got > a.Beta {
			t.Errorf("at rate %v, at most %v: P(ever pass) = %v > %v", p, a.P1, got, a.Beta)
		}
	}
}

// TestPeekingBreaksIntervals is the negative control: the same computation
// finds that looking at a 95 % interval after every trial fails a test whose
// rate is the threshold far more often than its level.
func TestPeekingBreaksIntervals(t *testing.T) {
	const z, level = 1.96, 0.025 // the level of one side, what one look costs
	for _, rule := range []struct {
		name     string
		interval func(passed, trials int, z float64) (lo, hi float64)
		atLeast  float64
	}{
		{"wald", Wald, 0.15},
		{"wilson", Wilson, 0.15},
	} {
		for _, threshold := range []float64{0.5, 0.8, 0.9} {
			decide := func(passed, failed int) Decision {
				if passed+failed < 5 {
					return Undecided
				}
				lo, hi := rule.interval(passed, passed+failed, z)
				switch {
				case lo > threshold:
					return Pass
				case hi < threshold:
					return Fail
				}
				return Undecided
			}
			fail := follow(threshold, horizon, only(Fail, decide)).Fail
			pass := follow(threshold, horizon, only(Pass, decide)).Pass
			t.Logf("%s at %v: P(ever fail) %.3f, P(ever pass) %.3f, one look %.3f", rule.name, threshold, fail, pass, level)
			if fail < 2*level || fail+pass < rule.atLeast {
				t.Errorf("%s at %v: P(ever fail) = %.3f, P(ever pass) = %.3f: peeking should break it", rule.name, threshold, fail, pass)
			}
		}
	}
}

// TestSPRTOperatingCharacteristics holds the default test, 0.90 against 0.80
// with alpha 0.05 and beta 0.20, to its known figures.
func TestSPRTOperatingCharacteristics(t *testing.T) {
	s, err := NewSPRT(0.90, 0.10, 0.05, 0.20)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBoundary(s.Decide)
	good := follow(0.96, 100_000, b)
	near(t, "expected trials at 0.96", good.Mean, 19.18, 0.005, "known figure")
	edge := follow(0.90, 100_000, b)
	near(t, "P(pass | 0.90)", edge.Pass, 0.961, 0.0005, "known figure: alpha is not exhausted")
	if edge.Fail > s.Alpha {
		t.Errorf("P(fail | 0.90) = %v > alpha", edge.Fail)
	}
	if bad := follow(0.80, 100_000, b); bad.Pass > s.Beta {
		t.Errorf("P(pass | 0.80) = %v > beta", bad.Pass)
	}
	if n, ok := SmallestPass(s.Decide, 1000); n != 14 || !ok {
		t.Errorf("passes after %d trials, %v: use one of 14", n, ok)
	}
}

// TestCourse holds the front that moves along the boundary to the same sums over
// every path, each taken one by one.
func TestCourse(t *testing.T) {
	s, err := NewSPRT(0.7, 0.3, 0.1, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	const n, rate, least = 14, 0.62, 6
	var want Course
	by := make([]float64, n+1)
	for path := range 1 << n {
		outcomes, mass := make([]bool, n), 1.
		for i := range outcomes {
			if outcomes[i] = path>>i&1 == 1; outcomes[i] {
				mass *= rate
			} else {
				mass *= 1 - rate
			}
		}
		switch r := s.Run(outcomes); r.Decision {
		case Pass:
			want.Pass += mass
			by[max(r.Trials, least)] += mass
			want.Mean += mass * float64(max(r.Trials, least))
		case Fail:
			want.Fail += mass
			by[max(r.Trials, least)] += mass
			want.Mean += mass * float64(max(r.Trials, least))
		default:
			want.Undecided += mass
			want.Mean += mass * n
		}
	}
	total := 0.
	for want.Within = 0; total < 0.5; want.Within++ {
		total += by[want.Within]
	}
	want.Within--
	got := NewBoundary(s.Decide).Follow(rate, Start{}, n, least, 0.5)
	near(t, "P(pass)", got.Pass, want.Pass, 1e-12, "all paths")
	near(t, "P(fail)", got.Fail, want.Fail, 1e-12, "all paths")
	near(t, "P(undecided)", got.Undecided, want.Undecided, 1e-12, "all paths")
	near(t, "mean", got.Mean, want.Mean, 1e-12, "all paths")
	if got.Within != want.Within {
		t.Errorf("half are decided within %d trials, want %d", got.Within, want.Within)
	}
}

// TestBoundary holds limits that are moved trial by trial to those found from
// all counts, also where a rule begins late or decides everything at once.
func TestBoundary(t *testing.T) {
	wilson := func(least int) func(passed, failed int) Decision {
		return func(passed, failed int) Decision {
			lo, hi := Wilson(passed, passed+failed, 1.96)
			switch {
			case passed+failed < least:
				return Undecided
			case lo > 0.8:
				return Pass
			case hi < 0.8:
				return Fail
			}
			return Undecided
		}
	}
	wald := func(passed, failed int) Decision {
		lo, hi := Wald(passed, passed+failed, 1.96)
		switch {
		case lo > 0.8:
			return Pass
		case hi < 0.8:
			return Fail
		}
		return Undecided
	}
	all := func(_, failed int) Decision {
		if failed == 0 {
			return Pass
		}
		return Fail
	}
	for name, decide := range map[string]func(passed, failed int) Decision{"wilson": wilson(1), "wilson from 40": wilson(40), "wald": wald, "all": all} {
		b := NewBoundary(decide)
		for n := 1; n <= 120; n++ {
			want := Limits{Fail: -1, Pass: n + 1}
			for passed := range n + 1 {
				switch decide(passed, n-passed) {
				case Fail:
					want.Fail = passed
				case Pass:
					want.Pass = min(want.Pass, passed)
				}
			}
			if got := NewBoundary(decide).At(n); got != want {
				t.Fatalf("%s after %d trials alone: %+v, want %+v", name, n, got, want)
			}
			if got := b.At(n); got != want {
				t.Fatalf("%s after %d trials: %+v, want %+v", name, n, got, want)
			}
		}
	}
	if n, ok := SmallestPass(func(p, f int) Decision { return only35(p, f) }, 1000); n != 35 || !ok {
		t.Errorf("0.90 under Wilson at 95 %% passes after %d, %v: use one of 35", n, ok)
	}
	if _, ok := SmallestPass(func(p, f int) Decision { return only35(p, f) }, 34); ok {
		t.Error("34 trials are said to be enough: 35 are needed")
	}
}

// only35 is Wilson at 0.90 and 95 %: n/(n+z²) > 0.9 from n > 9 z² = 34.57.
func only35(passed, failed int) Decision {
	if lo, _ := Wilson(passed, passed+failed, 1.96); lo > 0.9 {
		return Pass
	}
	return Undecided
}

func outcomes(s string) []bool {
	out := make([]bool, len(s))
	for i := range s {
		out[i] = s[i] == 'P'
	}
	return out
}

func TestSequentialStops(t *testing.T) {
	sprt, err := NewSPRT(0.9, 0.1, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	anytime, err := NewAnytime(0.9, 0.1, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outcomes          string
		sprt              Decision
		sprtTrials        int
		anytime           Decision
		anytimeTrials     int
		anytimeSupAtLeast float64
		reason            string
	}{
		{strings.Repeat("P", 20), Pass, 14, Pass, 12, 0, "a pass takes 14 and 12 straight passes"},
		{"PFFPFFF", Fail, 7, Fail, 5, math.Log(20), "sprt needs five failures; by hand E is 10.25, 4.53 and 22.83 after 3, 4 and 5"},
		{"FF", Undecided, 2, Fail, 2, math.Log(20), "two straight failures"},
		{"FFPPPPPPPPPPPPPPPPPPPP", Undecided, 22, Fail, 2, math.Log(20), "a stop is kept whatever follows"},
		{"", Undecided, 0, Undecided, 0, 0, "no trial decides nothing"},
	} {
		if r := sprt.Run(outcomes(c.outcomes)); r.Decision != c.sprt || r.Trials != c.sprtTrials {
			t.Errorf("sprt %q: %v at %d, want %v at %d: %s", c.outcomes, r.Decision, r.Trials, c.sprt, c.sprtTrials, c.reason)
		}
		r := anytime.Run(outcomes(c.outcomes))
		if r.Decision != c.anytime || r.Trials != c.anytimeTrials {
			t.Errorf("anytime %q: %v at %d, want %v at %d: %s", c.outcomes, r.Decision, r.Trials, c.anytime, c.anytimeTrials, c.reason)
		}
		if r.Sup.LogFail < c.anytimeSupAtLeast || r.PFail() > 1 {
			t.Errorf("anytime %q: sup %+v", c.outcomes, r.Sup)
		}
	}
}

// The e-values of few trials by hand: two failures against 0.9 give
// (1-0.1^3)/3 / 0.9 / 0.01 = 37, twelve passes against 0.8 give
// (1-0.8^13)/13 / 0.2 / 0.8^12.
func TestEValuesByHand(t *testing.T) {
	a, err := NewAnytime(0.9, 0.1, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "two failures", math.Exp(a.LogE(0, 2).LogFail), 37, 1e-12, "hand calculation")
	want := (1 - math.Pow(0.8, 13)) / 13 / 0.2 / math.Pow(0.8, 12)
	near(t, "twelve passes", math.Exp(a.LogE(12, 0).LogPass), want, 1e-12, "hand calculation")
	near(t, "no trial", a.LogE(0, 0).LogFail, 0, 1e-15, "an e-process starts at 1")
	near(t, "p of two failures", a.Run(outcomes("FF")).PFail(), 1./37, 1e-12, "1/sup e")
}

// An e-value is fair at the edge: its expectation after one more trial at the
// edge rate is what it is now. That is the whole proof of validity, so it is
// held at small and at very large counts.
func TestEValuesAreFair(t *testing.T) {
	a, err := NewAnytime(0.9, 0.1, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int{{0, 0}, {3, 1}, {90, 10}, {10, 90}, {900_000, 100_000}, {899_000, 101_000}, {901_000, 99_000}, {799_000, 201_000}} {
		now := a.LogE(c[0], c[1])
		pass, fail := a.LogE(c[0]+1, c[1]), a.LogE(c[0], c[1]+1)
		nextFail := a.P0*math.Exp(pass.LogFail-now.LogFail) + (1-a.P0)*math.Exp(fail.LogFail-now.LogFail)
		nextPass := a.P1*math.Exp(pass.LogPass-now.LogPass) + (1-a.P1)*math.Exp(fail.LogPass-now.LogPass)
		near(t, "EFail", nextFail, 1, 1e-9, "martingale at P0")
		near(t, "EPass", nextPass, 1, 1e-9, "martingale at P1")
	}
}

func TestPathsEndWhereRunsEnd(t *testing.T) {
	sprt, _ := NewSPRT(0.9, 0.1, 0.05, 0.2)
	anytime, _ := NewAnytime(0.9, 0.1, 0.05, 0.2)
	o := outcomes("PPFPPPPPPPPPPPPPPPPPPPPPPPP")
	r, e := sprt.Run(o), anytime.Run(o)
	near(t, "sprt path", sprt.Path(o)[r.Trials-1], r.LLR, 0, "same numbers")
	near(t, "anytime path", anytime.Path(o)[e.Trials-1].LogPass, e.At.LogPass, 0, "same numbers")
	if len(sprt.Path(o)) != len(o) || len(anytime.Path(o)) != len(o) {
		t.Error("a path goes on beyond the stop")
	}
}

// The walk and the integral are the same numbers, at any rate and length.
func TestWalkAgreesWithIntegral(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, rate := range []float64{0, 0.3, 0.79, 0.8, 0.85, 0.9, 0.92, 0.99, 1} {
		a, err := NewAnytime(0.9, 0.1, 0.05, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		o := make([]bool, 20_000)
		passed := 0
		for i := range o {
			o[i] = random.Float64() < rate
		}
		for i, e := range a.Path(o) {
			if o[i] {
				passed++
			}
			if i%97 != 0 && i > 50 {
				continue
			}
			want := a.LogE(passed, i+1-passed)
			near(t, "walk below", e.LogFail, want.LogFail, 2e-12, "same number")
			near(t, "walk above", e.LogPass, want.LogPass, 2e-12, "same number")
		}
	}
}

func TestSequentialParameters(t *testing.T) {
	for _, c := range []struct {
		threshold, gap, alpha, beta float64
		says                        string
	}{
		{1, 0.1, 0.05, 0.2, "0.02..0.999"},
		{0.01, 0.1, 0.05, 0.2, "0.02..0.999"},
		{math.NaN(), 0.1, 0.05, 0.2, "0.02..0.999"},
		{0.9, 0, 0.05, 0.2, "above 0"},
		{0.9, -0.1, 0.05, 0.2, "above 0"},
		{0.9, 0.1, 0, 0.2, "between 0 and 1"},
		{0.9, 0.1, 0.05, 1, "between 0 and 1"},
		{0.9, 0.1, 0.6, 0.5, "below 1"},
	} {
		if _, err := NewSPRT(c.threshold, c.gap, c.alpha, c.beta); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("NewSPRT(%v, %v, %v, %v): %v, want the range %q", c.threshold, c.gap, c.alpha, c.beta, err, c.says)
		}
	}
	for _, c := range []struct{ threshold, gap, alpha, beta float64 }{
		{1, 0, 0.05, 0.2}, {0, 0, 0.05, 0.2}, {0.9, -0.1, 0.05, 0.2}, {0.9, 0.1, 5, 0.2}, {0.9, 0.1, 0.05, math.NaN()},
	} {
		if _, err := NewAnytime(c.threshold, c.gap, c.alpha, c.beta); err == nil {
			t.Errorf("NewAnytime(%+v) must be refused", c)
		}
	}
	if s, err := NewSPRT(0.05, 0.1, 0.05, 0.2); err != nil || s.P1 != 0.01 {
		t.Errorf("gap below zero: P1 = %v, %v, want 0.01", s.P1, err)
	}
}

// BenchmarkAnytime runs a million trials that never decide.
func BenchmarkAnytime(b *testing.B) {
	a, _ := NewAnytime(0.9, 0, 1e-12, 1e-12)
	o := make([]bool, 1_000_000)
	for i := range o {
		o[i] = i%10 != 5
	}
	for b.Loop() {
		a.Run(o)
	}
}

// TestStoppedRate: of trials up to the r-th failure, 1 - (r-1)/(n-1) is the unbiased
// estimate (J. B. S. Haldane, Biometrika 33 (1945) 222-225).
func TestStoppedRate(t *testing.T) {
	for _, failures := range []int{2, 3, 7} {
		for n := failures; n < 400; n += 13 {
			got := StoppedRate(n-failures, n, func(passed, trials int) bool { return trials-passed < failures })
			if want := 1 - float64(failures-1)/float64(n-1); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d failures at trial %d: %v, want %v", failures, n, got, want)
			}
		}
	}
}
