package runner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/verdict"
)

// The defaults of a run.
const (
	DefaultTrials       = 100 // for sequential rules; other rules have no default
	DefaultInfraRetries = 3
	unlimited           = math.MaxInt32 - 1 // trials of a test that only limits of the run end
)

// Form is which trials one start of the command runs.
type Form int

// The forms of a start.
const (
	Each  Form = iota // one trial of one test
	Batch             // one trial of each undecided test of a suite and variant
	Sweep             // one trial of every test of a variant, decided or not
)

// Plan configures a run. The zero value runs one trial at a time.
type Plan struct {
	Policy envelope.Effective // with its overrides
	Tests  []Test
	Form   Form
	// Together makes batches of all suites: one start runs every open test of a variant.
	Together bool
	// Sweeps are the variants to sweep; none is one sweep without a variant. Unless Tests
	// are known, the first output of each lists its tests (see List).
	Sweeps []string
	// Trials is the most trials per test, unless the test has its own number. 0 is
	// DefaultTrials for sequential rules, and an error for others without Fit.
	Trials int
	// Fit runs tests without a number until the limit on cost or time of the run, which
	// then counts as their plan.
	Fit    bool
	Places int // trials at once; 0 is 1
	// Early stops a test with a fixed number of trials once none can change its verdict.
	Early        bool
	Order        Order // nil is Round
	InfraRetries int   // most trials of a test to replace after infrastructure failures
	FailFast     bool  // end the run once the fail of a test is certain
	Check        bool  // run a check before the first trial of each test
	AllowStarved bool  // also run tests that cannot pass
	Limits       Limits
	// Pairs, if set, runs tests until two variants are compared. The rule then only says
	// how trials count, not when they end.
	Pairs *Pairs
	// Fits returns how many tests of a batch fit into the arguments of one start, which
	// systems limit. Nil is all.
	Fits func(batch Start) int
}

// Test is one test of a run.
type Test struct {
	envelope.Key
	Labels map[string]string
	Trials int // 0 for the number of the plan
}

func (p Plan) normal() Plan {
	p.Places = max(p.Places, 1)
	if p.Order == nil {
		p.Order = Round
	}
	if p.Form == Sweep && len(p.Tests) == 0 && len(p.Sweeps) == 0 {
		p.Sweeps = []string{""}
	}
	return p
}

// check validates what does not depend on the tests.
func (p Plan) check() error {
	var errs []error
	if p.FailFast && p.Policy.Adjust != "" && p.Policy.Adjust != "none" {
		errs = append(errs, fmt.Errorf("--fail-fast stops at a fail, but adjust %s decides at the end which tests fail; leave out one setting",
			p.Policy.Adjust))
	}
	if p.Early && p.Pairs == nil {
		if err := verdict.CheckEarly(p.Policy); err != nil {
			errs = append(errs, fmt.Errorf("remove --stop early (early_exit), which leaves out trials that cannot change a verdict: %w", err))
		}
	}
	if p.Pairs != nil {
		errs = append(errs, p.checkPairs())
	}
	if p.Policy.RunThreshold.OK && p.stopsByOutcome() {
		errs = append(errs, errors.New("--run-threshold needs the same number of trials of each test; use -n 20, and remove --threshold, "+
			"--fail-fast and the rules sprt and anytime (also for single tests)"))
	}
	if p.Places < 0 || p.Trials < 0 || p.InfraRetries < 0 {
		errs = append(errs, errors.New("trials, jobs and infra_retries must be 0 or more"))
	}
	return errors.Join(errs...)
}

// stopsByOutcome reports whether outcomes decide how many trials a test has, even without Early.
func (p Plan) stopsByOutcome() bool {
	return p.FailFast || p.Pairs != nil || sequential(p.Policy.Rule) ||
		slices.ContainsFunc(p.Policy.Overrides, func(o envelope.Override) bool { return sequential(o.Policy.Rule) })
}

// sequential reports a rule that says how many trials a test has.
func sequential(name string) bool {
	by, err := rule.ByName(name)
	return err == nil && by.Sequential
}

