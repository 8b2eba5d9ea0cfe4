package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tribunal/compare"
)

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

// drawn are outcomes at a rate.
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
	for _, adjust := range compare.Adjustments() {
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
