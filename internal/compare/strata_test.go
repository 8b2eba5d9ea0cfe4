package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/compare"
)

// many is n tests of which all have the same outcomes but the first few.
func many(n, few int, others, outcomes string) []strip {
	out := make([]strip, n)
	for i := range out {
		out[i] = strip{fmt.Sprintf("/t%03d", i), outcomes}
		if i < few {
			out[i].outcomes = others
		}
	}
	return out
}

func wholeRun(t *testing.T, numbered bool, margin float64, base, candidate []strip) compare.Overall {
	t.Helper()
	o := compare.Defaults()
	o.Margin = margin
	return compared(t, run(t, numbered, base...), run(t, numbered, candidate...), o).Contrasts[0].Run
}

// TestWorseIsNotSurer: a test that broke does not make a run equivalent which was
// unresolved without it. Wilson's limit for 61 of 61 is 1/(1+1.96²/61).
func TestWorseIsNotSurer(t *testing.T) {
	base := many(61, 0, "", "P")
	same, worse := wholeRun(t, true, 0.05, base, base), wholeRun(t, true, 0.05, base, many(61, 1, "F", "P"))
	near(t, "nothing changed", same.Difference.Lo, 1/(1+1.96*1.96/61)-1)
	if same.State != compare.Unresolved || worse.State != compare.Unresolved || !(worse.Difference.Lo < same.Difference.Lo) || worse.NonInferior {
		t.Errorf("%s %+v, and with a test broken %s %+v", same.State, same.Difference, worse.State, worse.Difference)
	}
}

// TestRareLoss: of tests of one pair each, every one breaks with probability 0.05
// and the margin is as large: the run is EQUIVALENT with little more than half of
// alpha. The probability is exact, a sum over how many break.
func TestRareLoss(t *testing.T) {
	for _, n := range []int{61, 74, 100, 150} {
		wrong, mass := 0., math.Pow(0.95, float64(n))
		for broken := 0; broken <= 6; broken++ { // 7 of 150 are 4.7 points
			if wholeRun(t, true, 0.05, many(n, 0, "", "P"), many(n, broken, "F", "P")).State == compare.Equivalent {
				wrong += mass
			}
			mass *= float64(n-broken) / float64(broken+1) * 0.05 / 0.95
		}
		if wrong > 0.03 {
			t.Errorf("%d tests: EQUIVALENT with probability %.4f at a loss of the margin", n, wrong)
		}
	}
}

// TestAlikeLoss: tests that happen to move alike prove nothing by it. At a loss of
// the margin, 500 runs may be EQUIVALENT 25 times if the chance is 0.025 (99.9 %).
func TestAlikeLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	draw := func(rate float64, trials []int) []strip {
		out := many(len(trials), 0, "", "")
		for i, n := range trials {
			passed := 0
			for range n {
				if random.Float64() < rate {
					passed++
				}
			}
			out[i].outcomes = of(passed, n)
		}
		return out
	}
	for _, c := range []struct {
		trials     []int
		base, loss float64
	}{{[]int{20, 21}, 0.97, 0.07}, {[]int{30, 31, 32}, 0.99, 0.06}, {[]int{40, 40, 40, 40, 40}, 1, 0.06}} {
		wrong := 0
		for range 500 {
			if wholeRun(t, false, c.loss, draw(c.base, c.trials), draw(c.base-c.loss, c.trials)).State == compare.Equivalent {
				wrong++
			}
		}
		if wrong > 25 {
			t.Errorf("tests of %v trials: EQUIVALENT %d times of 500 at a loss of the margin", c.trials, wrong)
		}
	}
}

