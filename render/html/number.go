package html

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// nbsp keeps a number and its unit in one line.
const nbsp = "\u00a0"

// optional formats a value, or gives "" when it is absent: absent is never 0.
func optional[T any](v envelope.Opt[T], format func(T) string) string {
	if !v.OK {
		return ""
	}
	return format(v.V)
}

// count is a whole number with its thousands apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	return sign + thousands(digits)
}

func thousands(digits string) string {
	if len(digits) <= 3 {
		return digits
	}
	return thousands(digits[:len(digits)-3]) + "," + digits[len(digits)-3:]
}

func plural(n int64, word string) string {
	if n != 1 {
		word += "s"
	}
	return count(n) + " " + word
}

// number is a plain number to four significant digits.
func number(v float64) string {
	if math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		return count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(round(v, 4), 'g', -1, 64)
}

// round rounds to significant digits.
func round(v float64, digits int) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// percent is a fraction of 1 as a percentage with one decimal at most. What is
// less than all is never shown as 100 %, and what is more than none never as 0.
func percent(v float64) string { return percentDigits(v) + nbsp + "%" }

func percentDigits(v float64) string {
	switch {
	case v > 0.999 && v < 1:
		return ">99.9"
	case v > 0 && v < 0.001:
		return "<0.1"
	}
	return trimZeros(strconv.FormatFloat(v*100, 'f', 1, 64))
}

// trimZeros drops zeros at the end of a decimal fraction.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// span is an interval of fractions as percentages, one of them when the ends
// look the same.
func span(lo, hi float64) string {
	if percent(lo) == percent(hi) {
		return percent(lo)
	}
	return percentDigits(lo) + " to " + percent(hi)
}

// duration is milliseconds in the units people use.
func duration(ms float64) string {
	switch {
	case math.IsNaN(ms) || math.IsInf(ms, 0) || ms >= 1e15:
		return number(ms) + nbsp + "ms"
	case ms < 1000:
		return strconv.FormatFloat(round(ms, 3), 'f', -1, 64) + nbsp + "ms"
	case ms < 60_000:
		return trimZeros(strconv.FormatFloat(ms/1000, 'f', 2, 64)) + nbsp + "s"
	case ms < 3_600_000:
		return units(int64(math.Round(ms/1000)), 60, "min", "s")
	}
	return units(int64(math.Round(ms/60_000)), 60, "h", "min")
}

// units parts n into a large unit and a rest of two digits.
func units(n, per int64, large, small string) string {
	rest := strconv.FormatInt(n%per, 10)
	if len(rest) < 2 {
		rest = "0" + rest
	}
	return count(n/per) + nbsp + large + nbsp + rest + nbsp + small
}

// dollars is an amount in US dollars: cents from one dollar on, two significant
// digits below a cent, where trials of a language model live.
func dollars(v float64) string {
	switch {
	case v >= 1 && v < 1e15:
		whole, cents, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
		return "$" + thousands(whole) + "." + cents
	case v >= 0.01 && v < 1:
		return "$" + strconv.FormatFloat(v, 'f', 3, 64)
	}
	return "$" + number(round(v, 2))
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// join puts a comma between two words that are there.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
