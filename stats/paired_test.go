package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Where the base fails all and the candidate passes all, every pair is discordant
// and won, and the eighth decides it (see PairedSequence).
func TestPairedCourseOfCertainPairs(t *testing.T) {
	c, ok := FollowPairs(1, 0, 0.05, 100)
	if !ok || c.Mean != 8 || c.Pairs(0.8) != 8 || c.Chance(7) != 0 || c.Chance(8) != 1 {
		t.Errorf("mean %v, 80 %% after %d, chances %v and %v", c.Mean, c.Pairs(0.8), c.Chance(7), c.Chance(8))
	}
	if _, ok := FollowPairs(0, 0, 0.05, 100); ok {
		t.Error("pairs that never differ decide nothing")
	}
	if _, ok := FollowPairs(0.01, 0.009, 0.05, 100); ok {
		t.Error("a hundred discordant pairs do not decide that")
	}
}

// The exact course against sequences that are looked at pair by pair.
func TestPairedCourseAgainstSequences(t *testing.T) {
	const better, worse, alpha, sequences = 0.05, 0.35, 0.05, 1500
	c, ok := FollowPairs(better, worse, alpha, 1000)
	if !ok {
		t.Fatal("not decided")
	}
	random := rand.New(rand.NewPCG(9, 10))
	total, squares, within := 0., 0., 0
	limit := c.Pairs(0.8)
	for range sequences {
		var s PairedSequence
		up, down := newWealth(0), newWealth(0)
		for {
			r := alike
			switch u := random.Float64(); {
			case u < better:
				r = won
			case u < better+worse:
				r = lost
			}
			s = append(s, r)
			a := up.log(up.add(r))
			b := down.log(down.add(PairedRound{Candidate: r.Base, Base: r.Candidate, Alike: r.Alike}))
			if math.Max(a, b) >= math.Log(2/alpha) {
				break
			}
		}
		n := float64(len(s))
		total, squares = total+n, squares+n*n
		if len(s) <= limit {
			within++
		}
	}
	mean := total / sequences
	deviation := math.Sqrt((squares/sequences - mean*mean) / sequences)
	if math.Abs(mean-c.Mean) > 4*deviation {
		t.Errorf("%v pairs on average, simulated %v with a deviation of %v", c.Mean, mean, deviation)
	}
	if share := float64(within) / sequences; math.Abs(share-c.Chance(limit)) > 4*math.Sqrt(0.16/sequences) {
		t.Errorf("decided within %d pairs with the chance %v, simulated %v", limit, c.Chance(limit), share)
	}
}

var (
	won   = PairedRound{Candidate: 1}
	lost  = PairedRound{Base: 1}
	alike = PairedRound{Alike: 1}
)

// The sums in exact fractions, by a program of their own: the mean over the shares
// (2i+1)/128 of the product of 1 + c(D-m)/(1+m), the largest over the rounds.
func TestPairedSequenceLogE(t *testing.T) {
	rounds := PairedSequence{{3, 1, 6}, {2, 2, 6}, {4, 0, 6}}
	for _, test := range []struct {
		name string
		s    PairedSequence
		m    float64
		want float64
	}{
		{"none", nil, 0, 0},
		{"two won", PairedSequence{won, won}, 0, 0.8472891410411545},
		{"won, then lost", PairedSequence{won, won, won, lost, lost, lost, lost}, 0, 1.3217314256217914},
		{"mixed", PairedSequence{won, alike, lost, alike, won, won, alike, won}, -0.05, 0.854418799200321},
		{"all alike", slices.Repeat(PairedSequence{alike}, 90), -0.05, 3.0916228522801386},
		{"rounds of ten pairs", rounds, 0, 1.005117629343731},
		{"rounds of ten pairs against a loss", rounds, -0.1, 2.62113227600223},
		{"many", slices.Repeat(PairedSequence{won}, 500), 0.5, 138.85612262241446},
	} {
		near(t, test.name, test.s.LogE(test.m), test.want, 1e-12, "exact fractions")
	}
	// By hand, for the integral: two pairs lost are 7/3 against "not worse".
	near(t, "two lost", PairedSequence{lost, lost}.mirrored().LogE(0), math.Log(7./3), 2e-5, "integral of (1+c)^2")
}

// Against a margin of 0 it is the e-process of discordant pairs, but for the sum.
func TestPairedSequenceIsPairedE(t *testing.T) {
	e, err := NewPairedE(0)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var s PairedSequence
	candidate, base, most := 0, 0, 0.
	for range 400 {
		switch u := random.Float64(); {
		case u < 0.2:
			s, candidate = append(s, won), candidate+1
		case u < 0.3:
			s, base = append(s, lost), base+1
		default:
			s = append(s, alike)
		}
		most = math.Max(most, e.LogE(candidate, base).LogBetter)
		near(t, "log e", s.LogE(0), most, 1e-3, "the mixture of all shares")
	}
	if most < 3 {
		t.Errorf("the pairs show little: %v", most)
	}
}

