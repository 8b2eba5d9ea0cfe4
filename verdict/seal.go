package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/reliability"
)

// Seal judges a run under an effective policy (see Resolve) and returns its envelope. It redacts
// secrets first, so that all outputs hide the same. The envelope shares the rows of the run, unless
// the run was sealed before. The error is that of an unusable policy or of a nil run.
func Seal(run *envelope.Run, policy envelope.Effective) (*envelope.Envelope, error) {
	if run == nil {
		return nil, errors.New("judging: there is no run; count one with a Builder first")
	}
	own := *run
	own.Tests = append([]envelope.Test{}, run.Tests...)
	return SealOwned(&own, policy)
}

// SealOwned is Seal of a run that is not used again: the envelope takes over its tests, which saves 496 bytes a test.
func SealOwned(run *envelope.Run, policy envelope.Effective) (*envelope.Envelope, error) {
	for i := range run.Tests {
		if t := &run.Tests[i]; t.Rows == nil {
			t.Rows = &envelope.Rows{}
		}
	}
	run, policy, hidden, err := redacted(run, policy)
	if err != nil {
		return nil, err
	}
	env := &envelope.Envelope{Run: run.Header, Policy: policy, Steps: run.Steps, Reasons: run.Reasons,
		Problems: slices.Clone(run.Problems), Tests: run.Tests}
	policies := newOverrider(policy)
	rules, err := policies.all(env.Tests)
	if err != nil {
		return nil, err
	}
	claims := judgeTests(env, rules)
	tooFewTrials := findTooFewTrials(env, rules)
	shareTexts(env, run.Texts)
	adjust(claims, policy)
	findChanges(env, rules)
	quarantined := quarantine(env)
	summarise(env)
	for i := range env.Tests {
		env.Tests[i].Kind = env.Tests[i].KindOf()
	}
	groupCauses(env)
	findDivergence(env)
	countSavedTrials(env, rules)
	estimateStopped(env, rules)
	if env.Summary.Stopped == nil {
		env.Summary.Score = meanScore(env)
	}
	var lost []envelope.Problem
	for i := range quantities { // a total that is too large for a number goes: a part is not the total
		lost = append(lost, quantities[i].overflowed(env)...)
	}
	env.Problems = append(env.Problems, policies.unused(env.Tests)...)
	addClusters(env)
	compareLabels(env)
	measureVotes(env)
	if err := computeMetrics(env); err != nil {
		return nil, err
	}
	env.Problems = envelope.SortProblems(slices.Concat([]envelope.Problem{}, env.Problems, trialProblems(env),
		exclusionProblems(env), judgeErrorProblems(env), lost, tooFewTrials.problem(), ruleAdvice(env), quarantined, hidden))
	env.Gate = gate.Of(env, tooFewTrials.nobody(), undecided(env, rules), func(test int) bool { return rules[test].named })
	return env, nil
}

// judgeTests counts and judges every test and returns their claims in order. Under a cost
// limit of the run, a test depends on the tests before it.
func judgeTests(env *envelope.Envelope, rules []*ruled) []claim {
	limit := env.Policy.RunCostLimitUSD
	budget := newBudget(limit, limit.OK && envelope.AnyTest(env.Tests, func(t *envelope.Test) bool { return knowsCost(t.Rows) }))
	size := spanTests
	if budget.limit.OK {
		size = max(1, len(rules))
	}
	scratches := sync.Pool{New: func() any { return new(scratch) }}
	reasons, alone := envelope.HashReasons(nil, env.Reasons), env.Policy.RunJudgedAlone()
	span := func(n int) (j judgedTests) {
		d := scratches.Get().(*scratch)
		defer scratches.Put(d)
		for i := n * size; i < min(len(rules), (n+1)*size); i++ {
			t := &env.Tests[i]
			fillIn(t, &rules[i].policy, budget, &d.sample, &d.shared)
			t.SetEndings(t.Endings, &env.Run)
			d.ms = sumCosts(t, d.ms, rules[i].policy.Confidence.V)
			by := judge(t, &d.verdict, &d.sample, rules[i], &env.Run)
			if alone && t.Status == envelope.Fail && !rules[i].named {
				t.Verdict.Reason = strings.TrimSuffix(t.Verdict.Reason, "; all must") + envelope.OnlyRunJudged
			}
			t.CostToVerdict = costToVerdict(t)
			j.sum, d.hashes = t.AddTo(j.sum, reasons, d.hashes)
			if c, ok := claimOf(t, by, &d.sample, rules[i].policy); ok && t.Verdict.Rule == by.Name {
				j.claims = append(j.claims, c)
			}
			t.Verdict = d.shared.verdicts.Own(t.Verdict)
		}
		return j
	}
	var all judgedTests
	for j := range parallel.Seq((len(rules)+size-1)/size, span) {
		all.claims = append(all.claims, j.claims...)
		all.sum.Add(j.sum)
	}
	env.KeepSum(all.sum)
	return all.claims
}

