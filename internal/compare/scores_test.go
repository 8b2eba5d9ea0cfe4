package compare_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/compare"
)

// scored is one test by its scores; a status stands beside each where one is given.
type scored struct {
	test   string
	scores []float64
	status envelope.Status
}

// graded judges tests by their scores under a rule. Trials are numbered when numbered is set.
func graded(t *testing.T, p envelope.Policy, numbered bool, tests ...scored) *envelope.Envelope {
	t.Helper()
	var trials []envelope.Trial
	for _, s := range tests {
		suite, name, _ := strings.Cut(s.test, "/")
		for i, score := range s.scores {
			trial := envelope.Trial{Key: envelope.Key{Suite: suite, Test: name}, Status: s.status, Score: envelope.Some(score)}
			if numbered {
				trial.Attempt = envelope.Some(int32(i))
			}
			trials = append(trials, trial)
		}
	}
	return sealed(t, p, trials...)
}

// around are n scores around a mean, no two alike.
func around(mean float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + 0.002*(float64(i)-float64(n-1)/2)
	}
	return out
}

// TestScoresOfFewPairs: eight pairs of each of 20 tests have p-values of 20 * 2/2^8 at the
// least, which shows nothing. As independent scores they have 20 * 2/C(16, 8).
func TestScoresOfFewPairs(t *testing.T) {
	var before, after []scored
	for i := range 20 {
		before = append(before, scored{fmt.Sprintf("s/%d", i), around(0.92, 8), ""})
		after = append(after, scored{fmt.Sprintf("s/%d", i), around(0.62, 8), ""})
	}
	x := compared(t, graded(t, envelope.Policy{}, true, before...), graded(t, envelope.Policy{}, true, after...), compare.Defaults()).Contrasts[0]
	for _, got := range x.Tests {
		if got.State != compare.Regressed || got.Method != "permutation" || math.Abs(got.PAdjusted.V-20*2./12870) > 1e-12 || got.Pairs == nil {
			t.Fatalf("%s by %s, p %v", got.State, got.Method, got.PAdjusted.V)
		}
	}
}

// TestScoresThatFell: all trials pass by their scores of 0.5 and more, and the scores fell.
// The p-values are counted over all arrangements: 2/C(16, 8) and 2/2^8.
func TestScoresThatFell(t *testing.T) {
	for _, c := range []struct {
		reason   string
		numbered bool
		method   string
		p        float64
	}{{"independent trials", false, "permutation", 2. / 12870}, {"pairs", true, "sign-changes", 2. / 256}} {
		base := graded(t, envelope.Policy{}, c.numbered, scored{"s/a", around(0.92, 8), ""}, scored{"s/b", around(0.9, 8), ""})
		candidate := graded(t, envelope.Policy{}, c.numbered, scored{"s/a", around(0.62, 8), ""}, scored{"s/b", around(0.64, 8), ""})
		got := compared(t, base, candidate, compare.Defaults())
		x := got.Contrasts[0]
		a := x.Tests[0]
		if a.State != compare.Regressed || a.Method != c.method || a.Difference.Of != compare.OfScores || a.Newly != "" {
			t.Errorf("%s: %s by %s (%s)", c.reason, a.State, a.Method, a.Reason)
		}
		near(t, c.reason+": p", a.PValue.V, c.p)
		near(t, c.reason+": difference", a.Difference.Value, -0.3)
		near(t, c.reason+": the run", x.Run.Difference.Value, -0.28)
		near(t, c.reason+": before", x.Run.Base.MeanScore.V, 0.91)
		if x.Run.State == compare.Equivalent {
			t.Errorf("%s: %s", c.reason, x.Run.Sentence())
		}
	}
}

