package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

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
