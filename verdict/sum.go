package verdict

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

// total adds decimals in a given order and keeps what each step rounds away (A. Neumaier, ZAMM 54, 1974), so that ten times 0.1 is 1.
type total struct {
	sum, carry float64
	known      bool
}

func (t *total) add(v float64) {
	s := t.sum + v
	if math.Abs(t.sum) >= math.Abs(v) {
		t.carry += (t.sum - s) + v
	} else {
		t.carry += (v - s) + t.sum
	}
	t.sum, t.known = s, true
}

// value is the sum, absent when nothing was added or it is not finite.
func (t *total) value() envelope.Opt[float64] {
	if !t.known {
		return envelope.Opt[float64]{}
	}
	return envelope.Finite(t.sum + t.carry)
}

func sum(cells envelope.Column[float64]) envelope.Opt[float64] {
	var t total
	for i := range cells {
		if v, ok := cells.At(i); ok {
			t.add(v)
		}
	}
	return t.value()
}

func sumOf[V any](t interface {
	add(V)
	value() envelope.Opt[V]
}, tests []envelope.Test, number func(*envelope.Test) envelope.Opt[V]) envelope.Opt[V] {
	for i := range tests {
		if v := number(&tests[i]); v.OK {
			t.add(v.V)
		}
	}
	return t.value()
}

// wholeTotal adds whole numbers that are not negative; a sum that does not fit is absent.
type wholeTotal struct {
	sum  envelope.Opt[int64]
	over bool
}

func (t *wholeTotal) add(v int64) {
	t.over = t.over || v > math.MaxInt64-t.sum.V
	t.sum = envelope.Some(t.sum.V + v)
}

func (t *wholeTotal) value() envelope.Opt[int64] {
	if t.over {
		return envelope.Opt[int64]{}
	}
	return t.sum
}

func sumWhole[T int32 | int64](cells envelope.Column[T]) envelope.Opt[int64] {
	var t wholeTotal
	for i := range cells {
		if v, ok := cells.At(i); ok {
			t.add(int64(v))
		}
	}
	return t.value()
}

// excluded is the number of trials that were tried and excluded: neither skipped nor left out because the cost limit was reached.
func excluded(c envelope.TrialCounts) int {
	return c.Total - c.Counted - c.Excluded[string(envelope.Skip)] - c.Excluded[envelope.ClassCostLimit]
}

// rates gives both pass rates with their Wilson intervals, and the bracket when something is excluded or counted at all.
func rates(c envelope.TrialCounts, confidence float64) (r envelope.Rates) {
	all := c.Counted + excluded(c)
	if all == 0 {
		return r
	}
	var found struct { // one allocation: there may be a million of them
		protocol, intent envelope.Rate
		bracket          envelope.Bracket
	}
	if c.Counted > 0 {
		found.protocol = rule.Rate(c.Passed, c.Counted, confidence)
		r.PerProtocol = &found.protocol
	}
	found.intent = rule.Rate(c.Passed, all, confidence)
	found.bracket = envelope.Bracket{Lo: float64(c.Passed) / float64(all), Hi: float64(c.Passed+all-c.Counted) / float64(all)}
	r.IntentToTreat, r.Bracket = &found.intent, &found.bracket
	return r
}

// classes lists excluded trials by class, for instance "2 infrastructure, 1 skip".
func classes(excluded map[string]int) string {
	return words.List(slices.Sorted(maps.Keys(excluded)), func(class string) string { return fmt.Sprintf("%d %s", excluded[class], class) })
}

// spanTests is how many tests are judged at a stretch, several stretches at a time.
const spanTests = 64
