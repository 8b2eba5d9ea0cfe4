package envelope

import (
	"strconv"
	"strings"
	"time"
)

// Run is what was counted: trials in their canonical order, nothing judged.
// Only verdict.Seal makes an Envelope of it, and sets the other members of its tests.
type Run struct {
	Header RunHeader
	// Steps are all tool calls that rows of tests name by their places here. Texts
	// are those that transcripts refer to; counting leaves none.
	Steps    []Step
	Texts    []string
	Reasons  []Reason // that rows of tests name by their places here
	Tests    []Test   // by suite, test, variant
	Problems []Problem
}

// Trials is the number of trials of all tests.
func (r *Run) Trials() int {
	n := 0
	for i := range r.Tests {
		n += r.Tests[i].Rows.Len()
	}
	return n
}

// Retries is the number of trials of the tests that are retries, which no plan counts.
func Retries(tests []Test) (n int) {
	for i := range tests {
		n += tests[i].Rows.Retry().Count()
	}
	return n
}

// CertainDigits is how many digits that clocks gave, each time without its first, have to be
// equal for trials to be the same: tests that take some milliseconds are equal by chance.
const CertainDigits = 6

// DigitsOfSecond is how many digits say which second of an hour it was, and as many which
// thousandth of it.
const DigitsOfSecond = 3

// MeasuredDigits is the number of digits of a time after the first, which depends on
// the test and not on the clock.
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
	for i := range r.Tests {
		rows := r.Tests[i].Rows
		for _, column := range []Column[float64]{rows.DurationMS(), rows.SetupMS()} {
			for _, ms := range column.Values() {
				if ms > 0 {
					digits += MeasuredDigits(ms)
				}
			}
		}
		for _, at := range rows.StartedAt().Values() {
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
