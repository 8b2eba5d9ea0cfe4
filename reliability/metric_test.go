package reliability

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func sampleOf(t *testing.T, rows ...Counts) *Sample {
	t.Helper()
	s, err := NewSample(rows)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func metric(t *testing.T, name string) Metric {
	t.Helper()
	m, ok := Lookup(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	return m
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	gap := math.Abs(got - want)
	if gap <= tolerance || gap <= tolerance*math.Abs(want) {
		return
	}
	t.Errorf("%s = %.17g, want %.17g", what, got, want)
}

// TestEveryRow holds every row of the table to what all of them promise.
func TestEveryRow(t *testing.T) {
	rows := []Counts{{3, 5}, {5, 5}, {0, 8}, {3, 5}, {0, 0}, {999_990, 1_000_000}, {7, 1_000_000}, {1, 2}}
	s := sampleOf(t, rows...)
	shuffled := slices.Clone(rows)
	slices.Reverse(shuffled)
	for _, m := range Metrics() {
		t.Run(m.Name, func(t *testing.T) {
			if m.Doc == "" {
				t.Error("no documentation")
			}
			for _, k := range []int{1, 2, 3, 5, 64} {
				p := DefaultParams()
				p.K = k
				e, err := m.Evaluate(s, p)
				if err != nil {
					t.Fatal(err)
				}
				checkEstimate(t, m, k, e)
				again, err := m.Evaluate(sampleOf(t, shuffled...), p)
				if err != nil || again != e {
					t.Errorf("k %d: the order of the tests changes %+v to %+v, %v", k, e, again, err)
				}
			}
			for _, name := range append(slices.Clone(m.Params), m.IntervalParams...) {
				if _, ok := DefaultParams().Value(name); !ok {
					t.Errorf("reads %q, which is no parameter", name)
				}
			}
		})
	}
}

func checkEstimate(t *testing.T, m Metric, k int, e Estimate) {
	t.Helper()
	used := 7
	if m.usesK() {
		used = map[int]int{1: 7, 2: 7, 3: 6, 5: 6, 64: 2}[k]
	}
	if e.TestsUsed != used || e.TestsTotal != 8 {
		t.Errorf("k %d: %d of %d tests, want %d of 8", k, e.TestsUsed, e.TestsTotal, used)
	}
	for name, v := range map[string]float64{"value": e.Value, "mean": e.Mean, "lo": e.Lo, "hi": e.Hi} {
		if math.IsNaN(v) || v < -0.5 || v > 1.5 {
			t.Errorf("k %d: %s = %v", k, name, v)
		}
	}
	if !(e.Sigma >= 0) || e.Lo > e.Hi {
		t.Errorf("k %d: sigma %v, interval %v..%v", k, e.Sigma, e.Lo, e.Hi)
	}
}

// TestIntervalBeyondTheTrials: five trials of one test tell what eight fresh ones would do.
// Under Beta(6, 1), E[1-(1-p)^8] is 1 - B(6,9)/B(6,1) = 1 - 6/18018, and E[p^8] is 6/14.
func TestIntervalBeyondTheTrials(t *testing.T) {
	p := DefaultParams()
	p.K = 8
	for name, want := range map[string]float64{"max_at_k": 1 - 6./18018, "pass_at_k": 1 - 6./18018, "pass_hat_k": 6. / 14} {
		e, err := metric(t, name).Evaluate(sampleOf(t, Counts{5, 5}), p)
		if err != nil || e.HasValue() || !e.HasInterval() || e.TestsUsed != 1 || !strings.Contains(e.Note, "no test has 8") {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		near(t, name, e.Mean, want, 1e-12)
	}
}

// Without enough trials there is not a number, and words say so.
func TestAbsentEstimates(t *testing.T) {
	p := DefaultParams()
	p.K = 9
	for _, m := range Metrics() {
		e, err := m.Evaluate(sampleOf(t, Counts{3, 8}), p)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if m.usesK() && (e.HasValue() || !strings.Contains(e.Note, "9 counted trials")) {
			t.Errorf("%s of 8 trials at k = 9: %+v", m.Name, e)
		}
		if e, err := m.Interval(sampleOf(t, Counts{0, 0}), p); err != nil || e.HasInterval() || e.Note == "" {
			t.Errorf("%s without trials: %+v, %v", m.Name, e, err)
		}
		if e, err := m.Point(sampleOf(t), p); err != nil || e.HasValue() {
			t.Errorf("%s without tests: %+v, %v", m.Name, e, err)
		}
	}
}

// TestPointAtAMillion holds the point metrics to exact binomial coefficients.
func TestPointAtAMillion(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct{ passed, k int }{{900_000, 20}, {3, 1000}, {999_997, 5000}, {500_000, 64}} {
		s := sampleOf(t, Counts{c.passed, n})
		p := DefaultParams()
		p.K = c.k
		none, all := choose(n-c.passed, c.k, n), choose(c.passed, c.k, n)
		for name, want := range map[string]float64{"pass_at_k": 1 - none, "pass_hat_k": all} {
			e, err := metric(t, name).Point(s, p)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name, e.Value, want, 1e-12)
		}
		if c.k > 100 {
			continue // the exact sum takes seconds
		}
		e, err := metric(t, "maj_at_k").Point(s, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "maj_at_k", e.Value, exactMajority(c.passed, n, c.k), 1e-10)
	}
}

// choose returns C(m,k)/C(n,k) by exact integers.
func choose(m, k, n int) float64 {
	top := new(big.Int).Binomial(int64(m), int64(k))
	ratio := new(big.Float).SetPrec(200).Quo(bigFloat(top), bigFloat(new(big.Int).Binomial(int64(n), int64(k))))
	f, _ := ratio.Float64()
	return f
}

// exactMajority sums C(c,j) C(n-c,k-j) / C(n,k) over j > k/2 by exact integers.
func exactMajority(passed, n, k int) float64 {
	sum := new(big.Int)
	for j := k/2 + 1; j <= min(k, passed); j++ {
		term := new(big.Int).Binomial(int64(passed), int64(j))
		sum.Add(sum, term.Mul(term, new(big.Int).Binomial(int64(n-passed), int64(k-j))))
	}
	ratio := new(big.Float).SetPrec(200).Quo(bigFloat(sum), bigFloat(new(big.Int).Binomial(int64(n), int64(k))))
	f, _ := ratio.Float64()
	return f
}

func bigFloat(x *big.Int) *big.Float { return new(big.Float).SetPrec(200).SetInt(x) }

// TestPosteriorAtAMillion holds mean and deviation of p^k to exact rationals: E[p^k] = prod (a+i)/(a+b+i).
func TestPosteriorAtAMillion(t *testing.T) {
	const n, k = 1_000_000, 20
	for _, passed := range []int{0, 1, 900_000, 999_999, n} {
		p := DefaultParams()
		p.K = k
		e, err := metric(t, "pass_hat_k").Interval(sampleOf(t, Counts{passed, n}), p)
		if err != nil {
			t.Fatal(err)
		}
		first := rationalPower(passed+1, n+2, k)
		second := rationalPower(passed+1, n+2, 2*k)
		variance := new(big.Rat).Sub(second, new(big.Rat).Mul(first, first))
		mean, _ := first.Float64()
		squared, _ := variance.Float64()
		near(t, "mean", e.Mean, mean, 1e-12)
		near(t, "sigma", e.Sigma, math.Sqrt(squared), 1e-12)

		// maj@k and its relatives go by Bernstein products; pass@1 in that form is a plain Beta variance.
		a, b := float64(passed+1), float64(n-passed+1)
		product := newProduct(newScore(1, func(j int) float64 { return float64(j) }), newScore(1, func(j int) float64 { return float64(j) }))
		want := a * b / ((a + b) * (a + b) * (a + b + 1))
		got := product.covariance(a, b, a/(a+b), a/(a+b))
		near(t, "sigma by Bernstein product", math.Sqrt(got), math.Sqrt(want), 1e-9)
	}
}

func rationalPower(a, total, k int) *big.Rat {
	product := big.NewRat(1, 1)
	for i := range k {
		product.Mul(product, big.NewRat(int64(a+i), int64(total+i)))
	}
	return product
}

// Grouping is an economy, not an approximation: the mean over rows one by one is the same.
func TestGroupingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	var rows []Counts
	for range 60 {
		n := 5 + random.IntN(3)
		rows = append(rows, Counts{random.IntN(n + 1), n})
	}
	p := DefaultParams()
	p.K = 4
	for _, name := range []string{"avg", "bayes", "pass_at_k", "auc_at_k", "geom_at_k", "max_at_k"} {
		m := metric(t, name)
		whole, err := m.Evaluate(sampleOf(t, rows...), p)
		if err != nil {
			t.Fatal(err)
		}
		var value, variance float64
		for _, r := range rows {
			e, err := m.Evaluate(sampleOf(t, r), p)
			if err != nil {
				t.Fatal(err)
			}
			value += e.Value
			variance += e.Sigma * e.Sigma
		}
		near(t, name, whole.Value, value/60, 1e-12)
		near(t, name+" sigma", whole.Sigma, math.Sqrt(variance)/60, 1e-12)
	}
}

// 0.28 of 25 draws is 7 of them, though 0.28*25 is 7.000000000000001 in floats.
func TestTauRounding(t *testing.T) {
	p := DefaultParams()
	p.K, p.Tau = 25, 0.28
	sc, err := tauScore(p)
	if err != nil {
		t.Fatal(err)
	}
	if sc.at(7) != 1 || sc.at(6) != 0 {
		t.Errorf("credit for 6, 7 passes is %v, %v, want 0, 1", sc.at(6), sc.at(7))
	}
	p.Tau = 0
	if sc, _ := tauScore(p); sc.at(0) != 0 || sc.at(1) != 1 {
		t.Error("tau 0 still asks for one pass")
	}
}

func TestParameterErrors(t *testing.T) {
	s := sampleOf(t, Counts{3, 5})
	for _, c := range []struct {
		metric string
		change func(*Params)
		says   string
	}{
		{"pass_at_k", func(p *Params) { p.K = 0 }, "at least 1"},
		{"maj_at_k", func(p *Params) { p.K = -1 }, "1..10000"},
		{"auc_at_k", func(p *Params) { p.K = 1e9 }, "1..10000"},
		{"g_pass_at_k_tau", func(p *Params) { p.Tau = 1.5 }, "0..1"},
		{"g_pass_at_k_tau", func(p *Params) { p.Tau = math.NaN() }, "0..1"},
		{"geo_spectrum_at_k", func(p *Params) { p.Lambda = -1 }, "0..1"},
		{"threshold_spectrum_at_k", func(p *Params) { p.Weights = []float64{1, 1} }, "one for each"},
		{"threshold_spectrum_at_k", func(p *Params) { p.Weights = []float64{1.1} }, "more than 1"},
		{"threshold_spectrum_at_k", func(p *Params) { p.Weights = []float64{-0.1} }, "negative"},
		{"threshold_spectrum_at_k", func(p *Params) { p.Weights = []float64{math.NaN()} }, "negative"},
		{"geom_at_k", func(p *Params) { p.PassPower, p.UnanimousPower = 0, 0 }, "at least one"},
		{"max_at_k", func(p *Params) { p.W = []float64{1, 2, 3} }, "no categories"},
		{"max_at_k", func(p *Params) { p.W = []float64{0, math.Inf(1)} }, "finite"},
		{"max_at_k", func(p *Params) { p.K = 0 }, "at least 1"},
		{"avg", func(p *Params) { p.W = []float64{} }, "one per category"},
		{"bayes", func(p *Params) { p.Prior = []Categories{{1}, {2}} }, "one row per test"},
		{"bayes", func(p *Params) { p.Prior = []Categories{{-1}} }, "negative"},
	} {
		p := DefaultParams()
		c.change(&p)
		if _, err := metric(t, c.metric).Point(s, p); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", c.metric, err, c.says)
		}
	}
	for _, m := range Metrics() {
		for says, change := range map[string]func(*Params){
			"between 0 and 1":            func(p *Params) { p.Confidence = 95 },
			"must not exceed the second": func(p *Params) { p.Bounds = &[2]float64{1, 0} },
			"both must be fin":           func(p *Params) { p.Alpha0 = 0 },
		} {
			if says[:4] == "both" && !slices.Contains(m.IntervalParams, "alpha0") {
				continue
			}
			p := DefaultParams()
			change(&p)
			if _, err := m.Interval(s, p); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want an error with %q", m.Name, err, says)
			}
		}
	}
}