// scratch is the memory that judging a test needs, reused for the next test.
type scratch struct {
	sample  rule.Sample
	shared  shared
	verdict envelope.Verdict // of the test that is judged
	ms      []float64        // durations of a test, whose order quantiles change
	hashes  []uint64         // of the trials of a test
}

// judgedTests are the claims of some tests, and the sum of their trials.
type judgedTests struct {
	claims []claim
	sum    envelope.TrialsSum
}

// fillIn sets what does not depend on the rule, and the sample for the rule.
func fillIn(t *envelope.Test, p *envelope.Effective, budget *budget, sample *rule.Sample, shared *shared) {
	classify(t, p, budget)
	sample.Fill(t.Rows)
	t.Trials.Counted, t.Trials.Passed = sample.N(), sample.Passed
	t.Flaky = sample.Passed > 0 && sample.Passed < sample.N()
	t.Rate = shared.ratesOf(t.Trials, p.Confidence.V)
	t.Reliability = shared.curve.of(sample.Outcomes)
	t.Details = detailsOf(t, t.Details)
	t.DetailsClear, t.ConversationsClear = false, false
	fillInside(t, p)
}

// shared caches results, because most tests have the same counts as another.
type shared struct {
	curve    lastCurve
	rates    map[rateCounts]envelope.Rates
	verdicts envelope.Verdicts
}

type rateCounts struct {
	passed, counted, excluded int
	confidence                float64
}

func (m *shared) ratesOf(c envelope.TrialCounts, confidence float64) envelope.Rates {
	of := rateCounts{c.Passed, c.Counted, excluded(c), confidence}
	r, known := m.rates[of]
	if !known {
		const mostRates = 1 << 12 // bounds the cached rates
		if m.rates == nil || len(m.rates) >= mostRates {
			m.rates = map[rateCounts]envelope.Rates{}
		}
		r = rates(c, confidence)
		m.rates[of] = r
	}
	return r
}

// lastCurve caches the reliability of the previous test, which often has the same outcomes.
type lastCurve struct {
	outcomes    []bool
	reliability *envelope.Reliability
}

func (l *lastCurve) of(outcomes []bool) *envelope.Reliability {
	if l.reliability == nil || !slices.Equal(l.outcomes, outcomes) {
		l.outcomes = append(l.outcomes[:0], outcomes...)
		l.reliability = reliabilityOf(outcomes)
	}
	return l.reliability
}

func reliabilityOf(outcomes []bool) *envelope.Reliability {
	r, ok := reliability.Of(outcomes)
	if !ok {
		return nil
	}
	return (*envelope.Reliability)(&r)
}

// classify sets the outcome of each trial. Trials after a cost limit are excluded.
func classify(t *envelope.Test, p *envelope.Effective, budget *budget) {
	if t.Rows.Outcome != nil {
		again := *t.Rows
		t.Rows = &again
	}
	rows := t.Rows
	rows.Outcome = make(envelope.Outcomes, rows.Len())
	t.Trials = envelope.TrialCounts{Total: rows.Len(), Excluded: nothingExcluded}
	rules := envelope.CountingRules{ScoreThreshold: p.ScoreThreshold.V, DetectEmptyRuns: p.DetectEmptyRuns.V}
	own := newBudget(p.CostLimitUSD, p.CostLimitUSD.OK && knowsCost(rows))
	free := !own.limit.OK && !budget.limit.OK
	for i, given := range rows.Given {
		if free && given == envelope.Given(envelope.Passed) {
			rows.Outcome[i] = envelope.Passed
			continue
		}
		outcome, class := rows.Classify(i, rules)
		if outcome != envelope.Skipped && (own.empty() || budget.empty()) {
			outcome, class, t.CostLimited = envelope.Excluded, envelope.ClassCostLimit, true
		}
		own.pay(rows, i)
		budget.pay(rows, i)
		rows.Outcome[i] = outcome
		if class == "" {
			continue
		}
		if len(t.Trials.Excluded) == 0 { // nothingExcluded is not its own
			t.Trials.Excluded = map[string]int{}
		}
		t.Trials.Excluded[class]++
	}
	if _, beyond := t.Beyond(); beyond.OK {
		budget.spent.add(beyond.V)
	}
}

// nothingExcluded is shared by all tests without excluded trials.
var nothingExcluded = map[string]int{}

// detailsOf returns the details of trials that did not pass under this policy, each with a status. Usually these are all, unchanged.
func detailsOf(t *envelope.Test, details []envelope.Detail) []envelope.Detail {
	other := func(d envelope.Detail) bool { return t.Rows.Outcome[d.Trial] == envelope.Passed || d.Status == "" }
	if len(details) > 0 && !slices.ContainsFunc(details, other) {
		return details
	}
	var out []envelope.Detail
	for _, d := range details {
		if t.Rows.Outcome[d.Trial] == envelope.Passed {
			continue
		}
		d.Status = cmp.Or(d.Status, envelope.Fail)
		out = append(out, d)
	}
	return out
}

