package compare

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// measure compares what trials took; nil when a side measured none.
func measure(base, candidate []float64) *Measurement {
	if len(base) == 0 || len(candidate) == 0 {
		return nil
	}
	_, p := stats.MannWhitney(base, candidate)
	m := &Measurement{Base: median(base), Candidate: median(candidate), NBase: len(base), NCandidate: len(candidate), PValue: finite(p)}
	if m.Base > 0 && m.Candidate > 0 {
		m.Change = finite(m.Candidate/m.Base - 1)
	}
	return m
}

// measureAll compares what the trials of all tests took: medians over them all,
// the change from test to test.
func measureAll(tests [][2][]float64) *Measurement {
	var base, candidate []float64
	logs, ratios := 0., 0
	for _, t := range tests {
		base, candidate = append(base, t[0]...), append(candidate, t[1]...)
		if before, after := median(t[0]), median(t[1]); before > 0 && after > 0 {
			logs += math.Log(after) - math.Log(before)
			ratios++
		}
	}
	if len(base) == 0 || len(candidate) == 0 {
		return nil
	}
	m := &Measurement{Base: median(base), Candidate: median(candidate), NBase: len(base), NCandidate: len(candidate),
		PValue: finite(stats.VanElteren(tests))}
	if ratios > 0 {
		m.Change = finite(math.Expm1(logs / float64(ratios)))
	}
	return m
}

// median is NaN for no values.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// finite is a number, or nothing where there is none.
func finite(v float64) envelope.Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(v)
}
