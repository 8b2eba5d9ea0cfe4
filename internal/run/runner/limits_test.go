package runner

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tribunal/envelope"
)

// priced gives every trial of a script a cost.
func priced(outcomes string, usd float64) func(test, attempt int) *envelope.Trial {
	trial := script(outcomes)
	return func(test, attempt int) *envelope.Trial {
		out := trial(test, attempt)
		out.CostUSD = envelope.Some(usd)
		return out
	}
}

// TestMoney: the first row is AgentV's own number; the others are counted by hand
// from "a start is allowed while spent + reserved < limit", and for the run with the cost of
// the next trial up to the limit.
func TestMoney(t *testing.T) {
	usd := envelope.Some[float64]
	for _, c := range []struct {
		reason  string
		limits  Limits
		places  int
		price   float64
		started int
		most    int // at once
	}{
		{"AgentV: 3 trials, $6.00", Limits{MaxCostPerTestUSD: usd(5)}, 1, 2, 3, 1},
		{"a third would exceed that of the run", Limits{MaxCostUSD: usd(5)}, 1, 2, 2, 1},
		{"the first runs alone, then what is left is reserved: 6 < 7, 8 > 7", Limits{MaxCostUSD: usd(7)}, 16, 2, 3, 2},
		{"a price that is known before", Limits{MaxCostUSD: usd(5), CostPerTrialUSD: usd(2)}, 16, 2, 2, 2},
		{"decimals that add up to the limit", Limits{MaxCostUSD: usd(0.5)}, 1, 0.1, 5, 1},
		{"no money at all", Limits{MaxCostUSD: usd(0)}, 4, 1, 0, 0},
		{"no money for a test", Limits{MaxCostPerTestUSD: usd(0)}, 4, 1, 0, 0},
	} {
		plan := Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 10, Places: c.places, Limits: c.limits}
		e := newEngine(t, plan, world{priced("P", c.price), inOrder}, seeded(1), nil)
		e.run()
		if e.starts != c.started || e.most != c.most || endOf(e.journal, 0).How != Cost {
			t.Errorf("%s: %d trials, %d at once, ended by %q, want %d, %d, cost", c.reason, e.starts, e.most, endOf(e.journal, 0).How, c.started, c.most)
		}
		want := map[bool]envelope.Status{true: envelope.Pass, false: envelope.Error}[c.started > 0]
		if got := endOf(e.journal, 0).Status; got != want {
			t.Errorf("%s: %s, want %s as of the same trials without a limit", c.reason, got, want)
		}
	}
	e := newEngine(t, Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 10, Limits: Limits{MaxCostUSD: usd(1)}}, world{script("P"), inOrder}, seeded(1), nil)
	if e.run(); e.starts != 10 {
		t.Errorf("no trial says its cost: %d trials, want all 10", e.starts)
	}
}

