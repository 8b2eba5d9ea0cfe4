package envelope

import (
	"math"
	"slices"
)

// Verdicts keeps verdicts that are the same once: most tests have the numbers of another,
// and with them its reason.
type Verdicts struct {
	last map[counted]*Verdict // the last one of so many trials
}

// counted are the numbers that verdicts are found by.
type counted struct{ n, passed int }

// mostVerdicts bounds what is remembered, not what is kept.
const mostVerdicts = 1 << 12

// Own is a verdict like v that stays, perhaps that of another test, so that nobody may
// change it. v itself may be used again.
func (s *Verdicts) Own(v *Verdict) *Verdict {
	of := counted{v.N, v.Passed}
	if known := s.last[of]; known != nil && known.is(v) {
		return known
	}
	if s.last == nil || len(s.last) >= mostVerdicts {
		s.last = map[counted]*Verdict{}
	}
	own := *v
	s.last[of] = &own
	return &own
}

// is reports whether two verdicts are the same to the last bit. Those of sequential rules,
// which hold paths of their own, are not.
func (v *Verdict) is(o *Verdict) bool {
	return v.Rule == o.Rule && v.N == o.N && v.Passed == o.Passed && v.Reason == o.Reason && v.RawStatus == o.RawStatus &&
		v.StoppedAt == o.StoppedAt && v.ValidUnderPeeking == o.ValidUnderPeeking &&
		isReal(v.Threshold, o.Threshold) && isReal(v.Confidence, o.Confidence) && isReal(v.Statistic, o.Statistic) &&
		isReal(v.PValue, o.PValue) && isReal(v.PAdjusted, o.PAdjusted) && isReal(v.MinCoverage, o.MinCoverage) &&
		v.Interval.is(o.Interval) && slices.Equal(v.Changes, o.Changes) && !v.sequential() && !o.sequential()
}

// sequential reports what a sequential rule alone says.
func (v *Verdict) sequential() bool {
	return v.Contradicted != nil || v.Hypotheses != nil || len(v.Evidence) > 0
}

func (i *Interval) is(o *Interval) bool {
	if i == nil || o == nil {
		return i == o
	}
	return isBits(i.Lo, o.Lo) && isBits(i.Hi, o.Hi) && i.Method == o.Method
}

func isReal(a, b Opt[float64]) bool { return a.OK == b.OK && isBits(a.V, b.V) }

// isBits distinguishes -0 from 0, which JSON does as well.
func isBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
