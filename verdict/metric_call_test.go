package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/policy"
)

func called(t *testing.T, strips map[string]string, texts ...string) []envelope.Metric {
	t.Helper()
	p := envelope.Policy{Metrics: policy.MetricsNone}
	for _, text := range texts {
		call, err := ParseMetric(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Metric = append(p.Metric, call)
	}
	env, err := sealAll(strips, p)
	if err != nil {
		t.Fatal(err)
	}
	return env.Metrics
}

// TestMetricsWithParameters: values of scorio at commit dedc415, which also stand in docs/statistics/metrics.md and in the vectors.
func TestMetricsWithParameters(t *testing.T) {
	rows := map[string]string{"a": "FPPFP", "b": "PPFPP"}
	for _, c := range []struct {
		text           string
		value, mu, low float64
	}{
		{`avg(bounds=[0, 1])`, 0.7000, 0.7000, 0.3750},
		{`bayes( weights=[0, 1] , R0=["", ""])`, 0.6429, 0.6429, 0.4107},
		{`unanimous_at_k(k=2, alpha0=0.5, beta0=0.5)`, 0.4500, 0.4821, 0.1764},
		{`g_pass_at_k(k=2, confidence=80)`, 0.4500, 0.4464, 0.2591},
		{`threshold_spectrum_at_k(weights=[0.5, 0.5])`, 0.7000, 0.6429, 0.4107},
		{`geo_spectrum_at_k(k=3, lambda_=0.2)`, 0.2385, 0.2908, 0.0780},
	} {
		m := called(t, rows, c.text)
		if len(m) != 1 {
			t.Fatalf("%s: %d metrics", c.text, len(m))
		}
		for _, n := range []struct {
			got  float64
			want float64
		}{{m[0].Value.V, c.value}, {m[0].Mu.V, c.mu}, {m[0].Lo.V, c.low}} {
			if math.Abs(n.got-n.want) > 5e-5 {
				t.Errorf("%s: %+v, want %v, %v, %v", c.text, m[0], c.value, c.mu, c.low)
			}
		}
	}
}

// TestEarlierOutcomes by hand: a, which was tried twice before and passed both times, has (1+1+2)/(2+2+2).
func TestEarlierOutcomes(t *testing.T) {
	m := called(t, map[string]string{"a": "PF", "b": "PF"}, `bayes(R0=["11", [0, 0]])`)
	if want := (4./6 + 2./6) / 2; len(m) != 1 || math.Abs(m[0].Value.V-want) > 1e-12 {
		t.Errorf("%+v, want %v", m, want)
	}
	short := called(t, map[string]string{"a": "PF", "b": "PF"}, `bayes(R0=["11"])`)
	if len(short) != 1 || short[0].Value.OK || !strings.Contains(short[0].Note, "1 row for 2 tests") {
		t.Errorf("a row too few: %+v", short)
	}
}

// TestEarlierOutcomesOfVariants: each variant takes the rows of its own tests.
func TestEarlierOutcomesOfVariants(t *testing.T) {
	call, err := ParseMetric(`bayes(R0=["11", "00"])`)
	if err != nil {
		t.Fatal(err)
	}
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for _, variant := range []string{"m1", "m2"} {
		for _, status := range []envelope.Status{envelope.Pass, envelope.Fail} {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t", Variant: variant}, Status: status})
		}
	}
	env := sealBuilt(t, b, envelope.Policy{Metrics: policy.MetricsNone, Metric: []envelope.MetricCall{call}})
	got := ""
	for _, m := range env.Metrics {
		got += fmt.Sprintf("%s=%.4f ", m.Variant, m.Value.V)
	}
	if got != "=0.5000 m1=0.6667 m2=0.3333 " {
		t.Errorf("%s", got)
	}
}

// TestCalledMetricsStandForThoseOfTheSet, of the same name alone.
func TestCalledMetricsStandForThoseOfTheSet(t *testing.T) {
	if call, err := ParseMetric("pass_at_k_ci(k=3)"); err != nil || call.Name != "pass_at_k" {
		t.Errorf("as the references spell an interval: %v, %v", call, err)
	}
	call, err := ParseMetric("pass_at_k(k=3)")
	if err != nil {
		t.Fatal(err)
	}
	env, err := sealAll(map[string]string{"a": "PPFF"}, envelope.Policy{Metric: []envelope.MetricCall{call}})
	if err != nil {
		t.Fatal(err)
	}
	if metricNamed(env.Metrics, "pass_at_k", 3) == nil || metricNamed(env.Metrics, "pass_at_k", 2) != nil || metricNamed(env.Metrics, "pass_hat_k", 2) == nil {
		t.Errorf("%+v", env.Metrics)
	}
}

func TestWrongMetricsAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"bayse()":                                   "did you mean bayes",
		"bayes(weigths=[0,1])":                      "did you mean weights",
		"pass_at_k(k=0)":                            "at least 1",
		"pass_at_k(k=2":                             "does not end with )",
		"pass_at_k(k=two)":                          "not JSON",
		"pass_at_k(k)":                              "has no value",
		"pass_at_k(k=1.5)":                          "whole number",
		"pass_at_k(k=1 tau=2)":                      "a comma",
		"pass_at_k(k=2, k=3)":                       "twice",
		"geo_spectrum_at_k(lambda=0.2, lam=0.3)":    "two names",
		"threshold_spectrum_at_k(weights=[0.9, 1])": "more than 1",
		"bayes(R0=[\"x\"])":                         "row 1",
		"bayes(R0=[[0, -1]])":                       "row 1",
		"bayes(bounds=[1, 0])":                      "must not exceed",
		"bayes(bounds=1)":                           "two numbers",
		"bayes(weights=[])":                         "a list of numbers",
		"pass_at_k(alpha0=0)":                       "above 0",
		"pass_at_k(confidence=0)":                   "between 0 and 1",
		"pass_at_k(tau=0.5)":                        "unknown parameter",
	} {
		if _, err := ParseMetric(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want it to say %q", text, err, says)
		}
	}
}
