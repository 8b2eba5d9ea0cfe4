package pretty

import (
	"strconv"

	"tribunal/internal/words"
)

// interval writes two fractions as percentages.
func interval(lo, hi float64) string {
	return "[" + words.Percent(lo) + ", " + words.Percent(hi) + "]"
}

// rateAndInterval writes a rate and its interval with as many decimals as the
// width of the interval is worth, so that a million trials do not read as
// 90 % [90, 90].
func rateAndInterval(value, lo, hi float64) (rate, between string) {
	decimals := 0
	switch width := hi - lo; {
	case width < 0.0005:
		decimals = 3
	case width < 0.005:
		decimals = 2
	case width < 0.03:
		decimals = 1
	}
	if decimals == 0 || value <= 0 || value >= 1 {
		return words.Percent(value), interval(lo, hi)
	}
	write := func(f float64) string { return strconv.FormatFloat(100*f, 'f', decimals, 64) }
	return write(value), "[" + write(lo) + ", " + write(hi) + "]"
}
