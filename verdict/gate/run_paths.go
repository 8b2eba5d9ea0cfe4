package gate

import (
	"fmt"
	"reflect"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/reliability"
)

// runTargets lists the dot paths into the run.
func runTargets() []target {
	return append(targets(reflect.TypeFor[envelope.Summary](), "summary"), target{"metrics.*", 0.0, checkMetric},
		target{path: "run.name", zero: ""}, target{path: "run.id", zero: ""}, target{path: "run.commit", zero: ""},
		target{path: "run.planned_trials", zero: int64(0)}, target{path: "run.setup_ms", zero: 0.0}, target{path: "run.setup_cost_usd", zero: 0.0}, target{"run.labels.*", "", checkLabel})
}

// metricSides are what a metric's name may end in: nothing for its value, and
// the words for the bounds of its interval.
var metricSides = []string{"", "_lo", "_hi"}

// checkMetric checks the name of a metric, and that it has a k just when the
// metric does.
func checkMetric(head, rest path) error {
	var known []string
	for _, m := range reliability.Metrics() {
		for _, side := range metricSides {
			if rest[0] == any(m.Name+side) {
				return checkK(append(slices.Clone(head), rest[0]), rest[1:], slices.Contains(m.Params, "k"))
			}
			known = append(known, m.Name+side)
		}
	}
	return suggest.Unknown("metric", fmt.Sprint(rest[0]), known)
}

func checkK(metric, rest path, has bool) error {
	switch {
	case !has && len(rest) == 0:
		return nil
	case !has:
		return fmt.Errorf("%s has no k: write %s alone", metric, metric)
	case len(rest) == 1:
		if k, isNumber := rest[0].(int); isNumber && k >= 1 {
			return nil
		}
	}
	return fmt.Errorf("%s is one number for each k, a whole number from 1: write for instance %s[4]", metric, metric)
}

// runValue resolves a path into the run. A metric with a k is metrics.NAME[k],
// one without metrics.NAME; its bounds are metrics.NAME_lo and metrics.NAME_hi.
func runValue(e *envelope.Envelope, p path) (any, bool) {
	names := p.names()
	switch names[0] {
	case "summary":
		return walk(reflect.ValueOf(e.Summary), names[1:])
	case "run":
		return walk(reflect.ValueOf(e.Run), names[1:])
	}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		if m.Variant != "" || !slices.Equal(metricK(m), names[2:]) {
			continue
		}
		for j, v := range []envelope.Opt[float64]{m.Value, m.Lo, m.Hi} {
			if names[1] == m.Name+metricSides[j] {
				return v.V, v.OK
			}
		}
	}
	return nil, false
}

// metricK is what a path says after the name of the metric.
func metricK(m *envelope.Metric) []string {
	if k, ok := m.Params["k"]; ok {
		return []string{fmt.Sprint(k)}
	}
	return nil
}
