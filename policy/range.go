package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope/count"
	"tribunal/internal/words"
)

// Range is what numbers a key can be. The zero Range is every finite number.
type Range struct {
	min, max *bound // both are open or none is; a range with a max has a min
	of       string // what is counted, behind "or more"
	says     string // the range in words, when the bounds do not say
}

type bound struct {
	at   float64
	open bool // the bound itself is outside
}

func between(lo, hi float64) Range        { return Range{min: &bound{at: lo}, max: &bound{at: hi}} }
func inside(lo, hi float64) Range         { return Range{min: &bound{lo, true}, max: &bound{hi, true}} }
func atLeast(lo float64, of string) Range { return Range{min: &bound{at: lo}, of: of} }
func above(lo float64) Range              { return Range{min: &bound{lo, true}} }

// holds reports whether a number is in the range; nothing that is not finite is.
func (r Range) holds(v float64) bool {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case r.min != nil && (v < r.min.at || r.min.open && v == r.min.at):
		return false
	}
	return r.max == nil || v < r.max.at || !r.max.open && v == r.max.at
}

// Words are the range as an error asks for it: give …
func (r Range) Words() string {
	switch {
	case r.says != "":
		return r.says
	case r.min == nil:
		return "a finite number"
	case r.min.open && r.max != nil:
		return "a number above " + words.Number(r.min.at) + " and below " + words.Number(r.max.at)
	case r.min.open:
		return "a finite number above " + words.Number(r.min.at)
	case r.max != nil:
		return words.Number(r.min.at) + " to " + words.Number(r.max.at)
	}
	return words.Number(r.min.at) + " or more" + r.of
}

func (r Range) check(name string, v float64) error {
	if r.holds(v) {
		return nil
	}
	return &KeyError{name, words.Number(v), "is out of range: give " + r.Words() + words.If(r.max != nil && r.max.at == 1, Meant(v))}
}

// KeyError is an error of the value of a key. Who knows where the value was given sets Key and Value as they were typed.
type KeyError struct{ Key, Value, Text string }

// Error implements error: the key, its value and what is wrong.
func (e *KeyError) Error() string { return words.Join(" ", e.Key, e.Value, e.Text) }

// Typed is the error with key and value as they were typed. Of a percentage nobody asks which rate it is.
func (e *KeyError) Typed(key, value string) string {
	text := e.Text
	if strings.HasSuffix(value, "%") {
		text, _, _ = strings.Cut(text, "; did you mean ")
	}
	return words.Join(" ", key, words.If(e.Value != "", value), text)
}

// Meant asks for a rate from 1 to 10 which rate it is.
func Meant(v float64) string {
	return words.If(v > 1 && v < 10, "; did you mean "+words.Number(v/10)+" or "+words.Number(v)+"%?")
}

// roundedTo makes 99.9 percent 0.999, and not 0.9990000000000001.
const roundedTo = 1e12

// Fraction reads a confidence level: 0.95 and 95 are the same.
func Fraction(level float64) float64 {
	if level > 1 {
		return math.Round(level/100*roundedTo) / roundedTo
	}
	return level
}

// Rate reads a pass rate: 0.9 and 90 are the same. From 1 to 10 it is ambiguous, and rules refuse it.
func Rate(v float64) float64 {
	if v >= 10 && v <= 100 {
		return Fraction(v)
	}
	return v
}

// Number reads a number as a flag gives it, or a percentage: 90% is 0.9.
func Number(word string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(word), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a number nor a percentage: give one such as 0.9 or 90%%", word)
	}
	if percent {
		v = math.Round(v/100*roundedTo) / roundedTo
	}
	return v, nil
}

// KeepDetails is how many details a test keeps: a number, "all" or "none".
func KeepDetails(word string) (int, error) { return keep("keep_details", word) }

// KeepTranscripts is how many conversations of trials that did not pass a test keeps;
// "" is as many as when nobody says it.
func KeepTranscripts(word string) (int, error) {
	if word == "" {
		return count.ConversationsKept, nil
	}
	return keep("keep_transcripts", word)
}

func keep(name, word string) (int, error) {
	switch word {
	case "all":
		return count.KeepAll, nil
	case "none":
		return 0, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q: give a number of trials per test, all or none", name, word)
	}
	return n, nil
}
