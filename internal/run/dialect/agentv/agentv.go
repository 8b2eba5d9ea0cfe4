// Package agentv is what an eval file of AgentV (EntityProcess/agentv, MIT) says of a
// run: how often each test is tried, what of its trials decides, what they may cost,
// and which tests there are.
//
// It exists because AgentV repeats a fixed number of trials and keeps one score of
// them. Two generations of its files are known: execution.trials of version 4, and
// evaluate_options since. What the file says of prompts, providers and graders is the
// business of AgentV, which is what a start runs.
package agentv

import (
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/driver/settings"
)

// UniqueKeys are the keys at the top of a file that only an eval file has.
var UniqueKeys = []string{
	"prompts", "providers", "target", "targets", "scenarios", "default_test", "assert", "assertions", "environment", "workspace",
	"extensions", "input", "input_files", "evalcases", "eval_cases", "timeout_seconds", "budget_usd", "experiment", "cases",
}

// SharedKeys are keys that tell what a file is about, which our own has not.
var SharedKeys = []string{"name", "description", "suite", "category", "tags", "version"}

// strategies are the rules that aggregate trials as AgentV's words say. Its
// confidence_interval judges the mean, and shows the interval beside it.
var strategies = map[string]string{
	"pass_at_k": "any", "pass_any": "any", "pass_all": "all", "mean": "mean", "confidence_interval": "mean",
}

// Strategies are the words that a strategy is said by.
var Strategies = []string{"confidence_interval", "mean", "pass_all", "pass_any", "pass_at_k"}

// Repeat is how often a test is tried.
type Repeat struct {
	Count        envelope.Opt[int]
	Strategy     string // one of Strategies
	CostLimitUSD envelope.Opt[float64]
	EarlyExit    bool
}

// Test is a test of the file, and what is said of it alone.
type Test struct {
	ID        string
	Count     envelope.Opt[int]
	Threshold envelope.Opt[float64]
	Timeout   envelope.Opt[time.Duration]
}

// File is what a file says of a run.
type File struct {
	Repeat      Repeat
	BudgetUSD   envelope.Opt[float64]
	Concurrency envelope.Opt[int]
	Threshold   envelope.Opt[float64] // of scores
	Timeout     envelope.Opt[time.Duration]
	Providers   []string
	Tests       []Test
}

// Policy is what decides: the strategy as a rule, and the score from which a trial
// passes, which is the threshold of the rules of scores. One trial needs no strategy.
func (f *File) Policy() envelope.Policy {
	if f.Repeat.Strategy == "" && !f.Repeat.Count.OK {
		return envelope.Policy{}
	}
	const passing = 0.8 // the score from which AgentV has a trial pass where nobody says another
	p := envelope.Policy{Rule: "any", ScoreThreshold: envelope.Some(f.Threshold.Or(passing))}
	if rule, said := strategies[f.Repeat.Strategy]; said && f.Repeat.Count.Or(2) > 1 {
		p.Rule = rule
	}
	if p.Rule == "mean" {
		p.Threshold = p.ScoreThreshold
	}
	for _, t := range f.Tests {
		if t.Threshold.OK && p.Threshold.OK {
			p.Overrides = append(p.Overrides, envelope.Override{Match: t.ID, Policy: envelope.Policy{Threshold: t.Threshold}})
		}
	}
	return p
}

// Block is how the trials are started. Under pass_at_k AgentV stops at the first pass.
func (f *File) Block() settings.Block {
	b := settings.Block{Settings: settings.Settings{
		Trials: f.Repeat.Count, Jobs: f.Concurrency, Timeout: f.Timeout,
		MaxCostUSD: f.BudgetUSD, MaxCostPerTestUSD: f.Repeat.CostLimitUSD,
	}}
	if f.Repeat.EarlyExit || f.Repeat.Strategy == "pass_at_k" {
		b.Stop = settings.StopEarly
	}
	b.Cases = each.Of(f.Tests, func(t Test) settings.Case { return settings.Case{Test: t.ID, Trials: t.Count.V, Timeout: t.Timeout} })
	return b
}
