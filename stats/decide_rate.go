package stats

import (
	"sort"
)

// RateDecision asks how large a run must be to decide whether the pass rate of similar
// tests is above a threshold, with the power given, if the rate is what it is taken to be.
type RateDecision struct {
	Rate, Threshold, Confidence, Power float64
}

// Tests is how many tests decide by the bound of Gaffke on the mean of their rates, which
// vary by so much; 0 where not as many as most do. Their mean comes out as badly as the
// power allows, by the beta distribution of its variance. The bound is that of the beta
// distribution with the mean and variance of T+1 rates, one of them the worst, under flat
// Dirichlet weights. For rates of 0 and 1 alone that is Clopper and Pearson's.
func (d RateDecision) Tests(variance float64, most int) int {
	rate, threshold := d.Rate, d.Threshold
	if rate < threshold { // the other bound, mirrored
		rate, threshold = 1-rate, 1-threshold
	}
	tail := (1 - d.Confidence) / 2
	decides := func(i int) bool {
		n := float64(i + 1)
		mean := rate
		if size := rate*(1-rate)*n/variance - 1; variance > 0 && size > 0 {
			mean = betaQuantile(rate*size, (1-rate)*size, 1-d.Power)
		}
		if mean <= threshold {
			return false
		}
		square := mean * mean
		if variance > 0 {
			square += variance * mean * (1 - mean) / (rate * (1 - rate))
		}
		center := mean * n / (n + 1)
		spread := (square*n/(n+1) - center*center) / (n + 2)
		size := center*(1-center)/spread - 1
		upper, _ := betaTails(center*size, (1-center)*size, threshold)
		return upper < tail
	}
	if rate == threshold || !decides(most-1) {
		return 0
	}
	return 1 + sort.Search(most, decides)
}