// TestOneFailureEach: three tests of 20, 21 and 22 trials with a new failure each
// lost 3 of 63, which p = 0.248 does not call a loss: nor does the interval. Its
// ends are those of a search over all rates, in a program of its own.
func TestOneFailureEach(t *testing.T) {
	base := []strip{{"/a", of(20, 20)}, {"/b", of(21, 21)}, {"/c", of(22, 22)}}
	candidate := []strip{{"/a", of(19, 20)}, {"/b", of(20, 21)}, {"/c", of(21, 22)}}
	got := wholeRun(t, false, 0.06, base, candidate)
	if got.State != compare.Unresolved || got.Difference.Method != "stratified-score" {
		t.Errorf("%s %+v", got.State, got.Difference)
	}
	near(t, "lo", got.Difference.Lo, -0.132299383627)
	near(t, "hi", got.Difference.Hi, 0.012582404452)
}

// TestTrialsWithoutPartner: five failures whose number base has not are left out
// of the interval, as they are of the difference. Where no trial failed, ten pairs
// have the variance 10 d (1-d) at a loss of d, and ten trials a side twice that
// with the correction 20/19; so d is ruled out from 10 d = z sqrt of their sum on,
// each with a weight of 5.
func TestTrialsWithoutPartner(t *testing.T) {
	mixed := func(extra string) *envelope.Envelope {
		var trials []envelope.Trial
		for i, outcome := range of(10, 10) + extra {
			status := envelope.Pass
			if outcome == 'F' {
				status = envelope.Fail
			}
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "p"}, Attempt: envelope.Some(int32(i)), Status: status})
		}
		for range 10 {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "q"}, Status: envelope.Pass})
		}
		return sealed(t, envelope.Policy{}, trials...)
	}
	got := compared(t, mixed(""), mixed("FFFFF"), compare.Defaults()).Contrasts[0].Run
	odds := 1.96 * 1.96 / 100 * (10./4 + 25./10*20/19)
	near(t, "lo", got.Difference.Lo, -odds/(1+odds))
	near(t, "hi", got.Difference.Hi, odds/(1+odds))
}

// TestSteadyPairs: forty pairs that did not change rule out a loss of z²/(40+z²),
// 8.8 points, as surely where half of them never pass.
func TestSteadyPairs(t *testing.T) {
	for _, passed := range []int{0, 20, 40} {
		e := run(t, true, strip{"/a", of(passed, 40)})
		got := compared(t, e, e, compare.Defaults()).Contrasts[0].Tests[0]
		near(t, "lo", got.Difference.Lo, -1.96*1.96/(40+1.96*1.96))
		if got.State != compare.Unresolved || got.NonInferior {
			t.Errorf("%d of 40: %s %+v", passed, got.State, got.Difference)
		}
	}
}

// TestAlwaysFailing: half of the tests never pass on either side, which does not
// make their run surer: where none of n pairs changed, a loss of less than
// 1-0.025^(1/n) is not ruled out.
func TestAlwaysFailing(t *testing.T) {
	half := many(100, 50, "F", "P")
	got := wholeRun(t, true, 0.02, half, half)
	if exact := 1 - math.Pow(0.025, 1./100); got.State != compare.Unresolved || !(got.Difference.Hi > exact) {
		t.Errorf("%s %+v, want more than %v", got.State, got.Difference, exact)
	}
}

