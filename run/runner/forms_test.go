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

// TestASweepFindsItsTests: the first start tells the tests, alone. A test that is in
// no later output is an error and never a pass, and what was held of it is beyond.
func TestASweepFindsItsTests(t *testing.T) {
	s, err := New(Plan{Policy: policyOf(t, "majority", 0), Trials: 5, Form: Sweep, Places: 4, Early: true})
	if err != nil {
		t.Fatal(err)
	}
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
	want := "[a0P b0F c0P (a2) (b2) (c2) a1P a2P a:early b1F b2F b:early c1X c:check [c2] finished]"
	if got := fmt.Sprint(lines); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAFailedCheck is one trial of the class pre-validation and no other.
func TestAFailedCheck(t *testing.T) {
	s, err := New(Plan{Policy: policyOf(t, "all", 0), Tests: named("a"), Trials: 3, Check: true, Places: 4})
	if err != nil {
		t.Fatal(err)
	}
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
