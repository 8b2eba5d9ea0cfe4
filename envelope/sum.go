package envelope

import (
	"fmt"
	"math"

	"tribunal/internal/mix"
)

// TrialsSum tells trials from others, whatever their order and whatever their runs and
// inputs are called: reports that keep less than their trials carry it, so that such a
// report beside what it was made from is known for it. It is a sum, so that of inputs
// together is that of each added up.
type TrialsSum struct {
	Trials int
	sum    uint64
}

// Add adds what other trials come to.
func (s *TrialsSum) Add(o TrialsSum) {
	s.Trials += o.Trials
	s.sum += o.sum
}

// String is the sum as reports carry it, "" of no trials.
func (s TrialsSum) String() string {
	if s.Trials == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%016x", s.Trials, s.sum)
}

// Hash makes the part of a key that [Row.Sum] takes.
func (k Key) Hash() uint64 { return mix.Text(mix.Text(mix.Text(0, k.Suite), k.Test), k.Variant) }

// Sum is that of one trial of a test with such a hash. The name of its run is no part
// of it, for a run without one is called after its file; nor are words that a report
// hides.
func (w *Row) Sum(test uint64) TrialsSum {
	h := mix.Number(mix.Number(test, uint64(w.Given)), uint64(w.Truth))
	if w.Retry {
		h = mix.Number(h, 1)
	}
	for _, v := range [...]Opt[int32]{w.Attempt, w.Category, w.ToolCalls} {
		h = mix.Optional(h, v.OK, uint64(uint32(v.V)))
	}
	for _, v := range [...]Opt[float64]{w.Score, w.DurationMS, w.SetupMS, w.CostUSD, w.SetupCost} {
		h = mix.Optional(h, v.OK, math.Float64bits(v.V+0)) // -0 is equal to 0
	}
	for _, v := range [...]Opt[int64]{w.Tokens, w.StartedAt, w.Digest} {
		h = mix.Optional(h, v.OK, uint64(v.V))
	}
	return TrialsSum{1, h}
}

// TrialsSum is that of all trials of the envelope.
func (e *Envelope) TrialsSum() TrialsSum {
	var sum TrialsSum
	for i := range e.Tests {
		t := &e.Tests[i]
		test := t.Key.Hash()
		for n := range t.Rows.Len() {
			w := t.Rows.Row(n)
			sum.Add(w.Sum(test))
		}
	}
	return sum
}