// TestTheRunOfScores: by hand, differences of tests -0.3, -0.2, -0.4 have the mean -0.3 and
// the standard error 0.1/sqrt(3); t = -5.196 with 2 degrees of freedom has p = 1 -
// t/sqrt(2 + t²), and 4.302652729911275 is the quantile of 0.95.
func TestTheRunOfScores(t *testing.T) {
	base := graded(t, envelope.Policy{}, false, scored{"s/a", around(0.9, 4), ""}, scored{"s/b", around(0.8, 9), ""}, scored{"u/c", around(0.9, 6), ""})
	candidate := graded(t, envelope.Policy{}, false, scored{"s/a", around(0.6, 4), ""}, scored{"s/b", around(0.6, 5), ""}, scored{"u/c", around(0.5, 6), ""})
	run := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Run
	se := 0.1 / math.Sqrt(3)
	near(t, "difference", run.Difference.Value, -0.3)
	near(t, "lo", run.Difference.Lo, -0.3-4.302652729911275*se)
	near(t, "hi", run.Difference.Hi, -0.3+4.302652729911275*se)
	near(t, "p", run.PValue.V, 1-math.Sqrt(27)/math.Sqrt(2+27))
	if run.State != compare.Regressed || run.Method != compare.MethodStudent {
		t.Errorf("%s: %s", run.State, run.Sentence())
	}
	o := compare.Defaults()
	o.ClusterBy = "suite"
	// CR2 of groups of 2 and 1: residuals 0.05+... sum to 0.1 and -0.1 in the groups; 1/(1-2/3)
	// and 1/(1-1/3) of their squares over 9. Satterthwaite: 9/(4+1+2 (4/9 3)(1/9 3/2)) = 9/(5 + 4/9).
	clustered := compared(t, base, candidate, o).Contrasts[0].Run
	near(t, "clustered", clustered.Difference.Value, -0.3)
	se = math.Sqrt(0.01 * (3 + 1.5) / 9)
	half := (clustered.Difference.Hi - clustered.Difference.Lo) / 2
	if tq := half / se; clustered.Difference.Method != compare.IntervalGroup || !(tq > 4.302652729911275 && tq < 12.706204736174693) {
		t.Errorf("%s: quantile %v, want that of 81/49 degrees of freedom, between those of 1 and 2", clustered.Difference.Method, tq)
	}
}

// TestStatusesDecide: where a status stands beside the scores, passes have the state and
// scores are a second line, unless the rule judges scores.
func TestStatusesDecide(t *testing.T) {
	sides := func(p envelope.Policy) (base, candidate *envelope.Envelope) {
		return graded(t, p, false, scored{"s/a", around(0.92, 20), envelope.Pass}), graded(t, p, false, scored{"s/a", around(0.62, 20), envelope.Pass})
	}
	base, candidate := sides(envelope.Policy{})
	x := compared(t, base, candidate, compare.Defaults()).Contrasts[0]
	a := x.Tests[0]
	if a.State != compare.Unresolved || a.Difference.Of != "" || a.Scores == nil || !a.Scores.Sure {
		t.Fatalf("%+v", a)
	}
	near(t, "beside", a.Scores.Difference.Value, -0.3)
	shown, _ := x.Shown(1, 1)
	if says := x.ScoreWords(); !strings.HasPrefix(says, "mean 0.92 before, 0.62 now: -30 points [") || !strings.HasSuffix(says, "; changed beyond chance: s/a -30") || len(shown) != 1 || a.ScorePoints() != "-30" {
		t.Errorf("%q, %q, %d shown", says, a.ScorePoints(), len(shown))
	}
	base, candidate = sides(envelope.Policy{Rule: "t-interval", Threshold: envelope.Some(0.8)})
	if a := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Tests[0]; a.State != compare.Regressed || a.Scores != nil {
		t.Errorf("the rule judges scores: %s (%s)", a.State, a.Reason)
	}
}

// TestEquivalentScores: scores that stand still are within a margin once there are enough of
// them, z²/(n+z²) to either side: 0.05 from 73 trials on.
func TestEquivalentScores(t *testing.T) {
	for n, want := range map[int]compare.State{72: compare.Unresolved, 73: compare.Equivalent} {
		base, candidate := graded(t, envelope.Policy{}, false, scored{"s/a", around(0.8, n), ""}), graded(t, envelope.Policy{}, false, scored{"s/a", around(0.8, n), ""})
		c := compared(t, base, candidate, compare.Defaults()).Contrasts[0]
		// Scores around 0.8 by up to 0.07 have an interval of their own within 0.015.
		if c.Tests[0].State != want || c.Run.State != want || c.Tests[0].NonInferior != (want == compare.Equivalent) {
			t.Errorf("%d trials: %s, the run %s (%s)", n, c.Tests[0].State, c.Run.State, c.Tests[0].Reason)
		}
	}
}

// TestOutcomesInNumbers: scores that are all 0 or 1 say what passes say.
func TestOutcomesInNumbers(t *testing.T) {
	base, candidate := graded(t, envelope.Policy{}, false, scored{"s/a", []float64{1, 1, 1, 0}, ""}), graded(t, envelope.Policy{}, false, scored{"s/a", []float64{1, 0, 0, 0}, ""})
	if a := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Tests[0]; a.Method != compare.MethodFisher || a.Scores != nil {
		t.Errorf("%s, %+v", a.Method, a.Scores)
	}
}

