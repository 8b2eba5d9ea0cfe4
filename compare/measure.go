package compare

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// measure compares what trials took, in order of size; nil when a side measured none.
func measure(base, candidate []float64, confidence float64) *Measurement {
	if len(base) == 0 || len(candidate) == 0 {
		return nil
	}
	_, p := stats.MannWhitney(base, candidate)
	m := &Measurement{Base: median(base), Candidate: median(candidate), NBase: len(base), NCandidate: len(candidate), PValue: finite(p)}
	if lo, hi, ok := stats.MedianPlaces(len(base), confidence); ok {
		m.BaseLo, m.BaseHi = envelope.Some(base[lo]), envelope.Some(base[hi])
	}
	if lo, hi, ok := stats.MedianPlaces(len(candidate), confidence); ok {
		m.CandidateLo, m.CandidateHi = envelope.Some(candidate[lo]), envelope.Some(candidate[hi])
	}
	if m.Base > 0 && m.Candidate > 0 {
		m.Change = finite(m.Candidate/m.Base - 1)
	}
	return m
}

// measureAll compares what the trials of all tests took, each test against
// itself: geometric means of the tests' medians, so that neither long tests nor
// tests of many trials decide alone. The values of each come in order. Tests with
// a median of 0 have no place in them, and those of which only one is are counted;
// where all have, the medians are those of all trials.
func measureAll(tests [][2][]float64) *Measurement {
	if len(tests) == 0 {
		return nil
	}
	m := &Measurement{PValue: finite(stats.VanElteren(tests))}
	var logs [2]float64
	means, fromZero, toZero := 0., 0, 0
	for _, t := range tests {
		m.NBase += len(t[0])
		m.NCandidate += len(t[1])
		switch before, after := median(t[0]), median(t[1]); {
		case before > 0 && after > 0:
			logs[0] += math.Log(before)
			logs[1] += math.Log(after)
			means++
		case after > 0:
			fromZero++
		case before > 0:
			toZero++
		}
	}
	if means > 0 {
		m.FromZero, m.ToZero = fromZero, toZero
		m.Base, m.Candidate = math.Exp(logs[0]/means), math.Exp(logs[1]/means)
		m.Change = finite(math.Expm1((logs[1] - logs[0]) / means))
		return m
	}
	var all [2][]float64
	for _, t := range tests {
		all[0], all[1] = append(all[0], t[0]...), append(all[1], t[1]...)
	}
	for side := range all {
		slices.Sort(all[side])
	}
	m.Base, m.Candidate = median(all[0]), median(all[1])
	return m
}

// median is that of values in order, NaN for none.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// finite is a number, or nothing where there is none.
func finite(v float64) envelope.Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(v)
}
