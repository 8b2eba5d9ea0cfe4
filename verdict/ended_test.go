package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// journaled is a test with these outcomes (P, F, S, X for infrastructure, V for what
// could not be tried) of a run that was to have so many trials of it.
func journaled(t *testing.T, p envelope.Policy, outcomes string, trials int64, how envelope.How) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in, key := b.Input("journal.ndjson", "native"), envelope.Key{Test: "t"}
	in.Header(envelope.Header{ID: "run"}, nil)
	in.Listed(key, nil, envelope.Some(trials), false)
	for i, c := range outcomes {
		trial := &envelope.Trial{Key: key, Run: "run", Attempt: envelope.Some(int32(i))}
		trial.Status = map[rune]envelope.Status{'P': envelope.Pass, 'F': envelope.Fail, 'S': envelope.Skip, 'X': envelope.Error, 'V': envelope.Error}[c]
		trial.ErrorClass = map[rune]string{'X': envelope.ClassInfrastructure, 'V': envelope.ClassPreValidation}[c]
		in.Trial(trial)
	}
	if how != "" {
		in.Ended(key, how)
	}
	return sealBuilt(t, b, p)
}

// TestFewerTrialsThanMeant: a fixed number of trials that was not reached says
// nothing, unless the missing ones could not change the verdict.
func TestFewerTrialsThanMeant(t *testing.T) {
	all, anyPass, majority := envelope.Policy{Rule: "all"}, envelope.Policy{Rule: "any"}, envelope.Policy{Rule: "majority"}
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}
	wald := envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.9), MinTrials: envelope.Some(5)}
	anytime := envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9)}
	for _, c := range []struct {
		reason   string
		policy   envelope.Policy
		outcomes string
		trials   int64
		how      envelope.How
		status   envelope.Status
		says     string
	}{
		{"the contract's words", all, strings.Repeat("P", 12), 20, envelope.EndedCost, envelope.Pass, "; 12 of 20 trials were run: the cost limit was reached, and the missing trials could change the verdict"},
		{"the contract's example: too many were replaced", all, "PPPXXXX", 20, envelope.EndedInfrastructure, envelope.Inconclusive, "3 of 20 trials were run, besides 4 that are excluded ("},
		{"the one that could not be tried may have failed", all, "PPV", 20, envelope.EndedCheck, envelope.Error, "no further trial could be started after 2 counted trials"},
		{"nothing could be tried", all, "V", 20, envelope.EndedCheck, envelope.Error, "no trial counts"},
		{"still running", all, "PP", 20, "", envelope.Inconclusive, "2 of 20 trials were run: the run has not ended"},
		{"stopped", all, "PP", 20, envelope.EndedCut, envelope.Inconclusive, "the run was stopped"},
		{"out of time", all, "PP", 20, envelope.EndedTime, envelope.Pass, "the time limit was reached"},
		{"a failure fails all, whatever comes", all, "PF", 20, envelope.EndedCost, envelope.Fail, ""},
		{"a pass passes any, whatever comes", anyPass, "FP", 20, envelope.EndedCost, envelope.Pass, ""},
		{"no trial of those there are passes any", anyPass, "FF", 20, envelope.EndedCost, envelope.Fail, "2 of 20"},
		{"6 of 10 are more than half of 10", majority, "PPPPPP", 10, envelope.EndedCost, envelope.Pass, ""},
		{"5 of 10 are not, and most of those there are", majority, "PPPPP", 10, envelope.EndedCost, envelope.Pass, "5 of 10"},
		{"5 failures of 10 leave no majority", majority, "FFFFF", 10, envelope.EndedCost, envelope.Fail, ""},
		{"wilson 0.9: 7 failures of 35 are certain (the known values of a run)", wilson, "FFFFFFF", 35, envelope.EndedCost, envelope.Fail, ""},
		{"6 are not", wilson, "FFFFFF", 35, envelope.EndedCost, envelope.Inconclusive, "6 of 35"},
		{"a sure fail at 5, and too few to be judged", wald, "FFF", 5, envelope.EndedCost, envelope.Inconclusive, ""},
		{"a skip takes one trial away", all, "PPS", 3, envelope.EndedCost, envelope.Pass, ""},
		{"all its trials", all, "PP", 2, envelope.EndedFull, envelope.Pass, ""},
		{"stopped early for a certain verdict", anyPass, "P", 20, envelope.EndedEarly, envelope.Pass, ""},
		{"a sequential rule may end anywhere", anytime, strings.Repeat("P", 12), 100, envelope.EndedCost, envelope.Pass, ""},
		{"and says itself when it is not done", anytime, "PPP", 100, envelope.EndedCut, envelope.Inconclusive, ""},
		{"nothing counts", all, "XX", 20, envelope.EndedInfrastructure, envelope.Error, ""},
		{"not started for want of money", all, "", 20, envelope.EndedCost, envelope.Error, "not run: the cost limit was reached"},
		{"not started yet", anytime, "", 20, "", envelope.Error, "not run: the run has not ended"},
		{"a hanging trial was started, and is none", anytime, "", 20, envelope.EndedCut, envelope.Error, "not run: the run was stopped"},
	} {
		test := journaled(t, c.policy, c.outcomes, c.trials, c.how).Tests[0]
		if test.Status != c.status || !strings.Contains(test.Verdict.Reason, c.says) {
			t.Errorf("%s: %s, %q, want %s, %q", c.reason, test.Status, test.Verdict.Reason, c.status, c.says)
		}
		if test.Ended != c.how || test.Trials.Planned != envelope.Some(c.trials) {
			t.Errorf("%s: ended %q with %v planned", c.reason, test.Ended, test.Trials.Planned)
		}
	}
}

