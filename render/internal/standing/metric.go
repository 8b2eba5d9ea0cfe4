package standing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// shortMetrics are the metrics that people write with a sign before their k.
var shortMetrics = map[string]string{"pass_at_k": "pass@", "pass_hat_k": "pass^"}

// HasShortName reports whether people write the metric with a sign before its k.
func HasShortName(m *envelope.Metric) bool { return shortMetrics[m.Name] != "" }

// MetricName is the metric as people write it, as in pass@4 [gpt], or with its
// parameters, as in g_pass_at_k_tau(k=4, tau=0.5).
func MetricName(m *envelope.Metric) string {
	s := m.Name
	if sign, k := shortMetrics[m.Name], fmt.Sprint(m.Params["k"]); sign != "" && len(m.Params) == 1 && isWhole(k) {
		s = sign + k
	} else if len(m.Params) > 0 {
		var params []string
		for _, key := range slices.Sorted(maps.Keys(m.Params)) {
			params = append(params, fmt.Sprintf("%s=%v", key, m.Params[key]))
		}
		s += "(" + strings.Join(params, ", ") + ")"
	}
	if m.Variant != "" {
		s += " [" + m.Variant + "]"
	}
	return s
}

func isWhole(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// AskedMetrics are the metrics that the policy names, a line each, with why one has no
// value.
func AskedMetrics(e *envelope.Envelope) (lines []string) {
	for i := range e.Metrics {
		m := &e.Metrics[i]
		asked := slices.ContainsFunc(e.Policy.Metric, func(c envelope.MetricCall) bool { return c.Name == m.Name })
		if !asked {
			continue
		}
		s := MetricName(m)
		if m.Value.OK {
			s += ": " + words.Decimal(m.Value.V)
		}
		if m.Mu.OK && m.Lo.OK && m.Hi.OK {
			s += fmt.Sprintf("; posterior mean %s [%s, %s]", words.Decimal(m.Mu.V), words.Decimal(m.Lo.V), words.Decimal(m.Hi.V))
		}
		if m.Note != "" {
			s += "; " + m.Note
		}
		lines = append(lines, s)
	}
	return lines
}
