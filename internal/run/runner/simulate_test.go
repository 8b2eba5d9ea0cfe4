package runner

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/verdict"
)

// world is what the trials of a simulated run do: the same for the same attempt,
// however often it is started.
type world struct {
	trial func(test, attempt int) *envelope.Trial
	ends  endOrder
}

// trialRun is a start that runs, and when it will have ended.
type trialRun struct {
	Start
	ends float64
}

// script is a test whose trials end as the letters say, and then as the last one.
func script(outcomes string) func(test, attempt int) *envelope.Trial {
	return func(_, attempt int) *envelope.Trial {
		return letter(outcomes[min(attempt, len(outcomes)-1)])
	}
}

func letter(outcome byte) *envelope.Trial {
	switch outcome {
	case 'P':
		return &envelope.Trial{Status: envelope.Pass}
	case 'F':
		return &envelope.Trial{Status: envelope.Fail}
	case 'S':
		return &envelope.Trial{Status: envelope.Skip}
	case 'X':
		return &envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure}
	case 'I':
		return &envelope.Trial{Status: envelope.Fail, ErrorClass: envelope.ClassTimeout, ToolCalls: envelope.Some(int32(0))}
	case 'V':
		return &envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassPreValidation}
	case 'E':
		return &envelope.Trial{Status: envelope.Fail, ToolCalls: envelope.Some(int32(0))}
	}
	panic("no such outcome")
}

// endOrder says which of those that run ends next.
type endOrder = func(random *rand.Rand, running []trialRun) int

// The orders of ends.
func inOrder(_ *rand.Rand, _ []trialRun) int             { return 0 }
func reversed(_ *rand.Rand, running []trialRun) int      { return len(running) - 1 }
func shuffled(random *rand.Rand, running []trialRun) int { return random.IntN(len(running)) }
func byTime(_ *rand.Rand, running []trialRun) int {
	first := 0
	for i, r := range running {
		if r.ends < running[first].ends {
			first = i
		}
	}
	return first
}

// engine is a driver that takes no time, with a journal in memory. It holds every
// start and every end against the second law.
type engine struct {
	*testing.T
	*Scheduler
	world   world
	random  *rand.Rand
	journal []Line
	crash   int // lines after which the process dies; 0 is never
	running []trialRun
	now     float64
	lasts   func(test, attempt int) float64
	starts  int // trials started, without checks
	most    int // starts at once
	stop    RunEnd
	paused  int
	killed  int
	halts   map[int]Halt // before so many events
	events  int
}

// newEngine is an engine for a plan, whose journal tells what was.
func newEngine(t *testing.T, plan Plan, w world, random *rand.Rand, journal []Line) *engine {
	t.Helper()
	s := must(New(plan))(t)
	for _, line := range journal {
		if err := s.Recover(line); err != nil {
			t.Fatal(err)
		}
	}
	return &engine{T: t, Scheduler: s, world: w, random: random, journal: slices.Clone(journal), lasts: func(int, int) float64 { return 1 }}
}

// run goes on until the end or the crash, and reports which.
func (e *engine) run() (finished bool) {
	e.Helper()
	alive := e.perform(e.Begin())
	for alive && e.stop == "" {
		for {
			r, ok := e.Next()
			if !ok {
				break
			}
			if !e.write(r) {
				return false
			}
			e.start(r)
		}
		e.most = max(e.most, len(e.running))
		if alive = e.perform(e.Step(e.next())); len(e.running) == 0 && alive && e.stop == "" && e.Scheduler.starts > 0 {
			e.Fatal("the engine has lost a start")
		}
	}
	return alive
}

// write adds a line to the journal, unless the process has died.
func (e *engine) write(line Line) bool {
	if e.crash > 0 && len(e.journal) >= e.crash {
		return false
	}
	if c, ok := line.(Start); ok {
		c.Trials = slices.Clone(c.Trials)
		line = c
	}
	e.journal = append(e.journal, line)
	return true
}

