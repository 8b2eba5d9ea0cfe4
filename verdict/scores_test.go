package verdict

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/verdict/gate"
)

// TestWordsTellWhereTheThresholdLies. With z = 1.96 the lower end of Wilson's interval, (c + z²/2 - z sqrt(c f/n +
// z²/4)) / (n + z²), is 0.900332 for 67 of 69 and 0.899710 for 94 of 98. The rate is at least 0.7 with the probability
// that at most 7 of 15 pass at 0.7, 0.0500125, after 7 of 14.
func TestWordsTellWhereTheThresholdLies(t *testing.T) {
	nineTenths := under("bayes", 0.5)
	nineTenths.Confidence = envelope.Some(0.9)
	for _, c := range []struct {
		reason, strip, says string
		policy              envelope.Policy
	}{
		{"above by little", repeat("P", 67) + "FF", "interval 0.9003 to 0.992 is above the threshold 0.9", under("wilson", 0.9)},
		{"below by little", repeat("P", 94) + "FFFF", "interval 0.8997 to 0.984 contains the threshold 0.9", under("wilson", 0.9)},
		{"three digits tell it", repeat("P", 9) + "F", "interval 0.596 to 0.982 contains the threshold 0.9", under("wilson", 0.9)},
		{"not unlikely enough by little", repeat("P", 7) + repeat("F", 7), "with probability 0.05001, between the limits 0.05 and 0.95", under("bayes", 0.7)},
		{"not sure enough by little", repeat("P", 35) + repeat("F", 25), "with probability 0.89998, between the limits 0.1 and 0.9", nineTenths},
	} {
		if got := seal(t, c.strip, c.policy).Verdict.Reason; !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want one that says %q", c.reason, got, c.says)
		}
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
		{"missed by little is missed, and said in digits that show it", []float64{0.8, 0.79999}, 0.8, envelope.Fail, "mean score 0.799995 over 2 trials (95 % t interval 0.7999 to 0.800); at least 0.8 is asked for"},
		{"missed by a thousand millionth", []float64{0.8, 0.799999998}, 0.8, envelope.Fail, "0.799999999 over"},
		{"two of three are no short decimal", []float64{1, 1, 0}, 0.66666666666667, envelope.Pass, ""},
		{"missed", []float64{1, 1, 0}, 0.7, envelope.Fail, "mean score 0.6667 over"},
	} {
		env := sealRun(t, under("mean", c.threshold), scoredTrials(c.scores...)...)
		if c.threshold == 0 {
			env = sealRun(t, envelope.Policy{Rule: "mean", Threshold: envelope.Some(0.0)}, scoredTrials(c.scores...)...)
		}
		if got := env.Tests[0]; got.Status != c.want || !strings.Contains(got.Verdict.Reason, c.says) {
			t.Errorf("%s: %s, %s", c.reason, got.Status, got.Verdict.Reason)
		}
	}
}

func TestAGateOnAMeanThatEqualsIt(t *testing.T) {
	policy := envelope.Policy{Gates: []envelope.GateExpr{gate.Named("", "score.mean >= 0.34")}}
	if env := sealRun(t, policy, scoredTrials(0.28, 0.04, 0.7)...); env.Gate.Gates[0].Status != envelope.Pass {
		t.Errorf("%+v of mean %v", env.Gate.Gates[0], env.Tests[0].Score.Mean)
	}
}

func TestScoresTooLargeForAnInterval(t *testing.T) {
	got := sealRun(t, under("t-interval", 0.8), scoredTrials(1e300, -1e300, 1, 1, 1)...).Tests[0]
	if got.Status != envelope.Inconclusive || !strings.Contains(got.Verdict.Reason, "5 trials: the scores are too large for an interval of their mean") {
		t.Errorf("%s: %s", got.Status, got.Verdict.Reason)
	}
	policy := under("t-interval", 0.8)
	policy.MinTrials = envelope.Some(1)
	if got := sealRun(t, policy, scoredTrials(1)...).Tests[0]; !strings.Contains(got.Verdict.Reason, "1 trial: an interval of the mean needs at least 2") {
		t.Errorf("%s: %s", got.Status, got.Verdict.Reason)
	}
}

