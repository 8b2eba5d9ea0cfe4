package markdown

import (
	"math"
	"strconv"
)

// percent writes a fraction as a percentage. Only 0 and 1 are 0 % and 100 %.
func percent(fraction float64) string {
	v := 100 * fraction
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "?"
	case v > 0 && v < 0.1:
		return "below 0.1"
	case v > 99.9 && v < 100:
		return "over 99.9"
	case v > 0 && v < 1 || v > 99 && v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// interval writes two fractions as percentages.
func interval(lo, hi float64) string { return percent(lo) + " to " + percent(hi) + " %" }

// level writes a confidence level.
func level(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// decimal writes a value whose scale is not known.
func decimal(v float64) string {
	if math.Abs(v) >= 1e9 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}
