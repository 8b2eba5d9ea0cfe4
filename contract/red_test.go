package contract_test

import (
	"bytes"
	"strings"
	"testing"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
)

// reds are builds that are red though no test failed.
var reds = []golden{
	{"gate-of-run", "a number of the run", []string{"flaky"}, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{{Name: "sure", Expr: "summary.flaky == 0"}}}},
	{"gate-of-tests", "a number of each test", []string{"flaky"}, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{{Name: "steady", Expr: "reliability.passhat_k >= 80"}}}},
	{"run-below", "the threshold of the run", []string{"flaky"}, envelope.Policy{Rule: "any", RunThreshold: envelope.Some(0.99)}},
	{"run-undecided", "a run that is inconclusive, and that fails", []string{"flaky"}, envelope.Policy{Rule: "any", RunThreshold: envelope.Some(0.85), TreatAs: policy.TreatFail}},
	{"tests-undecided", "tests that are inconclusive, and that fails", []string{"skipped", "one-pass"}, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), TreatAs: policy.TreatFail}},
	{"nothing-can-pass", "a strict policy, and too few trials for it", []string{"one-pass"}, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), Strict: envelope.Some(true)}},
}

// TestRedIsRed: who looks at the tests of a report alone sees that the build is red.
func TestRedIsRed(t *testing.T) {
	for _, red := range reds {
		e := red.envelope(t)
		if c := e.Summary.Counts; c.Fail+c.Error > 0 || e.Gate.ExitCode == 0 {
			t.Fatalf("%s: %+v, exit code %d: the build is to be red, and no test", red.name, c, e.Gate.ExitCode)
		}
		if c := asCases(e); c.Fail+c.Error == 0 {
			t.Errorf("%s: nothing shows that the build is red: %s", red.name, red.reason)
		}
		for _, name := range []string{"junit", "tap", "gitlab", "ctrf", "sarif", "trx", "allure", "teamcity", "sonar"} {
			f, _ := render.Formats.ByName(name)
			if err := parsers[name](write(t, f, e), e); err != nil {
				t.Errorf("%s in %s: %s: %v", red.name, name, red.reason, err)
			}
		}
		f, _ := render.Formats.ByName("github")
		if log := string(write(t, f, e)); !strings.Contains(log, "\n::error ") {
			t.Errorf("%s in github: %s: no annotation is an error:\n%s", red.name, red.reason, log)
		}
	}
}

// TestGreenHasNoErrors: what is wrong and forgiven is a warning of a GitHub job that is
// green.
func TestGreenHasNoErrors(t *testing.T) {
	for _, green := range []golden{
		{"run-alone", "tests that failed where the run alone is judged", []string{"weather-agent"}, envelope.Policy{RunThreshold: envelope.Some(0.6)}},
		{"lenient", "records that cannot be read", []string{"problems"}, envelope.Policy{Rule: "any", Lenient: envelope.Some(true), RunThreshold: envelope.Some(0.1)}},
	} {
		e := green.envelope(t)
		f, _ := render.Formats.ByName("github")
		log := string(write(t, f, e))
		if e.Gate.ExitCode != 0 || strings.Contains(log, "::error ") || !strings.Contains(log, "::warning ") {
			t.Errorf("%s: exit code %d, %s:\n%s", green.name, e.Gate.ExitCode, green.reason, log)
		}
	}
}

// TestGateIsNoTest: what says that a gate does not hold is no test of a report that is
// read again.
func TestGateIsNoTest(t *testing.T) {
	e := reds[0].envelope(t)
	for _, name := range []string{"json", "ndjson", "junit", "tap", "ctrf", "trx", "allure", "teamcity"} {
		f, _ := render.Formats.ByName(name)
		b := count.NewBuilder(5, 0.5)
		read.Stream(b, name, bytes.NewReader(write(t, f, e)), "")
		run := b.Run("", 5)
		if len(run.Tests) != len(e.Tests) {
			t.Errorf("%s: %d tests of %d", name, len(run.Tests), len(e.Tests))
		}
		for _, p := range run.Problems {
			if p.Severity == envelope.SeverityError {
				t.Errorf("%s: %s", name, p)
			}
		}
	}
}

// TestRedComparisonIsRed: a comparison may fail the build though nothing regressed.
func TestRedComparisonIsRed(t *testing.T) {
	base, candidate := reds[0].envelope(t), reds[0].envelope(t)
	candidate.Tests = candidate.Tests[1:]
	for failOn, fails := range map[string]bool{compare.OnRegressed: false, compare.OnGone: true, compare.OnUnresolved: true} {
		o := compare.Defaults()
		o.FailOn = []string{failOn}
		c, err := compare.Runs("", compare.Input{Envelope: base}, []compare.Input{{Envelope: candidate}}, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Gate.ExitCode == 1) != fails {
			t.Fatalf("--fail-on %s: exit code %d", failOn, c.Gate.ExitCode)
		}
		for format, red := range map[string]string{"github": "\n::error ", "gitlab": `"severity":"major"`} {
			f, _ := render.Comparisons.ByName(format)
			if out := string(writeComparison(t, f, c)); strings.Contains(out, red) != fails {
				t.Errorf("--fail-on %s in %s: %s", failOn, format, out)
			}
		}
	}
}
