package plan

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
	"tribunal/verdict"
)

// Settling says what it would take to decide the undecided tests of a run.
type Settling struct {
	Tests        []Unsettled `json:"tests"`        // the inconclusive ones, in the order of the run
	Inconclusive int         `json:"inconclusive"` // of Total tests
	Total        int         `json:"total"`
	// Sum is what all tests together take that have an estimate; Never counts those that no number
	// of further trials settles, and Unknown those for which no estimate could be made.
	Sum     Effort `json:"sum"`
	Never   int    `json:"never"`
	Unknown int    `json:"unknown"`
	// Provisional counts tests whose verdict the trials that their stopped run still asks
	// for could change, and Resumed those for which More is just these trials.
	Provisional int `json:"provisional,omitempty"`
	Resumed     int `json:"resumed,omitempty"`
	notRun      int // tests that a stopped run left without a trial
	// Unpriced counts tests in Sum whose trials have no known cost.
	Unpriced int `json:"unpriced,omitempty"`
	// Peeking is set when a rule among these holds its level for one look only: running more after having looked is a second one.
	Peeking bool `json:"peeking,omitempty"`
}

// Unsettled is one inconclusive test.
type Unsettled struct {
	envelope.Key
	Rule      string                `json:"rule"`
	Threshold envelope.Opt[float64] `json:"threshold,omitzero"`
	Trials    int                   `json:"trials"` // counted so far
	Passed    int                   `json:"passed"`
	Reason    string                `json:"reason"` // why it is undecided
	// TrialUSD is what one trial costs: the price asked with, or the mean of those of this test.
	TrialUSD envelope.Opt[float64] `json:"trial_cost_usd,omitzero"`
	// Passes and Failures are how many in a row would pass or fail it at once.
	Passes   envelope.Opt[int] `json:"passes,omitzero"`
	Failures envelope.Opt[int] `json:"failures,omitzero"`
	// More is how many further trials to run so that it is settled with the asked-for probability if it goes on as it
	// did: at the same rate, with the same share left out; as well as every number from there on (see settledFrom). Pass
	// and Fail are the probabilities then. Of a run that a limit stopped they are the trials that it still asks for.
	More *Effort               `json:"more,omitempty"`
	Pass envelope.Opt[float64] `json:"pass,omitzero"`
	Fail envelope.Opt[float64] `json:"fail,omitzero"`
	// Never is set when no number of further trials settles it, Why says why, or why there is no estimate.
	Never bool   `json:"never,omitempty"`
	Why   string `json:"why,omitempty"`
}

func (q Question) settling() (*Settling, error) {
	s := &Settling{Tests: []Unsettled{}, Total: len(q.Envelope.Tests)}
	s.notRun = each.Count(each.Pointers(q.Envelope.Tests), (*envelope.Test).NotRun)
	policies, rules := verdict.NewPolicies(q.Envelope), boundaries{}
	for i := range q.Envelope.Tests {
		t := &q.Envelope.Tests[i]
		policy, err := policies.Of(t)
		if err != nil {
			return nil, fmt.Errorf("policy for test %s: %v", t.Key, err)
		}
		policy.Rule = t.Verdict.Rule // of a test with retries that for retries
		missing := verdict.Missing(t)
		switch {
		case t.Status == envelope.Inconclusive:
			s.Inconclusive++
		case missing > 0 && verdict.Provisional(t, policy):
			s.Provisional++
		default:
			continue
		}
		u := q.unsettled(t, policy, rules)
		if missing > 0 && u.More != nil {
			s.Resumed++
		}
		s.add(&u)
		s.Peeking = s.Peeking || t.Verdict.ValidUnderPeeking.OK && !t.Verdict.ValidUnderPeeking.V
		s.Tests = append(s.Tests, u)
	}
	if s.Sum.CostUSD.OK {
		s.Sum.CostUSD = envelope.Some(Digits(s.Sum.CostUSD.V))
	}
	return s, nil
}

// Resume is the command to continue a run of tribunal that was stopped; empty where there is none, as beside a lone journal.
func Resume(e *envelope.Envelope) string {
	ended := func(p envelope.Problem) bool {
		return p.Code == envelope.CodeInterrupted || p.Code == envelope.CodeInfraDown
	}
	stopped := each.Of(each.Where(e.Problems, ended), func(p envelope.Problem) string { return p.Input })
	if envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return t.NotRun() || t.Ended.Again() }) {
		stopped = append(stopped, each.Of(e.Run.Sources, func(s envelope.Source) string { return s.Input })...)
	}
	changed := func(p envelope.Problem) bool { return p.Code == envelope.CodeJournal && p.Count == 0 } // and the run did not restore it
	for _, input := range stopped {
		dir, file := path.Split(input)
		_, err := os.Stat(dir + "invocation.json") // how the run was called
		if file == "journal.ndjson" && err == nil && !slices.ContainsFunc(e.Problems, changed) {
			paid := envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return t.Ended == envelope.EndedCost })
			return "tribunal run --resume --journal " + words.Shell(text.Line(path.Clean(dir))) + words.If(paid, "  # with a higher cost limit")
		}
	}
	return ""
}