// TestSeveralRuns: a candidate that is worse with p = 2/2^6 is one of two that could
// have been, where another has 8 pairs that changed, 4 either way: its p is twice as
// large. One that did not change could not.
func TestSeveralRuns(t *testing.T) {
	base := run(t, true, strip{"/a", of(20, 40)})
	worse := run(t, true, strip{"/a", of(14, 40)})
	shuffled := run(t, true, strip{"/a", "FFFF" + of(16, 16) + "PPPP" + of(0, 16)})
	for _, c := range []struct {
		reason string
		others []*envelope.Envelope
		adjust string
		p      float64
		want   compare.State
	}{
		{"alone it is one question", nil, "holm", 0, compare.Regressed},
		{"two questions", []*envelope.Envelope{shuffled}, "holm", 4. / 64, compare.Unresolved},
		{"as was asked for", []*envelope.Envelope{shuffled}, "none", 2. / 64, compare.Regressed},
		{"a run without any change cannot be one", []*envelope.Envelope{base}, "holm", 2. / 64, compare.Regressed},
	} {
		o := compare.Defaults()
		o.Adjust = c.adjust
		candidates := []compare.Input{{Name: "worse", Envelope: worse}}
		for _, other := range c.others {
			candidates = append(candidates, compare.Input{Name: "other", Envelope: other})
		}
		got, err := compare.Runs("model", compare.Input{Name: "base", Envelope: base}, candidates, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		r := got.Contrasts[0].Run
		near(t, c.reason+": p", r.PValue.V, 2./64)
		near(t, c.reason+": adjusted", r.PAdjusted.Or(0), c.p)
		if r.State != c.want {
			t.Errorf("%s: %s", c.reason, r.State)
		}
	}
}

// TestManyAlike: of 30 candidates that are no different, one or another run is
// REGRESSED in at most alpha of all comparisons: 20 of 200 is what chance allows
// (99.8 %), and without adjusting it is more.
func TestManyAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 1))
	regressed := func(base compare.Input, candidates []compare.Input, adjust string) int {
		o := compare.Defaults()
		o.Adjust = adjust
		got, err := compare.Runs("model", base, candidates, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(got.Contrasts, func(c compare.Contrast) bool { return c.Run.State == compare.Regressed }) {
			return 1
		}
		return 0
	}
	draw := func() *envelope.Envelope {
		passed := 0
		for range 60 {
			if random.Float64() < 0.7 {
				passed++
			}
		}
		return run(t, false, strip{"/a", of(passed, 60)})
	}
	holm, none := 0, 0
	for range 200 {
		base, candidates := compare.Input{Name: "base", Envelope: draw()}, make([]compare.Input, 30)
		for i := range candidates {
			candidates[i] = compare.Input{Name: fmt.Sprint(i), Envelope: draw()}
		}
		holm += regressed(base, candidates, "holm")
		none += regressed(base, candidates, "none")
	}
	if holm > 20 || none <= 20 {
		t.Errorf("of 200 comparisons %d have a run REGRESSED, and %d without adjusting", holm, none)
	}
}

// told is the course of strips of equally many tests a side.
func told(t *testing.T, base, candidate []string, o compare.Options) *compare.Course {
	t.Helper()
	c, err := compare.NewCourse(len(base), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range base {
		for k := range min(len(base[i]), len(candidate[i])) {
			c.Add(i, base[i][k] == 'P', candidate[i][k] == 'P')
		}
	}
	return c
}

// statesOf are the states that Runs says of strips.
func statesOf(t *testing.T, base, candidate []string, o compare.Options) []compare.State {
	t.Helper()
	var before, after []strip
	for i := range base {
		name := fmt.Sprintf("s/t%02d", i)
		before, after = append(before, strip{name, base[i]}), append(after, strip{name, candidate[i]})
	}
	var states []compare.State
	for _, test := range compared(t, run(t, true, before...), run(t, true, after...), o).Contrasts[0].Tests {
		states = append(states, test.State)
	}
	return states
}

func drawn(random *rand.Rand, trials int, rate float64) string {
	out := make([]byte, trials)
	for i := range out {
		out[i] = 'F'
		if random.Float64() < rate {
			out[i] = 'P'
		}
	}
	return string(out)
}

// A test is decided in its course after exactly as many pairs as Runs says it of the
// same trials, whatever the adjustment; and Soonest is never later.
func TestCourseDecidesAsRunsDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 20))
	seen := map[compare.State]int{}
	for _, adjust := range compare.Adjustments {
		for range 4 {
			o := sequential()
			o.Adjust, o.Margin = adjust, []float64{0.05, 0.2, 0.3}[random.IntN(3)]
			base, candidate := make([]string, 5), make([]string, 5)
			for i := range base {
				rates := [][2]float64{{0.9, 0.3}, {0.3, 0.9}, {0.95, 0.95}, {1, 1}, {0.9, 0.7}}[random.IntN(5)]
				base[i], candidate[i] = drawn(random, 60, rates[0]), drawn(random, 60, rates[1])
			}
			course := told(t, base, candidate, o)
			first := make([]int, len(base))
			for pairs := 1; pairs <= 60; pairs += 1 + pairs/6 {
				var b, c []string
				for i := range base {
					b, c = append(b, base[i][:pairs]), append(c, candidate[i][:pairs])
				}
				decided := course.Decided(pairs)
				for i, state := range statesOf(t, b, c, o) {
					if decided[i] != (state != compare.Unresolved) {
						t.Fatalf("adjust %s, after %d pairs test %d is %s and decided %v", adjust, pairs, i, state, decided[i])
					}
					seen[state]++
					if decided[i] && first[i] == 0 {
						first[i] = pairs
						short := told(t, []string{base[i][:pairs/2]}, []string{candidate[i][:pairs/2]}, o)
						if soonest := short.Soonest(0, pairs/2, 60); soonest > pairs || soonest <= pairs/2 {
							t.Fatalf("after %d pairs none was to decide before %d, and %d did", pairs/2, soonest, pairs)
						}
					}
				}
			}
		}
	}
	for _, state := range compare.States {
		if seen[state] < 20 {
			t.Errorf("one-sided: %v", seen)
		}
	}
}

