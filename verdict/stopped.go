package verdict

import (
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// unevenLevel is the level of the test that outcomes decided how many trials tests have.
const unevenLevel = 0.001

// estimateStopped sets an unbiased pass rate if trials record, or a test shows, that outcomes decided their number.
func estimateStopped(env *envelope.Envelope, rules []*ruled) {
	stopped := &envelope.Stopped{}
	for i := range env.Tests {
		if env.Tests[i].StoppedByOutcome(&env.Run) {
			stopped.Tests++
		}
	}
	var rates []float64
	if stopped.Tests > 0 {
		rates = ratesOfStops(env, rules)
	} else if p := uneven(env.Tests, unevenLevel); p <= unevenLevel {
		stopped.P = envelope.Some(p)
	} else {
		return
	}
	env.Summary.Stopped = stopped
	if rates == nil {
		_, rates = firstTrials(env.Tests, false)
	}
	if level := env.Policy.Confidence.V; len(rates) > 1 {
		stopped.Rate = &envelope.Rate{Method: "bounded mean of unbiased rates", Confidence: level}
		for _, rate := range rates {
			stopped.Rate.Value += rate / float64(len(rates))
		}
		stopped.Rate.Lo, stopped.Rate.Hi = stats.BoundedMean(rates, level)
	}
}

// stopAt is where a test stopped, under which policy, and the most trials it was to have.
type stopAt struct {
	by                      *ruled
	passed, trials, planned int
}

// ratesOfStops are the unbiased rates of tests where their rules stopped them; nil where
// a test went on behind its verdict, or ended before it: then another rule stopped it.
func ratesOfStops(env *envelope.Envelope, rules []*ruled) (rates []float64) {
	bounds, known := settling{}, map[stopAt]float64{}
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Trials.Counted == 0 {
			continue
		}
		at := stopAt{rules[i], t.Trials.Passed, t.Trials.Counted, int(t.Trials.Planned.V)}
		b := bounds.boundary(at.by)
		if b == nil {
			return nil
		}
		open := func(passed, trials int) bool {
			if at.by.rule.Sequential {
				l := b.At(trials)
				return l.Fail < passed && passed < l.Pass
			}
			_, settled := b.Settled(passed, trials, at.planned)
			return !settled && trials < at.planned
		}
		n, passed := 0, 0
		for _, outcome := range t.Rows.Outcome {
			if n > 0 && outcome.Counted() && !open(passed, n) {
				return nil
			}
			if outcome.Counted() {
				n++
			}
			if outcome == envelope.Passed {
				passed++
			}
		}
		if open(passed, n) && n != at.planned {
			return nil
		}
		rate, ok := known[at]
		if !ok {
			if rate = stats.StoppedRate(at.passed, at.trials, open); math.IsNaN(rate) {
				return nil
			}
			known[at] = rate
		}
		rates = append(rates, rate)
	}
	return rates
}

// firstTrials are the numbers of trials of the tests, and their rates of passes among as
// many first trials as every test has. Retries do not count, which say themselves why they
// ran; nor, where unlisted is asked for, do tests of which something says what decided.
func firstTrials(tests []envelope.Test, unlisted bool) (numbers, rates []float64) {
	var all [][]bool
	least := math.MaxInt
	for i := range tests {
		if unlisted && listed(&tests[i]) {
			continue
		}
		var outcomes []bool
		for row, outcome := range tests[i].Rows.Outcome {
			if outcome.Counted() && !tests[i].Rows.Retry().At(row) {
				outcomes = append(outcomes, outcome == envelope.Passed)
			}
		}
		if len(outcomes) > 0 {
			all, least = append(all, outcomes), min(least, len(outcomes))
		}
	}
	for _, outcomes := range all {
		passed := each.Count(outcomes[:least], func(pass bool) bool { return pass })
		numbers, rates = append(numbers, float64(len(outcomes))), append(rates, float64(passed)/float64(least))
	}
	return numbers, rates
}

// uneven is how rarely numbers of trials differ as much by chance between tests that failed
// one of their first trials and the others: a p-value, or a lower bound of one above level.
func uneven(tests []envelope.Test, level float64) float64 {
	some := slices.IndexFunc(tests, func(t envelope.Test) bool { return t.Trials.Counted > 0 })
	other := func(t *envelope.Test) bool {
		return t.Trials.Counted > 0 && t.Trials.Counted != tests[some].Trials.Counted
	}
	if !envelope.AnyTest(tests, other) {
		return 1
	}
	numbers, rates := firstTrials(tests, true)
	var passed, failed []float64
	for i, n := range numbers {
		if rates[i] == 1 {
			passed = append(passed, n)
		} else {
			failed = append(failed, n)
		}
	}
	if len(numbers) == 0 || slices.Min(numbers) == slices.Max(numbers) {
		return 1
	}
	return stats.PermutationAtMost(level, passed, failed)
}

