package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/stats"
	"tribunal/verdict"
)

// seal judges tests given as strips: P passed, F failed, X left out, R retried and passed.
func seal(t *testing.T, p envelope.Policy, strips map[string]string, costUSD float64) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for name, strip := range strips {
		for i, o := range strip {
			trial := envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some(int32(i)), Status: "pass", CostUSD: envelope.Some(costUSD), Retry: o == 'R'}
			if o != 'P' && o != 'R' {
				trial.Status = "fail"
			}
			if o == 'X' {
				trial.Status, trial.ErrorClass = "error", envelope.ClassInfrastructure
			}
			in.Trial(&trial)
		}
	}
	in.Close()
	env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *resolved(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestSettling(t *testing.T) {
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}
	for _, c := range []struct {
		reason string
		policy envelope.Policy
		strip  string
		more   int // further trials; 0 for none
		passes int // in a row
		never  string
	}{
		{"ten of ten pass after 35 straight", wilson, strings.Repeat("P", 10), 25, 25, ""},
		{"a fifth is left out: 25 that count are 25 x 13 / 10 to run", wilson, strings.Repeat("P", 10) + "XX" + "X", 33, 25, ""},
		{"the minimum of trials is what is missing", envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.5), MinTrials: envelope.Some(8)}, "PPP", 5, 5, ""},
		{"sprt passes after 14 straight", envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}, "PPPP", 10, 10, ""},
		{"at the threshold itself", wilson, "PPPPPPPPPF", 0, 0, "exactly the threshold"},
		{"too few trials count", envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), MinCoverage: envelope.Some(0.9)}, "PPPXXX", 0, 0, "coverage"},
		{"the cost limit was reached", envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), CostLimitUSD: envelope.Some(0.3)}, "PPPPPPP", 0, 0, "cost limit"},
	} {
		s := answer(t, Question{Envelope: seal(t, c.policy, map[string]string{"t": c.strip}, 0.1)}).Settling
		if len(s.Tests) != 1 {
			t.Errorf("%s: %d inconclusive tests", c.reason, len(s.Tests))
			continue
		}
		u := s.Tests[0]
		if c.never != "" {
			if !u.Never || u.More != nil || s.Never != 1 || !strings.Contains(u.Why, c.never) {
				t.Errorf("%s: %+v, want never, for %q", c.reason, u, c.never)
			}
			continue
		}
		if u.More == nil || u.More.Trials != c.more || u.Passes.V != c.passes {
			t.Errorf("%s: %+v and %v passes in a row, want %d and %d", c.reason, u.More, u.Passes, c.more, c.passes)
			continue
		}
		near(t, c.reason+": cost", s.Sum.CostUSD.V, float64(c.more)/10, 1e-9)
	}
}

// TestSettlingByTheRuleForRetries: a test that the rule for retries judged is settled by
// that, and not by the rule beside it, which one failure settles. Wilson's lower limit of
// 13 of 14 is 0.685, of 14 of 15 0.702.
func TestSettlingByTheRuleForRetries(t *testing.T) {
	p := envelope.Policy{RetryRule: "wilson", Threshold: envelope.Some(0.7)}
	s := answer(t, Question{Envelope: seal(t, p, map[string]string{"t": "F" + strings.Repeat("R", 11)}, 0)}).Settling
	if len(s.Tests) != 1 || s.Tests[0].Rule != "wilson" || s.Tests[0].Passes != envelope.Some(3) {
		t.Errorf("%+v, want 3 passes in a row", s.Tests)
	}
}

// TestSettlingAdjusted: a fail that does not stand among many tests needs a p-value that is smaller by the factor adjusting cost.
func TestSettlingAdjusted(t *testing.T) {
	strips := map[string]string{"weak": "P" + strings.Repeat("F", 9)}
	for _, name := range strings.Split("abcdefghijklmnopqr", "") {
		strips[name] = strings.Repeat("P", 10)
	}
	p := envelope.Policy{Rule: "wald", Adjust: "bonferroni"}
	s := answer(t, Question{Envelope: seal(t, p, strips, 0)}).Settling
	if len(s.Tests) != 1 {
		t.Fatalf("%d inconclusive tests, want the weak one", len(s.Tests))
	}
	// 19 x P(X <= 1 of n) <= 0.025: 19 x 14 / 2^13 = 0.032, 19 x 15 / 2^14 = 0.017
	if u := s.Tests[0]; u.Failures.V != 4 {
		t.Errorf("%v failures in a row settle 1 of 10 among 19 tests, want 4: 1 of 14", u.Failures)
	}
}