// Tests that stopped when they were decided, while the others went on, have their states
// in the comparison of all; also where one had no pair yet.
func TestWhatACourseDecidesStays(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 20))
	decidedEarly := 0
	for range 12 {
		o := sequential()
		o.Margin = 0.3
		base, candidate := make([]string, 4), make([]string, 4)
		rates := [][2]float64{{1, 0.2}, {0.9, 0.5}, {0.9, 0.9}, {0.3, 0.9}}
		var left []int
		for i := range base {
			left = append(left, i)
		}
		for pairs := 1; pairs <= 60 && len(left) > 0; pairs++ {
			for _, i := range left {
				if i == 3 && pairs < 10 {
					continue // it comes late
				}
				base[i], candidate[i] = base[i]+drawn(random, 1, rates[i][0]), candidate[i]+drawn(random, 1, rates[i][1])
			}
			decided := told(t, base, candidate, o).Decided(pairs)
			var open []int
			for _, i := range left {
				if !decided[i] {
					open = append(open, i)
				} else if pairs < 60 {
					decidedEarly++
				}
			}
			left = open
		}
		isOpen := map[int]bool{}
		for _, i := range left {
			isOpen[i] = true
		}
		for i, state := range statesOf(t, base, candidate, o) {
			if !isOpen[i] && state == compare.Unresolved {
				t.Errorf("test %d was decided after %d pairs, and is %s", i, len(base[i]), state)
			}
		}
	}
	if decidedEarly < 20 {
		t.Errorf("one-sided: %d tests decided", decidedEarly)
	}
}

// A test that is decided among one is not yet among four, of which three have no pair:
// eight pairs that all got worse have 2/56.8 = 0.035 (TestSequentialRegresses), and
// holm over four takes p below 0.0125.
func TestCourseAsksTestsWithoutPairs(t *testing.T) {
	for tests, want := range map[int]bool{1: true, 4: false} {
		base, candidate := make([]string, tests), make([]string, tests)
		base[0], candidate[0] = of(8, 8), of(0, 8)
		if got := told(t, base, candidate, sequential()).Decided(8)[0]; got != want {
			t.Errorf("among %d tests: decided %v, want %v", tests, got, want)
		}
	}
}

func TestCourseRefuses(t *testing.T) {
	out := sequential()
	out.Margin = 2
	for what, o := range map[string]compare.Options{"for one look": compare.Defaults(), "of the generalised SPRT": gsprt(0.2), "with a margin of 2": out} {
		if _, err := compare.NewCourse(1, o); err == nil {
			t.Errorf("a comparison %s has a course", what)
		}
	}
}