// TestWhatATrialDoesToItsTest is the table of error classes.
func TestWhatATrialDoesToItsTest(t *testing.T) {
	empty := func(p *envelope.Policy) { p.DetectEmptyRuns = envelope.Some(true) }
	for _, c := range []struct {
		reason, outcomes, stream string
		how                      How
		status                   envelope.Status
	}{
		{"infrastructure is replaced", "PXPXXP", "PXPXXPPP", Full, envelope.Pass},
		{"up to the retries", "PPPXXXXP", "PPPXXXX", Infrastructure, envelope.Inconclusive},
		{"nothing counts then", "X", "XXXX", Infrastructure, envelope.Error},
		{"a fail is certain whatever is missing", "FXXXX", "FXXXX", Infrastructure, envelope.Fail},
		{"an idle timeout is replaced", "IP", "XPPPPP", Full, envelope.Pass},
		{"an empty run is, once", "EP", "XPPPPP", Full, envelope.Pass},
		{"and not twice", "EPEP", "XPX", Infrastructure, envelope.Inconclusive},
		{"what cannot be tried ends it", "PV", "PX", CheckFailed, envelope.Error},
		{"at once", "V", "X", CheckFailed, envelope.Error},
		{"a skip takes a trial away", "PSP", "PSPPP", Full, envelope.Pass},
		{"all skipped", "S", "SSSSS", Full, envelope.Skip},
	} {
		for _, places := range []int{1, 7} {
			plan := Plan{Policy: policyOf(t, "all", 0, empty), Tests: named("a", "b"), Trials: 5, Places: places, InfraRetries: DefaultInfraRetries}
			w := world{trial: script(c.outcomes), ends: reversed}
			if strings.Contains(c.outcomes, "XXX") || c.outcomes == "X" {
				plan.Tests = named("a")
			}
			e := newEngine(t, plan, w, seeded(1), nil)
			e.run()
			end := endOf(e.journal, 0)
			if got := stream(t, e.journal, 0); got != c.stream || end.How != c.how || end.Status != c.status {
				t.Errorf("%s, %d places: %s ended by %q with %s, want %s %q %s", c.reason, places, got, end.How, end.Status, c.stream, c.how, c.status)
			}
		}
	}
	plan := Plan{Policy: policyOf(t, "sprt", 0.9), Tests: named("a"), Places: 16}
	e := newEngine(t, plan, world{script("S"), reversed}, seeded(1), nil)
	if e.run(); e.starts != 4 {
		t.Errorf("skipped as often as could have decided it: %d trials, want 4", e.starts)
	}
}

// TestOutages: five starts in a row pause the run and ten end it, but those that
// ran when it was paused say nothing new.
func TestOutages(t *testing.T) {
	for _, places := range []int{1, 16} {
		tests := named(strings.Split("abcdefghijklmnop", "")...)
		plan := Plan{Policy: policyOf(t, "all", 0), Tests: tests, Trials: 5, Places: places, InfraRetries: 100}
		e := newEngine(t, plan, world{script("X"), inOrder}, seeded(1), nil)
		e.run()
		if e.stop != InfrastructureDown || e.paused != 5 {
			t.Errorf("%d places: %s after %d pauses, want %s after 5 and one that nobody waits for", places, e.stop, e.paused, InfrastructureDown)
		}
		if how := endOf(e.journal, 15).How; how != CutShort {
			t.Errorf("%d places: tests that are open end by %q", places, how)
		}
	}
	s, _ := New(Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 5, Places: 2, InfraRetries: 5})
	s.Begin()
	s.Next()
	s.Next()
	got := s.Step(Ended{Slot: 0, Trials: []Reported{{0, letter('X')}}, Permanent: true})
	if fmt.Sprint(got[1:]) != "[{1}]" {
		t.Errorf("infrastructure that stays away: %v, want the end of slot 1", got)
	}
	if got := s.Step(CutOff{Slot: 1}); got[len(got)-1] != (Stop{InfrastructureDown}) {
		t.Errorf("then %v", got)
	}
	var o outage
	var waits []string
	for range 9 {
		pause, _ := o.add(true, o.pauses)
		waits = append(waits, pause.String())
	}
	if got := strings.Join(waits, " "); got != "0s 0s 0s 0s 1s 2s 4s 8s 16s" {
		t.Errorf("pauses of %s", got)
	}
}