// TestScoresBesideAStatus: a trial in error broke, so that its score is 0 at most, (1 + 0)/2 = 0.5 and (-3 + -1)/2 = -2;
// one that failed fell short of a threshold of its runner, and keeps its score, which is said where no trial passed.
func TestScoresBesideAStatus(t *testing.T) {
	for _, c := range []struct {
		reason    string
		rule      string
		threshold float64
		statuses  []envelope.Status
		scores    []float64
		want      envelope.Status
		mean      float64
		warned    bool
		says      string
	}{
		{"both broke", "mean", 0.8, []envelope.Status{envelope.Error, envelope.Error}, []float64{1, 1}, envelope.Fail, 0, false, "2 of them ended in an error and count as 0"},
		{"one broke", "mean", 0.6, []envelope.Status{envelope.Pass, envelope.Error}, []float64{1, 1}, envelope.Fail, 0.5, false, "mean score 0.5 over 2 trials (95 % t interval 0.000 to 1.000); at least 0.6 is asked for; 1 of them ended in an error and counts as 0, whatever it scored"},
		{"by an interval", "bounded-mean", 0.6, []envelope.Status{envelope.Error, envelope.Error, envelope.Error, envelope.Error, envelope.Error}, []float64{1, 1, 1, 1, 1}, envelope.Fail, 0, false, "5 of them ended in an error and count as 0"},
		{"below 0 they are what they are", "mean", -1.5, []envelope.Status{envelope.Error, envelope.Error}, []float64{-3, -1}, envelope.Fail, -2, false, ""},
		{"both failed for their runner", "mean", 0.8, []envelope.Status{envelope.Fail, envelope.Fail}, []float64{0.9, 0.8}, envelope.Pass, 0.85, true, ""},
		{"one failed for its runner", "mean", 0.8, []envelope.Status{envelope.Fail, envelope.Pass}, []float64{0.7, 0.9}, envelope.Pass, 0.8, false, ""},
		{"no runner said so", "mean", 0.3, []envelope.Status{"", ""}, []float64{0.4, 0.4}, envelope.Pass, 0.4, false, ""},
	} {
		trials := scoredTrials(c.scores...)
		for i := range trials {
			trials[i].Status = c.statuses[i]
		}
		env := sealRun(t, envelope.Policy{Rule: c.rule, Threshold: envelope.Some(c.threshold)}, trials...)
		warned := slices.ContainsFunc(env.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeByScore })
		if got := env.Tests[0]; got.Status != c.want || got.Score.Mean != c.mean || warned != c.warned || !strings.Contains(got.Verdict.Reason, c.says) || c.says == "" && strings.Contains(got.Verdict.Reason, "an error") {
			t.Errorf("%s: %s, mean %v, warned %v, want %s, %v, %v: %s", c.reason, got.Status, got.Score.Mean, warned, c.want, c.mean, c.warned, got.Verdict.Reason)
		}
	}
}

// TestTheMeanScoreOfARun has the interval that another implementation of Gaffke's bound
// gives for these scores. On 1 to 5 they are the same scores.
func TestTheMeanScoreOfARun(t *testing.T) {
	scores := []float64{0.9, 0.75, 1, 0.4, 0.6, 0.85}
	five := make([]float64, len(scores))
	for i, v := range scores {
		five[i] = 1 + 4*v
	}
	for _, c := range []struct {
		reason string
		scores []float64
		policy envelope.Policy
		want   *envelope.Rate
	}{
		{"from 0 to 1", scores, envelope.Policy{}, &envelope.Rate{Value: 0.75, Lo: 0.38857870043791254, Hi: 0.909754803221009}},
		{"from 1 to 5", five, envelope.Policy{ScoreRange: "1..5"}, &envelope.Rate{Value: 4, Lo: 1 + 4*0.38857870043791254, Hi: 1 + 4*0.909754803221009}},
		{"one beyond the range", five, envelope.Policy{}, nil},
		{"no more than outcomes", []float64{1, 0, 1, 1}, envelope.Policy{}, nil},
		{"none", []float64{math.NaN()}, envelope.Policy{}, nil},
	} {
		got := sealRun(t, c.policy, scoredTrials(c.scores...)...).Summary.Score
		if (got == nil) != (c.want == nil) || got != nil && math.Abs(got.Value-c.want.Value)+math.Abs(got.Lo-c.want.Lo)+math.Abs(got.Hi-c.want.Hi) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", c.reason, got, c.want)
		}
	}
}

// TestLastCurve: tests share a reliability only where all their outcomes are the same
// in the same order; the buffer that they come in is used again.
func TestLastCurve(t *testing.T) {
	var curves lastCurve
	outcomes := []bool{true, true, false}
	first := curves.of(outcomes)
	if curves.of([]bool{true, true, false}) != first {
		t.Error("the same outcomes have a reliability of their own")
	}
	outcomes[1], outcomes[2] = false, true
	for _, other := range [][]bool{outcomes, {true, true}, {true, true, true}} {
		got, want := curves.of(other), reliabilityOf(other)
		if got == first || got.Runs != want.Runs || got.Curve[len(other)-1] != want.Curve[len(other)-1] {
			t.Errorf("%v: %+v, want %+v", other, got, want)
		}
	}
}

// TestSharedRates: tests share rates only where passed, counted and excluded trials and the
// confidence are the same; each is what it is alone.
func TestSharedRates(t *testing.T) {
	m := shared{rates: map[rateCounts]envelope.Rates{}}
	of := func(passed, counted, excluded int) envelope.TrialCounts {
		return envelope.TrialCounts{Total: counted + excluded, Counted: counted, Passed: passed, Excluded: map[string]int{"infrastructure": excluded}}
	}
	first := m.ratesOf(of(3, 4, 1), 0.95)
	if m.ratesOf(of(3, 4, 1), 0.95).PerProtocol != first.PerProtocol {
		t.Error("the same counts have rates of their own")
	}
	for _, c := range []struct {
		counts     envelope.TrialCounts
		confidence float64
	}{{of(2, 4, 1), 0.95}, {of(3, 5, 1), 0.95}, {of(3, 4, 2), 0.95}, {of(3, 4, 1), 0.9}, {of(0, 0, 0), 0.95}} {
		if got, want := m.ratesOf(c.counts, c.confidence), rates(c.counts, c.confidence); !reflect.DeepEqual(got, want) || got.IntentToTreat == first.IntentToTreat {
			t.Errorf("%+v at %v: %+v, want %+v", c.counts, c.confidence, got, want)
		}
	}
}