// among is a test among sixty others, and what it takes to settle it.
func among(t *testing.T, p envelope.Policy, strip string) (envelope.Status, *Unsettled) {
	t.Helper()
	strips := map[string]string{"a": strip}
	for i := range 60 {
		strips[fmt.Sprintf("z%02d", i)] = "PPPFPPPP"
	}
	env := seal(t, p, strips, 0)
	s := answer(t, Question{Envelope: env}).Settling
	if i := slices.IndexFunc(s.Tests, func(u Unsettled) bool { return u.Test == "a" }); i >= 0 {
		return env.Tests[0].Status, &s.Tests[i]
	}
	return env.Tests[0].Status, nil
}

// TestSettlingStopped: a rule that has stopped is not turned by what comes later.
// Where its fail does not stand among 61 tests, the e-value of k failures alone,
// (1-0.1^(k+1)) / (0.9 (k+1) 0.1^k), has to become 61/0.05 = 1220: from 37 after two
// to 2222 after four. The run sealed with what is asked for is decided.
func TestSettlingStopped(t *testing.T) {
	p := envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9), Adjust: "bonferroni"}
	_, u := among(t, p, "FF")
	if u == nil || u.Failures.V != 2 || u.Passes.OK || u.More == nil || u.More.Trials != 2 || u.Fail.V != 1 {
		t.Fatalf("%+v, want 2 failures and nothing else", u)
	}
	for strip, want := range map[string]envelope.Status{"FFF": envelope.Inconclusive, "FFFF": envelope.Fail, "FF" + strings.Repeat("P", 100): envelope.Inconclusive} {
		if got, _ := among(t, p, strip); got != want {
			t.Errorf("%s: %s, want %s", strip, got, want)
		}
	}
	if _, u := among(t, p, "FF"+strings.Repeat("P", 30)); u == nil || !u.Never || u.More != nil || u.Passes.OK {
		t.Errorf("%+v: at 30 of 32 its fail never stands", u)
	}
	if _, u := among(t, p, "FFPPPPPP"); u == nil || u.More == nil || !(u.Fail.V >= 0.8) || u.Passes.OK {
		t.Errorf("%+v: at 6 of 8 it fails, and cannot pass", u)
	}
}

// TestSettlingBelowMinimum: a rule that stopped before the trials the policy asks
// for says so when they are there. Nothing takes a fail back. A pass of sprt after
// 14 trials is contradicted when the six after it pass 3 times or fewer (p 0.016
// against 0.9; 4 times 0.114), so that of three more at least two have to pass: at
// 16/17 with probability (16^3 + 3 16^2) / 17^3. Anytime passes after 12 trials, and
// four failures alone could not take that back.
func TestSettlingBelowMinimum(t *testing.T) {
	for _, c := range []struct {
		rule, strip  string
		pass         float64 // after three more
		passes       bool
		rest, become string
	}{
		{"sprt", "FFFFF" + strings.Repeat("P", 12), 0, false, "FFF PPP PFP", "fail fail fail"},
		{"sprt", strings.Repeat("P", 14) + "PFP", (4096 + 3*256.) / 4913, true, "PPP PFP PFF FFF", "pass pass inconclusive inconclusive"},
		{"anytime", strings.Repeat("P", 17), 1, true, "FFF PPP PFP", "pass pass pass"},
	} {
		p := envelope.Policy{Rule: c.rule, Threshold: envelope.Some(0.9), MinTrials: envelope.Some(20)}
		u := answer(t, Question{Envelope: seal(t, p, map[string]string{"t": c.strip}, 0)}).Settling.Tests[0]
		if u.More == nil || u.More.Trials != 3 || u.Passes.OK != c.passes || c.passes && u.Passes.V != 3 || !c.passes && u.Failures.V != 3 {
			t.Errorf("%s, %s: %+v, want 3 more trials", c.rule, c.strip, u)
		}
		near(t, c.rule+" "+c.strip+": chance to pass", u.Pass.V, c.pass, 1e-8)
		become := strings.Fields(c.become)
		for i, rest := range strings.Fields(c.rest) {
			if got := seal(t, p, map[string]string{"t": c.strip + rest}, 0).Tests[0].Status; string(got) != become[i] {
				t.Errorf("%s, %s%s: %s, want %s", c.rule, c.strip, rest, got, become[i])
			}
		}
	}
}

// TestSettlingContradicted: after a pass of sprt at 14 of 14, none of two passed: p
// 0.01 against 0.9. With k more passes it is P(X <= k of k+2): 0.028 for 1, 0.0523
// for 2, so that two are enough. At a rate of 0.875 so far, below 0.9, more of the
// same is no help.
func TestSettlingContradicted(t *testing.T) {
	p := envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}
	strip := strings.Repeat("P", 14) + "FF"
	u := answer(t, Question{Envelope: seal(t, p, map[string]string{"t": strip}, 0)}).Settling.Tests[0]
	if u.Passes.V != 2 || !u.Never || !strings.Contains(u.Why, "contradict") {
		t.Errorf("%+v, want 2 passes in a row, and never at this rate", u)
	}
	for rest, want := range map[string]envelope.Status{"P": envelope.Inconclusive, "PP": envelope.Pass} {
		if got := seal(t, p, map[string]string{"t": strip + rest}, 0).Tests[0].Status; got != want {
			t.Errorf("%s%s: %s, want %s", strip, rest, got, want)
		}
	}
}

