package otlp

import (
	"tribunal/envelope"
	"tribunal/render/internal/gauges"
)

// units are ours in the words of UCUM, which the conventions ask for.
var units = map[string]string{"ratio": "1", "seconds": "s", "usd": "{USD}"}

// metrics writes the gauges of the run and its suites, and of every test.
func (s *stream) metrics() {
	var all []metric
	for _, g := range gauges.Of(s.env) {
		if m := s.metric(&g); len(m.Gauge.Points) > 0 {
			all = append(all, m)
		}
	}
	s.put(all)
	tests := s.env.Tests
	for len(tests) > 0 {
		n := min(len(tests), most)
		s.put(s.testMetrics(tests[:n]))
		tests = tests[n:]
	}
}

func (s *stream) put(metrics []metric) {
	if len(metrics) > 0 {
		_ = s.enc.Encode(request{Metrics: []resourceMetrics{{s.resource, []scopeMetrics{{ours, metrics}}}}}) // the writer keeps the error
	}
}

func (s *stream) metric(g *gauges.Gauge) metric {
	m := metric{Name: g.Name, Doc: g.Help, Unit: units[g.Unit]}
	for _, sample := range g.Samples {
		var a attributes
		for _, l := range sample.Labels {
			name, value := "tribunal."+l.Name, l.Value
			if l.Name == gauges.SuiteLabel {
				name, value = "test.suite.name", line(value, nameLimit)
			}
			a.text(name, value)
		}
		m.Gauge.Points = append(m.Gauge.Points, point{a, s.times.end, sample.Value})
	}
	return m
}

// testMetrics are the pass rates of some tests, and of how many trials they are.
func (s *stream) testMetrics(tests []envelope.Test) []metric {
	rate := metric{Name: "tribunal.test.pass_rate", Unit: units["ratio"], Doc: "Share of the counted trials of a test that passed."}
	counted := metric{Name: "tribunal.test.trials", Doc: "Counted trials of a test."}
	for i := range tests {
		t := &tests[i]
		a := about(t)
		counted.Gauge.Points = append(counted.Gauge.Points, point{a, s.times.end, float64(t.Trials.Counted)})
		if r := t.Rate.PerProtocol; r != nil {
			rate.Gauge.Points = append(rate.Gauge.Points, point{a, s.times.end, r.Value})
		}
	}
	if len(rate.Gauge.Points) == 0 {
		return []metric{counted}
	}
	return []metric{counted, rate}
}