// Further says of an undecided test of a run how many more trials would decide it four
// times in five, if it goes on as it did, or why none would; "" where nobody can say.
func Further(e *envelope.Envelope) func(*envelope.Test) string {
	q, policies, rules := Question{Envelope: e, Power: usualPower}, verdict.NewPolicies(e), boundaries{}
	return func(t *envelope.Test) string {
		policy, err := policies.Of(t)
		if policy.Rule = t.Verdict.Rule; err != nil {
			return ""
		}
		u := q.unsettled(t, policy, rules)
		if u.More == nil {
			return words.If(u.Never && u.Trials >= policy.MinTrials.V, u.Why)
		}
		return "about " + words.Plural(u.More.Trials, "more trial", "more trials") + " would decide"
	}
}

func (s *Settling) add(u *Unsettled) {
	switch {
	case u.Never:
		s.Never++
	case u.More == nil:
		s.Unknown++
	default:
		s.Sum.Trials += u.More.Trials
		if !u.More.CostUSD.OK {
			s.Unpriced++
			return
		}
		s.Sum.CostUSD = envelope.Some(s.Sum.CostUSD.V + u.More.CostUSD.V)
	}
}

func (q Question) unsettled(t *envelope.Test, p envelope.Effective, rules boundaries) Unsettled {
	u := Unsettled{Key: t.Key, Rule: t.Verdict.Rule, Threshold: p.Threshold, Trials: t.Trials.Counted, Passed: t.Trials.Passed,
		Reason: t.Verdict.Reason, TrialUSD: q.trialCost(t)}
	tried := t.Trials.Counted + leftOut(t)
	share := float64(max(t.Trials.Counted, 1-tried)) / float64(max(tried, 1)) // 1 of none
	switch {
	case t.CostLimited && t.Ended != envelope.EndedCost:
		u.never("its cost limit was reached: later trials do not count; raise cost_limit_usd or run_cost_limit_usd")
		return u
	case share < p.MinCoverage.V:
		u.never(fmt.Sprintf("excluded trials (%d of %d) keep it below min_coverage %s; fix what excludes them, or lower min_coverage",
			leftOut(t), tried, plainNumber(p.MinCoverage.V)))
		return u
	}
	if more := q.moreFor(&u, t, p, rules); more > 0 {
		run := math.Ceil(float64(more)/share - 1e-9)
		u.More = &Effort{Trials: int(run), CostUSD: cost(u.TrialUSD, run)}
	}
	return u
}

func (q Question) moreFor(u *Unsettled, t *envelope.Test, p envelope.Effective, rules boundaries) int {
	decide, missing := verdict.DecideFor(p), verdict.Missing(t)
	// Of several repeats with retries, one try that passes is enough: they have a verdict as soon as enough trials count.
	if few := p.MinTrials.V - u.Trials; few > 0 && p.RetryRule == "any" && p.Rule != p.RetryRule && t.Rows.Retry() != nil {
		return max(few, missing)
	}
	if missing > 0 && (decide == nil || u.Trials == 0) {
		return missing // nothing says what they will be
	}
	if decide == nil {
		return u.byScores(t, p, q.factor(t))
	}
	settle := settling{u: u, boundary: rules.of(p, decide), rate: float64(u.Passed) / float64(u.Trials), power: q.Power,
		least: p.MinTrials.Or(1)}
	if rule, _ := rule.ByName(p.Rule); rule.Sequential {
		return q.sequential(settle, t, p, decide)
	}
	if t.Verdict.RawStatus != "" {
		decide = adjusted(p, decide, q.factor(t))
		settle.boundary = stats.NewBoundary(decide)
	}
	if missing > 0 {
		return settle.planned(missing)
	}
	u.inARow(decide, p)
	return settle.once(p.Threshold.V)
}

