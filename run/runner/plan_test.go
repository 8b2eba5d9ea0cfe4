package runner

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestRefusals are the plans that a run does not begin with, by the contract.
func TestRefusals(t *testing.T) {
	adjust := func(p *envelope.Policy) { p.Adjust = "holm" }
	whole := func(p *envelope.Policy) { p.RunThreshold = envelope.Some(0.8) }
	for _, c := range []struct {
		reason string
		plan   Plan
		says   string
	}{
		{"wilson 0.9 needs 35", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 20}, "passes a test after 35 trials at the earliest, but it has 20"},
		{"and has them", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 35}, ""},
		{"or is told so", Plan{Policy: policyOf(t, "wilson", 0.9), Trials: 20, AllowStarved: true}, ""},
		{"sprt needs 14", Plan{Policy: policyOf(t, "sprt", 0.9), Trials: 13}, "after 14 trials at the earliest"},
		{"sequential rules have a number", Plan{Policy: policyOf(t, "anytime", 0.9)}, ""},
		{"the others have none", Plan{Policy: policyOf(t, "all", 0)}, "give the number, such as -n 20, or use --threshold 0.9 to stop at the verdict"},
		{"and the example is one that can pass: wilson 0.9 needs 35", Plan{Policy: policyOf(t, "wilson", 0.9)}, "such as -n 35, or use --rule anytime to stop at the verdict"},
		{"min_trials of scores", Plan{Policy: policyOf(t, "t-interval", 0.9), Trials: 4}, "after 5 trials at the earliest"},
		{"fail-fast with adjust", Plan{Policy: policyOf(t, "wilson", 0.9, adjust), Trials: 35, FailFast: true}, "fail-fast stops at a fail, but adjust holm"},
		{"early with adjust", Plan{Policy: policyOf(t, "wilson", 0.9, adjust), Trials: 35, Early: true}, "adjust holm needs the p-value of all trials"},
		{"early with scores", Plan{Policy: policyOf(t, "mean", 0.9), Trials: 5, Early: true}, "rule mean judges scores"},
		{"early with a threshold of the run", Plan{Policy: policyOf(t, "all", 0, whole), Trials: 20, Early: true}, "stop early leaves out the trials that cannot change a verdict"},
		{"fail-fast with one", Plan{Policy: policyOf(t, "all", 0, whole), Trials: 20, FailFast: true}, "use -n 20 --rule all"},
		{"a sequential rule with one", Plan{Policy: policyOf(t, "anytime", 0.9, whole)}, "without fail-fast and sequential rules"},
		{"a sequential rule for some tests with one", Plan{Trials: 50, Policy: policyOf(t, "all", 0, whole, func(p *envelope.Policy) {
			p.Overrides = []envelope.Override{{Match: "a", Policy: envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}}}
		})}, "without fail-fast and sequential rules"},
		{"a fixed number with one", Plan{Policy: policyOf(t, "wilson", 0.9, whole), Trials: 35}, ""},
		{"a test has fewer than the others", Plan{Policy: policyOf(t, "sprt", 0.9), Tests: []Test{{Key: envelope.Key{Test: "b"}, Trials: 3}}}, "b cannot pass"},
		{"a test twice", Plan{Policy: policyOf(t, "sprt", 0.9), Tests: named("a", "a")}, "a is listed twice: name it once"},
		{"another rule for one", Plan{Trials: 10, Tests: named("a", "b"), Policy: policyOf(t, "all", 0, func(p *envelope.Policy) {
			p.Overrides = []envelope.Override{{Match: "b", Policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}}}
		})}, "b cannot pass: rule wilson at threshold 0.9"},
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
		{"started twice", []Line{Start{Trials: []Place{{0, 0, 0}}}, Start{Trials: []Place{{0, 0, 0}}}}, "starts attempt 1 of a that has been started"},
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
