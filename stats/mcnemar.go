package stats

import "math"

// McNemarExact returns the two-sided exact p-value for paired outcomes, from
// the discordant pairs only: b of one kind and c of the other, which under the
// null are fair coin tosses. No discordant pair gives 1.
// NaN if a count is negative.
//
// Q. McNemar, Psychometrika 12 (1947) 153-157.
func McNemarExact(b, c int) float64 {
	if b < 0 || c < 0 {
		return math.NaN()
	}
	return math.Min(1, 2*BinomialPBelow(min(b, c), b+c, 0.5))
}

// McNemarMidP returns the mid-p version: the exact p-value with only half of
// the observed point in each tail, that is minus P(X = min(b, c)). Where b = c
// both tails meet in one point, of which half is taken away: 1 - P(X = b)/2. It is
// less conservative than [McNemarExact] and rarely exceeds its level. No
// discordant pair gives 1. NaN if a count is negative.
//
// M. W. Fagerland, S. Lydersen, P. Laake, BMC Med. Res. Methodol. 13 (2013) 91,
// with its supplement for b = c.
func McNemarMidP(b, c int) float64 {
	if b < 0 || c < 0 {
		return math.NaN()
	}
	if b+c == 0 {
		return 1
	}
	n, less := b+c, min(b, c)
	point := math.Exp(logBinomial(float64(less), float64(n), 0.5))
	if b == c {
		return 1 - point/2
	}
	return 2*BinomialPBelow(less, n, 0.5) - point
}

// McNemarChi2 returns the p-value of the chi-squared test with Edwards'
// continuity correction, (|b-c|-1)^2/(b+c) on one degree of freedom. An
// approximation for b + c of 25 and more. No discordant pair gives 1, and so
// does b = c, where the correction would exceed the difference.
// NaN if a count is negative.
func McNemarChi2(b, c int) float64 {
	switch {
	case b < 0 || c < 0:
		return math.NaN()
	case b == c:
		return 1
	}
	difference := math.Abs(float64(b)-float64(c)) - 1
	return math.Erfc(difference / math.Sqrt(2*float64(b+c)))
}

// McNemarLeast returns the smallest p-value that [McNemarExact] can give this
// many discordant pairs: above a level, the test cannot reject at it however
// they fall. NaN if it is negative.
func McNemarLeast(discordant int) float64 { return McNemarExact(0, discordant) }
