package native

import (
	"math"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Each of these puts the value where it belongs, or says why it cannot.

func setText(to *string, v value) string {
	if v.kind != kindString {
		return mismatch(v, "a string")
	}
	*to = v.text
	return ""
}

func setNumber(to *envelope.Opt[float64], v value) string {
	if v.kind != kindNumber {
		return mismatch(v, "a number")
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		return shorten(v.text) + " is out of range"
	}
	*to = envelope.Some(f)
	return ""
}

func setAmount(to *envelope.Opt[float64], v value) string {
	amount := envelope.Opt[float64]{}
	if why := setNumber(&amount, v); why != "" {
		return why
	}
	if amount.V < 0 {
		return shorten(v.text) + " is negative"
	}
	*to = amount
	return ""
}

// setCount takes integers from 0 on, also written as 3.0 or 1e3, as JSON Schema
// does.
func setCount[T int32 | int64](to *envelope.Opt[T], v value) string {
	if v.kind != kindNumber {
		return mismatch(v, "an integer")
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(v.text, 64)
		if ferr == nil && f != math.Trunc(f) {
			return shorten(v.text) + " is not an integer"
		}
		if ferr != nil || math.Abs(f) > 1<<53 {
			return shorten(v.text) + " is out of range"
		}
		n = int64(f)
	}
	if n < 0 {
		return shorten(v.text) + " is negative"
	}
	if int64(T(n)) != n {
		return shorten(v.text) + " is out of range"
	}
	*to = envelope.Some(T(n))
	return ""
}

func setFlag(to *bool, v value) string {
	if v.kind != kindBool {
		return mismatch(v, "true or false")
	}
	*to = v.text == "true"
	return ""
}

// The years an instant can be kept for, in nanoseconds since 1970.
const firstYear, lastYear = 1678, 2261

// setTime takes the time that Go writes for an unknown one, 0001-01-01, as
// unknown.
func setTime(to *time.Time, v value) string {
	if v.kind != kindString {
		return mismatch(v, "a string with a date and time")
	}
	var t time.Time
	if t.UnmarshalText([]byte(v.text)) != nil {
		return quoted(v.text) + " is not a time like 2026-03-14T02:00:00Z (RFC 3339)"
	}
	if t.IsZero() {
		return ""
	}
	if y := t.UTC().Year(); y < firstYear || y > lastYear {
		return quoted(v.text) + " is outside the years 1678 to 2261"
	}
	*to = t
	return ""
}

// statusWords are words that are accepted as a status, for people to see.
const statusWords = "pass, passed, ok, success, fail, failed, failure, borderline, error, errored, skip, skipped, pending"

func setStatus(t *envelope.Trial, v value) string {
	if v.kind != kindString {
		return mismatch(v, "a string, one of "+statusWords)
	}
	status, known := envelope.ParseStatus(v.text)
	if !known {
		return quoted(v.text) + " is unknown: use one of " + statusWords
	}
	t.Status = status
	if v.text != string(status) {
		t.RawStatus = v.text
	}
	return ""
}

// setTruth takes the words of a status that say pass or fail, and categories.
func setTruth(t *envelope.Trial, v value) string {
	if v.kind != kindString && v.kind != kindNumber {
		return mismatch(v, "a string, pass or fail, or a category from 0 to 9")
	}
	truth, known := envelope.ParseTruth(v.text)
	if !known {
		return quoted(v.text) + " is none of the labels pass, fail and 0 to 9, a category"
	}
	t.Truth = truth
	return ""
}

func mismatch(v value, want string) string {
	return v.kind.String() + " stands where " + want + " is expected"
}

// quoted is a text from the input as a message shows it: short, on one line.
func quoted(s string) string { return strconv.Quote(shorten(s)) }

// shorten keeps the head of a text that is quoted in a message. The copy
// survives the line.
func shorten(s string) string {
	return words.Head(s, 60)
}