// TestHalts: what somebody or the time cuts off is no trial and is started again by
// the run that goes on, in which all ends as without.
func TestHalts(t *testing.T) {
	for _, c := range []struct {
		reason string
		halt   Halt
		how    How
		end    RunEnd
	}{
		{"once: what runs may end", Halt{Why: ByUser}, CutShort, Stopped},
		{"twice: nothing may", Halt{Why: ByUser, Now: true}, CutShort, Stopped},
		{"time", Halt{Why: ByTime}, Time, TimeIsOver},
	} {
		plan := Plan{Policy: policyOf(t, "anytime", 0.9), Tests: named("a", "b", "c"), Places: 5}
		w := world{script("PPPFPPP"), reversed}
		one := newEngine(t, plan, w, seeded(1), nil)
		one.run()
		e := newEngine(t, plan, w, seeded(1), nil)
		e.halts = map[int]Halt{4: c.halt}
		e.run()
		if e.stop != c.end || endOf(e.journal, 0).How != c.how {
			t.Errorf("%s: run ended by %s, test by %q", c.reason, e.stop, endOf(e.journal, 0).How)
		}
		if now := c.halt.Now || c.halt.Why == ByTime; now != (e.killed > 0) {
			t.Errorf("%s: %d ended by us", c.reason, e.killed)
		}
		resumed := newEngine(t, plan, w, seeded(2), e.journal)
		resumed.run()
		if got, want := results(t, resumed), results(t, one); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s, resumed: %v, want %v", c.reason, got, want)
		}
		again := 0
		for _, line := range resumed.journal {
			if r, is := line.(Start); is && r.Trials[0].Try > 0 {
				again++
			}
		}
		if again != e.killed {
			t.Errorf("%s: %d started again, %d were cut off", c.reason, again, e.killed)
		}
	}
}

// TestTimeOverTwice: an attempt that does not end before the time of the run is over
// is recorded as a timeout the second time. The end of its test is told each time: who
// reads the journal takes a limit back where the run goes on.
func TestTimeOverTwice(t *testing.T) {
	plan := Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 3}
	var journal []Line
	for range 2 {
		e := newEngine(t, plan, world{script("P"), inOrder}, seeded(1), journal)
		e.halts = map[int]Halt{1: {Why: ByTime}}
		e.run()
		journal = e.journal
	}
	if got := stream(t, journal, 0); got != "E" {
		t.Errorf("%q, want a timeout that counts as not passed", got)
	}
	ends := 0
	for _, line := range journal {
		if end, is := line.(End); is && end.How == Time {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("the end of its test is told %d times, want once by each of 2 processes", ends)
	}
}

func TestFailFast(t *testing.T) {
	plan := Plan{Policy: policyOf(t, "anytime", 0.9), Tests: named("a", "b", "c"), Places: 6, FailFast: true}
	w := world{ends: reversed, trial: func(test, attempt int) *envelope.Trial { return letter("PFP"[test]) }}
	e := newEngine(t, plan, w, seeded(1), nil)
	e.run()
	if e.stop != FirstFail || endOf(e.journal, 1).Status != envelope.Fail || endOf(e.journal, 0).How != CutShort {
		t.Errorf("%s, %+v, %+v", e.stop, endOf(e.journal, 1), endOf(e.journal, 0))
	}
}

// TestFailFastIsFast: of a fixed number of trials those are not waited for that cannot
// change a fail. What passes has all of its trials.
func TestFailFastIsFast(t *testing.T) {
	for _, c := range []struct {
		outcomes, want string
		stop           RunEnd
	}{
		{"PPFPPPPPPP", "PPF", FirstFail},
		{"PPPPPPPPPF", "PPPPPPPPPF", FirstFail},
		{"PPPPPPPPPP", "PPPPPPPPPP", Finished},
	} {
		for _, places := range []int{1, 4} {
			w := world{ends: reversed, trial: func(_, attempt int) *envelope.Trial { return letter(c.outcomes[attempt]) }}
			e := newEngine(t, Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 10, Places: places, FailFast: true}, w, seeded(1), nil)
			e.run()
			if got := stream(t, e.journal, 0); got != c.want || e.stop != c.stop {
				t.Errorf("%s at %d places: %s, %s; want %s, %s", c.outcomes, places, got, e.stop, c.want, c.stop)
			}
		}
	}
}

// TestTotals: stopping at the verdicts of 12 passes and of 2 fails saves the others.
func TestTotals(t *testing.T) {
	w := world{ends: inOrder, trial: func(test, attempt int) *envelope.Trial { return letter("PF"[test]) }}
	e := newEngine(t, Plan{Policy: policyOf(t, "anytime", 0.9), Tests: named("a", "b")}, w, seeded(1), nil)
	e.run()
	if got := e.Totals(); got.Planned != 200 || got.Saved != 200-12-2 || got.Counted != 14 || got.Ended != 2 {
		t.Errorf("%+v", got)
	}
}