// sequential is for rules that look after every trial. Where such a rule has stopped, it waits for
// the trials that the policy asks for at least, for more evidence of a fail that does not stand
// among many tests, or for trials that bear a pass which those after it contradict.
func (q Question) sequential(settle settling, t *envelope.Test, p envelope.Effective, decide rule.Decide) int {
	onward := verdict.Onward(t, p)
	now := onward(0, 0)
	switch {
	case now == stats.Fail && t.Verdict.PAdjusted.V > p.Alpha.V:
		if settle.rate >= p.Threshold.V {
			settle.u.never(fmt.Sprintf("adjusted for many tests, its fail is not significant; at its rate so far, %s, more trials do not "+
				"change that", percent(settle.rate)))
			return 0
		}
		decide = deeper(p, q.factor(t))
		settle.boundary = stats.NewBoundary(decide)
	case now != stats.Undecided:
		return settle.wait(now, onward, p)
	case t.Verdict.Contradicted != nil:
		return settle.borne(onward, p)
	}
	settle.u.inARow(decide, p)
	return settle.sequential(cmp.Or(verdict.Missing(t), farthest))
}

// wait is for a rule that has stopped before the trials the policy asks for: they
// bring out what it stopped with, unless they take a pass back.
func (s settling) wait(stop stats.Decision, onward rule.Decide, p envelope.Effective) int {
	u, more := s.u, max(1, s.least-s.u.Trials)
	if stop == stats.Fail {
		u.Failures, u.Pass, u.Fail = envelope.Some(more), envelope.Some(0.), envelope.Some(1.)
		return more
	}
	u.Passes = envelope.Some(more)
	if n, ok := stats.SmallestFail(func(_, failed int) stats.Decision { return onward(0, failed) }, farthest); ok {
		u.Failures = envelope.Some(max(n, more))
	}
	then := stats.NewBoundary(onward)
	fails := stats.NewBoundary(overriding(onward)).Follow(s.rate, stats.Start{}, more, more, 1).Fail
	pass := math.Min(1-fails, then.Once(s.rate, more).Pass)
	if pass+fails < s.power {
		return s.settle(func(n int) stats.Chances {
			if n < more {
				return stats.Chances{Undecided: 1}
			}
			return then.Once(s.rate, n)
		}, p.Threshold.V)
	}
	u.Pass, u.Fail = known(pass), known(fails)
	return more
}

// overriding is the fails alone among decisions: those that override a pass.
func overriding(decide rule.Decide) rule.Decide {
	return func(passed, failed int) stats.Decision {
		if d := decide(passed, failed); d == stats.Fail {
			return d
		}
		return stats.Undecided
	}
}

// borne is for a pass that the trials after it contradict: it stands again when they do not any more.
func (s settling) borne(onward rule.Decide, p envelope.Effective) int {
	if n, ok := stats.SmallestPass(func(passed, _ int) stats.Decision { return onward(passed, 0) }, farthest); ok {
		s.u.Passes = envelope.Some(max(n, s.least-s.u.Trials))
	}
	if s.rate < p.Threshold.V {
		s.u.never(fmt.Sprintf("later trials contradict its pass; %s would restore it, but at its rate so far, %s, "+
			"later trials contradict it again",
			words.Plural(s.u.Passes.V, "more pass", "more passes"), percent(s.rate)))
		return 0
	}
	boundary := stats.NewBoundary(onward)
	return s.settle(func(more int) stats.Chances { return boundary.Once(s.rate, more) }, p.Threshold.V)
}

// boundaries are those of the policies met so far, so that each is worked out once for all its tests.
type boundaries map[string]*stats.Boundary

func (b boundaries) of(p envelope.Effective, decide rule.Decide) *stats.Boundary {
	key := fmt.Sprint(p.Rule, p.Threshold, p.Confidence, p.MinTrials, p.Alpha, p.Beta, p.Gap)
	if b[key] == nil {
		b[key] = stats.NewBoundary(decide)
	}
	return b[key]
}

func (u *Unsettled) never(why string) { u.Never, u.Why = true, why }

func (q Question) trialCost(t *envelope.Test) envelope.Opt[float64] {
	if q.PriceUSD.OK {
		return q.PriceUSD
	}
	costs := len(t.Rows.CostUSD().Values())
	if costs == 0 || !t.CostUSD.OK {
		return envelope.Opt[float64]{}
	}
	return known(t.CostUSD.V / float64(costs))
}

func leftOut(t *envelope.Test) int {
	return t.Trials.Total - t.Trials.Counted - t.Trials.Excluded[string(envelope.Skip)] - t.Trials.Excluded[envelope.ClassCostLimit]
}

func (u *Unsettled) inARow(decide rule.Decide, p envelope.Effective) {
	failed := u.Trials - u.Passed
	least := max(1, p.MinTrials.Or(1)-u.Trials)
	if n, ok := stats.SmallestPass(func(more, _ int) stats.Decision { return decide(u.Passed+more, failed) }, farthest); ok {
		u.Passes = envelope.Some(max(n, least))
	}
	if n, ok := stats.SmallestFail(func(_, more int) stats.Decision { return decide(u.Passed, failed+more) }, farthest); ok {
		u.Failures = envelope.Some(max(n, least))
	}
}

