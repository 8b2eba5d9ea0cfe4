package pretty

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// count writes a whole number with a comma between thousands.
func count[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// plural is the number and the word that goes with it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// percent writes a fraction as a whole percentage. Next to 0 and 1 it is as
// exact as needed to be neither: 999 of 1000 is not 100 %.
func percent(fraction float64) string {
	const exact = 1e-9
	v := 100 * fraction
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "?"
	case v <= exact && v >= -exact:
		return "0"
	case v < 0.1-exact && v > 0:
		return "<0.1"
	case v < 1 && v > 0:
		return strconv.FormatFloat(math.Floor(v*10+exact)/10, 'f', 1, 64)
	case v > 99.9+exact && v < 100-exact:
		return ">99.9"
	case v > 99 && v < 100-exact:
		return strconv.FormatFloat(math.Floor(v*10+exact)/10, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}

// interval writes two fractions as percentages.
func interval(lo, hi float64) string { return "[" + percent(lo) + ", " + percent(hi) + "]" }

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
		return percent(value), interval(lo, hi)
	}
	write := func(f float64) string { return strconv.FormatFloat(100*f, 'f', decimals, 64) }
	return write(value), "[" + write(lo) + ", " + write(hi) + "]"
}

// level writes a confidence level, which is a round number of people's choosing.
func level(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// fraction writes a threshold with at least two decimals.
func fraction(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if whole, decimals, _ := strings.Cut(s, "."); len(decimals) < 2 && len(whole) < 10 {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return s
}

// duration writes milliseconds in the unit people would use.
func duration(ms float64) string {
	seconds := int64(0)
	if math.Abs(ms) < 1e15 {
		seconds = int64(math.Round(ms / 1000))
	}
	switch {
	case math.IsNaN(ms) || math.Abs(ms) >= 1e15:
		return "?"
	case ms == 0:
		return "0 ms"
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'g', 2, 64) + " ms"
	case ms < 999.5:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case ms < 59_950:
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	case seconds < 48*3600:
		return fmt.Sprintf("%dh%02dm", seconds/3600, seconds%3600/60)
	}
	return fmt.Sprintf("%sd%02dh", count(seconds/86400), seconds%86400/3600)
}

// dollars writes an amount in cents, and below a dollar with as many decimals
// as two digits need.
func dollars(v float64) string {
	switch {
	case math.IsNaN(v) || math.Abs(v) >= 1e15:
		return "?"
	case v == 0:
		return "$0"
	case v < 0:
		return "-" + dollars(-v)
	case v < 1e-6:
		return "<$0.000001"
	case v < 0.0995:
		decimals := 1 - int(math.Floor(math.Log10(v)))
		return "$" + strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, 64), "0")
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return "?"
	}
	return "$" + count(n) + "." + cents
}

// short writes a number of any scale with the digits that matter.
func short(v float64) string {
	switch {
	case math.IsNaN(v) || math.Abs(v) >= 1e15:
		return "?"
	case math.Abs(v) < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case math.Abs(v) < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return count(int64(math.Round(v)))
}

// decimal writes a value whose scale is not known.
func decimal(v float64) string {
	if math.Abs(v) >= 1e9 || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// probability writes a p-value with the three digits that say anything.
func probability(p float64) string {
	if math.IsNaN(p) {
		return "?"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}
