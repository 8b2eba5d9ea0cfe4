package stats

import (
	"math"
	"math/rand/v2"
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