// TestSettlingHoldsForGood: the number said is one from which on every further
// number settles the test as surely, and one fewer does not. Checked by hand, one
// binomial sum after the other, far beyond what is said.
func TestSettlingHoldsForGood(t *testing.T) {
	for _, c := range []struct {
		rule           string
		threshold      float64
		passed, failed int
	}{{"wilson", 0.9, 10, 2}, {"wilson", 0.9, 19, 1}, {"exact", 0.8, 7, 3}, {"bayes", 0.95, 50, 1}, {"wald", 0.5, 3, 2}, {"wilson", 0.99, 30, 1}} {
		p := resolved(t, envelope.Policy{Rule: c.rule, Threshold: envelope.Some(c.threshold)})
		strip := strings.Repeat("P", c.passed) + strings.Repeat("F", c.failed)
		s := answer(t, Question{Envelope: seal(t, p.Policy, map[string]string{"t": strip}, 0)}).Settling
		if len(s.Tests) != 1 || s.Tests[0].More == nil {
			t.Errorf("%s %v, %s: %+v", c.rule, c.threshold, strip, s.Tests)
			continue
		}
		decide, rate, more := verdict.DecideFor(*p), float64(c.passed)/float64(c.passed+c.failed), s.Tests[0].More.Trials
		settles := func(n int) (sum float64) {
			all, _ := math.Lgamma(float64(n + 1))
			for k := range n + 1 {
				if decide(c.passed+k, c.failed+n-k) != stats.Undecided {
					of, _ := math.Lgamma(float64(k + 1))
					others, _ := math.Lgamma(float64(n - k + 1))
					sum += math.Exp(all - of - others + float64(k)*math.Log(rate) + float64(n-k)*math.Log(1-rate))
				}
			}
			return sum
		}
		if more > 1 && settles(more-1) >= 0.8 {
			t.Errorf("%s %v, %s: %d further trials, but one fewer is enough as well", c.rule, c.threshold, strip, more)
		}
		for n := more; n < 3*more+200; n++ {
			if settles(n) < 0.8 {
				t.Errorf("%s %v, %s: from %d on it is to be settled, and %d settle it with %.4f", c.rule, c.threshold, strip, more, n, settles(n))
				break
			}
		}
	}
}

// TestSettlingScoresAdjusted: mean 0.62, s 0.0860, so that t is 1.511 sqrt(n) below
// 0.75. Among 61 tests p has to be at most 0.025/61 = 0.00041: 0.0005 for n = 10
// (t 4.78 on 9 degrees of freedom), 0.00026 for n = 11.
func TestSettlingScoresAdjusted(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	add := func(name string, scores ...float64) {
		for i, score := range scores {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some(int32(i)), Score: envelope.Some(score)})
		}
	}
	add("a", 0.6, 0.7, 0.5, 0.65, 0.72, 0.55)
	for i := range 60 {
		add(fmt.Sprintf("z%02d", i), 0.90, 0.91, 0.92, 0.90, 0.91, 0.92)
	}
	in.Close()
	env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *resolved(t, envelope.Policy{Rule: "t-interval", Threshold: envelope.Some(0.75), Adjust: "bonferroni"}))
	if err != nil {
		t.Fatal(err)
	}
	s := answer(t, Question{Envelope: env}).Settling
	if len(s.Tests) != 1 || s.Tests[0].More == nil || s.Tests[0].More.Trials != 5 {
		t.Errorf("%+v, want 5 more trials of one test", s.Tests)
	}
}

// TestSettlingCut: 61 times the p-value of 1 pass of 8 against a half, 0.035, is cut
// at 1. The factor is 61 all the same: 61 (1+15)/2^15 = 0.030, 61 (1+16)/2^16 =
// 0.016.
func TestSettlingCut(t *testing.T) {
	p := envelope.Policy{Rule: "wald", Adjust: "bonferroni"}
	if _, u := among(t, p, "PFFFFFFF"); u == nil || u.Failures.V != 8 {
		t.Errorf("%+v, want 8 failures in a row: 1 of 16", u)
	}
	if got, _ := among(t, p, "P"+strings.Repeat("F", 15)); got != envelope.Fail {
		t.Errorf("1 of 16 is %s", got)
	}
}

