package verdict

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestDifferencesSeeMetricsAndSuites(t *testing.T) {
	seal := func() *envelope.Envelope {
		env, err := sealAll(map[string]string{"s/a": "PF", "r/b": "PP"}, envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)})
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	for _, c := range []struct {
		reason string
		change func(*envelope.Envelope)
		says   string
	}{
		{"nothing", func(*envelope.Envelope) {}, ""},
		{"numbers of parameters are read back as floats", func(e *envelope.Envelope) {
			for i := range e.Metrics {
				if k, ok := e.Metrics[i].Params["k"].(int); ok {
					e.Metrics[i].Params["k"] = float64(k)
				}
			}
		}, ""},
		{"a better average", func(e *envelope.Envelope) { e.Metrics[0].Value.V = 1 }, "metrics: recorded avg is"},
		{"of another depth", func(e *envelope.Envelope) { e.Metrics[3].Params = map[string]any{"k": 7} }, "metrics: recorded pass_at_k is"},
		{"last digits of another processor", func(e *envelope.Envelope) {
			e.Metrics[0].Value.V *= 1 + 4e-16
			e.Tests[0].Rate.PerProtocol.Lo += 3e-16
			e.Tests[0].Verdict.Evidence[0].Path[0] += 2e-16
		}, ""},
		{"a digit that counts", func(e *envelope.Envelope) { e.Tests[0].Rate.PerProtocol.Lo += 1e-6 }, "test r/b: recorded rate is"},
		{"a point of a path", func(e *envelope.Envelope) { e.Tests[0].Verdict.Evidence[0].Path[1] += 1e-6 }, "test r/b: recorded verdict is"},
		{"a path cut short", func(e *envelope.Envelope) {
			e.Tests[0].Verdict.Evidence[0].Path = e.Tests[0].Verdict.Evidence[0].Path[:1]
		}, "test r/b: recorded verdict is"},
		{"a metric left out", func(e *envelope.Envelope) { e.Metrics = e.Metrics[1:] }, "metrics: recorded number is"},
		{"a suite with a failure", func(e *envelope.Envelope) { e.Suites = slices.Clone(e.Suites); e.Suites[1].Fail = 1 }, "suite s: recorded"},
		{"lists in another order, as versions before this one wrote test 10 before test 2", func(e *envelope.Envelope) {
			e.Suites, e.Tests = slices.Clone(e.Suites), slices.Clone(e.Tests)
			slices.Reverse(e.Suites)
			slices.Reverse(e.Tests)
		}, ""},
		{"a suite left out", func(e *envelope.Envelope) { e.Suites = e.Suites[1:] }, "suites: recorded number is"},
	} {
		recorded := seal()
		c.change(recorded)
		found := Differences("in", recorded, seal())
		if c.says == "" && len(found) > 0 || c.says != "" && (len(found) == 0 || !strings.HasPrefix(found[0].Message, c.says)) {
			t.Errorf("%s: %v, want %q", c.reason, found, c.says)
		}
	}
}

// TestDifferencesOfManyTests: an envelope of an earlier version, which took percentiles of
// all trials, says so once and not for each of its tests.
func TestDifferencesOfManyTests(t *testing.T) {
	seal := func() *envelope.Envelope {
		var trials []envelope.Trial
		for _, name := range []string{"a", "b", "c", "d"} {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: name}, Status: envelope.Pass, DurationMS: envelope.Some(100.0)})
		}
		return sealRun(t, envelope.Policy{}, trials...)
	}
	recorded := seal()
	for i := range 3 {
		recorded.Tests[i].DurationMS.P95 = envelope.Some(50.0)
	}
	recorded.Tests[3].Trials.Passed = 0
	var says []string
	for _, p := range Differences("in", recorded, seal()) {
		says = append(says, p.Message)
	}
	want := []string{"test a and 2 others: recorded duration_ms is not what its trials give; the report shows what they give",
		"test d: recorded trials is not what its trials give; the report shows what they give"}
	if !slices.Equal(says, want) {
		t.Errorf("%q, want %q", says, want)
	}
}
