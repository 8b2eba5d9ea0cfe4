package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFreemanHaltonByHand(t *testing.T) {
	cases := []struct {
		of     []Sample
		want   float64
		reason string
	}{
		{[]Sample{{2, 2}, {0, 1}, {0, 1}}, 2. / 6, "of the 6 ways to deal 2 passes, (2,0,0) and (0,1,1) are one each, (1,1,0) and (1,0,1) two each"},
		{[]Sample{{2, 3}, {0, 1}}, 1, "both tables are 3 ways each"},
		{[]Sample{{1, 1}, {0, 1}, {1, 1}}, 1, "single trials: every table is one way"},
		{[]Sample{{3, 7}, {0, 0}}, 1, "one sample with trials"},
		{[]Sample{{4, 4}, {2, 2}}, 1, "all passed"},
		{[]Sample{{0, 0}}, math.NaN(), "no trial"},
		{[]Sample{{3, 2}}, math.NaN(), "more passes than trials"},
	}
	for _, c := range cases {
		got, exact := FreemanHalton(c.of)
		if !exact || math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v = %v, %v, want %v: %s", c.of, got, exact, c.want, c.reason)
		}
	}
}

// TestFreemanHaltonEnumerated holds it to the definition in whole numbers, on
// random tables, in any order of their columns and with the outcomes exchanged.
func TestFreemanHaltonEnumerated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1951))
	for range 300 {
		of := make([]Sample, 2+random.IntN(4))
		rate := random.Float64()
		for i := range of {
			of[i].N = 1 + random.IntN(6)
			for range of[i].N {
				if random.Float64() < rate {
					of[i].Passed++
				}
			}
		}
		want := enumerated(of)
		mirrored := slices.Clone(of)
		for i, c := range of {
			mirrored[i].Passed = c.N - c.Passed
		}
		slices.Reverse(mirrored)
		for _, of := range [][]Sample{of, mirrored} {
			if got, exact := FreemanHalton(of); !exact || math.Abs(got-want) > 1e-9 {
				t.Errorf("%v = %v, %v, want %v", of, got, exact, want)
			}
		}
	}
}

// enumerated is the p-value by its definition.
func enumerated(of []Sample) float64 {
	seen, passed, trials := big.NewInt(1), 0, 0
	for _, c := range of {
		seen.Mul(seen, new(big.Int).Binomial(int64(c.N), int64(c.Passed)))
		passed, trials = passed+c.Passed, trials+c.N
	}
	few := new(big.Int)
	var walk func(i, left int, weight *big.Int)
	walk = func(i, left int, weight *big.Int) {
		if i == len(of) {
			if left == 0 && weight.Cmp(seen) <= 0 {
				few.Add(few, weight)
			}
			return
		}
		for x := 0; x <= min(left, of[i].N); x++ {
			walk(i+1, left-x, new(big.Int).Mul(weight, new(big.Int).Binomial(int64(of[i].N), int64(x))))
		}
	}
	walk(0, passed, big.NewInt(1))
	p, _ := new(big.Rat).SetFrac(few, new(big.Int).Binomial(int64(trials), int64(passed))).Float64()
	return p
}

// TestFreemanHaltonDrawn: beyond the limit p is drawn, says so, is the same each
// time, and lies where the exact one does: within 4 standard errors of 9,999
// draws.
func TestFreemanHaltonDrawn(t *testing.T) {
	var large []Sample
	for i := range 40 {
		large = append(large, Sample{Passed: i % 7, N: 5 + i%11})
	}
	p, exact := FreemanHalton(large)
	again, _ := FreemanHalton(large)
	if exact || p != again || p < 1e-4 || p > 1 {
		t.Errorf("p = %v, then %v, exact %v; want one number, drawn", p, again, exact)
	}
	for _, of := range [][]Sample{{{9, 12}, {4, 8}, {8, 10}, {2, 10}}, {{5, 7}, {5, 10}, {4, 4}}, {{2, 2}, {0, 1}, {0, 1}}} {
		want := enumerated(of)
		table, _ := newTable2xC(of)
		if got := table.draw(); math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/permutations)+1./permutations {
			t.Errorf("%v: drawn %v, exact %v", of, got, want)
		}
	}
}

// TestMantelHaenszelExact holds the exact p to sums by hand: the strata are
// urns, the sum of the first passes is what is told.
func TestMantelHaenszelExact(t *testing.T) {
	one, other := Table{Passed1: 1, N1: 1, Passed2: 0, N2: 1}, Table{Passed1: 0, N1: 1, Passed2: 1, N2: 1}
	cases := []struct {
		of     []Table
		want   float64
		reason string
	}{
		{[]Table{one}, 1, "one coin"},
		{[]Table{one, one, one}, 2. / 8, "three coins that fell alike, as McNemar has it"},
		{[]Table{one, one, one, other}, (1 + 4 + 4 + 1) / 16., "four coins, three one way"},
		{[]Table{{Passed1: 2, N1: 2, Passed2: 0, N2: 2}}, 2. / 6, "one stratum is Fisher's test"},
		{[]Table{{Passed1: 2, N1: 2, Passed2: 0, N2: 2}, one}, 2. / 12, "1/6 2/3 1/6 with 1/2 1/2: 1 5 5 1 of 12"},
		{[]Table{{Passed1: 0, N1: 3, Passed2: 0, N2: 2}, {Passed1: 1, N1: 1}, one, one}, 2. / 4, "a stratum where nothing passed, and one with one sample, say nothing"},
	}
	for _, c := range cases {
		if got := NewMantelHaenszel(c.of, 0.95); !got.Exact || math.Abs(got.P-c.want) > 1e-12 {
			t.Errorf("%v: p = %v, exact %v, want %v: %s", c.of, got.P, got.Exact, c.want, c.reason)
		}
	}
}

// TestMantelHaenszelBeyond: too many states for the exact p leave that of the
// chi-squared distribution, which the vectors hold. Near the limit both agree.
func TestMantelHaenszelBeyond(t *testing.T) {
	var of []Table
	for i := range 2000 {
		of = append(of, Table{Passed1: 1 + i%3, N1: 4, Passed2: i % 3, N2: 4})
	}
	beyond := NewMantelHaenszel(of, 0.95)
	if beyond.Exact || beyond.P != beyond.PChi2 || beyond.Informative != 2000 {
		t.Errorf("%+v, want the p of chi-squared from 2000 strata", beyond)
	}
	for i := range of[:400] {
		if i%3 != 0 {
			of[i].Passed1--
		}
	}
	near := NewMantelHaenszel(of[:400], 0.95)
	if !near.Exact || math.Abs(near.P-near.PChi2) > 0.2*near.PChi2 {
		t.Errorf("exact %v, chi-squared %v: from 400 strata they agree", near.P, near.PChi2)
	}
}
