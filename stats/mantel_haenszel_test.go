package stats

import (
	"math"
	"testing"
)

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
