package html

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// How much of a text fits where one line of it is shown, in bytes.
const (
	nameLimit = 600
	lineLimit = 2000
	leadLimit = 300
)

// name is a short text that identifies something, safe and of bounded length;
// fallback stands for one that has nothing to show.
func name(s, fallback string) string { return cmp.Or(text.CutLine(text.Line(s), nameLimit), fallback) }

// titleRunes is more of a title than a browser shows in a tab.
const titleRunes = 60

// shorten cuts a safe line to a number of runes.
func shorten(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

// line is a sentence or two as one safe line.
func line(s string) string { return text.CutLine(text.Line(s), lineLimit) }

// lead is the first line of a text that has anything in it.
func lead(s string) string {
	for l := range strings.Lines(s) {
		if l = text.Line(l); l != "" {
			if len(l) > leadLimit {
				l = words.AtWord(l, leadLimit) + "…"
			}
			return l
		}
	}
	return ""
}

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
func percent(v float64) string { return tenths(v) + nbsp + "%" }

func tenths(v float64) string { return string(words.AppendTenths(nil, v)) }

// span is an interval of fractions as percentages, one of them when the ends
// look the same.
func span(lo, hi float64) string {
	if from := tenths(lo); from != tenths(hi) {
		return from + " to " + percent(hi)
	}
	return percent(hi)
}

// duration keeps a number and its unit in one line.
func duration(ms float64) string { return strings.Replace(words.Duration(ms), " ", nbsp, 1) }

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