func (e *engine) start(r Start) {
	for _, p := range r.Trials {
		if r.Check {
			break
		}
		e.starts++
		t := e.tests[p.Test]
		if e.plan.Form != Sweep && t.inFlight > t.near-(t.window.len()-t.inFlight-t.idle) {
			e.Fatalf("%s: %d in flight and %d held with near %d", t.key, t.inFlight, t.window.len()-t.inFlight-t.idle, t.near)
		}
	}
	lasts := 0.
	for _, p := range r.Trials {
		lasts = max(lasts, e.lasts(p.Test, p.Attempt))
	}
	e.running = append(e.running, trialRun{r, e.now + lasts})
}

// next is what happens next.
func (e *engine) next() Event {
	e.events++
	if h, ok := e.halts[e.events]; ok {
		return h
	}
	if len(e.running) == 0 {
		if !e.outage.paused {
			e.Fatalf("nothing runs and nothing was said to start: %+v", e.Totals())
		}
		return Continue{}
	}
	i := e.world.ends(e.random, e.running)
	r := e.running[i]
	e.running = slices.Delete(e.running, i, i+1)
	e.now = max(e.now, r.ends)
	if r.Check {
		return Checked{Slot: r.Slot}
	}
	out := Ended{Slot: r.Slot}
	for _, p := range r.Trials {
		if trial := e.world.trial(p.Test, p.Attempt); trial != nil {
			out.Trials = append(out.Trials, Reported{p.Test, trial})
		}
	}
	return out
}

// perform does what is asked for, until the process dies.
func (e *engine) perform(actions []Action) bool {
	e.Helper()
	for _, a := range slices.Clone(actions) {
		switch a := a.(type) {
		case Pause:
			e.paused++
		case Stop:
			e.stop = a.How
		case Kill:
			e.killed++
			i := slices.IndexFunc(e.running, func(r trialRun) bool { return r.Slot == a.Slot })
			if i < 0 {
				e.Fatalf("slot %d is to be ended, and nothing runs there", a.Slot)
			}
			e.running = slices.Delete(e.running, i, i+1)
			if !e.perform(e.Step(CutOff(a))) {
				return false
			}
		case Line:
			if !e.write(a) {
				return false
			}
		}
	}
	return true
}

// stream is what a reader of the journal sees of a test: the outcomes of its
// trials, whose attempts must be 0, 1, 2, …
func stream(t *testing.T, journal []Line, test int) string {
	t.Helper()
	var out []byte
	for _, line := range journal {
		if r, ok := line.(Record); ok && r.Test == test {
			if int(r.Trial.Attempt.V) != len(out) {
				t.Fatalf("test %d: attempt %d is in the stream where %d should be", test, r.Trial.Attempt.V, len(out))
			}
			outcome, _ := r.Trial.Classify(envelope.CountingRules{ScoreThreshold: 0.5, DetectEmptyRuns: true})
			out = append(out, byte(outcome))
		}
	}
	return string(out)
}

// ended is the last end of a test in a journal.
func endOf(journal []Line, test int) End {
	out := End{Test: -1}
	for _, line := range journal {
		if e, ok := line.(End); ok && e.Test == test {
			out = e
		}
	}
	return out
}

// policyOf resolves a rule.
func policyOf(t testing.TB, rule string, threshold float64, more ...func(*envelope.Policy)) envelope.Effective {
	t.Helper()
	p := envelope.Policy{Rule: rule}
	if threshold > 0 {
		p.Threshold = envelope.Some(threshold)
	}
	for _, change := range more {
		change(&p)
	}
	held := must(verdict.Resolve(p))(t)
	return held
}

// named makes tests with these names.
func named(names ...string) []Test {
	var tests []Test
	for _, n := range names {
		tests = append(tests, Test{Key: envelope.Key{Test: n}})
	}
	return tests
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// must is the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
