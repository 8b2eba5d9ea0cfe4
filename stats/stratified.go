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
	// Chi2 is the statistic of Cochran, Mantel and Haenszel without a correction for continuity,
	// and PChi2 its upper tail on one degree of freedom. NaN where no stratum informs.
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
// N. Mantel, W. Haenszel, J. Natl. Cancer Inst. 22 (1959) 719-748; T. Sato, S. Greenland, J. M.
// Robins, Biometrics 45 (1989) 1323-1324. The exact p is the probability of the sums of first
// passes that are no more likely than the one seen, as mantelhaen.test(exact = TRUE) of R has it;
// the distribution of the sum is the convolution of the hypergeometric ones of the strata.
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

// Stratified collects two-sample comparisons of pass rates, a stratum each, and
// tests them together: the first sample against the second within strata,
// whatever lies between them. Its zero value has no strata.
type Stratified struct {
	excess, variance float64
	least, most      float64 // what the excess could be with these totals
	first, second    int     // discordant pairs
	tables           int     // strata that are not pairs
}

// Table adds a stratum of two independent samples. Counts that are impossible are ignored.
func (s *Stratified) Table(passed1, trials1, passed2, trials2 int) {
	if !isCount(passed1, trials1) || !isCount(passed2, trials2) || trials1+trials2 < 2 {
		return
	}
	n1, n2 := float64(trials1), float64(trials2)
	passed, n := float64(passed1+passed2), n1+n2
	s.excess += float64(passed1) - n1*passed/n
	s.least += math.Max(0, passed-n2) - n1*passed/n
	s.most += math.Min(n1, passed) - n1*passed/n
	s.variance += n1 * n2 * passed * (n - passed) / (n * n * (n - 1))
	s.tables++
}

// Pairs adds a stratum for each pair of trials, of which those that ended alike say nothing: first
// is the number of pairs that only the first sample passed, second that of the second.
func (s *Stratified) Pairs(first, second int) {
	if first < 0 || second < 0 {
		return
	}
	s.first += first
	s.second += second
	s.excess += (float64(first) - float64(second)) / 2
	s.variance += (float64(first) + float64(second)) / 4
	s.least -= (float64(first) + float64(second)) / 2
	s.most += (float64(first) + float64(second)) / 2
}

// PValue is two-sided: McNemar's exact test of the pooled pairs where all strata are pairs (see
// [McNemarExact]), otherwise the test of Cochran, Mantel and Haenszel on one degree of freedom,
// with the correction for continuity. It is 1 where no stratum says anything.
//
// N. Mantel, W. Haenszel, J. Natl. Cancer Inst. 22 (1959) 719-748.
func (s *Stratified) PValue() float64 {
	if s.Paired() {
		return McNemarExact(s.first, s.second)
	}
	if s.variance == 0 {
		return 1
	}
	return normalP(s.excess, math.Sqrt(s.variance))
}

// LeastP returns the smallest p-value that the same totals could have given: all
// passes of every stratum in one of the samples, as far as it has room for them.
func (s *Stratified) LeastP() float64 {
	if s.Paired() {
		return McNemarLeast(s.first + s.second)
	}
	if s.variance == 0 {
		return 1
	}
	return normalP(math.Max(s.most, -s.least), math.Sqrt(s.variance))
}

// Paired reports whether all strata are pairs.
func (s *Stratified) Paired() bool { return s.tables == 0 }

// Contrast is the difference of two pass rates in one cluster, and its weight.
type Contrast struct {
	Difference, Weight float64
}

// ContrastWeight is the weight of a stratum in the Mantel-Haenszel difference:
// n m / (n + m). It is 0 for an empty sample.
func ContrastWeight(trials1, trials2 int) float64 {
	if trials1 <= 0 || trials2 <= 0 {
		return 0
	}
	return float64(trials1) * float64(trials2) / float64(trials1+trials2)
}

// ClusteredDifference returns the weighted mean of differences and its interval mean ± t s, with s
// from the spread of the differences between clusters and t Student's quantile with one degree of
// freedom less than there are clusters. With the weights of [ContrastWeight] the mean is the
// Mantel-Haenszel difference of rates; with equal weights the whole is the t interval of the paired
// differences. Not clamped; no width where all differences are equal. It is an error unless 0 <
// confidence < 1 and two weights are above 0.
//
// S. Greenland, J. M. Robins, Biometrics 41 (1985) 55-68; W. G. Cochran, Sampling
// Techniques (3rd ed. 1977), chapter 6, for the error.
func ClusteredDifference(of []Contrast, confidence float64) (mean, lo, hi float64, err error) {
	total, weights, k := 0., 0., 0.
	for _, c := range of {
		if c.Weight > 0 {
			total += c.Weight * c.Difference
			weights += c.Weight
			k++
		}
	}
	mean = total / weights
	switch {
	case !isLevel(confidence):
		return mean, math.NaN(), math.NaN(), errConfidence(confidence)
	case k < 2:
		return mean, math.NaN(), math.NaN(), ErrTooFewClusters
	}
	squares := 0.
	for _, c := range of {
		if c.Weight > 0 {
			residual := c.Weight * (c.Difference - mean)
			squares += residual * residual
		}
	}
	half := StudentT(confidence, int(k)-1) * math.Sqrt(k/(k-1)*squares) / weights
	return mean, mean - half, mean + half, nil
}
