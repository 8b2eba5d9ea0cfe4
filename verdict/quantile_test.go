package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuantile holds the quantiles against those of sorted values.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	orders := []struct {
		reason string
		value  func(i, n int) float64
	}{
		{"random", func(int, int) float64 { return r.Float64() }},
		{"many equal ones", func(int, int) float64 { return float64(r.IntN(3)) }},
		{"all equal", func(int, int) float64 { return 7 }},
		{"ascending", func(i, _ int) float64 { return float64(i) }},
		{"descending", func(i, n int) float64 { return float64(n - i) }},
		{"up and down", func(i, n int) float64 { return float64(min(i, n-i)) }},
		{"two runs put together", func(i, n int) float64 { return float64(2 * i % n) }},
	}
	for _, o := range orders {
		for n := 1; n < 200; n += 1 + n/20 {
			values := make([]float64, n)
			for i := range values {
				values[i] = o.value(i, n)
			}
			sorted := slices.Sorted(slices.Values(values))
			for _, q := range []float64{0, 0.5, 0.95, 1} {
				at := q * float64(n-1)
				want := sorted[int(at)]
				if int(at)+1 < n {
					want += (at - float64(int(at))) * (sorted[int(at)+1] - want)
				}
				if got := quantile(values, q); got != want {
					t.Errorf("%s, %d values: the quantile %v is %v, want %v", o.reason, n, q, got, want)
				}
			}
			if slices.Sort(values); !slices.Equal(values, sorted) {
				t.Errorf("%s, %d values: other values than before", o.reason, n)
			}
		}
	}
}

// TestQuantileOfMany: so many values are parted often.
func TestQuantileOfMany(t *testing.T) {
	const n = 1 << 20
	values := make([]float64, n)
	for i := range values {
		values[i] = float64((i * 2) % (n + 1))
	}
	sorted := slices.Sorted(slices.Values(values))
	if got := quantile(values, 0.5); got != sorted[n/2-1]+0.5*(sorted[n/2]-sorted[n/2-1]) {
		t.Errorf("the median is %v", got)
	}
}
