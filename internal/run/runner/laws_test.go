package runner

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/run/allocate"
)

// scenario is a run drawn at random: tests of several rates under a rule, a part of
// whose trials end by infrastructure, idle or skipped.
type scenario struct {
	plan  Plan
	trial func(test, attempt int) *envelope.Trial
}

func drawScenario(t testing.TB, random *rand.Rand) scenario {
	rules := []struct {
		name      string
		threshold float64
		trials    int
		early     bool
	}{{"sprt", 0.9, 60, false}, {"anytime", 0.9, 60, false}, {"wilson", 0.7, 20, true}, {"wilson", 0.7, 15, false}, {"all", 0, 12, true}, {"majority", 0, 9, true}, {"exact", 0.6, 25, true}}
	rule := rules[random.IntN(len(rules))]
	coverage := random.IntN(4) == 0
	plan := Plan{
		Policy: policyOf(t, rule.name, rule.threshold, func(p *envelope.Policy) {
			p.DetectEmptyRuns = envelope.Some(true)
			if coverage {
				p.MinCoverage = envelope.Some(0.9)
			}
		}),
		Trials: rule.trials, Early: rule.early, InfraRetries: 4,
	}
	plan.Order = []Order{Round, OneByOne, ByValue(allocate.Verdict), ByValue(allocate.Fail)}[random.IntN(4)]
	outcomes := make([]string, 1+random.IntN(12))
	for i := range outcomes {
		plan.Tests = append(plan.Tests, Test{Key: envelope.Key{Suite: fmt.Sprint("s", i%3), Test: fmt.Sprint("t", i)}})
		rate := []float64{0.3, 0.8, 0.9, 0.95, 0.99, 1}[random.IntN(6)]
		var strip strings.Builder
		for range 3 * rule.trials {
			switch u := random.Float64(); {
			case u < 0.03:
				strip.WriteByte('X')
			case u < 0.05:
				strip.WriteByte("ISE"[random.IntN(3)])
			case random.Float64() < rate:
				strip.WriteByte('P')
			default:
				strip.WriteByte('F')
			}
		}
		outcomes[i] = strip.String()
	}
	return scenario{plan, func(test, attempt int) *envelope.Trial {
		return letter(outcomes[test][min(attempt, len(outcomes[test])-1)])
	}}
}

// results are the streams and the ends of all tests.
func results(t *testing.T, e *engine) []string {
	t.Helper()
	var out []string
	for id := range e.tests {
		end := endOf(e.journal, id)
		out = append(out, fmt.Sprintf("%s %s %s", stream(t, e.journal, id), end.How, end.Status))
	}
	return out
}

var ends = []endOrder{inOrder, reversed, shuffled, byTime}

// TestStreamsDoNotDependOnPlaces: whatever number of trials runs at once, and in
// whatever order they end, each test has the trials and the end that it has one at
// a time, and no trial of it was started in vain.
func TestStreamsDoNotDependOnPlaces(t *testing.T) {
	broken, decided := 0, 0
	for seed := range uint64(250) {
		c := drawScenario(t, seeded(seed))
		one := newEngine(t, c.plan, world{c.trial, inOrder}, seeded(seed), nil)
		one.run()
		want := results(t, one)
		for i, places := range []int{2, 4, 16, 64} {
			plan := c.plan
			plan.Places = places
			e := newEngine(t, plan, world{c.trial, ends[(int(seed)+i)%len(ends)]}, seeded(seed+1), nil)
			e.lasts = func(test, attempt int) float64 { return 1 + 9*float64((test*7+attempt*13)%11) }
			e.run()
			if got := results(t, e); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, %d places:\n%s\none at a time:\n%s", seed, places, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if e.most > places {
				t.Fatalf("seed %d: %d starts at once with %d places", seed, e.most, places)
			}
			inVain := e.starts
			for id := range e.tests {
				inVain -= len(stream(t, e.journal, id))
				switch endOf(e.journal, id).How {
				case Infrastructure:
					broken++
				case Decided, Early:
					decided++
				}
			}
			if inVain != vain(e.journal) {
				t.Fatalf("seed %d, %d places: %d trials started in vain, %d of tests that broke or were skipped", seed, places, inVain, vain(e.journal))
			}
		}
	}
	if broken < 20 || decided < 1000 {
		t.Errorf("one-sided: %d tests broken, %d decided", broken, decided)
	}
}

// vain counts the trials that were started and are not in the stream: those of
// tests that the infrastructure broke, or whose number of trials a skip lowered
// below what decides.
func vain(journal []Line) int {
	ended, n := map[int]How{}, 0
	skipped := map[int]bool{}
	for _, line := range journal {
		switch l := line.(type) {
		case End:
			ended[l.Test] = l.How
		case Record:
			skipped[l.Test] = skipped[l.Test] || l.Trial.Status == envelope.Skip
		case Beyond:
			if ended[l.Test] == Infrastructure || skipped[l.Test] {
				n++
			}
		case Cut:
			if ended[l.Test] == Infrastructure || skipped[l.Test] {
				n++
			}
		}
	}
	return n
}

