// Package next selects the trials to run next, for engines that start trials themselves, on any number
// of machines: those that bring the most verdicts for their cost. The same trials give the same plan.
// Package runner says which trials count and which tests are over, as for tribunal run.
package next

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/allocate"
	"tribunal/internal/run/runner"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/verdict"
)

// Schema is the name of the wire format of a Plan.
const Schema = "tribunal/next/v1"

// What a plan is for.
const (
	ForVerdict = "decide" // any verdict
	ForFail    = "fail"   // the first fail, as soon as may be
)

// Aims are the values of a Question's For; the first is that of the empty word.
var Aims = []string{ForVerdict, ForFail}

// Question is what is asked.
type Question struct {
	Run    *envelope.Run // the trials so far; nil is none
	Policy envelope.Effective
	// Tests may be run as well, if they have no trial yet; of the others they say the labels.
	Tests []runner.Test
	Only  func(envelope.Key) bool // nil is every test
	For   string
	// Batch is the most trials to name; 0 is those that the best test needs.
	Batch int
	// Trials is the most that count of a test, 0 what its journal or package runner says.
	Trials       int
	InfraRetries int
	AllowStarved bool
	Limits       runner.Limits
	// Seed is the seed of a trial, Argv its command; nil is none.
	RunSeed int64
	Seed    func(of Trial) int64
	Argv    func(of Trial, number int, labels map[string]string) ([]string, error)
}

// Plan is the answer: the document that renderers take.
type Plan struct {
	Schema string `json:"schema"`
	For    string `json:"for"`
	// Run is the name of the run of these trials. It sorts behind earlier ones. Trials that are named again keep theirs.
	Run        string                `json:"run"`
	Seed       int64                 `json:"seed"`
	Rule       string                `json:"rule"`
	SpentUSD   envelope.Opt[float64] `json:"spent_usd,omitzero"`
	MaxCostUSD envelope.Opt[float64] `json:"max_cost_usd,omitzero"`
	Trials     []Trial               `json:"trials"`
	Tests      []Test                `json:"tests"` // by suite, test and variant
}

// Trial is one to run. Who runs it writes run, attempt and adaptive into its result.
type Trial struct {
	envelope.Key
	Run     string `json:"run"`
	Attempt int    `json:"attempt"`
	Seed    int64  `json:"seed"`
	// Adaptive says that outcomes decide how many trials the test gets: the result carries it.
	Adaptive bool     `json:"adaptive"`
	Index    float64  `json:"index"`
	Near     int      `json:"near"` // the fewest further trials that can decide its test
	Argv     []string `json:"argv,omitempty"`
}

// StateOpen is the state of a test that may be run; the others are those of runner.How, Contradicted and Refused.
const (
	StateOpen         = "open"
	StateContradicted = "contradicted"
	StateRefused      = "refused"
)

// States are what a test can be, in the order of a summary.
var States = []string{StateOpen, string(runner.Decided), StateContradicted, string(runner.Full), string(runner.Cost),
	string(runner.Infrastructure), string(runner.CheckFailed), StateRefused}

// Test is where a test stands.
type Test struct {
	envelope.Key
	State    string                `json:"state"`
	Why      string                `json:"why,omitempty"` // there is none, where nobody limited it
	Passed   int                   `json:"passed"`
	Counted  int                   `json:"counted"`
	Excluded int                   `json:"excluded,omitempty"`
	Most     int                   `json:"trials,omitempty"` // that count at most
	Index    envelope.Opt[float64] `json:"index,omitzero"`
	Near     int                   `json:"near,omitempty"`
	Batch    int                   `json:"batch"` // trials of it in the plan
}

func lookedTwice() string {
	return "the rule judges a fixed number of trials; for more, give a higher -n, --threshold and --rule " +
		strings.Join(rule.Sequential(), " or ")
}

const mostOfOne = 1000

// New answers a question.
func New(q Question) (*Plan, error) {
	q.Run = cmp.Or(q.Run, &envelope.Run{})
	b := &builder{Question: q, plan: &Plan{Schema: Schema, For: cmp.Or(q.For, ForVerdict), Seed: q.RunSeed,
		Rule: q.Policy.Rule, MaxCostUSD: q.Limits.MaxCostUSD, Trials: []Trial{}, Tests: []Test{}}}
	b.plan.Run = nextRunName(q.Run)
	b.gather()
	if err := errors.Join(b.rule(), b.replayAll()); err != nil {
		return nil, err
	}
	if err := b.fillBatch(); err != nil {
		return nil, err
	}
	b.describe()
	return b.plan, nil
}

type builder struct {
	Question
	plan      *Plan
	all       []candidate
	scheduler *runner.Scheduler
}

type candidate struct {
	runner.Test
	tally   *envelope.Test // nil without trials
	counts  envelope.CountingRules
	inOrder func(outcomes []bool) envelope.Status // nil unless a sequential rule judges all of them
	refused string
	state   string  // of a test that is refused
	id      int     // in the scheduler
	missing []place // trials of earlier plans that never came, though later ones did
	first   int     // the attempt behind all trials
	given   int
}

