package runner

import (
	"fmt"
	"testing"

	"tribunal/envelope"
)

// TestFormsGiveTheSameStreams: whether a start is one trial of one test, of each
// open test of a suite, or of all, each test has the same trials and end, also when
// the process dies between any two lines and the other goes on.
func TestFormsGiveTheSameStreams(t *testing.T) {
	crashes, beyond := 0, 0
	for seed := range uint64(200) {
		random := seeded(5000 + seed)
		c := drawScenario(t, random)
		one := newEngine(t, c.plan, world{c.trial, inOrder}, random, nil)
		one.run()
		want := results(t, one)
		for _, form := range []Form{Batch, Sweep} {
			plan := c.plan
			plan.Form, plan.Places = form, 1+random.IntN(8)
			plan.Check = seed%3 == 0
			if seed%2 == 0 {
				most := 1 + random.IntN(3)
				plan.Fits = func(batch Start) int { return min(most, len(batch.Trials)) }
			}
			e := newEngine(t, plan, world{c.trial, ends[random.IntN(len(ends))]}, random, nil)
			e.crash = 1 + random.IntN(2*len(one.journal))
			if !e.run() {
				crashes++
				e = newEngine(t, plan, world{c.trial, ends[random.IntN(len(ends))]}, random, e.journal)
				e.run()
			}
			if got := results(t, e); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, form %d:\n%v\none trial a start:\n%v", seed, form, got, want)
			}
			for _, line := range e.journal {
				if _, ok := line.(Beyond); ok && form == Sweep {
					beyond++
				}
			}
		}
	}
	if crashes < 100 || beyond < 500 {
		t.Errorf("%d crashes, %d trials beyond", crashes, beyond)
	}
}

// TestUnreachedTrialsChangeNothing: what a start did not reach is started again, so that
// each test has the trials and the end that it has where every start reaches all, in each
// form of a start, however many run at once and whenever the process dies. What no start
// reaches cannot be tried, and is an error.
func TestUnreachedTrialsChangeNothing(t *testing.T) {
	late, never := 0, 0
	for seed := range uint64(200) {
		random := seeded(7000 + seed)
		c := drawScenario(t, random)
		misses := map[[2]int]int{} // starts that do not reach an attempt
		all := func(test, attempt int) *envelope.Trial {
			if misses[[2]int{test, attempt}] == mostUnreached {
				return letter('V')
			}
			return c.trial(test, attempt)
		}
		for test := range c.plan.Tests {
			for attempt := range 3 * 60 {
				switch u := random.Float64(); {
				case u < 0.005:
					misses[[2]int{test, attempt}] = mostUnreached
				case u < 0.1:
					misses[[2]int{test, attempt}] = 1 + random.IntN(mostUnreached-1)
				}
			}
		}
		one := newEngine(t, c.plan, world{all, inOrder}, random, nil)
		one.run()
		want := results(t, one)
		for _, form := range []Form{Each, Batch, Sweep} {
			plan := c.plan
			plan.Form, plan.Places = form, 1+random.IntN(8)
			asked := map[[2]int]int{}
			some := func(test, attempt int) *envelope.Trial {
				at := [2]int{test, attempt}
				if asked[at]++; asked[at] <= misses[at] || misses[at] == mostUnreached {
					late++
					return nil
				}
				return c.trial(test, attempt)
			}
			e := newEngine(t, plan, world{some, ends[random.IntN(len(ends))]}, random, nil)
			e.crash = 1 + random.IntN(2*len(one.journal))
			if !e.run() {
				e = newEngine(t, plan, world{some, ends[random.IntN(len(ends))]}, random, e.journal)
				e.run()
			}
			if got := results(t, e); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, form %d:\n%v\nwhere every start reaches all:\n%v", seed, form, got, want)
			}
			for id := range e.tests {
				if end := endOf(e.journal, id); end.How == CheckFailed {
					never++
					if end.Status != envelope.Error {
						t.Fatalf("seed %d, form %d: a test that cannot be tried is %q", seed, form, end.Status)
					}
				}
			}
		}
	}
	if late < 5000 || never < 100 {
		t.Errorf("%d trials were not reached, and %d tests never", late, never)
	}
}

