package contract_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"tribunal/envelope"
)

// The messages of OTLP as the protocol says, without those that we never write: a
// member that is not here, or of another type, is an error.
type (
	otlpValue struct {
		StringValue *string
		BoolValue   *bool
		IntValue    *int64 `json:",string"`
		DoubleValue *float64
	}
	otlpAttributes []struct {
		Key   string
		Value otlpValue
	}
	otlpSpan struct {
		TraceID, SpanID, ParentSpanID string
		Name                          string
		Kind                          int
		StartTimeUnixNano             uint64 `json:",string"`
		EndTimeUnixNano               uint64 `json:",string"`
		Attributes                    otlpAttributes
		DroppedEventsCount            uint32
		Events                        []struct {
			TimeUnixNano uint64 `json:",string"`
			Name         string
			Attributes   otlpAttributes
		}
		Links  []struct{ TraceID, SpanID string }
		Status struct {
			Message string
			Code    int
		}
	}
	otlpMetric struct {
		Name, Description, Unit string
		Gauge                   struct {
			DataPoints []struct {
				Attributes   otlpAttributes
				TimeUnixNano uint64 `json:",string"`
				AsDouble     float64
			}
		}
	}
	otlpScope    struct{ Name string }
	otlpResource struct{ Attributes otlpAttributes }
	otlpRequest  struct {
		ResourceSpans []struct {
			Resource   otlpResource
			ScopeSpans []struct {
				Scope otlpScope
				Spans []otlpSpan
			}
		}
		ResourceMetrics []struct {
			Resource     otlpResource
			ScopeMetrics []struct {
				Scope   otlpScope
				Metrics []otlpMetric
			}
		}
	}
)

// by are the attributes by name; none is there twice, and each has a value.
func (a otlpAttributes) by() (map[string]otlpValue, error) {
	out := map[string]otlpValue{}
	for _, one := range a {
		if _, twice := out[one.Key]; twice || one.Key == "" || one.Value == (otlpValue{}) {
			return nil, fmt.Errorf("attribute %q", one.Key)
		}
		out[one.Key] = one.Value
	}
	return out, nil
}

func isID(s string, bytes int) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == bytes && strings.Trim(s, "0") != ""
}

// parseOTLP reads requests as a collector does. Tests are the spans below that of the
// run, trials the first spans of other traces, and each is linked to its test.
func parseOTLP(out []byte, e *envelope.Envelope) error {
	var all otlpRequest
	for line := range bytes.Lines(out) {
		var r otlpRequest
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&r); err != nil {
			return err
		}
		if (len(r.ResourceSpans) == 0) == (len(r.ResourceMetrics) == 0) {
			return fmt.Errorf("a line with both kinds of data, or none: %.100s", line)
		}
		all.ResourceSpans = append(all.ResourceSpans, r.ResourceSpans...)
		all.ResourceMetrics = append(all.ResourceMetrics, r.ResourceMetrics...)
	}
	if err := otlpTraces(&all, e); err != nil {
		return err
	}
	return otlpGauges(&all, e)
}

func otlpTraces(all *otlpRequest, e *envelope.Envelope) error {
	seen, links := map[string]bool{}, map[string]bool{}
	got, trials, run := envelope.Counts{}, 0, ""
	for _, r := range all.ResourceSpans {
		for _, s := range r.ScopeSpans[0].Spans {
			by, err := s.Attributes.by()
			if err != nil {
				return fmt.Errorf("span %s: %w", s.Name, err)
			}
			if !isID(s.TraceID, 16) || !isID(s.SpanID, 8) || seen[s.TraceID+s.SpanID] || s.Name == "" || s.EndTimeUnixNano < s.StartTimeUnixNano {
				return fmt.Errorf("span %+v", s)
			}
			if s.ParentSpanID != "" && !seen[s.TraceID+s.ParentSpanID] {
				return fmt.Errorf("span %s stands below none", s.Name)
			}
			seen[s.TraceID+s.SpanID] = true
			status := by["test.case.result.status"].StringValue
			switch {
			case s.Name == "test run" && run == "" && s.ParentSpanID == "":
				run = s.SpanID
			case s.ParentSpanID == run:
				if *status == "quarantined" || *status == "only the run is judged" {
					*status = "inconclusive"
				}
				got.Add(envelope.Status(*status))
				links[s.TraceID+s.SpanID] = true
			case s.ParentSpanID == "":
				trials++
				if len(s.Links) != 1 || !links[s.Links[0].TraceID+s.Links[0].SpanID] {
					return fmt.Errorf("a trial without a link to its test: %+v", s)
				}
			}
		}
	}
	if want := asShown(e).Counts; got != want || trials != e.Summary.Trials.Total || run == "" {
		return fmt.Errorf("%+v and %d trials for %+v and %d", got, trials, want, e.Summary.Trials.Total)
	}
	return nil
}

func otlpGauges(all *otlpRequest, e *envelope.Envelope) error {
	got := map[string]float64{}
	for _, r := range all.ResourceMetrics {
		for _, m := range r.ScopeMetrics[0].Metrics {
			for _, p := range m.Gauge.DataPoints {
				by, err := p.Attributes.by()
				if err != nil {
					return fmt.Errorf("metric %s: %w", m.Name, err)
				}
				name := m.Name
				if status := by["tribunal.status"].StringValue; status != nil {
					name += "/" + *status
				}
				got[name] += p.AsDouble
			}
		}
	}
	s := e.Summary
	for name, want := range map[string]int{"tribunal.run.tests/fail": s.Fail, "tribunal.run.tests/inconclusive": s.Inconclusive, "tribunal.test.trials": s.Trials.Counted} {
		if got[name] != float64(want) {
			return fmt.Errorf("%s is %v, want %d", name, got[name], want)
		}
	}
	return nil
}
