package stats

import "testing"

// TestNothingIsLeftOpenByARuleOfTwoAnswers, not even what rounding leaves.
func TestNothingIsLeftOpenByARuleOfTwoAnswers(t *testing.T) {
	majority := NewBoundary(func(passed, failed int) Decision {
		if passed > failed {
			return Pass
		}
		return Fail
	})
	for trials := 1; trials <= 40; trials++ {
		for percent := range 101 {
			if c := majority.Once(float64(percent)/100, trials); c.Undecided != 0 {
				t.Fatalf("%d trials at %d %%: undecided with probability %v", trials, percent, c.Undecided)
			}
		}
	}
}

// TestSettled holds what the limits say of all numbers of passes that are still
// possible to asking the rule about each of them.
func TestSettled(t *testing.T) {
	wilson := func(passed, failed int) Decision {
		lo, hi := Wilson(passed, passed+failed, 1.96)
		switch {
		case lo > 0.7:
			return Pass
		case hi < 0.7:
			return Fail
		}
		return Undecided
	}
	once := func(passed, _ int) Decision {
		if passed > 0 {
			return Pass
		}
		return Fail
	}
	for name, decide := range map[string]func(passed, failed int) Decision{"wilson": wilson, "once": once} {
		b := NewBoundary(decide)
		for full := 1; full <= 30; full++ {
			for trials := range full + 1 {
				for passed := range trials + 1 {
					want, all := decide(passed, full-passed), true
					for end := passed; end <= passed+full-trials; end++ {
						all = all && decide(end, full-end) == want
					}
					got, settled := b.Settled(passed, trials, full)
					if settled != all || all && got != want {
						t.Fatalf("%s, %d of %d trials, %d passed: %v %v, want %v %v", name, trials, full, passed, got, settled, want, all)
					}
				}
			}
		}
	}
	if _, settled := NewBoundary(wilson).Settled(5, 9, 8); settled {
		t.Error("more trials than all are not settled")
	}
}
