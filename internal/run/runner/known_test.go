package runner

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
	"tribunal/verdict"
)

// TestKnownStops are the runs whose ends the contract of runs gives, each with
// one, four and sixteen places and ends in three orders. Trials started are those
// of the stream: none is started in vain.
func TestKnownStops(t *testing.T) {
	for _, c := range []struct {
		rule      string
		threshold float64
		trials    int
		early     bool
		outcomes  string
		counted   int
		how       How
		status    envelope.Status
	}{
		{"sprt", 0.9, 0, false, "P", 14, Decided, envelope.Pass},
		{"sprt", 0.9, 0, false, "F", 4, Decided, envelope.Fail},
		{"sprt", 0.9, 0, false, "PFFPFFF", 7, Decided, envelope.Fail},
		{"anytime", 0.9, 0, false, "P", 12, Decided, envelope.Pass},
		{"anytime", 0.9, 0, false, "F", 2, Decided, envelope.Fail},
		{"anytime", 0.9, 5, false, "PPFPP", 5, Full, envelope.Inconclusive},
		{"all", 0, 10, true, "PPF", 3, Early, envelope.Fail},
		{"any", 0, 10, true, "FFP", 3, Early, envelope.Pass},
		{"majority", 0, 10, true, "P", 6, Early, envelope.Pass},
		{"majority", 0, 10, true, "F", 5, Early, envelope.Fail},
		{"wilson", 0.9, 35, true, "P", 35, Full, envelope.Pass},
		{"wilson", 0.9, 35, true, "F", 7, Early, envelope.Fail},
		{"wilson", 0.9, 35, true, "FP", 30, Early, envelope.Inconclusive},
		{"wilson", 0.9, 35, true, strings.Repeat("PF", 20), 14, Early, envelope.Fail},
		{"wilson", 0.9, 20, true, "P", 16, Early, envelope.Inconclusive},
		{"wilson", 0.9, 20, true, "F", 5, Early, envelope.Fail},
		{"wald", 0.9, 5, true, "F", 5, Full, envelope.Fail},
		{"all", 0, 10, false, "PPF", 10, Full, envelope.Fail},
		{"mean", 0.5, 10, false, "PPF", 10, Full, envelope.Fail},
		{"mean", 0.2, 10, false, "PPF", 10, Full, envelope.Pass},
	} {
		for _, places := range []int{1, 4, 16} {
			for name, ends := range map[string]endOrder{"in order": inOrder, "reversed": reversed, "shuffled": shuffled} {
				t.Run(fmt.Sprintf("%s %.6s -j %d %s", c.rule, c.outcomes, places, name), func(t *testing.T) {
					plan := Plan{Policy: policyOf(t, c.rule, c.threshold), Tests: named("a"), Trials: c.trials, Early: c.early, Places: places, AllowStarved: true}
					e := newEngine(t, plan, world{script(c.outcomes), ends}, seeded(1), nil)
					e.run()
					end := endOf(e.journal, 0)
					if got := len(stream(t, e.journal, 0)); got != c.counted || e.starts != c.counted {
						t.Errorf("%d trials in the stream of %d started, want %d of both", got, e.starts, c.counted)
					}
					if end.How != c.how || end.Status != c.status {
						t.Errorf("ended %s with %s, want %s with %s", end.How, end.Status, c.how, c.status)
					}
				})
			}
		}
	}
}

// TestKnownNear are values of near that the contract gives.
func TestKnownNear(t *testing.T) {
	for rule, want := range map[string]map[[2]int]int{
		"sprt":    {{0, 0}: 4, {4, 0}: 5, {9, 0}: 5, {13, 0}: 1, {0, 3}: 1, {5, 2}: 3},
		"anytime": {{0, 0}: 2, {0, 1}: 1, {5, 2}: 3, {9, 0}: 3},
	} {
		s := must(NewStopping(policyOf(t, rule, 0.9), 100, false))(t)
		for at, near := range want {
			if got := s.Near(at[0], at[1]); got != near {
				t.Errorf("%s near(%d, %d) = %d, want %d", rule, at[0], at[1], got, near)
			}
		}
	}
}

// TestRoundsOfNear: where all trials pass and places are free, sprt takes 4+5+5
// trials in three rounds and anytime 2+3+5+2 in four.
func TestRoundsOfNear(t *testing.T) {
	for rule, want := range map[string][]int{"sprt": {4, 5, 5}, "anytime": {2, 3, 5, 2}} {
		s := must(New(Plan{Policy: policyOf(t, rule, 0.9), Tests: named("a"), Places: 64}))(t)
		s.Begin()
		var rounds []int
		for s.open > 0 {
			var slots []int
			for r, ok := s.Next(); ok; r, ok = s.Next() {
				slots = append(slots, r.Slot)
			}
			rounds = append(rounds, len(slots))
			for _, slot := range slots {
				s.Step(Ended{Slot: slot, Trials: []Reported{{0, letter('P')}}})
			}
		}
		if fmt.Sprint(rounds) != fmt.Sprint(want) {
			t.Errorf("%s: rounds of %v, want %v", rule, rounds, want)
		}
	}
}