// TestStreamsSurviveACrash: the process dies at a random moment, between any two
// lines of its journal, and another goes on with that journal and other places. The
// streams are those of one at a time without a crash.
func TestStreamsSurviveACrash(t *testing.T) {
	crashes := 0
	for seed := range uint64(400) {
		random := seeded(1000 + seed)
		c := drawScenario(t, random)
		one := newEngine(t, c.plan, world{c.trial, inOrder}, random, nil)
		one.run()
		want := results(t, one)
		first := c.plan
		first.Places = 1 + random.IntN(64)
		e := newEngine(t, first, world{c.trial, ends[random.IntN(len(ends))]}, random, nil)
		e.crash = 1 + random.IntN(len(one.journal))
		if !e.run() {
			crashes++
			second := c.plan
			second.Places = 1 + random.IntN(64)
			e = newEngine(t, second, world{c.trial, ends[random.IntN(len(ends))]}, random, e.journal)
			e.run()
		}
		if got := results(t, e); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d:\n%s\nwithout a crash:\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		again := newEngine(t, first, world{c.trial, inOrder}, random, e.journal)
		if again.run(); again.starts > 0 || len(again.journal) != len(e.journal) || again.stop == "" {
			t.Fatalf("seed %d: a finished run starts %d trials and writes %d lines", seed, again.starts, len(again.journal)-len(e.journal))
		}
	}
	if crashes < 300 {
		t.Errorf("%d crashes", crashes)
	}
}

// TestManyCrashes: however often the process dies, each attempt of a test is in the
// stream once, as what it did or as lost; it is lost when the process died under it
// twice, and then never before.
func TestManyCrashes(t *testing.T) {
	crashes, lost := 0, 0
	for seed := range uint64(150) {
		random := seeded(2000 + seed)
		c := drawScenario(t, random)
		c.plan.InfraRetries = 1000
		var journal []Line
		for range 10_000 {
			c.plan.Places = 1 + random.IntN(16)
			e := newEngine(t, c.plan, world{c.trial, ends[random.IntN(len(ends))]}, random, journal)
			e.crash = len(journal) + 1 + random.IntN(60)
			finished := e.run()
			journal = e.journal
			if finished {
				break
			}
			crashes++
		}
		deaths := map[[2]int]int{}
		for _, line := range journal {
			switch l := line.(type) {
			case Cut:
				deaths[[2]int{l.Test, l.Attempt}]++
			case Record:
				at := [2]int{l.Test, int(l.Trial.Attempt.V)}
				if l.Trial.Message == "cut off twice" {
					lost++
					deaths[at]++
				} else if a, b := c.trial(at[0], at[1]), l.Trial; a.Status != b.Status || a.ErrorClass != b.ErrorClass {
					t.Fatalf("seed %d: attempt %d of test %d is another trial", seed, at[1], at[0])
				}
				if n := deaths[at]; n > 2 || (n == 2) != (l.Trial.Message == "cut off twice") {
					t.Fatalf("seed %d: attempt %d of test %d was lost %d times: %+v", seed, at[1], at[0], n, l.Trial)
				}
			}
		}
		for id := range c.plan.Tests {
			stream(t, journal, id)
			if endOf(journal, id).Test < 0 {
				t.Fatalf("seed %d: test %d has no end", seed, id)
			}
		}
	}
	if crashes < 1000 || lost < 20 {
		t.Errorf("%d crashes, %d trials lost twice", crashes, lost)
	}
}

// TestBudgetsTakeABeginning: where money ends a run, the trials of each test are a
// beginning of those it has without, whatever ran at once.
func TestBudgetsTakeABeginning(t *testing.T) {
	short := 0
	for seed := range uint64(100) {
		random := seeded(3000 + seed)
		c := drawScenario(t, random)
		priced := func(test, attempt int) *envelope.Trial {
			trial := c.trial(test, attempt)
			trial.CostUSD = envelope.Some(float64(1+(test+attempt)%4) / 4)
			return trial
		}
		one := newEngine(t, c.plan, world{priced, inOrder}, random, nil)
		one.run()
		plan := c.plan
		plan.Places = 1 + random.IntN(32)
		plan.Limits.MaxCostUSD = envelope.Some(5 + 10*random.Float64())
		if random.IntN(2) == 0 {
			plan.Limits.MaxCostPerTestUSD = envelope.Some(2 + 3*random.Float64())
		}
		e := newEngine(t, plan, world{priced, ends[random.IntN(len(ends))]}, random, nil)
		e.run()
		for id := range plan.Tests {
			whole, part := stream(t, one.journal, id), stream(t, e.journal, id)
			if !strings.HasPrefix(whole, part) {
				t.Fatalf("seed %d, test %d: %s is no beginning of %s", seed, id, part, whole)
			}
			if part != whole {
				short++
				if how := endOf(e.journal, id).How; how != Cost {
					t.Fatalf("seed %d, test %d: stopped short, and ended by %q", seed, id, how)
				}
			}
		}
		const dearest = 1
		spent, limit := e.Totals().SpentUSD.V, plan.Limits.MaxCostUSD.V
		if spent >= limit+dearest*float64(plan.Places) {
			t.Fatalf("seed %d: $%.2f of $%.2f with %d places", seed, spent, limit, plan.Places)
		}
		more := c.plan
		more.Places = 3
		resumed := newEngine(t, more, world{priced, shuffled}, random, e.journal)
		resumed.run()
		if got, want := results(t, resumed), results(t, one); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d, resumed with more money:\n%s\nwith enough from the first:\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if short < 100 {
		t.Errorf("%d tests stopped short", short)
	}
}