// TestScoresBeyondOne: a difference of other scores is in their unit, and a test without
// scores has no part in the run.
func TestScoresBeyondOne(t *testing.T) {
	side := func(score float64) *envelope.Envelope {
		trials := []envelope.Trial{}
		for i := range 8 {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "a"}, Score: envelope.Some(score + float64(i))},
				envelope.Trial{Key: envelope.Key{Test: "b"}, Score: envelope.Some(score + 2*float64(i))},
				envelope.Trial{Key: envelope.Key{Test: "plain"}, Status: envelope.Pass})
		}
		return sealed(t, envelope.Policy{}, trials...)
	}
	c := compared(t, side(60), side(40), compare.Defaults())
	run := c.Contrasts[0].Run
	if run.Tests != 2 || !strings.Contains(run.Sentence(), "the mean score was 65.2 before, 45.2 now: -20 [") {
		t.Errorf("%d tests: %s", run.Tests, run.Sentence())
	}
	said := fmt.Sprint(c.Problems)
	if !strings.Contains(said, "1 test is not compared by scores and left out of the run") {
		t.Errorf("%s", said)
	}
}

// TestSequentialScores: bets on pairs know passes alone, so that no test that is judged by
// scores is EQUIVALENT by them, and it is said.
func TestSequentialScores(t *testing.T) {
	o := compare.Defaults()
	o.Sequential = true
	base, candidate := graded(t, envelope.Policy{}, true, scored{"s/a", around(0.9, 400), ""}), graded(t, envelope.Policy{}, true, scored{"s/a", around(0.55, 400)[:400], ""})
	for i := range candidate.Tests[0].Rows.Outcome {
		candidate.Tests[0].Rows.Outcome[i] = envelope.Passed
	}
	for i := range base.Tests[0].Rows.Outcome {
		base.Tests[0].Rows.Outcome[i] = envelope.Passed
	}
	c := compared(t, base, candidate, o)
	if x := c.Contrasts[0]; x.Tests[0].State == compare.Equivalent || x.Run.State == compare.Equivalent || x.Run.NonInferior || x.Tests[0].NonInferior || x.Run.DecidedAfter > 0 || !strings.Contains(fmt.Sprint(c.Problems), "judged by scores, and --sequential compares passes alone") {
		t.Errorf("%s, the run %s: %v", x.Tests[0].State, x.Run.State, c.Problems)
	}
}

// TestScoresOfSeveralRuns: scores that move from run to run are no change by themselves.
func TestScoresOfSeveralRuns(t *testing.T) {
	runs := func(means ...float64) compare.Input {
		in := compare.Input{Name: "side"}
		var all []float64
		for _, mean := range means {
			all = append(all, around(mean, 10)...)
			in.Runs = append(in.Runs, compare.CountsOf(graded(t, envelope.Policy{}, false, scored{"s/a", around(mean, 10), ""}, scored{"s/b", around(mean*0.9, 10), ""})))
		}
		in.Envelope = graded(t, envelope.Policy{}, false, scored{"s/a", all, ""}, scored{"s/b", scaled(all, 0.9), ""})
		return in
	}
	moved, err := compare.Runs("", runs(0.9, 0.7, 0.8), []compare.Input{runs(0.75, 0.65, 0.85)}, nil, compare.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	x := moved.Contrasts[0]
	if x.Tests[0].State != compare.Unresolved || x.Run.State != compare.Unresolved || !(x.Tests[0].DesignEffect.V > 5) || x.Run.Between == nil {
		t.Errorf("%s (%s), the run %s", x.Tests[0].State, x.Tests[0].Reason, x.Run.Sentence())
	}
	fell, err := compare.Runs("", runs(0.92, 0.9, 0.91), []compare.Input{runs(0.62, 0.6, 0.61)}, nil, compare.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if x := fell.Contrasts[0]; x.Tests[0].State != compare.Regressed || x.Run.State != compare.Regressed {
		t.Errorf("%s (%s), the run %s", x.Tests[0].State, x.Tests[0].Reason, x.Run.Sentence())
	}
}

func scaled(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * by
	}
	return out
}

// TestScoresTooLargeToBeSummed have no mean: passes are compared, and nothing is not a number.
func TestScoresTooLargeToBeSummed(t *testing.T) {
	for _, c := range [][2][]float64{{{1e308, -1e308, 0.3}, {1e308, 1e308, 0.3}}, {{1e200, 0.2}, {0.5, 0.4}}, {{1e154, 0.2, 0.1}, {-1e154, 0.4, 1}}} {
		base, candidate := graded(t, envelope.Policy{}, false, scored{"s/a", c[0], ""}), graded(t, envelope.Policy{}, false, scored{"s/a", c[1], ""})
		x := compared(t, base, candidate, compare.Defaults()).Contrasts[0]
		for _, d := range []*compare.Difference{x.Tests[0].Difference, x.Run.Difference} {
			if sum := d.Value + d.Lo + d.Hi; math.IsNaN(sum) || math.IsInf(sum, 0) {
				t.Errorf("%v: %+v", c, d)
			}
		}
		if p := x.Tests[0].PValue; math.IsNaN(p.V) || math.IsNaN(x.Run.PValue.V) {
			t.Errorf("%v: p %v, %v", c, p, x.Run.PValue)
		}
	}
}