// TestSettlingScores: mean 0.7333, s 0.1080: t s / sqrt(n) < 0.0333 from n = 43, where t is
// 2.018. The bound's p(m) by its recursion, of the scores over and over, comes below 0.025
// at 0.6 with 20 of them, at 0.5 with 10, and at 0.85 with 60 of the other scores. Equal
// scores never say how they vary.
func TestSettlingScores(t *testing.T) {
	few, high := []float64{0.6, 0.8, 0.7, 0.9, 0.75, 0.65}, slices.Repeat([]float64{0.9, 0.95, 0.85, 0.92}, 3)
	for _, c := range []struct {
		rule      string
		threshold float64
		scores    []float64
		more      int
	}{{"t-interval", 0.7, few, 43 - 6}, {"bounded-mean", 0.6, few, 20 - 6}, {"bounded-mean", 0.5, few, 10 - 6}, {"bounded-mean", 0.85, high, 60 - 12}, {"t-interval", 0.9, slices.Repeat([]float64{1}, 6), 0}} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for i, score := range c.scores {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Score: envelope.Some(score)})
		}
		in.Close()
		env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *resolved(t, envelope.Policy{Rule: c.rule, Threshold: envelope.Some(c.threshold)}))
		if err != nil {
			t.Fatal(err)
		}
		if u := answer(t, Question{Envelope: env}).Settling.Tests[0]; u.Never != (c.more == 0) || !u.Never && u.More.Trials != c.more {
			t.Errorf("%s at %v: %+v further trials, want %d", c.rule, c.threshold, u.More, c.more)
		}
	}
}

// TestSettlingOfAStoppedRun: the run of which a limit left trials asks for all of them under
// a rule that looks once, and up to its verdict under another. All of 10 is what wilson asks
// for above 0.6 (its lower end of 9 of 10 is 0.596), so that 3 failures settle 2 of 4.
func TestSettlingOfAStoppedRun(t *testing.T) {
	for _, c := range []struct {
		policy             envelope.Policy
		strip              string
		more               int
		passes, failures   envelope.Opt[int]
		pass, fail         envelope.Opt[float64]
		inconclusive, left int
	}{
		{envelope.Policy{}, "PPPP", 6, envelope.Some(6), envelope.Some(1), envelope.Some(1.), envelope.Some(0.), 0, 1},
		{envelope.Policy{}, "PPPF", 0, envelope.Opt[int]{}, envelope.Opt[int]{}, envelope.Opt[float64]{}, envelope.Opt[float64]{}, 0, 0},
		{envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.6)}, "PPPP", 6, envelope.Some(6), envelope.Opt[int]{}, envelope.Some(1.), envelope.Some(0.), 1, 0},
		// 2 or fewer of 10 fail: P(none of 6) at 1/2 is 1/64
		{envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.6)}, "PFPF", 6, envelope.Opt[int]{}, envelope.Some(6), envelope.Some(0.), envelope.Some(1. / 64), 1, 0},
		{envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.6)}, "PPF", 7, envelope.Opt[int]{}, envelope.Opt[int]{}, envelope.Opt[float64]{}, envelope.Opt[float64]{}, 1, 0},
		{envelope.Policy{}, "", 10, envelope.Opt[int]{}, envelope.Opt[int]{}, envelope.Opt[float64]{}, envelope.Opt[float64]{}, 0, 1},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "journal")
		in.Listed(envelope.Key{Test: "a"}, nil, envelope.Some[int64](10), false)
		in.Ended(envelope.Key{Test: "a"}, envelope.EndedCost)
		for i, o := range c.strip {
			status := map[rune]envelope.Status{'P': "pass", 'F': "fail"}[o]
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Attempt: envelope.Some(int32(i)), Status: status, CostUSD: envelope.Some(0.02)})
		}
		in.Close()
		env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *resolved(t, c.policy))
		if err != nil {
			t.Fatal(err)
		}
		s := answer(t, Question{Envelope: env}).Settling
		if s.Inconclusive != c.inconclusive || s.Provisional != c.left || s.Sum.Trials != c.more {
			t.Errorf("%q %s: %+v", c.strip, c.policy.Rule, s)
		}
		if c.more == 0 {
			continue
		}
		u := s.Tests[0]
		if atOnce := c.policy.Rule == "anytime" || u.Passes == c.passes && u.Failures == c.failures; u.More.Trials != c.more || !atOnce || s.Resumed != 1 {
			t.Errorf("%q %s: %v more, %v passes, %v failures; want %v", c.strip, c.policy.Rule, u.More, u.Passes, u.Failures, c)
		}
		if c.pass.OK && (u.Pass != c.pass || math.Abs(u.Fail.V-c.fail.V) > 1e-9) {
			t.Errorf("%q %s: pass %v fail %v, want %v %v", c.strip, c.policy.Rule, u.Pass, u.Fail, c.pass, c.fail)
		}
	}
}