// NewBuilder returns a Builder that keeps as many details as a policy asks for. The error
// is that of the policy, before time is spent on reading.
func NewBuilder(asked envelope.Policy) (*count.Builder, error) {
	known := policy.Fill(asked, policy.Defaults())
	if err := CheckValues(known); err != nil {
		return nil, err
	}
	keep, conversations, err := numbersToKeep(known)
	if err != nil {
		return nil, err
	}
	b := count.NewBuilder(keep, known.ScoreThreshold.V)
	b.KeepConversations(conversations)
	return b, b.Hide(redactRules(known))
}

// numbersToKeep are how many details and conversations of a test a policy keeps.
func numbersToKeep(p envelope.Policy) (details, conversations int, err error) {
	if details, err = policy.KeepDetails(p.KeepDetails); err == nil {
		conversations, err = policy.KeepTranscripts(p.KeepTranscripts)
	}
	return details, conversations, err
}

// Judge finishes counting and judges the run, under the policy of its inputs with the asked one on top. Do not use the
// Builder afterwards. The error is that of an unusable policy; errors of inputs are problems in the envelope.
func Judge(b *count.Builder, asked envelope.Policy) (*envelope.Envelope, error) {
	held, err := PolicyFor(b, asked)
	if err != nil {
		return nil, err
	}
	run, err := Counted(b, held)
	if err != nil {
		return nil, err
	}
	return SealOwned(run, held)
}

// Counted finishes counting and keeps what the policy asks for.
func Counted(b *count.Builder, held envelope.Effective) (*envelope.Run, error) {
	keep, conversations, err := numbersToKeep(held.Policy)
	if err != nil {
		return nil, err
	}
	b.KeepConversations(conversations)
	tellShort(b, held)
	return b.Run(held.OnConflict, keep), nil
}

// PolicyFor is the asked policy on top of the one that the inputs share. If their policies differ, it uses the default
// policy and reports a problem; with a rule asked for, it uses what their policies agree on.
func PolicyFor(b *count.Builder, asked envelope.Policy) (envelope.Effective, error) {
	carried := b.Policies()
	var base envelope.Policy
	switch {
	case len(carried) == 1:
		base = Asked(carried[0])
	case len(carried) > 1 && asked.Rule == "":
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePolicies,
			Message: fmt.Sprintf("the inputs were judged under %d different policies, so this report uses your settings and the defaults; "+
				"name a rule with --rule or in tribunal.yaml", len(carried))})
	case len(carried) > 1:
		base = agreed(b, carried, asked)
	}
	all := Layer(base, asked)
	held, err := Resolve(all)
	if asked.Rule == "" {
		err = cmp.Or(CheckUsed(asked, all), err)
	}
	if err != nil && len(carried) == 1 {
		return held, fmt.Errorf("policy of the input with your settings: %w", err)
	}
	return held, err
}

// tellShort reports, of each of several merged reports, what made it red beside its trials: other reports do not heal it.
// Gates are judged again if the policy has any.
func tellShort(b *count.Builder, held envelope.Effective) {
	for _, rec := range b.Recorded() {
		if e := rec.Envelope; e != nil && b.Trials() > rec.Run.Trials() {
			found := Absent(rec.Run.Header.PlannedTrials, e.Policy, rec.Run.Trials(), envelope.Retries(rec.Run.Tests), len(e.Tests))
			for _, g := range e.Gate.Gates {
				if g.Status == envelope.Fail && g.Name == gate.RunnerExit {
					found = append(found, envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeCommandFailed, Message: g.Saw})
				} else if g.Status == envelope.Fail && len(held.Gates) == 0 {
					found = append(found, envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePolicies,
						Message: g.Unheld() + "; to check it over all inputs, use --gate"})
				}
			}
			for _, p := range found {
				p.Input, p.Stage = rec.Input, ""
				b.Problem(p)
			}
		}
	}
}

// agreed is what all policies of the inputs share. It warns of keys that differ, such as
// gates, but not of rule parameters, because another rule is asked for.
func agreed(b *count.Builder, carried []envelope.Carried, asked envelope.Policy) envelope.Policy {
	all := each.Of(carried, func(c envelope.Carried) envelope.Policy { return policy.Fill(Asked(c), policy.Defaults()) })
	base, differ := policy.Agreed(all)
	base.RunnerFailed.OK = slices.ContainsFunc(all, func(p envelope.Policy) bool { return p.RunnerFailed.V })
	base.RunnerFailed.V = base.RunnerFailed.OK
	var lost []string
	for _, k := range differ {
		if !k.OfRules && k.LookedAt == policy.ByAllRules && !k.IsSet(&asked) && !k.IsSet(&base) {
			lost = append(lost, k.Name)
		}
	}
	if len(lost) > 0 {
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodePolicies,
			Message: fmt.Sprintf("the inputs were judged under %d different policies; keys that differ are ignored: %s",
				len(carried), strings.Join(lost, ", "))})
	}
	return base
}
