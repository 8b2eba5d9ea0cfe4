package verdict

import (
	"math"
	"testing"

	"tribunal/envelope"
)

// TestPercentilesOfWhatCounts: the expected percentiles are those of R 4.2.2,
// quantile(c(100, 200, 400, 1000), c(.5, .95)), whatever was skipped or excluded beside.
func TestPercentilesOfWhatCounts(t *testing.T) {
	for _, c := range []struct {
		reason, strip string
		ms            []float64
		total         float64
		p50, p95      envelope.Opt[float64]
	}{
		{"all count", "PFEP", []float64{400, 1000, 100, 200}, 1700, envelope.Some(300.0), envelope.Some(910.0)},
		{"skipped ones took no time", "SPSFSEPS", []float64{0, 400, 0, 1000, 0, 100, 200, 0}, 1700, envelope.Some(300.0), envelope.Some(910.0)},
		{"an outage took an hour", "PxFEP", []float64{400, 3.6e6, 1000, 100, 200}, 3601700, envelope.Some(300.0), envelope.Some(910.0)},
		{"none counts", "Sx", []float64{0, 60000}, 60000, envelope.Opt[float64]{}, envelope.Opt[float64]{}},
	} {
		var trials []envelope.Trial
		for i, letter := range c.strip {
			tr := envelope.Trial{Key: envelope.Key{Test: "t"}, DurationMS: envelope.Some(c.ms[i])}
			switch letter {
			case 'x':
				tr.Status, tr.ErrorClass = envelope.Error, envelope.ClassInfrastructure
			default:
				tr.Status = envelope.Outcome(letter).Status()
			}
			trials = append(trials, tr)
		}
		got := sealRun(t, envelope.Policy{}, trials...).Tests[0].DurationMS
		if got.Total != c.total || !alike(got.P50, c.p50) || !alike(got.P95, c.p95) {
			t.Errorf("%s: %+v, want %v, %v, %v", c.reason, *got, c.total, c.p50, c.p95)
		}
	}
}

// TestIntervalOfTheMedian: of ten values the 2nd and the 9th in order at 0.95 (Conover's
// table A3), of five none; at 0.9 the 1st and the 5th, as 1 - 2/2^5 is 0.9375.
func TestIntervalOfTheMedian(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		ms         []float64
		lo, hi     envelope.Opt[float64]
	}{
		{0.95, []float64{70, 20, 100, 10, 50, 90, 30, 80, 40, 60}, envelope.Some(20.0), envelope.Some(90.0)},
		{0.95, []float64{5, 1, 4, 2, 3}, envelope.Opt[float64]{}, envelope.Opt[float64]{}},
		{0.9, []float64{5, 1, 4, 2, 3}, envelope.Some(1.0), envelope.Some(5.0)},
	} {
		var trials []envelope.Trial
		for _, ms := range c.ms {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, DurationMS: envelope.Some(ms)})
		}
		got := sealRun(t, envelope.Policy{Confidence: envelope.Some(c.confidence)}, trials...).Tests[0].DurationMS
		if !alike(got.P50Lo, c.lo) || !alike(got.P50Hi, c.hi) {
			t.Errorf("%v at %g: %+v, want %v to %v", c.ms, c.confidence, *got, c.lo, c.hi)
		}
	}
}

func alike(got, want envelope.Opt[float64]) bool {
	return got.OK == want.OK && math.Abs(got.V-want.V) < 1e-9
}