// TestOrders: round starts all tests alike, one by one fills the first before it
// starts the next.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		order Order
		want  string
	}{{Round, "abcabcabcabc"}, {OneByOne, "aaaabbbbcccc"}, {nil, "abcabcabcabc"}} {
		e := newEngine(t, Plan{Policy: policyOf(t, "all", 0), Tests: named("c", "a", "b"), Trials: 4, Order: c.order}, world{script("P"), inOrder}, seeded(1), nil)
		e.run()
		got := ""
		for _, line := range e.journal {
			if r, ok := line.(Start); ok {
				got += e.tests[r.Trials[0].Test].key.Test
			}
		}
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestMemory: 10,000 tests of 20 trials need at most 100 bytes a trial beside what
// the tests themselves need, at the most.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("counts memory of 200,000 trials")
	}
	const tests, trials = 10_000, 20
	plan := Plan{Policy: policyOf(t, "wilson", 0.5), Trials: trials, Places: 8}
	for i := range tests {
		plan.Tests = append(plan.Tests, Test{Key: envelope.Key{Suite: "s", Test: fmt.Sprintf("t%05d", i)}})
	}
	s := must(New(plan))(t)
	s.Begin()
	before, done := allocated(), 0
	trial := letter('P')
	var slots []int
	for {
		for r, ok := s.Next(); ok; r, ok = s.Next() {
			slots = append(slots, r.Slot)
		}
		if len(slots) == 0 {
			break
		}
		last := slots[len(slots)-1]
		slots = slots[:len(slots)-1]
		s.Step(Ended{Slot: last, Trials: []Reported{{s.slots[last].Trials[0].Test, trial}}})
		if done++; done == tests*trials/2 {
			if grown := allocated() - before; grown > 100*int64(done) {
				t.Errorf("%d bytes for %d trials", grown, done)
			}
		}
	}
	if done != tests*trials || s.open > 0 {
		t.Errorf("%d trials, %d tests open", done, s.open)
	}
}

