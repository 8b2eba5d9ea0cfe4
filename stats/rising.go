package stats

import (
	"math"
	"slices"
)

// steps says how many clusters are larger than i, for i = 1, 2, ...: a
// descending step function, one entry a step.
type steps []step

type step struct {
	from, to int // from <= i < to
	clusters float64
}

func newSteps(of []Cluster, size func(Cluster) int) steps {
	sizes := make([]int, len(of))
	for i, x := range of {
		sizes[i] = size(x)
	}
	slices.Sort(sizes)
	var s steps
	from := 1
	for rank, n := range sizes {
		if n > from {
			s = append(s, step{from: from, to: n, clusters: float64(len(sizes) - rank)})
			from = n
		}
	}
	return s
}

// rising returns the sum over clusters of size n of
// sum_{1<=i<n} log(a + i r), a > 0, 0 <= r <= 1.
func (s steps) rising(a, r float64) float64 {
	total := 0.
	for _, x := range s {
		total += x.clusters * logSum(a+float64(x.from)*r, r, x.to-x.from)
	}
	return total
}

// logSum returns the sum of log(u + j r), j = 0..n-1. Long sums go by
// Euler-Maclaurin after their first terms, right to 1e-11 a term.
func logSum(u, r float64, n int) float64 {
	const direct = 16
	total, product := 0., 1. // one logarithm of a product instead of one a factor
	for range min(n, direct) {
		if product *= u; product < 1e-100 { // far from the least number there is
			total, product = total+math.Log(product), 1
		}
		u += r
	}
	total += math.Log(product)
	if n <= direct {
		return total
	}
	// The integral from u to u + length r, with the ends' corrections.
	length := float64(n - direct)
	growth := length * r / u
	end := u + length*r
	area := length * math.Log(u)
	if growth > 0 {
		area += length / growth * ((1+growth)*math.Log1p(growth) - growth)
	}
	ends := (math.Log(u) - math.Log(end)) / 2
	slopes := (r/end - r/u) / 12
	thirds := (cube(r/end) - cube(r/u)) / 360
	return total + area + ends + slopes - thirds
}

func cube(x float64) float64 { return x * x * x }