// TestNearIsTheFewestThatCanDecide holds near to trying every sequence of further
// outcomes, for every rule that decides by counts.
func TestNearIsTheFewestThatCanDecide(t *testing.T) {
	for _, c := range []struct {
		rule      string
		threshold float64
		least     int
	}{{"sprt", 0.7, 1}, {"sprt", 0.7, 9}, {"anytime", 0.6, 1}, {"all", 0, 1}, {"any", 0, 1}, {"majority", 0, 1}, {"wald", 0.6, 5}, {"wilson", 0.7, 5}, {"exact", 0.5, 2}, {"bayes", 0.7, 3}} {
		policy := policyOf(t, c.rule, c.threshold, func(p *envelope.Policy) {
			if c.threshold > 0 {
				p.MinTrials = envelope.Some(c.least)
			}
		})
		for _, trials := range []int{1, 6, 11} {
			s := must(NewStopping(policy, trials, true))(t)
			checkNear(t, s, tally{}, trials)
		}
	}
}

// checkNear checks an open tally and those that follow it.
func checkNear(t *testing.T, s *Stopping, at tally, trials int) int {
	if _, over := s.ends(at); over {
		return 0
	}
	want := math.MaxInt
	for _, passed := range []int{0, 1} {
		then := at
		then.counted++
		then.passed += passed
		s.look(&then)
		want = min(want, 1+checkNear(t, s, then, trials))
	}
	if got := s.near(at, 1); got != want {
		t.Fatalf("%s, %d of %d passed, at most %d: near %d, want %d", s.rule.Name, at.passed, at.counted, trials, got, want)
	}
	if again := s.near(at, want-1); again != want {
		t.Fatalf("%s, %d of %d passed: near %d from where it is known, want %d", s.rule.Name, at.passed, at.counted, again, want)
	}
	return want
}

// TestEarlyIsCertain holds stopping early to trying every number of passes that all
// trials can reach, at five thresholds. The verdict is that of all trials, and that
// of the trials there are.
func TestEarlyIsCertain(t *testing.T) {
	differ := 0
	for _, name := range []string{"all", "any", "majority", "wald", "wilson", "exact", "bayes"} {
		for _, threshold := range []float64{0.3, 0.5, 0.8, 0.9, 0.95} {
			rule := must(rule.ByName(name))(t)
			if !rule.ThreeWay {
				threshold = 0
			}
			policy := policyOf(t, name, threshold)
			decide := verdict.DecideFor(policy)
			for trials := 1; trials <= 40; trials++ {
				s := must(NewStopping(policy, trials, true))(t)
				for n := 1; n < trials; n++ {
					for passed := range n + 1 {
						at := tally{counted: n, passed: passed}
						now, want := decide(passed, n-passed), true
						end := decide(passed, trials-passed)
						for more := range trials - n + 1 {
							want = want && decide(passed+more, trials-passed-more) == end
						}
						if want && now != end {
							differ++
							want = false
						}
						if got := s.certain(at); got != want {
							t.Fatalf("%s at %v, %d of %d passed, %d in all: certain %v, want %v", name, threshold, passed, n, trials, got, want)
						}
					}
				}
			}
		}
	}
	if differ == 0 {
		t.Error("the second condition is never needed: at least below the fewest trials of wald it is")
	}
}

// TestKnownMeans are the mean numbers of trials of a test at true rates, at most
// 100, by exact computation along the boundary that the scheduler stops at.
func TestKnownMeans(t *testing.T) {
	for rule, want := range map[string][]float64{
		"sprt":    {15.04, 21.11, 37.27, 45.57, 10.79},
		"anytime": {13.30, 21.62, 43.58, 58.96, 7.66},
	} {
		boundary := stats.NewBoundary(verdict.DecideFor(policyOf(t, rule, 0.9)))
		for i, rate := range []float64{0.99, 0.95, 0.9, 0.8, 0.5} {
			if got := boundary.Follow(rate, stats.Start{}, DefaultTrials, 1, 0.9).Mean; math.Abs(got-want[i]) > 0.005 {
				t.Errorf("%s at %v: %.4f trials in the mean, want %.2f", rule, rate, got, want[i])
			}
		}
	}
}