func TestSampleErrors(t *testing.T) {
	for _, bad := range []Counts{{3, 2}, {-1, 2}, {0, -1}} {
		if _, err := NewSample([]Counts{bad}); err == nil {
			t.Errorf("%+v must be refused", bad)
		}
	}
	s := sampleOf(t, Counts{1, 2})
	if _, err := s.WithCategories(nil); err == nil {
		t.Error("no row of categories for one test must be refused")
	}
	if _, err := s.WithCategories([]Categories{{1, -1}}); err == nil {
		t.Error("a negative count must be refused")
	}
	withThree, err := s.WithCategories([]Categories{{0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultParams()
	p.W = []float64{0, 1}
	if _, err := metric(t, "avg").Point(withThree, p); err == nil || !strings.Contains(err.Error(), "category 2 has no reward") {
		t.Errorf("a category without reward: %v", err)
	}
	if s.MinTrials() != 2 || s.Tests() != 1 || sampleOf(t).MinTrials() != 0 {
		t.Error("trials and tests are miscounted")
	}
}

// With priors, a ragged sample keeps each prior with its test.
func TestPriorFollowsItsTest(t *testing.T) {
	s := sampleOf(t, Counts{1, 1}, Counts{2, 3})
	p := DefaultParams()
	p.K = 2
	p.Prior = []Categories{{9, 0}, {0, 2}}
	e, err := metric(t, "max_at_k").Evaluate(s, p)
	if err != nil {
		t.Fatal(err)
	}
	// One test left, Beta(1+2+2, 1+1): 1 - E[q^2] = 1 - 2*3/(7*8).
	near(t, "mean", e.Mean, 1-6./56, 1e-12)
	if e.TestsUsed != 1 || e.TestsTotal != 2 {
		t.Errorf("%d of %d tests, want 1 of 2", e.TestsUsed, e.TestsTotal)
	}
}

// Where a score is nearly flat, E[g^2] - E[g]^2 is all rounding, and only the
// product around the mean has digits. maj@3 is g = 3p^2 - 2p^3, so its moments
// are rational: after n passes of n, 1 - g is of the order 1/n^2.
func TestSigmaOfFlatScore(t *testing.T) {
	const n = 1_000_000
	p := DefaultParams()
	p.K = 3
	e, err := metric(t, "maj_at_k").Interval(sampleOf(t, Counts{n, n}), p)
	if err != nil {
		t.Fatal(err)
	}
	moment := func(k int) *big.Rat { return rationalPower(n+1, n+2, k) }
	scaled := func(x int64, k int) *big.Rat { return new(big.Rat).Mul(big.NewRat(x, 1), moment(k)) }
	mean := new(big.Rat).Add(scaled(3, 2), scaled(-2, 3))
	square := new(big.Rat).Add(scaled(9, 4), scaled(-12, 5))
	square.Add(square, scaled(4, 6))
	variance, _ := square.Sub(square, mean.Mul(mean, mean)).Float64()
	if want := math.Sqrt(variance); math.Abs(e.Sigma/want-1) > 1e-3 {
		t.Errorf("sigma = %v, want %v", e.Sigma, want)
	}
}
