package verdict

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestScoresWithoutWords: a rule that says quickly what it finds in scores says
// what it finds in words.
func TestScoresWithoutWords(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	seen := map[envelope.Status]int{}
	for range 5000 {
		s := &Sample{}
		for range random.IntN(12) {
			s.add(random.IntN(2) == 0)
			s.Scores[len(s.Scores)-1] = float64(random.IntN(11)) / 10
		}
		p := envelope.Policy{Threshold: envelope.Some(float64(random.IntN(11)) / 10), Confidence: envelope.Some(0.9)}
		for _, rule := range Rules {
			if rule.scores == nil {
				continue
			}
			got, want := statusOf(rule.scores(s, p)), rule.judge(s, p).status
			if got != want {
				t.Fatalf("%s of %v at %v: %s, in words %s", rule.Name, s.Scores, p.Threshold.V, got, want)
			}
			seen[got]++
		}
	}
	if seen[envelope.Pass] < 100 || seen[envelope.Fail] < 100 || seen[envelope.Inconclusive] < 100 {
		t.Errorf("one-sided: %v", seen)
	}
}

// TestAMeanThatEqualsItsThreshold reaches it, whatever floats make of the
// decimals: every multiset of up to five scores in tenths whose mean is one of
// 0.1 to 0.9, in another order each.
func TestAMeanThatEqualsItsThreshold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ties := 0
	var choose func(tenths []int, sum int)
	choose = func(tenths []int, sum int) {
		if n := len(tenths); n > 1 && sum%n == 0 && sum > 0 && sum < 10*n {
			ties++
			checkTie(t, random, tenths, sum/n)
		}
		for next := 0; len(tenths) < 5 && next <= 10; next++ {
			if len(tenths) == 0 || next >= tenths[len(tenths)-1] {
				choose(append(slices.Clone(tenths), next), sum+next)
			}
		}
	}
	choose(nil, 0)
	if ties < 500 {
		t.Errorf("only %d ties", ties)
	}
}

func checkTie(t *testing.T, random *rand.Rand, tenths []int, mean int) {
	t.Helper()
	threshold := float64(mean) / 10
	s := &Sample{HasScores: true}
	for _, i := range random.Perm(len(tenths)) {
		s.Scores, s.Outcomes = append(s.Scores, float64(tenths[i])/10), append(s.Outcomes, true)
	}
	found := meanRule.judge(s, envelope.Policy{Threshold: envelope.Some(threshold)})
	if found.status != envelope.Pass || found.verdict.Statistic.V != threshold {
		t.Errorf("%v at %v: %s, mean %v", s.Scores, threshold, found.status, found.verdict.Statistic.V)
	}
	if got := score(s, meanRule, 0.95); got.Mean != threshold || got.Value != threshold {
		t.Errorf("%v: mean %v, value %v, want %v", s.Scores, got.Mean, got.Value, threshold)
	}
}

func TestMeansAndTheirThreshold(t *testing.T) {
	for _, c := range []struct {
		reason    string
		scores    []float64
		threshold float64
		want      envelope.Status
		says      string
	}{
		{"1.02 by 3", []float64{0.28, 0.04, 0.7}, 0.34, envelope.Pass, "mean score 0.34 over"},
		{"scores that make up for each other", []float64{-1, 0.7, 0.3}, 0, envelope.Pass, ""},
		{"in hundreds", []float64{70.1, 70.3, 70.2}, 70.2, envelope.Pass, ""},
		{"missed by little is missed, and said in digits that show it", []float64{0.8, 0.79999}, 0.8, envelope.Fail, "mean score 0.799995 over 2 trials; at least 0.8 is asked for"},
		{"missed by a thousand millionth", []float64{0.8, 0.799999998}, 0.8, envelope.Fail, "0.799999999 over"},
		{"two of three are no short decimal", []float64{1, 1, 0}, 0.66666666666667, envelope.Pass, ""},
		{"missed", []float64{1, 1, 0}, 0.7, envelope.Fail, "mean score 0.6667 over"},
	} {
		env := sealRun(t, rule("mean", c.threshold), scoredTrials(c.scores...)...)
		if c.threshold == 0 {
			env = sealRun(t, envelope.Policy{Rule: "mean", Threshold: envelope.Some(0.0)}, scoredTrials(c.scores...)...)
		}
		if got := env.Tests[0]; got.Status != c.want || !strings.Contains(got.Verdict.Reason, c.says) {
			t.Errorf("%s: %s, %s", c.reason, got.Status, got.Verdict.Reason)
		}
	}
}

func TestAGateOnAMeanThatEqualsIt(t *testing.T) {
	policy := envelope.Policy{Gates: []envelope.GateExpr{Gate("", "score.mean >= 0.34")}}
	if env := sealRun(t, policy, scoredTrials(0.28, 0.04, 0.7)...); env.Gate.Gates[0].Status != envelope.Pass {
		t.Errorf("%+v of mean %v", env.Gate.Gates[0], env.Tests[0].Score.Mean)
	}
}

func TestScoresTooLargeForAnInterval(t *testing.T) {
	got := sealRun(t, rule("t-interval", 0.8), scoredTrials(1e300, -1e300, 1, 1, 1)...).Tests[0]
	if got.Status != envelope.Inconclusive || !strings.Contains(got.Verdict.Reason, "5 trials: the scores are too large for an interval of their mean") {
		t.Errorf("%s: %s", got.Status, got.Verdict.Reason)
	}
	policy := rule("t-interval", 0.8)
	policy.MinTrials = envelope.Some(1)
	if got := sealRun(t, policy, scoredTrials(1)...).Tests[0]; !strings.Contains(got.Verdict.Reason, "1 trial: an interval of the mean needs at least 2") {
		t.Errorf("%s: %s", got.Status, got.Verdict.Reason)
	}
}
