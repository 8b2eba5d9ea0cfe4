package stats

import "math"

// massFunction returns the probabilities of lo..hi, given the ratio of each to
// the one before it. Starting at the mode and normalising by the sum keeps
// every entry that matters at full precision, whatever the size of the
// factorials behind it. out is reused if large enough.
func massFunction(out []float64, lo, hi, mode int, ratio func(j int) float64) []float64 {
	size := hi - lo + 1
	if cap(out) < size {
		out = make([]float64, size)
	}
	out = out[:size]
	out[mode-lo] = 1
	total := 1.
	for j := mode + 1; j <= hi; j++ {
		out[j-lo] = out[j-lo-1] * ratio(j)
		total += out[j-lo]
	}
	for j := mode; j > lo; j-- {
		out[j-lo-1] = out[j-lo] / ratio(j)
		total += out[j-lo-1]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// Hypergeometric returns the probabilities of lo, lo+1, ... passes among k
// trials drawn without replacement from n trials of which passed passed.
// It needs 0 <= passed <= n and 0 <= k <= n, and returns nil otherwise.
// The slice out is reused if large enough, and may be nil.
func Hypergeometric(out []float64, passed, n, k int) (lo int, mass []float64) {
	if !isCount(passed, n) || !isCount(k, n) {
		return 0, nil
	}
	lo, hi := max(0, k-(n-passed)), min(k, passed)
	c, f, draws := float64(passed), float64(n-passed), float64(k)
	mode := int((draws + 1) * (c + 1) / (float64(n) + 2))
	mode = min(max(mode, lo), hi)
	return lo, massFunction(out, lo, hi, mode, func(j int) float64 {
		x := float64(j)
		return (c - x + 1) * (draws - x + 1) / (x * (f - draws + x))
	})
}

// BetaBinomial returns the probabilities of 0..k passes in k trials whose
// common rate is drawn from Beta(a, b).
// It needs k >= 0, a > 0 and b > 0, and returns nil otherwise.
// The slice out is reused if large enough, and may be nil.
func BetaBinomial(out []float64, k int, a, b float64) []float64 {
	if k < 0 || !(a > 0) || !(b > 0) {
		return nil
	}
	n := float64(k)
	ratio := func(j int) float64 {
		x := float64(j)
		return (n - x + 1) * (a + x - 1) / (x * (b + n - x))
	}
	return massFunction(out, 0, k, betaBinomialMode(k, a, b), ratio)
}

// betaBinomialMode returns a mode of the distribution; with a or b below 1 it
// lies at an end.
func betaBinomialMode(k int, a, b float64) int {
	if a <= 1 && b <= 1 {
		if a > b {
			return k
		}
		return 0
	}
	mode := math.Floor((float64(k) + 1) * (a - 1) / (a + b - 2))
	return int(math.Min(math.Max(mode, 0), float64(k)))
}
