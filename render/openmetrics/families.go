package openmetrics

import "tribunal/envelope"

const (
	milli      = 0.001 // seconds of a millisecond
	timeDigit  = 3
	ratioDigit = 6
	costDigit  = 6
)

// families are all metrics, the run before its suites.
func families(e *envelope.Envelope) []family {
	s := &e.Summary
	var out []family
	out = append(out, runCounts(e)...)
	out = append(out, rates(&s.Rate)...)
	out = append(out, runSums(s)...)
	return append(out, suites(e.Suites)...)
}

func runCounts(e *envelope.Envelope) []family {
	tests := family{name: "tribunal_run_tests", help: "Tests of the run by status."}
	for _, status := range envelope.Statuses {
		tests.add(float64(e.Summary.Of(status)), label{"status", string(status)})
	}
	flaky := family{name: "tribunal_run_flaky_tests", help: "Tests with both passed and not passed trials."}
	flaky.add(float64(e.Summary.Flaky))
	trials := family{name: "tribunal_run_trials", help: "Trials of the run: all, those counted, and of these the passed ones."}
	trials.add(float64(e.Summary.Trials.Total), label{"count", "total"})
	trials.add(float64(e.Summary.Trials.Counted), label{"count", "counted"})
	trials.add(float64(e.Summary.Trials.Passed), label{"count", "passed"})
	exit := family{name: "tribunal_run_exit_code", help: "Exit code of the report: 0 nothing failed, 1 failed, 2 broken, 3 inconclusive."}
	exit.add(float64(e.Gate.ExitCode))
	said := family{name: "tribunal_run_gate_notices", help: "What the gate says beside its status, such as NOTHING PROVED."}
	for _, n := range e.Gate.Notices {
		said.add(1, label{"says", n.Says})
	}
	return append([]family{tests, flaky, trials, exit, said}, quarantine(e)...)
}

// quarantine is how many tests are in quarantine, in a run that has one.
func quarantine(e *envelope.Envelope) []family {
	if len(e.Policy.Quarantine) == 0 {
		return nil
	}
	held := family{name: "tribunal_run_quarantined_tests", help: "Tests for which a quarantine is in force."}
	held.add(float64(e.Summary.Quarantined))
	excused := family{name: "tribunal_run_excused_tests", help: "Tests that did not pass and are excused by their quarantine; they count by their status, too."}
	excused.add(float64(e.Summary.Excused))
	return []family{held, excused}
}

// rates are the pass rates of the run with both ends of their intervals.
func rates(r *envelope.Rates) []family {
	value := family{name: "tribunal_run_pass_rate_ratio", unit: "ratio", decimals: ratioDigit, help: "Share of the trials that passed."}
	low := family{name: "tribunal_run_pass_rate_low_ratio", unit: "ratio", decimals: ratioDigit, help: "Lower end of the interval of the pass rate."}
	high := family{name: "tribunal_run_pass_rate_high_ratio", unit: "ratio", decimals: ratioDigit, help: "Upper end of the interval of the pass rate."}
	for _, x := range []struct {
		name string
		rate *envelope.Rate
	}{{"per_protocol", r.PerProtocol}, {"intent_to_treat", r.IntentToTreat}} {
		if x.rate == nil {
			continue
		}
		of := label{"trials", x.name}
		value.add(x.rate.Value, of)
		low.add(x.rate.Lo, of)
		high.add(x.rate.Hi, of)
	}
	return []family{value, low, high}
}

func runSums(s *envelope.Summary) []family {
	duration := family{name: "tribunal_run_duration_seconds", unit: "seconds", decimals: timeDigit, help: "Sum of the durations of all trials."}
	duration.optional(s.DurationMS, milli)
	setup := family{name: "tribunal_run_setup_seconds", unit: "seconds", decimals: timeDigit, help: "Sum of the times that setting up took."}
	setup.optional(s.SetupMS, milli)
	cost := family{name: "tribunal_run_cost_usd", unit: "usd", decimals: costDigit, help: "Sum of the costs of all trials in US dollars."}
	cost.optional(s.CostUSD, 1)
	setupCost := family{name: "tribunal_run_setup_cost_usd", unit: "usd", decimals: costDigit, help: "Sum of the costs of setting up in US dollars."}
	setupCost.optional(s.SetupCostUSD, 1)
	tokens := family{name: "tribunal_run_tokens", help: "Sum of the tokens of all trials."}
	if s.Tokens.OK {
		tokens.add(float64(s.Tokens.V))
	}
	return []family{duration, setup, cost, setupCost, tokens}
}

// suites are the metrics of the first suites, in the order of the envelope.
func suites(list []envelope.Suite) []family {
	tests := family{name: "tribunal_suite_tests", help: "Tests of a suite by status."}
	flaky := family{name: "tribunal_suite_flaky_tests", help: "Tests of a suite with both passed and not passed trials."}
	duration := family{name: "tribunal_suite_duration_seconds", unit: "seconds", decimals: timeDigit, help: "Sum of the durations of the trials of a suite."}
	cost := family{name: "tribunal_suite_cost_usd", unit: "usd", decimals: costDigit, help: "Sum of the costs of the trials of a suite in US dollars."}
	more := family{name: "tribunal_suites_not_listed", help: "Suites without series of their own, because there are too many."}
	for i := range list {
		if i == suiteLimit {
			more.add(float64(len(list) - i))
			break
		}
		s := &list[i]
		of := label{"suite", suiteLabel(s.Name)}
		for _, status := range envelope.Statuses {
			tests.add(float64(s.Of(status)), of, label{"status", string(status)})
		}
		flaky.add(float64(s.Flaky), of)
		duration.optional(s.DurationMS, milli, of)
		cost.optional(s.CostUSD, 1, of)
	}
	return []family{tests, flaky, duration, cost, more}
}
