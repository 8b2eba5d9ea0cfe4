// Package collector holds our OTLP to the types of the OpenTelemetry Collector, which
// are what reads it. It exists beside the benchmarks because their module may use
// libraries that the program does not.
package collector

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestGoldens: the collector reads every line of every golden, and finds in it the run,
// its tests and its trials, and no span without an id.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("../../../testdata/golden/*/otlp")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			var summary struct {
				Summary struct {
					Tests  int
					Trials struct{ Total int }
				}
			}
			text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "json"))
			if err != nil || json.Unmarshal(text, &summary) != nil {
				t.Fatal(err)
			}
			otlp, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			roots, verdicts, points := read(t, otlp)
			want := summary.Summary
			if roots != 1+want.Trials.Total || verdicts != want.Tests || points == 0 {
				t.Errorf("%d traces, %d verdicts, %d data points for %+v", roots, verdicts, points, want)
			}
		})
	}
}

// read counts first spans, spans of verdicts and data points.
func read(t *testing.T, otlp []byte) (roots, verdicts, points int) {
	for line := range bytes.Lines(otlp) {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			t.Fatal(err)
		}
		metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			t.Fatal(err)
		}
		points += metrics.DataPointCount()
		for _, r := range traces.ResourceSpans().All() {
			if name, ok := r.Resource().Attributes().Get("service.name"); !ok || name.Type() != pcommon.ValueTypeStr {
				t.Error("no service.name")
			}
			for _, s := range r.ScopeSpans().At(0).Spans().All() {
				if s.TraceID().IsEmpty() || s.SpanID().IsEmpty() || s.Kind() != ptrace.SpanKindInternal {
					t.Errorf("span %s of kind %s in trace %s", s.SpanID(), s.Kind(), s.TraceID())
				}
				if s.ParentSpanID().IsEmpty() {
					roots++
				}
				if _, ok := s.Attributes().Get("tribunal.verdict"); ok {
					verdicts++
				}
			}
		}
	}
	return roots, verdicts, points
}
