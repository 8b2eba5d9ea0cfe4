package plan

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/verdict"
)

// seal judges tests given as strips: P passed, F failed, X left out.
func seal(t *testing.T, p envelope.Policy, strips map[string]string, costUSD float64) *envelope.Envelope {
	t.Helper()
	b := envelope.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for name, strip := range strips {
		for i, o := range strip {
			trial := envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some(int32(i)), Status: "pass", CostUSD: envelope.Some(costUSD)}
			if o != 'P' {
				trial.Status = "fail"
			}
			if o == 'X' {
				trial.Status, trial.ErrorClass = "error", envelope.ClassInfrastructure
			}
			in.Trial(&trial)
		}
	}
	in.Close()
	env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *policy(t, p))
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
		{"the money is spent", envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), CostLimitUSD: envelope.Some(0.3)}, "PPPPPPP", 0, 0, "money"},
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

// TestSettlingAdjusted: a fail that does not stand among many tests needs a
// p-value that is smaller by the factor adjusting cost.
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

func TestSettlingScores(t *testing.T) {
	b := envelope.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for i, score := range []float64{0.6, 0.8, 0.7, 0.9, 0.75, 0.65} {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Score: envelope.Some(score)})
	}
	in.Close()
	p := policy(t, envelope.Policy{Rule: "t-interval", Threshold: envelope.Some(0.7)})
	env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), *p)
	if err != nil {
		t.Fatal(err)
	}
	// mean 0.7333, s 0.1080: t s / sqrt(n) < 0.0333 from n = 43, where t is 2.018
	if u := answer(t, Question{Envelope: env}).Settling.Tests[0]; u.More == nil || u.More.Trials != 43-6 {
		t.Errorf("%+v further trials, want 37", u.More)
	}
}