func allocated() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRefusals are the plans that a run does not begin with, by the contract.
func TestRefusals(t *testing.T) {
	adjust := func(p *envelope.Policy) { p.Adjust = "holm" }
	whole := func(p *envelope.Policy) { p.RunThreshold = envelope.Some(0.8) }
	for _, c := range []struct {
		reason string
		plan   Plan
		says   string
	}{
		{"wilson 0.9 needs 35", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 20}, "passes a test after 35 trials at the earliest, but the limit is 20"},
		{"and has them", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 35}, ""},
		{"or is told so", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 20, AllowStarved: true}, ""},
		{"sprt needs 14", Plan{Policy: policyOf(t, "sprt", 0.9), Trials: 13}, "after 14 trials at the earliest"},
		{"sequential rules have a number", Plan{Policy: policyOf(t, "anytime", 0.9)}, ""},
		{"the others have none", Plan{Policy: policyOf(t, "all", 0)}, "give the number, such as -n 20, or stop at the verdict with --rule anytime --threshold 0.9"},
		{"and the example is one that can pass: wilson 0.9 needs 35", Plan{Policy: policyOf(t, "wilson", 0.9)}, "such as -n 35, or stop at the verdict with --rule anytime --threshold 0.9"},
		{"min_trials of scores", Plan{Policy: policyOf(t, "t-interval", 0.9), Trials: 4}, "after 5 trials at the earliest"},
		{"fail-fast with adjust", Plan{Policy: policyOf(t, "wilson", 0.9, adjust), Trials: 35, FailFast: true}, "fail-fast stops at a fail, but adjust holm"},
		{"early with adjust", Plan{Policy: policyOf(t, "wilson", 0.9, adjust), Trials: 35, Early: true}, "adjust holm needs the p-value of all trials"},
		{"early with scores", Plan{Policy: policyOf(t, "mean", 0.9), Trials: 5, Early: true}, "rule mean judges scores"},
		{"early with a threshold of the run", Plan{Policy: policyOf(t, "all", 0, whole), Trials: 20, Early: true}, "remove --stop early (early_exit), which leaves out"},
		{"fail-fast with one", Plan{Policy: policyOf(t, "all", 0, whole), Trials: 20, FailFast: true}, "use -n 20, and remove --threshold"},
		{"a sequential rule with one", Plan{Policy: policyOf(t, "anytime", 0.9, whole)}, "use -n 20, and remove --threshold"},
		{"a sequential rule for some tests with one", Plan{Trials: 50, Policy: policyOf(t, "all", 0, whole, func(p *envelope.Policy) {
			p.Overrides = []envelope.Override{{Match: "a", Policy: envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}}}
		})}, "use -n 20, and remove --threshold"},
		{"a fixed number with one", Plan{Policy: policyOf(t, "wilson", 0.9, whole), Trials: 35}, ""},
		{"a test has fewer than the others", Plan{Policy: policyOf(t, "sprt", 0.9), Tests: []Test{{Key: envelope.Key{Test: "b"}, Trials: 3}}}, `test b cannot pass`},
		{"a test twice", Plan{Policy: policyOf(t, "sprt", 0.9), Tests: named("a", "a")}, "a is listed twice: name it once"},
		{"another rule for one", Plan{Trials: 10, Tests: named("a", "b"), Policy: policyOf(t, "all", 0, func(p *envelope.Policy) {
			p.Overrides = []envelope.Override{{Match: "b", Policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}}}
		})}, `test b cannot pass: rule wilson at threshold 0.9`},
	} {
		if c.plan.Tests == nil {
			c.plan.Tests = named("a")
		}
		switch _, err := New(c.plan); {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

// TestASecondLook: a sequential rule goes on with more trials, because its error
// rates hold whenever one stops.
func TestASecondLook(t *testing.T) {
	of := func(rule string, threshold float64, trials int) Plan {
		return Plan{Policy: policyOf(t, rule, threshold), Tests: named("a"), Trials: trials}
	}
	first := newEngine(t, of("anytime", 0.9, 20), world{script("PF"), inOrder}, seeded(1), nil)
	w := world{trial: func(_, attempt int) *envelope.Trial { return letter("PPPPPPPPF"[attempt%9]) }, ends: reversed}
	first.world = w
	first.run()
	more := newEngine(t, of("anytime", 0.9, 40), w, seeded(1), first.journal)
	more.run()
	if a, b := len(stream(t, first.journal, 0)), len(stream(t, more.journal, 0)); a != 20 || b <= 20 {
		t.Errorf("%d trials, and %d with more", a, b)
	}
}

// TestJournalsOfAnotherRun are refused with what is wrong with them.
func TestJournalsOfAnotherRun(t *testing.T) {
	trial := func(attempt int32) *envelope.Trial {
		return &envelope.Trial{Status: envelope.Pass, Attempt: envelope.Some(attempt)}
	}
	for _, c := range []struct {
		reason string
		lines  []Line
		says   string
	}{
		{"an unknown test", []Line{End{Test: 3}}, "number 3 of 1"},
		{"out of order", []Line{Record{0, trial(1)}}, "attempt 2 of a in the stream before attempt 1"},
		{"twice", []Line{Record{0, trial(0)}, Record{0, trial(0)}}, "attempt 1 of a in the stream after attempt 1"},
		{"cut without a start", []Line{Cut{Place{0, 0, 0}, Lost}}, "ends attempt 1 of a, which is not running"},
		{"started twice", []Line{Start{Trials: []Place{{0, 0, 0}}}, Start{Trials: []Place{{0, 0, 0}}}}, "starts attempt 1 of a again"},
	} {
		s, err := New(Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 3})
		for _, line := range c.lines {
			if err == nil {
				err = s.Recover(line)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}