type place struct {
	attempt int
	run     string
}

// next is its next trial: what never came is named again, before new ones of a run.
func (c *candidate) next(run string) place {
	if c.given < len(c.missing) {
		return c.missing[c.given]
	}
	return place{c.first + c.given - len(c.missing), run}
}

func (b *builder) gather() {
	wanted := func(k envelope.Key) bool { return b.Only == nil || b.Only(k) }
	at := map[envelope.Key]int{}
	for i := range b.Run.Tests {
		t := &b.Run.Tests[i]
		if !wanted(t.Key) {
			continue
		}
		at[t.Key] = len(b.all)
		c := candidate{Test: runner.Test{Key: t.Key, Labels: t.Labels, Trials: b.Trials}, tally: t}
		if b.Trials == 0 && len(t.Endings) == 1 && t.Endings[0].Trials.OK {
			c.Trials = int(t.Endings[0].Trials.V)
		}
		b.all = append(b.all, c)
	}
	for _, t := range b.Tests {
		if i, known := at[t.Key]; known {
			b.all[i].Labels = t.Labels
			if b.Trials == 0 && t.Trials > 0 {
				b.all[i].Trials = t.Trials
			}
		} else if wanted(t.Key) {
			t.Trials = cmp.Or(b.Trials, t.Trials)
			at[t.Key] = len(b.all)
			b.all = append(b.all, candidate{Test: t})
		}
	}
	slices.SortFunc(b.all, func(a, b candidate) int { return a.Key.Compare(b.Key) })
}

func (b *builder) rule() error {
	policies := verdict.NewPolicies(&envelope.Envelope{Policy: b.Policy})
	for i := range b.all {
		c := &b.all[i]
		policy, err := policies.Of(&envelope.Test{Key: c.Key, Labels: c.Labels})
		if err != nil {
			return fmt.Errorf("policy for test %s: %v", c.Key, err)
		}
		judged, err := rule.ByName(policy.Rule)
		if err != nil {
			return err
		}
		retried := c.tally != nil && c.tally.Rows.Retry() != nil && policy.RetryRule != policy.Rule
		if !retried && !policy.CostLimitUSD.OK && !policy.RunCostLimitUSD.OK { // else not all counted trials judge it
			c.inOrder = verdict.InOrderFor(policy)
		}
		c.counts = envelope.CountingRules{ScoreThreshold: policy.ScoreThreshold.V, DetectEmptyRuns: policy.DetectEmptyRuns.V}
		if c.tally != nil {
			b.missingTrials(c, judged)
		}
	}
	return nil
}

// missingTrials finds the attempts missing before others, the one behind all, and why there cannot be another.
func (b *builder) missingTrials(c *candidate, judged rule.Rule) {
	rows := c.tally.Rows
	c.first = rows.Len()
	var came []place
	for i := range rows.Len() {
		if n, ok := rows.Attempt().At(i); ok {
			c.first = max(c.first, int(n)+1)
			came = append(came, place{int(n), rows.Run().At(i)})
		}
	}
	c.missing = missing(came)
	if outcomes, excluded := c.outcomes(); rows.Len() > 0 && len(outcomes)+excluded == 0 {
		c.state, c.refused = string(runner.CheckFailed), "every trial was skipped"
		return
	}
	if judged.Sequential && len(came) < rows.Len() {
		c.state, c.refused = StateRefused, "results without attempt have no order; copy run, attempt and adaptive of a plan line into its result"
		return
	}
	for _, e := range c.tally.Endings {
		if !judged.Sequential && e.How == envelope.EndedFull && b.Trials > int(e.Trials.Or(0)) && e.Trials.OK {
			c.state, c.refused = string(runner.Full), fmt.Sprintf("all planned trials ran (%d): %s", e.Trials.V, lookedTwice())
		}
	}
}

// missing are the trials that plans named between those that came: each plan goes on behind the last attempt.
func missing(came []place) (lost []place) {
	slices.SortFunc(came, func(a, b place) int { return cmp.Compare(a.attempt, b.attempt) })
	for i := 1; i < len(came); i++ {
		for n := came[i-1].attempt + 1; n < came[i].attempt && isPlan(came[i].run) && len(lost) < mostOfOne; n++ {
			lost = append(lost, place{n, came[i].run})
		}
	}
	return lost
}

