package stats

import (
	"math"
	"slices"
)

// MantelHaenszel compares the first samples of several tables with the second,
// within each table, whatever the rates of the tables are.
type MantelHaenszel struct {
	Strata      int // tables with both samples: the difference is made of these
	Informative int // of these, the ones where some trials passed and some did not
	// Difference is the Mantel-Haenszel difference of rates, first less second,
	// with Sato's standard error and the interval Difference ± z SE, which is not
	// clamped. NaN without a stratum.
	Difference, SE, Lo, Hi float64
	// Chi2 is the statistic of Cochran, Mantel and Haenszel without a correction
	// for continuity, and PChi2 its upper tail on one degree of freedom. NaN where
	// no stratum informs.
	Chi2, PChi2 float64
	// P is the exact two-sided p-value given all margins, where Exact; otherwise
	// PChi2. NaN where no stratum informs.
	P     float64
	Exact bool
}

// convolutionWork bounds the cells that the exact distribution is computed from.
const convolutionWork = 1_000_000

// NewMantelHaenszel compares tables. Those with an empty sample or impossible
// counts are ignored; NaN for what a confidence outside 0 to 1 leaves open.
//
// N. Mantel, W. Haenszel, J. Natl. Cancer Inst. 22 (1959) 719-748; T. Sato,
// S. Greenland, J. M. Robins, Biometrics 45 (1989) 1323-1324. The exact p is the
// probability of the sums of first passes that are no more likely than the one
// seen, as mantelhaen.test(exact = TRUE) of R has it; the distribution of the sum
// is the convolution of the hypergeometric ones of the strata.
func NewMantelHaenszel(tables []Table, confidence float64) MantelHaenszel {
	of := slices.DeleteFunc(slices.Clone(tables), func(t Table) bool {
		return ContrastWeight(t.N1, t.N2) == 0 || !isCount(t.Passed1, t.N1) || !isCount(t.Passed2, t.N2)
	})
	slices.SortFunc(of, Table.compare)
	nan := math.NaN()
	m := MantelHaenszel{Strata: len(of), Difference: nan, SE: nan, Lo: nan, Hi: nan, Chi2: nan, PChi2: nan, P: nan}
	informative := slices.DeleteFunc(slices.Clone(of), func(t Table) bool { return !t.informs() })
	m.Informative = len(informative)
	if m.Strata > 0 {
		m.estimate(of, confidence)
	}
	if m.Informative > 0 {
		m.test(informative)
	}
	return m
}

// informs reports whether some trials of the table passed and some did not.
func (t Table) informs() bool {
	passed := t.Passed1 + t.Passed2
	return passed > 0 && passed < t.N1+t.N2
}

func (m *MantelHaenszel) estimate(of []Table, confidence float64) {
	var excess, weight, sumP, sumQ float64
	for _, t := range of {
		a, c, n1, n2 := float64(t.Passed1), float64(t.Passed2), float64(t.N1), float64(t.N2)
		n := n1 + n2
		excess += (a*n2 - c*n1) / n
		weight += n1 * n2 / n
		sumP += (n1*n1*c - n2*n2*a + n1*n2*(n2-n1)/2) / (n * n)
		sumQ += (a*(n2-c) + c*(n1-a)) / (2 * n)
	}
	m.Difference = excess / weight
	bracket := m.Difference*sumP + sumQ
	const rounding = 1e-13 // a difference of near terms: less than that is none
	if bracket < rounding {
		bracket = 0
	}
	m.SE = math.Sqrt(bracket) / weight
	if isLevel(confidence) {
		half := Z(confidence) * m.SE
		m.Lo, m.Hi = m.Difference-half, m.Difference+half
	}
}

// test is of strata that all inform.
func (m *MantelHaenszel) test(of []Table) {
	var excess, variance float64
	seen, cells := 0, 0
	sum, least := []float64{1}, 0
	for _, t := range of {
		n1, n2, passed := float64(t.N1), float64(t.N2), float64(t.Passed1+t.Passed2)
		n := n1 + n2
		excess += float64(t.Passed1) - n1*passed/n
		variance += n1 * n2 * passed * (n - passed) / (n * n * (n - 1))
		seen += t.Passed1
		width := 1 + min(t.N1, t.Passed1+t.Passed2) - max(0, t.Passed1+t.Passed2-t.N2)
		if cells += width * len(sum); cells <= convolutionWork {
			lo, mass := Hypergeometric(nil, t.Passed1+t.Passed2, t.N1+t.N2, t.N1)
			sum, least = convolve(sum, mass), least+lo
		}
	}
	m.Chi2 = excess * excess / variance
	m.PChi2 = math.Erfc(math.Sqrt(m.Chi2 / 2))
	m.P, m.Exact = m.PChi2, cells <= convolutionWork
	if m.Exact {
		m.P = noLikelier(sum, seen-least)
	}
}

// convolve is the distribution of the sum of two independent numbers.
func convolve(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			out[i+j] += x * y
		}
	}
	return out
}

// noLikelier is the probability of what is no more likely than the one seen.
func noLikelier(mass []float64, seen int) (p float64) {
	const tie = 1 + 1e-7 // tables as likely must not drop out by a rounding error
	limit, all := mass[seen]*tie, true
	for _, m := range mass {
		if m <= limit {
			p += m
		}
		all = all && m <= limit
	}
	if all {
		return 1
	}
	return math.Min(1, p)
}
