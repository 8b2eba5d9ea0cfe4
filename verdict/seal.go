package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/heap"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
	"tribunal/reliability"
	"tribunal/stats"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// Seal judges a run under an effective policy (see Resolve) and returns its
// envelope, the only way to get one. Secrets are taken out first, so that no
// output can leak what another hid. The envelope shares the rows of the run, in
// which the outcomes are set; of a run that was sealed before it has rows of its
// own, so that each envelope keeps its outcomes. Nothing else of the run is
// changed. Rows that are nil are rows of no trial. The error is that of a policy
// that cannot be used, or of no run.
func Seal(run *envelope.Run, policy envelope.Effective) (*envelope.Envelope, error) {
	if run == nil {
		return nil, errors.New("judging: there is no run; count one with a Builder first")
	}
	run, policy, hidden, err := redacted(withRows(run), policy)
	if err != nil {
		return nil, err
	}
	env := &envelope.Envelope{Run: run.Header, Policy: policy, Tests: heap.Slice[envelope.Test](len(run.Tests))}
	policies := newOverrider(policy)
	rules, err := policies.all(run.Tests)
	if err != nil {
		return nil, err
	}
	claims := judgeTests(env, run, rules)
	starved := starving(env, rules)
	adjust(claims, policy)
	foresee(env, rules)
	quarantined := quarantine(env)
	summarise(env)
	lost := overflowed(env)
	env.Problems = append(slices.Clone(run.Problems), policies.unused()...)
	cluster(env)
	if err := measure(env); err != nil {
		return nil, err
	}
	env.Problems = envelope.SortProblems(slices.Concat([]envelope.Problem{}, env.Problems, judged(env), lost, starved.problem(), quarantined, hidden))
	env.Gate = gate.Of(env, starved.nobody())
	return env, nil
}

// withRows is the run itself unless a test of it has no rows at all.
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

// spanTests is how many tests are judged at a stretch, several stretches at a
// time.
const spanTests = 64

// judgeTests counts and judges every test and returns what they claim, in their
// order. Under a cost limit of the run a test depends on those before it.
func judgeTests(env *envelope.Envelope, run *envelope.Run, rules []*ruled) []claim {
	budget := newPurse(env.Policy.RunCostLimitUSD, env.Policy.RunCostLimitUSD.OK && anyCost(run.Tests))
	size := spanTests
	if budget.limit.OK {
		size = max(1, len(rules))
	}
	span := func(n int) (claims []claim) {
		var s rule.Sample
		var ms []float64 // durations of a test, whose order quantiles change
		for i := n * size; i < min(len(rules), (n+1)*size); i++ {
			t := &env.Tests[i]
			fillIn(t, &run.Tests[i], &rules[i].policy, budget, &s)
			t.SetEndings(run.Tests[i].Endings, &env.Run)
			ms = spend(t, ms)
			by := judge(t, &s, rules[i], &env.Run)
			t.CostToVerdict = costToVerdict(t)
			if c, ok := claimOf(t, by, &s, rules[i].policy); ok && t.Verdict.Rule == by.Name {
				claims = append(claims, c)
			}
		}
		return claims
	}
	return slices.Concat(parallel.All((len(rules)+size-1)/size, span)...)
}