func (b *builder) replayAll() (err error) {
	prize := allocate.Verdict
	if b.plan.For == ForFail {
		prize = allocate.Fail
	}
	places := cmp.Or(b.Batch, mostOfOne)
	plan := runner.Plan{Policy: b.Policy, Trials: b.Trials, Places: places, Order: runner.ByValue(prize), InfraRetries: b.InfraRetries,
		AllowStarved: b.AllowStarved, Limits: b.Limits}
	for i := range b.all {
		if c := &b.all[i]; c.refused == "" {
			c.id = len(plan.Tests)
			plan.Tests = append(plan.Tests, c.Test)
			continue
		}
		for _, cost := range b.all[i].tally.Rows.CostUSD().Values() {
			plan.Limits.SpentUSD += cost
		}
	}
	if b.scheduler, err = runner.New(plan); err != nil {
		return err
	}
	for i := range b.all {
		if c := &b.all[i]; c.refused == "" && c.tally != nil {
			if err := b.replay(c); err != nil {
				return err
			}
		}
	}
	b.scheduler.Begin()
	return nil
}

func (b *builder) replay(c *candidate) error {
	rows := c.tally.Rows
	for i := range rows.Len() {
		trial := trialOf(rows, i, c.counts)
		trial.Key = c.Key
		if err := b.scheduler.Recover(runner.Record{Test: c.id, Trial: trial}); err != nil {
			return err
		}
	}
	for _, e := range c.tally.Endings {
		if how := runner.How(e.How); how == runner.Infrastructure || how == runner.CheckFailed {
			return b.scheduler.Recover(runner.End{Test: c.id, How: how})
		}
	}
	return nil
}

// trialOf is a row as the scheduler counts it: the n-th of its test, whatever its attempt is.
func trialOf(rows *envelope.Rows, i int, rules envelope.CountingRules) *envelope.Trial {
	outcome, class := rows.Classify(i, rules)
	trial := &envelope.Trial{Attempt: envelope.Some(int32(i)), CostUSD: rows.CostUSD().Opt(i), Score: rows.Score().Opt(i)}
	trial.Status = outcome.Status()
	if outcome == envelope.Excluded {
		trial.Status, trial.ErrorClass = envelope.Error, class
		if class == envelope.ClassIdleTimeout {
			trial.ErrorClass, trial.ToolCalls = envelope.ClassTimeout, envelope.Some(int32(0))
		}
	}
	return trial
}

func (b *builder) fillBatch() (err error) {
	of := map[int]*candidate{}
	for i := range b.all {
		if c := &b.all[i]; c.refused == "" {
			of[c.id] = c
		}
	}
	for {
		start, more := b.scheduler.Next()
		if !more {
			return nil
		}
		place := start.Trials[0]
		if b.Batch == 0 && len(b.plan.Trials) > 0 && b.plan.Trials[0].Key != of[place.Test].Key {
			return nil // the best test has all that it needs
		}
		c := of[place.Test]
		named := c.next(b.plan.Run)
		trial := Trial{
			Key: c.Key, Run: named.run, Attempt: named.attempt,
			Adaptive: b.scheduler.Sequential(place.Test), Index: b.scheduler.Index(place.Test), Near: b.scheduler.Progress(place.Test).Near,
		}
		if b.Seed != nil {
			trial.Seed = b.Seed(trial)
		}
		if b.Argv != nil {
			if trial.Argv, err = b.Argv(trial, len(b.plan.Trials), c.Labels); err != nil {
				return err
			}
		}
		c.given++
		b.plan.Trials = append(b.plan.Trials, trial)
	}
}

func (b *builder) describe() {
	for i := range b.all {
		c := &b.all[i]
		t := Test{Key: c.Key, State: c.state, Why: c.refused, Batch: c.given}
		if c.refused == "" {
			p := b.scheduler.Progress(c.id)
			t.Passed, t.Counted, t.Excluded, t.Most = p.Passed, p.Counted, p.Excluded, p.Trials
			t.State, t.Near = string(p.How), p.Near
			switch p.How {
			case runner.Decided:
				if outcomes, _ := c.outcomes(); c.inOrder != nil && c.inOrder(outcomes) == envelope.Inconclusive {
					t.State, t.Why = StateContradicted, "later trials contradict its pass, so it is undecided"
				}
			case runner.Full:
				t.Why = words.If(!b.scheduler.Sequential(c.id), lookedTwice())
			case runner.Open:
				t.State, t.Index = StateOpen, envelope.Some(b.scheduler.Index(c.id))
			}
		} else {
			outcomes, excluded := c.outcomes()
			t.Passed, t.Counted, t.Excluded = each.Count(outcomes, func(passed bool) bool { return passed }), len(outcomes), excluded
		}
		b.plan.Tests = append(b.plan.Tests, t)
	}
	b.plan.SpentUSD = b.scheduler.Totals().SpentUSD
}

// outcomes are whether each counted trial passed, in order, and how many others were excluded.
func (c *candidate) outcomes() (passed []bool, excluded int) {
	for i := range c.tally.Rows.Len() {
		switch outcome, _ := c.tally.Rows.Classify(i, c.counts); {
		case outcome == envelope.Excluded:
			excluded++
		case outcome.Counted():
			passed = append(passed, outcome == envelope.Passed)
		}
	}
	return passed, excluded
}