// checkUnlisted reports what cannot be of tests that nobody knows yet, before the
// first of them is started. Overrides may change it for some of them.
func (p Plan) checkUnlisted() error {
	trials, err := p.trialsOf(Test{}, p.Policy)
	switch {
	case err != nil:
		return err
	case p.AllowStarved || len(p.Policy.Overrides) > 0:
		return nil
	}
	return cannotPass("a test", p.Policy, trials)
}

func (p Plan) trialsOf(t Test, policy envelope.Effective) (int, error) {
	n := cmp.Or(t.Trials, p.Trials)
	rule, err := rule.ByName(policy.Rule)
	switch {
	case err != nil:
		return 0, err
	case n > 0:
		return n, nil
	case n == 0 && p.Pairs != nil:
		return DefaultPairs, nil
	case n == 0 && rule.Sequential:
		return DefaultTrials, nil
	case n == 0 && p.Fit && !p.Early && p.Order != OneByOne: // it would never come to the second test
		return unlimited, nil
	}
	return 0, p.trialsRequired(t.Key, policy)
}

// trialsRequired is the error for a rule of a fixed number of trials, without one, of a test. The
// number it gives as an example is one with which a test can pass.
func (p Plan) trialsRequired(key envelope.Key, policy envelope.Effective) error {
	const usual = 20
	least, _ := leastPass(policy)
	n, threshold := max(usual, least), 0.9
	if by, _ := rule.ByName(policy.Rule); policy.Threshold.OK && !by.Scored {
		threshold = policy.Threshold.V
	}
	switch rate := policy.RunThreshold; {
	case policy.Rule != p.Policy.Rule:
		var entries []string
		for _, o := range p.Policy.Overrides {
			entries = append(entries, words.Present(words.If(o.Policy.Rule == policy.Rule, cmp.Or(o.Match, "labels")))...)
		}
		return fmt.Errorf("rule %s of %s (under tests: %s) judges a fixed number of trials; add -n %d (the maximum for every test), "+
			"or give that entry rule anytime", policy.Rule, key, strings.Join(entries, ", "), n)
	case rate.OK:
		return fmt.Errorf("--run-threshold needs a fixed number of trials; add -n, such as -n %d: tribunal plan --run-threshold %s --expect %s "+
			"calculates it", n, words.Number(rate.V), words.Number((1+rate.V)/2))
	}
	return fmt.Errorf("rule %s judges a fixed number of trials; give the number, such as -n %d, or stop at the verdict with "+
		"--rule %s --threshold %s", policy.Rule, n, rule.OfThreshold, words.Number(threshold))
}

// leastPass is the fewest counted trials with which a test can pass; ok is false
// when no number is enough.
func leastPass(p envelope.Effective) (trials int, ok bool) {
	if verdict.DecideFor(p) == nil {
		return p.MinTrials.Or(1), true
	}
	return verdict.SmallestPass(p)
}

func cannotPass(test string, p envelope.Effective, trials int) error {
	least, ok := leastPass(p)
	switch {
	case !ok:
		return fmt.Errorf("%s cannot pass: no number of trials is enough for rule %s; lower the threshold", test, p.Rule)
	case trials < least:
		at, lower := p.Threshold.Text(" at threshold ", words.Number), words.If(p.Threshold.OK, "lower the threshold, ")
		return fmt.Errorf("%s cannot pass: rule %s%s passes a test after %d trials at the earliest, but the limit is %d; "+
			"raise -n (or the trials of that test), %sor add --allow-starved", test, p.Rule, at, least, trials, lower)
	}
	return nil
}

// each calls visit with every test, its policy and its number of trials.
func (p Plan) each(visit func(Test, envelope.Effective, int) error) error {
	policies := verdict.NewPolicies(&envelope.Envelope{Policy: p.Policy})
	for _, t := range p.Tests {
		policy, err := policies.Of(&envelope.Test{Key: t.Key, Labels: t.Labels})
		if err != nil {
			return fmt.Errorf("policy for test %s: %v", t.Key, err)
		}
		trials, err := p.trialsOf(t, policy)
		if err != nil {
			return err
		}
		if err := visit(t, policy, trials); err != nil {
			return err
		}
	}
	return nil
}

// stoppings makes the Stopping of each test; tests that are alike share one.
type stoppings struct {
	plan    Plan
	rulings map[rulingKey]*ruling
	made    map[stoppingKey]*Stopping
}

