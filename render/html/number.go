package html

import (
	"bytes"
	"math"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// nbsp stands between a number and its unit, which keeps them in one line.
const nbsp = "\u00a0"

// optional formats a value, or gives "" when it is absent: absent is never 0.
func optional[T any](v envelope.Opt[T], format func(T) string) string {
	if !v.OK {
		return ""
	}
	return format(v.V)
}

func count(n int64) string { return words.Count(n) }

func wholePercent(n int) string { return count(int64(n)) + nbsp + "%" }

func plural(n int64, word string) string { return words.Plural(n, word, word+"s") }

// number is a plain number to four significant digits.
func number(v float64) string {
	if math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		return words.Count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(round(v, 4), 'g', -1, 64)
}

// round rounds to significant digits.
func round(v float64, digits int) float64 {
	short, err := strconv.ParseFloat(string(strconv.AppendFloat(make([]byte, 0, 24), v, 'e', digits-1, 64)), 64)
	if err != nil {
		return v
	}
	return short
}

// percent is a fraction of 1 as a percentage with one decimal at most.
func percent(v float64) string { return string(appendPercent(make([]byte, 0, 32), v)) }

func appendPercent(b []byte, v float64) []byte { return append(words.AppendTenths(b, v), nbsp+"%"...) }

// span is an interval of fractions as percentages, one of them when the ends
// look the same.
func span(lo, hi float64) string { return string(appendSpan(make([]byte, 0, 64), lo, hi)) }

func appendSpan(b []byte, lo, hi float64) []byte {
	from := len(b)
	b = words.AppendTenths(b, lo)
	between := len(b)
	b = words.AppendTenths(append(b, " to "...), hi)
	if string(b[from:between]) == string(b[between+len(" to "):]) {
		b = b[:between]
	}
	return append(b, nbsp+"%"...)
}

// duration keeps a number and its unit in one line.
func duration(ms float64) string {
	value, unit, apart := bytes.Cut(words.AppendDuration(make([]byte, 0, 24), ms), []byte(" "))
	if !apart {
		return string(value)
	}
	return string(value) + nbsp + string(unit)
}

func dollars(v float64) string { return words.Dollars(v) }

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