// TestNextOfAnUnfinishedTest: what would change it counts the trials that are missing: 8 passes make 20 of 20, one failure is certain.
func TestNextOfAnUnfinishedTest(t *testing.T) {
	test := journaled(t, envelope.Policy{Rule: "all"}, strings.Repeat("P", 12), 20, envelope.EndedCut).Tests[0]
	want := []envelope.Change{{Outcome: envelope.Pass, Trials: 8, Status: envelope.Pass}, {Outcome: envelope.Fail, Trials: 1, Status: envelope.Fail}}
	if len(test.Verdict.Changes) != 2 || test.Verdict.Changes[0] != want[0] || test.Verdict.Changes[1] != want[1] {
		t.Errorf("%v, want %v", test.Verdict.Changes, want)
	}
}

// TestStoppedIsNotStarved: who stopped at a verdict did not have too few trials, and
// who was cut short may have been meant to have enough.
func TestStoppedIsNotStarved(t *testing.T) {
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)} // passes after 35 at the earliest
	for _, c := range []struct {
		trials int64
		how    envelope.How
		warned bool
	}{{35, envelope.EndedEarly, false}, {20, envelope.EndedDecided, false}, {35, envelope.EndedCost, false}, {20, envelope.EndedCost, true}, {7, envelope.EndedFull, true}} {
		env := journaled(t, wilson, "FFFFFFF", c.trials, c.how)
		warned := false
		for _, p := range env.Problems {
			warned = warned || p.Code == envelope.CodeTooFew
		}
		if warned != c.warned {
			t.Errorf("%d trials, ended %s: warned %v, want %v", c.trials, c.how, warned, c.warned)
		}
	}
}

// TestFuturesOfTestsWithOtherNumbers: tests that stand alike have other futures where they are to have other numbers of trials.
func TestFuturesOfTestsWithOtherNumbers(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("journal.ndjson", "native")
	in.Header(envelope.Header{ID: "run"}, nil)
	for name, trials := range map[string]int64{"five": 5, "nine": 9} {
		key := envelope.Key{Test: name}
		in.Listed(key, nil, envelope.Some(trials), false)
		for i := range 3 {
			in.Trial(&envelope.Trial{Key: key, Run: "run", Attempt: envelope.Some(int32(i)), Status: envelope.Pass})
		}
		in.Ended(key, envelope.EndedCut)
	}
	env := sealBuilt(t, b, envelope.Policy{Rule: "all"})
	for i, want := range []int{2, 6} { // 5 and 9 less the 3 there are
		if c := env.Tests[i].Verdict.Changes; len(c) == 0 || c[0] != (envelope.Change{Outcome: envelope.Pass, Trials: want, Status: envelope.Pass}) {
			t.Errorf("%s: %v, want a pass after %d passes", env.Tests[i].Test, c, want)
		}
	}
}