type rulingKey struct {
	rule                                           string
	threshold, confidence, alpha, beta, gap, cover envelope.Opt[float64]
	score                                          float64
	minTrials                                      int
	emptyRuns                                      bool
}

type stoppingKey struct {
	ruling *ruling
	trials int
}

func (s *stoppings) of(p envelope.Effective, trials int) (*Stopping, error) {
	key := rulingKey{
		rule: p.Rule, threshold: p.Threshold, confidence: p.Confidence, alpha: p.Alpha, beta: p.Beta, gap: p.Gap,
		cover: p.MinCoverage, score: p.ScoreThreshold.V, minTrials: p.MinTrials.V, emptyRuns: p.DetectEmptyRuns.V,
	}
	r := s.rulings[key]
	if r == nil {
		var err error
		if r, err = newRuling(p); err != nil {
			return nil, err
		}
		s.rulings[key] = r
	}
	return s.upTo(r, trials), nil
}

func (s *stoppings) upTo(r *ruling, trials int) *Stopping {
	key := stoppingKey{r, trials}
	if s.made[key] == nil {
		s.made[key] = r.upTo(trials, s.plan.Early)
	}
	return s.made[key]
}

// add makes the tests of a list and says what of them cannot be run. Each thing
// is said of the first test that it is true of.
func (s *Scheduler) add(tests []Test) error {
	said := map[stoppingKey]bool{}
	var errs []error
	plan := s.plan
	plan.Tests = tests
	err := plan.each(func(t Test, policy envelope.Effective, trials int) error {
		if _, twice := s.ids[t.Key]; twice {
			return fmt.Errorf("%s is listed twice: name it once, and set the number of trials with -n", t.Key)
		}
		stop, err := s.stoppings.of(policy, trials)
		if err != nil {
			return err
		}
		if why := (stoppingKey{stop.ruling, trials}); !plan.AllowStarved && plan.Pairs == nil && !said[why] {
			said[why] = true
			errs = append(errs, cannotPass("test "+t.Key.String(), policy, trials))
		}
		s.insert(t, stop)
		return nil
	})
	s.rank()
	return errors.Join(append(errs, err)...)
}

func (s *Scheduler) insert(t Test, stop *Stopping) {
	id := len(s.tests)
	s.ids[t.Key] = id
	group := s.groupOf(t.Key)
	made := &test{key: t.Key, stop: stop, planned: stop.trials, group: group, queued: unqueued, checked: !s.plan.Check}
	s.tests = append(s.tests, made)
	g := s.groups[group]
	g.tests = append(g.tests, id)
	if !made.checked {
		g.unchecked++
	}
}

// groupOf is the number of the group of a test: what is started together.
func (s *Scheduler) groupOf(k envelope.Key) int {
	key := k
	switch s.plan.Form {
	case Batch:
		key.Test = ""
		key = s.groupKey(key)
	case Sweep:
		key = envelope.Key{Variant: s.sweepOf(k.Variant)}
	case Each:
		return s.group(envelope.Key{})
	}
	return s.group(key)
}

func (s *Scheduler) groupKey(k envelope.Key) envelope.Key {
	switch {
	case s.plan.Form == Sweep:
		k.Variant = s.sweepOf(k.Variant)
	case s.plan.Together:
		k.Suite = ""
	}
	return k
}

// sweepOf is the sweep in which tests of a variant are run. A variant that the
// plan does not have is one that the output tells, such as a browser.
func (s *Scheduler) sweepOf(variant string) string {
	if len(s.plan.Sweeps) > 0 && !slices.Contains(s.plan.Sweeps, variant) {
		return ""
	}
	return variant
}

func (s *Scheduler) group(key envelope.Key) int {
	if i, ok := s.groupIDs[key]; ok {
		return i
	}
	i := len(s.groups)
	s.groupIDs[key] = i
	s.groups = append(s.groups, &group{key: key, listed: true})
	return i
}

func (s *Scheduler) rank() {
	s.queue.tests = s.tests
	keys := slices.SortedFunc(maps.Keys(s.ids), envelope.Key.Compare)
	for i, k := range keys {
		s.tests[s.ids[k]].rank = i
	}
}
