package stats

import "math"

// Stratified collects two-sample comparisons of pass rates, a stratum each, and
// tests them together: the first sample against the second within strata,
// whatever lies between them. Its zero value has no strata.
type Stratified struct {
	excess, variance float64
	least, most      float64 // what the excess could be with these totals
	first, second    int     // discordant pairs
	tables           int     // strata that are not pairs
}

// Table adds a stratum of two independent samples. Counts that are impossible
// are ignored.
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

// Pairs adds a stratum for each pair of trials, of which those that ended alike
// say nothing: first is the number of pairs that only the first sample passed,
// second that of the second.
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

// PValue is two-sided: McNemar's exact test of the pooled pairs where all strata
// are pairs (see [McNemarExact]), otherwise the test of Cochran, Mantel and
// Haenszel on one degree of freedom, with the correction for continuity. It is
// 1 where no stratum says anything.
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

// ClusteredDifference returns the weighted mean of differences and its interval
// mean ± t s, with s from the spread of the differences between clusters and t
// Student's quantile with one degree of freedom less than there are clusters.
// With the weights of [ContrastWeight] the mean is the Mantel-Haenszel
// difference of rates; with equal weights the whole is the t interval of the
// paired differences. Not clamped; no width where all differences are equal.
// It is an error unless 0 < confidence < 1 and two weights are above 0.
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