// factor is what adjusting multiplied the p-value of a test by. It stays the same if the other
// tests do. An adjusted value that was cut at 1 hides it: it is at most the number of tests then.
func (q Question) factor(t *envelope.Test) float64 {
	v := t.Verdict
	switch {
	case !v.PAdjusted.OK || v.PValue.V <= 0:
		return 1
	case v.PAdjusted.V < 1:
		return v.PAdjusted.V / v.PValue.V
	}
	claims := 0
	for i := range q.Envelope.Tests {
		other := &q.Envelope.Tests[i]
		if other.Verdict.PAdjusted.OK && (q.Envelope.Policy.Family != policy.FamilySuite || other.Suite == t.Suite) {
			claims++
		}
	}
	return float64(claims)
}

// adjusted is the decision for a fail of a rule that looks once and did not stand among many tests:
// the p-value has to become smaller by the factor that adjusting cost.
func adjusted(p envelope.Effective, decide rule.Decide, factor float64) rule.Decide {
	return func(passed, failed int) stats.Decision {
		d := decide(passed, failed)
		if d == stats.Fail && stats.BinomialPBelow(passed, passed+failed, p.Threshold.V)*factor > level(p) {
			return stats.Undecided
		}
		return d
	}
}

func level(p envelope.Effective) float64 { return (1 - p.Confidence.V) / 2 }

// deeper is the decision for a fail of a rule that stopped and did not stand: the
// e-value has to become larger by the factor, and no pass can follow.
func deeper(p envelope.Effective, factor float64) rule.Decide {
	p.Alpha = envelope.Some(p.Alpha.V / factor)
	decide := verdict.DecideFor(p)
	return func(passed, failed int) stats.Decision {
		if decide(passed, failed) == stats.Fail {
			return stats.Fail
		}
		return stats.Undecided
	}
}

type settling struct {
	u        *Unsettled
	boundary *stats.Boundary
	rate     float64 // so far
	power    float64
	least    int // trials that the policy asks for
}

func (s settling) once(threshold float64) int {
	if s.rate == threshold {
		s.u.never(fmt.Sprintf("its rate so far is exactly the threshold %s: more trials like these would not decide it", plainNumber(threshold)))
		return 0
	}
	return s.settle(func(more int) stats.Chances { return s.boundary.OnceMore(s.rate, s.u.Passed, s.u.Trials, more) }, threshold)
}

// planned is for a rule that looks when all planned trials are there. So many are missing.
func (s settling) planned(missing int) int {
	u, full := s.u, s.u.Trials+missing
	atOnce := func(want stats.Decision, passes int) (fewest envelope.Opt[int]) {
		n := 1 + sort.Search(missing, func(i int) bool {
			d, settled := s.boundary.Settled(u.Passed+passes*(i+1), u.Trials+i+1, full)
			return settled && d == want
		})
		if n <= missing {
			fewest = envelope.Some(n)
		}
		return fewest
	}
	u.Passes, u.Failures = atOnce(stats.Pass, 1), atOnce(stats.Fail, 0)
	c := s.boundary.OnceMore(s.rate, u.Passed, u.Trials, missing)
	u.Pass, u.Fail = known(c.Pass), known(c.Fail)
	return missing
}

// settle finds the number of further trials from which on the test is decided with the power asked for. The chances rise
// like a saw: a smaller number that happens to reach the power is no promise, as one trial more may lose it again.
func (s settling) settle(chances func(more int) stats.Chances, threshold float64) int {
	decided := func(more int) float64 { c := chances(more); return c.Pass + c.Fail }
	more, ok := settledFrom(s.power, threshold, s.u.Trials, farthest, decided)
	if !ok {
		s.u.Why = fmt.Sprintf("its rate so far, %s, is too near the threshold %s: even %s more trials would not decide it", percent(s.rate),
			plainNumber(threshold), words.Count(farthest))
		return 0
	}
	c := chances(more)
	s.u.Pass, s.u.Fail = known(c.Pass), known(c.Fail)
	return more
}

func (s settling) sequential(most int) int {
	start := stats.Start{Passed: s.u.Passed, Trials: s.u.Trials}
	c := s.boundary.Follow(s.rate, start, s.u.Trials+most, s.least, s.power)
	if c.Within == 0 && most < farthest {
		c.Within = s.u.Trials + most
	}
	if c.Within == 0 {
		s.u.Why = fmt.Sprintf("at its rate so far, %s, even %s more trials would not decide it", percent(s.rate), words.Count(farthest))
		return 0
	}
	s.u.Pass, s.u.Fail = known(c.Pass), known(c.Fail)
	return c.Within - s.u.Trials
}

func plainNumber(v float64) string { return strconv.FormatFloat(Digits(v), 'g', 6, 64) }

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }
