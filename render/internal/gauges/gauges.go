// Package gauges has the numbers of a run and of its suites as monitoring systems take
// them: gauges with a name, a unit and labels.
//
// It exists so that Prometheus and OpenTelemetry get the same numbers, under names that one makes of the other's:
// tribunal.run.pass_rate with the unit ratio is tribunal_run_pass_rate_ratio. All are gauges, as a run is no counter. What
// is unknown has no sample. There are series of the first 200 suites, and a gauge that says how many more there are.
//
// It leaves out single tests and trials, and how anything is written.
package gauges

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// SuiteLabel is the label whose value a test wrote: the name of its suite.
const SuiteLabel = "suite"

// Gauge is a metric and its samples. Unit is seconds, ratio, usd or empty.
type Gauge struct {
	Name, Unit, Help string
	Decimals         int // that tell two runs apart
	Samples          []Sample
}

// Sample is one series.
type Sample struct {
	Labels []Label
	Value  float64
}

// Label is a name, which is ours, and a value, which is ours unless the name is SuiteLabel.
type Label struct{ Name, Value string }

// add adds a sample, unless the value is not a number.
func (g *Gauge) add(v float64, labels ...Label) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		g.Samples = append(g.Samples, Sample{labels, v + 0}) // + 0 makes -0 a 0
	}
}

func (g *Gauge) optional(v envelope.Opt[float64], factor float64, labels ...Label) {
	if v.OK {
		g.add(v.V*factor, labels...)
	}
}

const (
	milli      = 0.001 // seconds of a millisecond
	timeDigit  = 3
	ratioDigit = 6
	costDigit  = 6
)

// Of are all gauges, the run before its suites.
func Of(e *envelope.Envelope) []Gauge {
	return slices.Concat(runCounts(e), rates(&e.Summary.Rate), runSums(&e.Summary), suites(e.Suites))
}

func runCounts(e *envelope.Envelope) []Gauge {
	tests := Gauge{Name: "tribunal.run.tests", Help: "Tests of the run by status."}
	for _, status := range envelope.Statuses {
		tests.add(float64(e.Summary.Of(status)), Label{"status", string(status)})
	}
	flaky := Gauge{Name: "tribunal.run.flaky_tests", Help: "Tests with both passed and not passed trials."}
	flaky.add(float64(e.Summary.Flaky))
	trials := Gauge{Name: "tribunal.run.trials", Help: "Trials of the run: all, those counted, and of these the passed ones."}
	trials.add(float64(e.Summary.Trials.Total), Label{"count", "total"})
	trials.add(float64(e.Summary.Trials.Counted), Label{"count", "counted"})
	trials.add(float64(e.Summary.Trials.Passed), Label{"count", "passed"})
	exit := Gauge{Name: "tribunal.run.exit_code", Help: "Exit code of the report: 0 nothing failed, 1 failed, 2 usage or input error, 3 undecided."}
	exit.add(float64(e.Gate.ExitCode))
	said := Gauge{Name: "tribunal.run.gate_notices", Help: "What the gate says beside its status, such as NOTHING PROVED."}
	for _, n := range e.Gate.Notices {
		said.add(1, Label{"says", n.Says})
	}
	policy := Gauge{Name: "tribunal.run.policy", Help: "1, of the file that said a part of the policy."}
	if path := standing.PolicyPath(e); path != "" {
		policy.add(1, Label{"file", path})
	}
	return append([]Gauge{tests, flaky, trials, exit, said, policy}, quarantine(e)...)
}

func quarantine(e *envelope.Envelope) []Gauge {
	if len(e.Policy.Quarantine) == 0 {
		return nil
	}
	held := Gauge{Name: "tribunal.run.quarantined_tests", Help: "Tests for which a quarantine is in force."}
	held.add(float64(e.Summary.Quarantined))
	excused := Gauge{Name: "tribunal.run.excused_tests",
		Help: "Tests that did not pass and are excused by their quarantine; they count by their status, too."}
	excused.add(float64(e.Summary.Excused))
	return []Gauge{held, excused}
}

func rates(r *envelope.Rates) []Gauge {
	value := Gauge{Name: "tribunal.run.pass_rate", Unit: "ratio", Decimals: ratioDigit, Help: "Share of the trials that passed."}
	low := Gauge{Name: "tribunal.run.pass_rate_low", Unit: "ratio", Decimals: ratioDigit, Help: "Lower end of the interval of the pass rate."}
	high := Gauge{Name: "tribunal.run.pass_rate_high", Unit: "ratio", Decimals: ratioDigit,
		Help: "Upper end of the interval of the pass rate."}
	for _, x := range []struct {
		name string
		rate *envelope.Rate
	}{{"per_protocol", r.PerProtocol}, {"intent_to_treat", r.IntentToTreat}} {
		if x.rate == nil {
			continue
		}
		of := Label{"trials", x.name}
		value.add(x.rate.Value, of)
		low.add(x.rate.Lo, of)
		high.add(x.rate.Hi, of)
	}
	return []Gauge{value, low, high}
}

func runSums(s *envelope.Summary) []Gauge {
	duration := Gauge{Name: "tribunal.run.duration", Unit: "seconds", Decimals: timeDigit, Help: "Sum of the durations of all trials."}
	duration.optional(s.DurationMS, milli)
	setup := Gauge{Name: "tribunal.run.setup", Unit: "seconds", Decimals: timeDigit, Help: "Sum of the times that setting up took."}
	setup.optional(s.SetupMS, milli)
	cost := Gauge{Name: "tribunal.run.cost", Unit: "usd", Decimals: costDigit, Help: "Sum of the costs of all trials in US dollars."}
	cost.optional(s.CostUSD, 1)
	setupCost := Gauge{Name: "tribunal.run.setup_cost", Unit: "usd", Decimals: costDigit,
		Help: "Sum of the costs of setting up in US dollars."}
	setupCost.optional(s.SetupCostUSD, 1)
	tokens := Gauge{Name: "tribunal.run.tokens", Help: "Sum of the tokens of all trials."}
	if s.Tokens.OK {
		tokens.add(float64(s.Tokens.V))
	}
	return []Gauge{duration, setup, cost, setupCost, tokens}
}

func suites(list []envelope.Suite) []Gauge {
	tests := Gauge{Name: "tribunal.suite.tests", Help: "Tests of a suite by status."}
	flaky := Gauge{Name: "tribunal.suite.flaky_tests", Help: "Tests of a suite with both passed and not passed trials."}
	duration := Gauge{Name: "tribunal.suite.duration", Unit: "seconds", Decimals: timeDigit,
		Help: "Sum of the durations of the trials of a suite."}
	cost := Gauge{Name: "tribunal.suite.cost", Unit: "usd", Decimals: costDigit,
		Help: "Sum of the costs of the trials of a suite in US dollars."}
	more := Gauge{Name: "tribunal.suites_not_listed", Help: "Suites without series of their own, because there are too many."}
	for i := range list {
		const suiteLimit = 200 // suites with series of their own
		if i == suiteLimit {
			more.add(float64(len(list) - i))
			break
		}
		s := &list[i]
		of := Label{SuiteLabel, s.Name}
		for _, status := range envelope.Statuses {
			tests.add(float64(s.Of(status)), of, Label{"status", string(status)})
		}
		flaky.add(float64(s.Flaky), of)
		duration.optional(s.DurationMS, milli, of)
		cost.optional(s.CostUSD, 1, of)
	}
	return []Gauge{tests, flaky, duration, cost, more}
}
