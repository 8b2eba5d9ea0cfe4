package stats

import "math"

// Correlation is Pearson's, NaN for fewer than two values and where one of both does not vary.
func Correlation(x, y []float64) float64 {
	meanX, ofX := MeanDeviation(x)
	meanY, ofY := MeanDeviation(y)
	if len(x) != len(y) || !(ofX >= 1e-9 && ofY >= 1e-9) {
		return math.NaN()
	}
	covariance := 0.
	for i := range x {
		covariance += (x[i] - meanX) * (y[i] - meanY) / float64(len(x)-1)
	}
	return math.Max(-1, math.Min(1, covariance/ofX/ofY))
}

// CorrelationInterval is the interval of a correlation of n pairs, and its two-sided p-value
// against none, both of normal values. NaN below four pairs.
//
// R. A. Fisher, Metron 1 (1921) 3-32 (interval); Student's t for the p-value.
func CorrelationInterval(r float64, n int, confidence float64) (lo, hi, p float64) {
	if n < 4 || math.IsNaN(r) || !isLevel(confidence) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	if math.Abs(r) >= 1 {
		return r, r, 0
	}
	half := Z(confidence) / math.Sqrt(float64(n-3))
	t := math.Abs(r) * math.Sqrt(float64(n-2)/(1-r*r))
	return math.Tanh(math.Atanh(r) - half), math.Tanh(math.Atanh(r) + half), 2 * StudentTBelow(-t, n-2)
}
