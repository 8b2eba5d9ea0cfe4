package reliability

import (
	"math"

	"tribunal/stats"
)

// expected returns the expected credit of a draw of k of a test's trials
// without replacement. It needs N >= k.
func (s score) expected(c Counts) float64 {
	switch s.kind {
	case anyPass:
		return 1 - onlyFrom(c.N-c.Passed, c.N, s.k)
	case allPass:
		return onlyFrom(c.Passed, c.N, s.k)
	}
	lo, mass := stats.Hypergeometric(nil, c.Passed, c.N, s.k)
	total := 0.
	for i, m := range mass {
		total += m * s.credit[lo+i]
	}
	return total
}

// onlyFrom returns C(m,k)/C(n,k): the probability that k draws from n trials
// all come from the same m. The product has min(k, n-m) factors, whichever way
// round is shorter.
func onlyFrom(m, n, k int) float64 {
	if k > m {
		return 0
	}
	numerator, factors := m, k
	if n-m < k {
		numerator, factors = n-k, n-m
	}
	product := 1.
	for i := range factors {
		product *= float64(numerator-i) / float64(n-i)
		if product == 0 {
			break
		}
	}
	return math.Min(product, 1)
}

// pointOf returns the mean expected credit over the tests with k trials.
func pointOf(s *Sample, sc score) Estimate {
	states, used := s.atLeast(sc.k)
	total := 0.
	for _, st := range states {
		total += st.tests * sc.expected(st.Counts)
	}
	return point(s, used, sc.k, total/float64(used))
}