// The chance that equal variants are ever called different, exact over all
// sequences: states are the counts of pairs won and lost.
func TestPairedSequenceHoldsAtAllTimes(t *testing.T) {
	const pairs, alpha, discordant = 120, 0.05, 0.5
	known := map[[2]int]bool{}
	crossed := func(at [2]int) bool { // E depends on the counts alone
		if is, ok := known[at]; ok {
			return is
		}
		up, down := newWealth(0), newWealth(0)
		a := up.log(up.add(PairedRound{Candidate: at[0], Base: at[1]}))
		b := down.log(down.add(PairedRound{Candidate: at[1], Base: at[0]}))
		known[at] = math.Max(a, b) >= math.Log(2/alpha)
		return known[at]
	}
	alive := map[[2]int]float64{{}: 1}
	ever := 0.
	for range pairs {
		next := map[[2]int]float64{}
		for at, p := range alive {
			for _, step := range []struct {
				to [2]int
				p  float64
			}{{at, 1 - discordant}, {[2]int{at[0] + 1, at[1]}, discordant / 2}, {[2]int{at[0], at[1] + 1}, discordant / 2}} {
				if step.to != at && crossed(step.to) {
					ever += p * step.p
				} else {
					next[step.to] += p * step.p
				}
			}
		}
		alive = next
	}
	if ever > alpha || ever < alpha/10 {
		t.Errorf("a false difference within %d pairs with the chance %v: at most %v, and some", pairs, ever, alpha)
	}
}

// The interval holds what the bets do not exclude, from both sides alike, and
// narrows as pairs come.
func TestPairedSequenceInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s PairedSequence
	lastLo, lastHi := -1., 1.
	for n := range 300 {
		switch u := random.Float64(); {
		case u < 0.05:
			s = append(s, won)
		case u < 0.35:
			s = append(s, lost)
		default:
			s = append(s, alike)
		}
		if n%20 > 0 {
			continue
		}
		lo, hi := s.Interval(0.05)
		if lo < lastLo-1e-6 || hi > lastHi+1e-6 || lo > hi {
			t.Fatalf("after %d pairs [%v, %v], before [%v, %v]", n+1, lo, hi, lastLo, lastHi)
		}
		lastLo, lastHi = lo, hi
		back, forth := s.mirrored().Interval(0.05)
		near(t, "mirrored low", -forth, lo, 1e-6, "the sides exchanged")
		near(t, "mirrored high", -back, hi, 1e-6, "the sides exchanged")
		if _, below := s.Reached(lo-1e-5, math.Log(40)); !below && lo > -1 {
			t.Errorf("%v is below the interval and not excluded", lo-1e-5)
		}
		if _, within := s.Reached(lo+1e-5, math.Log(40)); within {
			t.Errorf("%v is in the interval and excluded", lo+1e-5)
		}
		if p := s.PValue(); (p <= 0.05) != (lo >= 0 || hi <= 0) {
			t.Errorf("p %v beside [%v, %v]", p, lo, hi)
		}
	}
	if !(lastHi < 0) {
		t.Errorf("25 points worse, and the interval ends at %v", lastHi)
	}
	if at, direction := s.Decided(0.05); direction != -1 || s[:at].PValue() > 0.05 || s[:at-1].PValue() <= 0.05 {
		t.Errorf("decided after %d: p %v, before %v", at, s[:at].PValue(), s[:at-1].PValue())
	}
}

// No pair ends differently: the mean of (1 + c 0.05/0.95)^n over the shares c comes
// to 40 at n = 105.
func TestPairedSequenceWithin(t *testing.T) {
	s := slices.Repeat(PairedSequence{alike}, 200)
	at, ok := s.Within(0.05, 0.05)
	if !ok || at != 105 {
		t.Fatalf("pairs that are alike are within five points after %d pairs (ever: %v), want 105", at, ok)
	}
	for _, n := range []int{at - 1, at} {
		lo, hi := s[:n].Interval(0.05)
		if within := lo >= -0.05 && hi <= 0.05; within != (n == at) {
			t.Errorf("after %d pairs [%v, %v], said to be within after %d", n, lo, hi, at)
		}
	}
}

// A certain difference leaves a p-value that can be adjusted, and an interval.
func TestPairedSequenceOfManyPairs(t *testing.T) {
	s := slices.Repeat(PairedSequence{{Candidate: 100}}, 50)
	lo, hi := s.Interval(0.05)
	if p := s.PValue(); !(p > 0 && p < 1e-300) || lo < 0.9 || hi != 1 {
		t.Errorf("p %v, [%v, %v]", p, lo, hi)
	}
}

// Of no pair, eight that differ one way are the fewest that decide at 0.05 (see
// TestSequentialRegresses of compare). With one that differs the other way it is the mean of
// (1-c)(1+c)^n: 2(2^(n+1)-1)/(n+1) - (2^(n+2)-1)/(n+2) is 30.9 for 10 and 52.4 for 11, of
// which 40 are asked. What is decided is so from where it was.
func TestPairedSequenceSoonest(t *testing.T) {
	eight := slices.Repeat(PairedSequence{lost}, 8)
	for _, c := range []struct {
		name      string
		s         PairedSequence
		margin    float64
		most      int
		want      int
		reachable bool // by pairs all of which are worse
	}{
		{"no pair", nil, 0, 100, 8, true},
		{"no pair, few to come", nil, 0, 5, 5, false},
		{"seven worse", eight[:7], 0, 100, 8, true},
		{"eight worse", eight, 0, 100, 8, true},
		{"alike pairs say nothing of a difference", slices.Repeat(PairedSequence{alike}, 3), 0, 100, 11, true},
		{"one better, then worse", slices.Concat(PairedSequence{won}, eight[:7]), 0, 100, 12, true},
		{"104 alike within five points", slices.Repeat(PairedSequence{alike}, 104), 0.05, 200, 105, false},
		{"105 alike within five points", slices.Repeat(PairedSequence{alike}, 105), 0.05, 200, 105, false},
	} {
		if got := c.s.Soonest(c.margin, 0.05, c.most); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if more := slices.Concat(c.s, slices.Repeat(PairedSequence{lost}, c.most)); c.reachable {
			if rounds, way := more.Decided(0.05); rounds != c.want || way != -1 {
				t.Errorf("%s: %d rounds decide, want %d", c.name, rounds, c.want)
			}
		}
	}
}
