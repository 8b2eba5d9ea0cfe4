package history

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tribunal/envelope"
)

// The size that a history must stay usable at.
const (
	manyTests = 10_000
	manyRuns  = 1_000
)

// BenchmarkTrend reads the trend of all tests over all runs.
func BenchmarkTrend(b *testing.B) {
	place := filepath.Join(b.TempDir(), "history.db")
	fill(b, place)
	b.ResetTimer()
	for b.Loop() {
		s, err := Open(context.Background(), place, Read)
		if err != nil {
			b.Fatal(err)
		}
		t, err := s.Trend(context.Background(), Query{Confidence: 0.95})
		if err != nil || len(t.Tests) != manyTests || len(t.Runs) != manyRuns {
			b.Fatal(len(t.Tests), len(t.Runs), err)
		}
		s.Close()
	}
}

// fill adds the runs: most tests pass, every tenth is flaky, costs and durations
// differ from run to run.
func fill(b *testing.B, place string) {
	s, err := Open(context.Background(), place, Write)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	e := &envelope.Envelope{Tests: make([]envelope.Test, manyTests)}
	for r := range manyRuns {
		e.Run.StartedAt = time.Unix(int64(r)*3600, 0).UTC().Format(time.RFC3339)
		for i := range e.Tests {
			t := &e.Tests[i]
			t.Key = envelope.Key{Suite: fmt.Sprintf("suite %d", i/100), Test: fmt.Sprintf("answers question number %d", i)}
			t.Status, t.Trials = envelope.Pass, envelope.TrialCounts{Total: 5, Counted: 5, Passed: 5}
			if i%10 == 0 {
				t.Trials.Passed = 3 + (r+i)%3
			}
			t.CostUSD = envelope.Some(0.01 + float64((r*i)%1000)*1e-5)
			t.DurationMS = &envelope.Spread{P50: envelope.Some(100 + float64((r+i)%977))}
		}
		if _, _, err := s.Add(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}