// TestKnownErrorRates of the sequential rules without a cap.
func TestKnownErrorRates(t *testing.T) {
	for rule, want := range map[string][2]float64{"sprt": {0.039, 0.191}, "anytime": {0.027, 0.153}} {
		boundary := stats.NewBoundary(verdict.DecideFor(policyOf(t, rule, 0.9)))
		const endless = 5000
		fail := boundary.Follow(0.9, stats.Start{}, endless, 1, 0.9).Fail
		pass := boundary.Follow(0.8, stats.Start{}, endless, 1, 0.9).Pass
		if math.Abs(fail-want[0]) > 0.0005 || math.Abs(pass-want[1]) > 0.0005 {
			t.Errorf("%s: fail at 0.9 with %.4f, pass at 0.8 with %.4f, want %v", rule, fail, pass, want)
		}
	}
}

// TestKnownMix are the trials of a mix of 50 tests, by exact computation: what
// stopping at verdicts costs beside fixed numbers of trials.
func TestKnownMix(t *testing.T) {
	mix := []struct {
		tests int
		rate  float64
	}{{40, 0.99}, {5, 0.95}, {2, 0.9}, {2, 0.7}, {1, 0.3}}
	for _, c := range []struct {
		rule      string
		trials    int
		early     bool
		want      float64
		undecided float64
	}{
		{"wilson", 20, true, 803, 47.4}, {"wilson", 35, true, 1625, 18.0}, {"wilson", 50, true, 2277, 22.4}, {"wilson", 100, true, 4671, 4.8},
		{"wilson", 20, false, 1000, 47.4}, {"wilson", 35, false, 1750, 18.0}, {"wilson", 50, false, 2500, 22.4}, {"wilson", 100, false, 5000, 4.8},
		{"sprt", 35, false, 805, 1.4}, {"sprt", 50, false, 821, 0.7}, {"sprt", 100, false, 836, 0.1},
		{"anytime", 35, false, 725, 2.3}, {"anytime", 50, false, 751, 1.2}, {"anytime", 100, false, 783, 0.3},
	} {
		s := must(NewStopping(policyOf(t, c.rule, 0.9), c.trials, c.early))(t)
		sum, undecided := 0., 0.
		for _, m := range mix {
			mean, open := course(s, m.rate)
			sum += float64(m.tests) * mean
			undecided += float64(m.tests) * open
		}
		if math.Abs(sum-c.want) > 0.5 || math.Abs(undecided-c.undecided) > 0.05 {
			t.Errorf("%s at most %d, early %v: %.2f trials and %.3f undecided, want %v and %v", c.rule, c.trials, c.early, sum, undecided, c.want, c.undecided)
		}
	}
}

// course is the mean number of trials of a test, and how probably it stays without
// a verdict, by following every count of passes.
func course(s *Stopping, rate float64) (mean, undecided float64) {
	alive := map[tally]float64{{}: 1}
	for len(alive) > 0 {
		next := map[tally]float64{}
		for at, mass := range alive {
			for passed, p := range map[int]float64{0: 1 - rate, 1: rate} {
				then := at
				then.counted++
				then.passed += passed
				s.look(&then)
				if _, over := s.ends(then); !over {
					next[then] += mass * p
					continue
				}
				mean += mass * p * float64(then.counted)
				if s.says(then) == envelope.Inconclusive {
					undecided += mass * p
				}
			}
		}
		alive = next
	}
	return mean, undecided
}

// TestATestThatGoesOnAfterItsDecision, as a minimum of trials makes it, has the
// status that its report gives it: a later fail of anytime overrides the pass that
// 12 passes were, and later failures contradict the pass that 14 were for sprt.
func TestATestThatGoesOnAfterItsDecision(t *testing.T) {
	least := func(p *envelope.Policy) { p.MinTrials = envelope.Some(24) }
	for _, c := range []struct {
		rule, outcomes string
		status         envelope.Status
	}{
		{"anytime", "PPPPPPPPPPPPF", envelope.Fail},
		{"sprt", "PPPPPPPPPPPPPPF", envelope.Inconclusive},
		{"sprt", "P", envelope.Pass},
		{"anytime", "P", envelope.Pass},
	} {
		e := newEngine(t, Plan{Policy: policyOf(t, c.rule, 0.9, least), Tests: named("a"), Places: 8}, world{script(c.outcomes), reversed}, seeded(1), nil)
		e.run()
		if end, n := endOf(e.journal, 0), len(stream(t, e.journal, 0)); end.Status != c.status || end.How != Decided || n != 24 || e.starts != 24 {
			t.Errorf("%s %s: %s, %s after %d trials of %d, want %s after 24", c.rule, c.outcomes, end.Status, end.How, n, e.starts, c.status)
		}
	}
}

// NewStopping is the stopping of a policy without overrides.
func NewStopping(policy envelope.Effective, trials int, early bool) (*Stopping, error) {
	r, err := newRuling(policy)
	if err != nil {
		return nil, err
	}
	return r.upTo(trials, early), nil
}
