package stats

import "math"

// PairedCourse is how long a sequential comparison of two variants takes until its
// p-value comes down to alpha, for pairs that are independent of each other.
type PairedCourse struct {
	// decided are the chances to be decided at each number of discordant pairs.
	decided []float64
	share   float64 // of pairs that are discordant
	// Mean is the number of pairs on average.
	Mean float64
}

// FollowPairs computes the course where the candidate alone passes a pair with the
// chance better and the base alone with the chance worse, exactly: concordant pairs
// change nothing of the bets, so it walks over the counts of discordant ones, and each
// of them takes 1/(better+worse) pairs on average (Wald's equation). Not ok when
// most discordant pairs do not decide it with a chance of all but one in a million.
func FollowPairs(better, worse, alpha float64, most int) (PairedCourse, bool) {
	c := PairedCourse{decided: []float64{0}, share: better + worse}
	if !(c.share > 0) {
		return c, false
	}
	up := better / c.share
	alive := []float64{1} // by how many of the discordant pairs the candidate passed
	const forgotten = 1e-6
	open, mean, bound := 1., 0., math.Log(2/alpha)
	enough := 1 // of so many pairs, as many won decide it, or as many lost
	for n := 1; open > forgotten; n++ {
		if n > most {
			return c, false
		}
		mean += open
		next := make([]float64, n+1)
		for won, p := range alive {
			next[won] += p * (1 - up)
			next[won+1] += p * up
		}
		// A pair more that is won makes it larger, one that is lost smaller: the number
		// that is enough grows by at most one.
		if against(enough, n-enough) < bound {
			enough++
		}
		ended := 0.
		for won := range next {
			if max(won, n-won) >= enough {
				ended += next[won]
				next[won] = 0
			}
		}
		c.decided = append(c.decided, ended)
		open -= ended
		alive = next
	}
	c.Mean = mean / c.share
	return c, true
}

// against is the logarithm of the e-value against "not better" after so many
// discordant pairs.
func against(won, lost int) float64 {
	w := newWealth(0)
	return w.log(w.add(PairedRound{Candidate: won, Base: lost}))
}

// Chance is that of being decided within a number of pairs.
func (c PairedCourse) Chance(pairs int) float64 {
	sum := 0.
	for discordant, p := range c.decided {
		if p > 0 && discordant <= pairs {
			sum += p * BinomialPAbove(discordant, pairs, c.share)
		}
	}
	return sum
}

// Pairs is the least number with which the chance of being decided is at least power.
func (c PairedCourse) Pairs(power float64) int {
	low, high := 0, 1
	for c.Chance(high) < power {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if mid := (low + high) / 2; c.Chance(mid) >= power {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