// stoppedProblem says what the pass rates of such a run are worth.
func stoppedProblem(s *envelope.Stopped) *envelope.Problem {
	switch {
	case s == nil:
		return nil
	case s.P.OK:
		says := "tests that failed have more or fewer trials than the rest (p = " + words.Probability(s.P.V) +
			"). If you repeated tests because of outcomes, the pass rate is biased"
		if s.Rate != nil {
			says += fmt.Sprintf("; %s %% (%s) is valid either way", words.Percent(s.Rate.Value),
				words.PercentFromTo(s.Rate.Lo, s.Rate.Hi, s.Rate.Value))
		}
		return &envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeUneven, Stage: envelope.StageJudge,
			Message: says + `. Write "adaptive": true into each trial if you did, else false`}
	}
	return &envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeByOutcome, Stage: envelope.StageJudge,
		Message: "outcomes decided how many trials " + words.Plural(s.Tests, "test has", "tests have") +
			", so pass rates are biased; to quote a pass rate, use a fixed number of trials"}
}

// Policies finds the policy that each test of an envelope is judged under, its overrides applied.
type Policies struct{ overrides *overrider }

// NewPolicies reads the policy of an envelope.
func NewPolicies(e *envelope.Envelope) Policies { return Policies{newOverrider(e.Policy)} }

// Of returns the policy of a test. The error is that of a policy that cannot be used.
func (p Policies) Of(t *envelope.Test) (envelope.Effective, error) {
	r, err := p.overrides.of(t)
	return r.policy, err
}

// tooFewTrials gathers the tests whose policy asks for more trials than are planned, so that they could not pass.
type tooFewTrials struct {
	planned int // trials of a test, 0 when nobody planned
	tests   int
	others  int  // tests under other policies than the first
	most    int  // trials of the test that has the most
	able    int  // tests that could pass, or of which nobody knows
	limited bool // the cost limit left out trials
	first   *ruled
}

// findTooFewTrials looks for such tests. It spreads the planned trials evenly over the tests: that is how runners plan.
func findTooFewTrials(env *envelope.Envelope, rules []*ruled) *tooFewTrials {
	s := &tooFewTrials{}
	if p := env.Run.PlannedTrials; p.OK && len(env.Tests) > 0 && p.V < farthestPlan {
		s.planned = (int(p.V) + len(env.Tests) - 1) / len(env.Tests)
	}
	for i := range env.Tests {
		s.add(&env.Tests[i], rules[i])
	}
	return s
}

// add looks at a judged test. One that a sequential rule failed may have stopped early for that, and says nothing.
func (s *tooFewTrials) add(t *envelope.Test, r *ruled) {
	by := &r.rule
	if t.Trials.Counted == 0 {
		return
	}
	if t.Ended == envelope.EndedDecided || t.Ended == envelope.EndedEarly || t.Ended == envelope.EndedAdaptive {
		s.able++
		return
	}
	if by.Sequential && t.Verdict.Rule == by.Name && t.Status == envelope.Fail {
		return
	}
	trials := max(s.planned, int(t.Trials.Planned.V), t.Trials.Total-t.Trials.Excluded[string(envelope.Skip)])
	if !by.ThreeWay || r.leastPass == 0 || t.Verdict.Rule != by.Name || trials >= r.leastPass || r.byRepeats(rule.SampleOf(t.Rows)) {
		s.able++
		return
	}
	if s.tests == 0 {
		s.first = r
	}
	if s.tests++; r.leastPass != s.first.leastPass {
		s.others++
		return
	}
	s.most, s.limited = max(s.most, trials), s.limited || t.Trials.Excluded[envelope.ClassCostLimit] > 0
}

func (s *tooFewTrials) problem() []envelope.Problem {
	if s.tests == 0 {
		return nil
	}
	message := fmt.Sprintf("%s too few trials to pass: %s", words.Plural(s.tests, "test has", "tests have"), s.words())
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeTooFew, Stage: envelope.StageJudge, Message: message}}
}

// nobody says why no test at all of the run could have passed; empty where one could have.
func (s *tooFewTrials) nobody() string {
	if s.tests == 0 || s.able > 0 {
		return ""
	}
	return fmt.Sprintf("a pass needs at least %s of a test, and no test has more than %d", words.Plural(s.first.leastPass, "trial", "trials"),
		s.most)
}

// words say how many trials a pass takes, and how many there are.
func (s *tooFewTrials) words() string {
	p := s.first.policy
	asks, lower := fmt.Sprintf("rule %s at threshold %s", p.Rule, words.Number(p.Threshold.V)), "the threshold"
	if s.first.leastPass == p.MinTrials.V {
		asks, lower = fmt.Sprintf("rule %s with min_trials %d", p.Rule, p.MinTrials.V), "min_trials"
	}
	says := fmt.Sprintf("%s needs at least %s, and no test has more than %d; run more%s, or lower %s", asks,
		words.Count(s.first.leastPass), s.most, words.If(s.limited, " under a higher cost limit"), lower)
	return says + words.If(s.others > 0, "; "+words.Plural(s.others, "of these tests has", "of these tests have")+
		" another policy, which needs another number")
}
