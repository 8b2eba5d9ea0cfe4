package envelope

import (
	"strconv"
	"strings"
	"time"
)

// CertainDigits is how many digits that clocks gave, each time without its first, have to be
// equal for trials to be the same: tests that take some milliseconds are equal by chance.
const CertainDigits = 6

// DigitsOfSecond is how many digits say which second of an hour it was, and as many which
// thousandth of it.
const DigitsOfSecond = 3

// MeasuredDigits is how many digits of a time say something: its first one is that of the
// test, whoever measures it.
func MeasuredDigits(ms float64) int {
	digits, _, _ := strings.Cut(strconv.FormatFloat(ms, 'e', -1, 64), "e")
	return max(0, len(digits)-strings.Count(digits, ".")-1)
}

// MeasuredDigits is how many digits clocks gave a run and its trials. Those that began at one
// instant, as those of a whole suite may, say so once.
func (r *Run) MeasuredDigits() (digits int) {
	begun := map[int64]bool{}
	if at, known := Instant(r.Header.StartedAt); known {
		begun[at] = true
	}
	for _, t := range r.Tests {
		for _, column := range []Column[float64]{t.Rows.DurationMS(), t.Rows.SetupMS()} {
			for _, ms := range column.Values() {
				if ms > 0 {
					digits += MeasuredDigits(ms)
				}
			}
		}
		for _, at := range t.Rows.StartedAt().Values() {
			begun[at] = true
		}
	}
	for at := range begun {
		digits += digitsOfInstant(at)
	}
	return digits
}

func digitsOfInstant(ns int64) int {
	if ns%int64(time.Second) == 0 {
		return DigitsOfSecond
	}
	return 2 * DigitsOfSecond
}
