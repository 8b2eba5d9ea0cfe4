package walk

import (
	"strings"
	"time"

	"tribunal/envelope"
)

// Attempts numbers the trials of each test by their order of occurrence, for
// formats without a number of their own.
type Attempts map[envelope.Key]int32

// Next is the number of the next trial of the test.
func (a Attempts) Next(test envelope.Key) envelope.Opt[int32] {
	n := a[test]
	a[test] = n + 1
	return envelope.Some(n)
}

// AddLabel gives the trial a label whose name is free, up to 64 of them.
func AddLabel(t *envelope.Trial, name, value string) {
	if len(t.Labels) < maxLabels {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: value})
	}
}

// FirstLine is the first line of a text that says anything.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// Between is the milliseconds from one time to another. Both may be without a
// zone, as Python writes them, but not one of them alone.
func Between(start, end Value) envelope.Opt[float64] {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		from, err := time.Parse(layout, start.Text())
		to, err2 := time.Parse(layout, end.Text())
		if err == nil && err2 == nil && !to.Before(from) {
			return envelope.Some(float64(to.Sub(from)) / float64(time.Millisecond))
		}
	}
	return envelope.Opt[float64]{}
}