// TestUnreachedAreStartedAlone: what a start of a batch did not reach is started without
// the others, and what two did not reach each by itself.
func TestUnreachedAreStartedAlone(t *testing.T) {
	s := must(New(Plan{Policy: policyOf(t, "all", 0), Tests: named("a", "b", "c", "d"), Trials: 1, Form: Batch}))(t)
	s.Begin()
	var asked []string
	for _, reached := range []string{"a", "b", "c", ""} {
		r, ok := s.Next()
		if !ok {
			t.Fatalf("nothing to start after %q", asked)
		}
		names, e := "", Ended{Slot: r.Slot}
		for _, p := range r.Trials {
			name := s.tests[p.Test].key.Test
			if names += name; name == reached {
				e.Trials = append(e.Trials, Reported{p.Test, letter('F')})
			}
			if p.Attempt != 0 || p.Try != 0 {
				t.Errorf("%s: attempt %d, try %d; it has not been tried", name, p.Attempt, p.Try)
			}
		}
		asked = append(asked, names)
		s.Step(e)
	}
	if got := fmt.Sprint(asked); got != "[abcd bcd c d]" {
		t.Errorf("started together: %s", got)
	}
	if d := s.tests[3]; d.how != CheckFailed || d.status() != envelope.Error {
		t.Errorf("what three starts did not reach ends by %q, %q", d.how, d.status())
	}
}

// TestASweepFindsItsTests: the first start tells the tests, alone. A test that is in
// no later output is an error and never a pass, and what was held of it is beyond.
func TestASweepFindsItsTests(t *testing.T) {
	s := must(New(Plan{Policy: policyOf(t, "majority", 0), Trials: 5, Form: Sweep, Places: 4, Early: true}))(t)
	if got := s.Begin(); len(got) != 0 {
		t.Fatalf("%v before anything is known", got)
	}
	first, ok := s.Next()
	if _, more := s.Next(); !ok || more {
		t.Fatal("one start, alone")
	}
	if err := s.List("", named("a", "b", "c")); err != nil {
		t.Fatal(err)
	}
	report := func(slot int, outcomes string) []Action {
		e := Ended{Slot: slot}
		for test, letterOf := range outcomes {
			if letterOf != '-' {
				e.Trials = append(e.Trials, Reported{test, letter(byte(letterOf))})
			}
		}
		return s.Step(e)
	}
	var lines []string
	note := func(actions []Action) {
		for _, a := range actions {
			switch a := a.(type) {
			case Record:
				outcome, _ := a.Trial.Classify(envelope.CountingRules{})
				lines = append(lines, fmt.Sprintf("%s%d%c", a.Trial.Test, a.Trial.Attempt.V, outcome))
			case Hold:
				lines = append(lines, fmt.Sprintf("(%s%d)", a.Trial.Test, a.Trial.Attempt.V))
			case Beyond:
				lines = append(lines, fmt.Sprintf("[%s%d]", a.Trial.Test, a.Trial.Attempt.V))
			case Cut:
				lines = append(lines, fmt.Sprintf("%s%d %s", s.tests[a.Test].key.Test, a.Attempt, a.Why))
			case End:
				lines = append(lines, fmt.Sprintf("%s:%s", s.tests[a.Test].key.Test, a.How))
			case Stop:
				lines = append(lines, string(a.How))
			}
		}
	}
	note(report(first.Slot, "PFP"))
	second, _ := s.Next()
	third, ok := s.Next()
	if _, more := s.Next(); !ok || more || len(third.Trials) != 3 {
		t.Fatalf("two more starts decide: %+v", third)
	}
	note(report(third.Slot, "PFP"))
	note(report(second.Slot, "PF-"))
	for range mostUnreached - 1 {
		again, ok := s.Next()
		if !ok || len(again.Trials) != 1 || again.Trials[0].Attempt != 1 {
			t.Fatalf("c is asked for again: %+v", again)
		}
		note(report(again.Slot, "PF-"))
	}
	want := "[a0P b0F c0P (a2) (b2) (c2) a1P a2P a:early b1F b2F b:early c1 unreached c1 unreached [a3] [b3] c1X c:check [c2] [a3] [b3] finished]"
	if got := fmt.Sprint(lines); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAFailedCheck is one trial of the class pre-validation and no other.
func TestAFailedCheck(t *testing.T) {
	s := must(New(Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 3, Check: true, Places: 4}))(t)
	s.Begin()
	r, ok := s.Next()
	if _, more := s.Next(); !ok || !r.Check || more {
		t.Fatal("the check comes first, and alone")
	}
	got := s.Step(Checked{Slot: r.Slot, Failed: &envelope.Trial{Message: "no such tool"}})
	record, isRecord := got[0].(Record)
	if !isRecord || record.Trial.ErrorClass != envelope.ClassPreValidation || got[1] != (End{0, CheckFailed, envelope.Error}) || got[2] != (Stop{Finished}) {
		t.Errorf("%v", got)
	}
}
