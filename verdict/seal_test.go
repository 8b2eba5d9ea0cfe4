package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestEachEnvelopeKeepsItsOutcomes: a run that is sealed under another policy
// leaves the envelope made of it before as it was.
func TestEachEnvelopeKeepsItsOutcomes(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("x", "native")
	for _, score := range []float64{0.3, 0.6, 0.9} {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(score)})
	}
	in.Close()
	run := b.Run(envelope.ConflictExtend, 5)
	sealed := func(threshold float64) *envelope.Envelope {
		e, err := Seal(run, resolved(t, envelope.Policy{Rule: "any", ScoreThreshold: envelope.Some(threshold)}))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	low, high, last := sealed(0.5), sealed(0.8), sealed(0.1)
	for want, e := range map[string]*envelope.Envelope{"FPP": low, "FFP": high, "PPP": last} {
		if got := e.Tests[0].Rows.Outcome.String(); got != want {
			t.Errorf("the outcomes are %s, want %s", got, want)
		}
	}
}

func TestSealOfWhatNobodyCounted(t *testing.T) {
	if _, err := Seal(nil, resolved(t, envelope.Policy{})); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("no run: %v", err)
	}
	rowless := &envelope.Run{Tests: []envelope.Tally{{Key: envelope.Key{Test: "t"}}}}
	e, err := Seal(rowless, resolved(t, envelope.Policy{}))
	if err != nil || e.Tests[0].Trials.Total != 0 || rowless.Tests[0].Rows != nil {
		t.Errorf("a test without rows: %+v, %v", e, err)
	}
}