// TestGivenUp: a test whose suite was given up for the commands that failed is an error,
// whatever its trials said before, and an infrastructure error beside it is none.
func TestGivenUp(t *testing.T) {
	sprt := envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}
	for _, c := range []struct {
		trials string // G is a trial that was given up
		status envelope.Status
		reason string
	}{
		{"PPPPG", envelope.Error, "four passes, and then more than max_error_rate"},
		{"FFFFG", envelope.Error, "four failures are a fail of sprt, but what came of it is that nobody knows"},
		{"G", envelope.Error, "the first trial there is"},
		{"PPPPX", envelope.Inconclusive, "an infrastructure error is another matter"},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("journal.ndjson", "native")
		for i, what := range c.trials {
			trial := &envelope.Trial{Key: envelope.Key{Test: "t"}, Run: "r", Attempt: envelope.Some(int32(i)), Status: map[rune]envelope.Status{'P': envelope.Pass, 'F': envelope.Fail, 'G': envelope.Error, 'X': envelope.Error}[what],
				ErrorClass: map[rune]string{'G': envelope.ClassErrorRate, 'X': envelope.ClassInfrastructure}[what]}
			in.Trial(trial)
		}
		env := sealBuilt(t, b, sprt)
		test := env.Tests[0]
		if test.Status != c.status || test.Verdict.N != len(c.trials)-1 {
			t.Errorf("%s: %s of %d (%s), want %s", c.reason, test.Status, test.Verdict.N, test.Verdict.Reason, c.status)
		}
	}
}

// TestLimitIsNotGreen: the gate line says what a limit left open, and under strict it is unusable.
func TestLimitIsNotGreen(t *testing.T) {
	all, anyPass := envelope.Policy{Rule: "all"}, envelope.Policy{Rule: "any"}
	anytime := envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9)}
	const stopped = "the cost limit left out trials that may change 1 verdict"
	for _, c := range []struct {
		reason       string
		policy       envelope.Policy
		outcomes     string
		how          envelope.How
		exit, strict int
		why          string
	}{
		{"three paid trials of five failed", anyPass, "FFF", envelope.EndedCost, 1, 1, stopped},
		{"three of five passed", all, "PPP", envelope.EndedCost, 0, 2, stopped},
		{"three of five passed in time", all, "PPP", envelope.EndedTime, 0, 2, strings.Replace(stopped, "cost", "time", 1)},
		{"three of five passed, and a rule needs more", anytime, "PPP", envelope.EndedCost, 0, 2, "the cost limit left 1 test undecided"},
		{"nothing was tried", all, "", envelope.EndedCost, 1, 1, stopped},
		{"the others could change nothing", all, "PF", envelope.EndedCost, 1, 1, ""},
		{"no limit", all, "PPPPP", envelope.EndedFull, 0, 0, ""},
	} {
		for strict, want := range map[bool]int{false: c.exit, true: c.strict} {
			c.policy.Strict = envelope.Some(strict)
			env := journaled(t, c.policy, c.outcomes, 5, c.how)
			why := ""
			for _, n := range env.Gate.Notices {
				if n.Says == "LIMIT REACHED" {
					why = n.Why
				}
			}
			if env.Gate.ExitCode != want || why != c.why || env.Tests[0].CostLimited != (c.how == envelope.EndedCost) {
				t.Errorf("%s, strict %v: exit %d, %q, cost limited %v; want %d, %q", c.reason, strict, env.Gate.ExitCode, why, env.Tests[0].CostLimited, want, c.why)
			}
		}
	}
}