// fillIn says everything of a test that does not depend on the rule, and what
// the rule is to see.
func fillIn(t *envelope.Test, tally *envelope.Tally, p *envelope.Effective, budget *purse, sample *rule.Sample) {
	*t = envelope.Test{Key: tally.Key, File: tally.File, Line: tally.Line, Labels: tally.Labels, Varies: tally.Varies, Rows: tally.Rows, History: tally.History}
	classify(t, p, budget)
	sample.Fill(t.Rows)
	t.Trials.Counted, t.Trials.Passed = sample.N(), sample.Passed
	t.Flaky = sample.Passed > 0 && sample.Passed < sample.N()
	t.Rate = rates(t.Trials, p.Confidence.V)
	t.Reliability = reliabilityOf(sample.Outcomes)
	t.Details = detailsOf(t, tally.Details)
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

// classify says what each trial counts as. Where no money is limited, a pass is a
// pass.
func classify(t *envelope.Test, p *envelope.Effective, budget *purse) {
	if t.Rows.Outcome != nil {
		again := *t.Rows
		t.Rows = &again
	}
	rows := t.Rows
	rows.Outcome = make(envelope.Outcomes, rows.Len())
	t.Trials = envelope.TrialCounts{Total: rows.Len(), Excluded: nothingExcluded}
	rules := envelope.CountingRules{ScoreThreshold: p.ScoreThreshold.V, DetectEmptyRuns: p.DetectEmptyRuns.V}
	own := newPurse(p.CostLimitUSD, p.CostLimitUSD.OK && knowsCost(rows))
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

// excluded is the number of trials that were tried and excluded: neither skipped
// nor left out because the cost limit was reached.
func excluded(c envelope.TrialCounts) int {
	return c.Total - c.Counted - c.Excluded[string(envelope.Skip)] - c.Excluded[envelope.ClassCostLimit]
}

// rates gives both pass rates with their Wilson intervals, and the bracket when
// something is excluded or counted at all.
func rates(c envelope.TrialCounts, confidence float64) (r envelope.Rates) {
	all := c.Counted + excluded(c)
	if all == 0 {
		return r
	}
	var found struct { // one piece of memory: there may be a million of them
		protocol, intent envelope.Rate
		bracket          envelope.Bracket
	}
	if c.Counted > 0 {
		found.protocol = rate(c.Passed, c.Counted, confidence)
		r.PerProtocol = &found.protocol
	}
	found.intent = rate(c.Passed, all, confidence)
	found.bracket = envelope.Bracket{Lo: float64(c.Passed) / float64(all), Hi: float64(c.Passed+all-c.Counted) / float64(all)}
	r.IntentToTreat, r.Bracket = &found.intent, &found.bracket
	return r
}

func rate(passed, n int, confidence float64) envelope.Rate {
	lo, hi := stats.Wilson(passed, n, stats.ConventionalZ(confidence))
	return envelope.Rate{Value: float64(passed) / float64(n), Lo: lo, Hi: hi, Method: "wilson", Confidence: confidence}
}

// judge gives a test its status and verdict. It returns the rule that did.
func judge(t *envelope.Test, s *rule.Sample, r *ruled, header *envelope.RunHeader) rule.Rule {
	by, found := decide(t, s, r)
	if missing, ok := notStarted(t, header); ok {
		found = missing
	}
	t.Status, t.Verdict = found.Status, found.Verdict
	if t.Verdict.ValidUnderPeeking.V {
		doubtPeeking(&t.Verdict, s, t.Rows)
	}
	t.Verdict.Rule, t.Verdict.N, t.Verdict.Passed = by.Name, s.N(), s.Passed
	t.Verdict.Statistic = envelope.Finite(t.Verdict.Statistic.Or(math.NaN()))
	if i := t.Verdict.Interval; i != nil && !(envelope.Finite(i.Lo).OK && envelope.Finite(i.Hi).OK) {
		t.Verdict.Interval = nil
	}
	t.Score = by.Score(s, r.policy.Confidence.V)
	return by
}

// doubtPeeking takes back that a verdict is valid however often one looks where
// the trials do not bear it: retries are no trials of their own, and trials that
// share a place may find another order at the next look.
func doubtPeeking(v *envelope.Verdict, s *rule.Sample, rows *envelope.Rows) {
	unplaced := rows.Unplaced()
	if unplaced > 0 {
		v.Reason += fmt.Sprintf("; %d trials share their run and attempt with others and do not all say when they began: a later look may find them in another order, so give each process its own run", unplaced)
	}
	if s.Retries > 0 || unplaced > 0 {
		v.ValidUnderPeeking = envelope.Some(false)
	}
}

// decide is what the trials of a test say, as far as all of them are there.
func decide(t *envelope.Test, s *rule.Sample, r *ruled) (rule.Rule, rule.Judgement) {
	by, found := decideThese(t, s, r)
	if unfinished(t, &by, &r.policy, s.N(), s.Passed, found.Status) {
		found = cutShort(found, t, s.N())
	}
	t.CostLimited = t.CostLimited || t.Ended == envelope.EndedCost // by the run that started its trials
	return by, found
}

// decideThese is what the trials say that there are.
func decideThese(t *envelope.Test, s *rule.Sample, r *ruled) (rule.Rule, rule.Judgement) {
	p, by := &r.policy, r.rule
	if r.retry != nil && s.Retries > 0 && len(s.Chains) == 1 {
		by = *r.retry
	}
	left := excluded(t.Trials)
	switch where := standingOf(&by, p, s.N(), left); {
	case s.N() == 0 && t.CostLimited:
		return by, word(envelope.Error, "no trial counts: the cost limit was reached before the first (%s)", classes(t.Trials.Excluded))
	case where == untried:
		return by, skipped(t.Trials.Total)
	case where == voided:
		return by, word(envelope.Error, "no trial counts: %s excluded (%s)", words.Plural(left, "trial", "trials"), classes(t.Trials.Excluded))
	case where == thin:
		found := word(envelope.Inconclusive, "only %s of %s count, below the coverage of %s asked for (%s)",
			words.Plural(s.N(), "trial", "trials"), words.Plural(s.N()+left, "trial", "trials"), words.Level(p.MinCoverage.V), classes(t.Trials.Excluded))
		found.Verdict.MinCoverage = p.MinCoverage
		return by, found
	case where == few:
		return by, word(envelope.Inconclusive, "%s counted, at least %d are asked for", words.Plural(s.N(), "trial", "trials"), p.MinTrials.V).WithThreshold(*p)
	case r.retry != nil && s.Retries > 0 && len(s.Chains) > 1:
		return by, rule.JudgeChains(s)
	}
	found := by.Judge(s, *p)
	if t.CostLimited {
		found.Verdict.Reason += fmt.Sprintf("; %d later trials are not counted: the cost limit was reached", t.Trials.Excluded[envelope.ClassCostLimit])
	}
	if by.ThreeWay && s.Retries > 0 {
		found.Verdict.Reason += fmt.Sprintf("; %d of these are retries, which are not independent trials: read this with care", s.Retries)
	}
	return by, found
}

func skipped(n int) rule.Judgement {
	if n == 1 {
		return word(envelope.Skip, "its only trial was skipped")
	}
	return word(envelope.Skip, "all %s were skipped", words.Plural(n, "trial", "trials"))
}

func word(status envelope.Status, format string, args ...any) rule.Judgement {
	return rule.Judgement{Status: status, Verdict: envelope.Verdict{Reason: fmt.Sprintf(format, args...)}}
}
