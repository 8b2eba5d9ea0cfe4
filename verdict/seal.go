package verdict

import (
	"errors"
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/reliability"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// Seal judges a run under an effective policy (see Resolve) and returns its
// envelope. Nothing else makes one. Secrets are redacted first, so that no output
// shows what another hides. The envelope shares the rows of the run, unless the
// run was sealed before: then it has copies. An unusable policy, or no run, is an
// error.
func Seal(run *envelope.Run, policy envelope.Effective) (*envelope.Envelope, error) {
	if run == nil {
		return nil, errors.New("judging: there is no run; count one with a Builder first")
	}
	run, policy, hidden, err := redacted(withRows(run), policy)
	if err != nil {
		return nil, err
	}
	env, texts := unjudged(run, policy)
	policies := newOverrider(policy)
	rules, err := policies.all(env.Tests)
	if err != nil {
		return nil, err
	}
	claims := judgeTests(env, rules)
	tooFewTrials := findTooFewTrials(env, rules)
	shareTexts(env, texts)
	adjust(claims, policy)
	foresee(env, rules)
	quarantined := quarantine(env)
	summarise(env)
	classifyTests(env)
	groupCauses(env)
	part(env)
	save(env, rules)
	stop(env, rules)
	if env.Summary.Stopped == nil {
		env.Summary.Score = meanScore(env)
	}
	lost := overflowed(env)
	env.Problems = append(env.Problems, policies.unused(env.Tests)...)
	cluster(env)
	labelled(env)
	voted(env)
	if err := measure(env); err != nil {
		return nil, err
	}
	env.Problems = envelope.SortProblems(slices.Concat([]envelope.Problem{}, env.Problems, judged(env), started(env), turned(env), lost, tooFewTrials.problem(), advice(env), quarantined, hidden))
	env.Gate = gate.Of(env, tooFewTrials.nobody(), undecided(env, rules), func(test int) bool { return rules[test].named })
	return env, nil
}

// withRows gives tests without rows empty ones, in a copy of the run.
func withRows(run *envelope.Run) *envelope.Run {
	if !slices.ContainsFunc(run.Tests, func(t envelope.Tally) bool { return t.Rows == nil }) {
		return run
	}
	out := *run
	out.Tests = slices.Clone(run.Tests)
	for i := range out.Tests {
		if out.Tests[i].Rows == nil {
			out.Tests[i].Rows = &envelope.Rows{}
		}
	}
	return &out
}

// unjudged is the envelope of a run of which nothing is counted yet, and the texts that
// its transcripts refer to. The run is not looked at again, so that its tests need no
// memory while they are judged.
func unjudged(run *envelope.Run, policy envelope.Effective) (env *envelope.Envelope, texts []string) {
	env = &envelope.Envelope{Run: run.Header, Policy: policy, Steps: run.Steps, Reasons: run.Reasons, Problems: slices.Clone(run.Problems), Tests: make([]envelope.Test, len(run.Tests))}
	parallel.Spans(len(run.Tests), spanTests, func(from, to int) {
		for i := from; i < to; i++ {
			tally := &run.Tests[i]
			env.Tests[i] = envelope.Test{Key: tally.Key, File: tally.File, Line: tally.Line, Owners: tally.Owners, Labels: tally.Labels,
				Varies: tally.Varies, Rows: tally.Rows, Details: tally.Details, Transcripts: tally.Transcripts, Endings: tally.Endings, History: tally.History}
		}
	})
	return env, run.Texts
}

// judgeTests counts and judges every test and returns what they claim, in their
// order. Under a cost limit of the run a test depends on those before it.
func judgeTests(env *envelope.Envelope, rules []*ruled) []claim {
	budget := newBudget(env.Policy.RunCostLimitUSD, env.Policy.RunCostLimitUSD.OK && anyCost(env.Tests))
	size := spanTests
	if budget.limit.OK {
		size = max(1, len(rules))
	}
	scratches := sync.Pool{New: func() any { return new(scratch) }}
	reasons := envelope.HashReasons(nil, env.Reasons)
	span := func(n int) (j judgedTests) {
		d := scratches.Get().(*scratch)
		defer scratches.Put(d)
		for i := n * size; i < min(len(rules), (n+1)*size); i++ {
			t := &env.Tests[i]
			fillIn(t, &rules[i].policy, budget, &d.sample, &d.shared)
			t.SetEndings(t.Endings, &env.Run)
			d.ms = spend(t, d.ms, rules[i].policy.Confidence.V)
			by := judge(t, &d.verdict, &d.sample, rules[i], &env.Run)
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

// judgedTests are some tests that were judged: what they claim, and the sum of their
// trials, which is made while these are in the processor's caches.
type judgedTests struct {
	claims []claim
	sum    envelope.TrialsSum
}

// fillIn sets all that does not depend on the rule, and the sample that it judges.
func fillIn(t *envelope.Test, p *envelope.Effective, budget *budget, sample *rule.Sample, shared *shared) {
	classify(t, p, budget)
	sample.Fill(t.Rows)
	t.Trials.Counted, t.Trials.Passed = sample.N(), sample.Passed
	t.Flaky = sample.Passed > 0 && sample.Passed < sample.N()
	t.Rate = shared.ratesOf(t.Trials, p.Confidence.V)
	t.Reliability = shared.curve.of(sample.Outcomes)
	t.Details = detailsOf(t, t.Details)
	fillInside(t, p)
}

// shared caches results, because most tests have the same counts as another.
type shared struct {
	curve    lastCurve
	rates    map[rateCounts]envelope.Rates
	verdicts envelope.Verdicts
}

// mostRates bounds the rates that are looked up.
const mostRates = 1 << 12

// rateCounts are what the rates of a test are made of.
type rateCounts struct {
	passed, counted, excluded int
	confidence                float64
}

func (m *shared) ratesOf(c envelope.TrialCounts, confidence float64) envelope.Rates {
	of := rateCounts{c.Passed, c.Counted, excluded(c), confidence}
	r, known := m.rates[of]
	if !known {
		if m.rates == nil || len(m.rates) >= mostRates {
			m.rates = map[rateCounts]envelope.Rates{}
		}
		r = rates(c, confidence)
		m.rates[of] = r
	}
	return r
}

// lastCurve is the reliability of the test before, which most often is that of the
// next one, too: where they have the same outcomes, they share it.
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
	return &envelope.Reliability{
		Runs: r.Runs, PassAtK: r.PassAtK, PassHatK: r.PassHatK, AllPassed: r.AllPassed,
		VarianceAmplification: r.VarianceAmplification, GracefulDegradation: r.GracefulDegradation, Curve: r.Curve,
	}
}

// classify sets the outcome of each trial, which a cost limit may exclude.
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
		if class != "" {
			exclude(&t.Trials, class)
		}
	}
	if _, beyond := t.Beyond(); beyond.OK {
		budget.spent.add(beyond.V)
	}
}

// nothingExcluded is what tests share of which every trial counts: nearly all.
var nothingExcluded = map[string]int{}

// exclude counts a trial under the class it is excluded under.
func exclude(c *envelope.TrialCounts, class string) {
	if len(c.Excluded) == 0 {
		c.Excluded = map[string]int{}
	}
	c.Excluded[class]++
}

// detailsOf keeps the texts of trials that did not pass under this policy, with
// the status they came to have. Nearly always these are all, as they are.
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
		if d.Status == "" {
			d.Status = envelope.Fail
		}
		out = append(out, d)
	}
	return out
}
