package stats

import (
	"fmt"
	"math"
	"slices"
)

// PairedE are two e-processes over the discordant pairs of trials of two variants, one for the candidate being better, one
// for its being worse. q is the chance that of the two the candidate passed. With a margin, better is q above (1+Margin)/2
// and worse q below (1-Margin)/2. Each is the likelihood averaged over its side, over that at the edge; so by Ville's
// inequality it ever reaches 1/alpha with probability at most alpha where its side is not true, however often one looks. In
// points of pass rate the difference is (2q-1) times the share of pairs that are discordant.
type PairedE struct{ Margin float64 }

// NewPairedE returns the processes; it is an error unless -1 < margin < 1.
func NewPairedE(margin float64) (PairedE, error) {
	if !(margin > -1 && margin < 1) {
		return PairedE{}, fmt.Errorf("margin is %v: it must be between -1 and 1, both excluded", margin)
	}
	return PairedE{margin}, nil
}

// PairedEvidence are the log e-values after some discordant pairs.
type PairedEvidence struct{ LogBetter, LogWorse float64 }

// edges are the processes of a pass rate of q, whose failing is being worse.
func (p PairedE) edges() Anytime { return Anytime{P0: (1 - p.Margin) / 2, P1: (1 + p.Margin) / 2} }

// LogE returns the evidence after pairs that only the candidate, and only the base, passed. Their order does not matter.
func (p PairedE) LogE(candidate, base int) PairedEvidence {
	e := p.edges().LogE(candidate, base)
	return PairedEvidence{LogBetter: e.LogPass, LogWorse: e.LogFail}
}

// Path returns the evidence after each discordant pair, true where only the candidate passed.
func (p PairedE) Path(candidate []bool) []PairedEvidence {
	path := make([]PairedEvidence, len(candidate))
	for i, e := range p.edges().Path(candidate) {
		path[i] = PairedEvidence{LogBetter: e.LogPass, LogWorse: e.LogFail}
	}
	return path
}

// PairedCourse is how long a sequential comparison of two variants takes until its
// p-value comes down to alpha, for pairs that are independent of each other.
type PairedCourse struct {
	// decided are the chances to be decided at each number of discordant pairs.
	decided []float64
	share   float64 // of pairs that are discordant
	// Mean is the number of pairs on average.
	Mean float64
}

// FollowPairs computes the course where the candidate alone passes a pair with the chance better and the base alone with
// the chance worse, exactly: concordant pairs change nothing of the bets, so it walks over the counts of discordant ones,
// and each of them takes 1/(better+worse) pairs on average (Wald's equation). Not ok when most discordant pairs do not
// decide it with a chance of all but one in a million.
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

// against is the logarithm of the e-value against "not better" after so many discordant pairs.
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

// PairedRound counts pairs of trials of two variants that are looked at together,
// by who passed: only the candidate, only the base, both or neither.
type PairedRound struct{ Candidate, Base, Alike int }

// PairedSequence are the rounds of a comparison in their order: of one test a pair
// each, of several tests a pair of every test each.
//
// Its p-values and intervals are those of bets, and hold no matter how often you look:
// docs/statistics/pairs.md has the formula and what it rests on. At m = 0 only the discordant pairs
// count, and this is [PairedE] with the margin 0 but for the rounding of an integral to a sum.
//
// I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting", J. R. Stat. Soc. B 86 (2024) 1-27,
// with a uniform mixture of bets; J. Ville, Étude critique de la notion de collectif (1939).
type PairedSequence []PairedRound

// stakes is the number of shares that the mixture is of. A sum is as valid as the
// integral: each bet is, and so is their mean.
const stakes = 64

func (s PairedSequence) mirrored() PairedSequence {
	out := make(PairedSequence, len(s))
	for i, r := range s {
		out[i] = PairedRound{Candidate: r.Base, Base: r.Candidate, Alike: r.Alike}
	}
	return out
}

// wealth is what bets against "the difference is at most m" hold, as logarithms.
type wealth struct {
	won, lost, alike [stakes]float64 // log factors of a pair
	held             [stakes]float64
}

func newWealth(m float64) *wealth {
	var w wealth
	for i := range stakes {
		share := (float64(i) + 0.5) / stakes
		w.won[i] = math.Log1p(share * (1 - m) / (1 + m))
		w.lost[i] = math.Log1p(-share)
		w.alike[i] = math.Log1p(-share * m / (1 + m))
	}
	return &w
}

// add takes one round on and returns the most that one bet holds.
func (w *wealth) add(r PairedRound) float64 {
	most := math.Inf(-1)
	won, lost, alike := float64(r.Candidate), float64(r.Base), float64(r.Alike)
	for i := range stakes {
		w.held[i] += won*w.won[i] + lost*w.lost[i] + alike*w.alike[i]
		most = math.Max(most, w.held[i])
	}
	return most
}

// log is the logarithm of the mean, with the most that one bet holds.
func (w *wealth) log(most float64) float64 {
	sum := 0.
	for _, held := range w.held {
		sum += math.Exp(held - most)
	}
	return most + math.Log(sum/stakes)
}

// LogE returns the largest logarithm that the e-value against "the difference is at
// most m" came to, 0 before the first round.
func (s PairedSequence) LogE(m float64) float64 {
	largest := 0.
	w := newWealth(m)
	for _, r := range s {
		if most := w.add(r); most > largest {
			largest = math.Max(largest, w.log(most))
		}
	}
	return largest
}

// Reached returns the number of rounds after which the logarithm of the e-value
// against "the difference is at most m" came to bound; not ok when it never did.
func (s PairedSequence) Reached(m, bound float64) (rounds int, ok bool) {
	w := newWealth(m)
	for i, r := range s {
		if most := w.add(r); most >= bound && w.log(most) >= bound {
			return i + 1, true
		}
	}
	return 0, false
}

// PValue is two-sided, of no difference, and valid at all times; never 0.
func (s PairedSequence) PValue() float64 { return twoSided(math.Max(s.LogE(0), s.mirrored().LogE(0))) }

// twoSided is the p-value of the larger of two logarithms of e-values.
func twoSided(logE float64) float64 {
	const most = 700 // of which the exponential is a number
	return math.Min(1, 2*math.Exp(-math.Min(most, logE)))
}

// Decided returns the number of rounds after which PValue came down to level, and whether the candidate was better (1) or
// worse (-1) then; 0 when it never did. It is the first that counts: a difference that turns later did not stay the same.
func (s PairedSequence) Decided(level float64) (rounds, direction int) {
	better, up := s.Reached(0, math.Log(2/level))
	worse, down := s.mirrored().Reached(0, math.Log(2/level))
	switch {
	case up && (!down || better <= worse):
		return better, 1
	case down:
		return worse, -1
	}
	return 0, 0
}

// Within returns the number of rounds after which the interval lay within a margin of 0 on both sides.
func (s PairedSequence) Within(margin, alpha float64) (rounds int, ok bool) {
	above, low := s.Reached(-margin, math.Log(2/alpha))
	below, high := s.mirrored().Reached(-margin, math.Log(2/alpha))
	return max(above, below), low && high
}

// Soonest is a lower bound, at most most, for the rounds after which Decided (at alpha or lower) or Within can answer,
// whatever the further pairs are. For Within it is the larger bound of its two sides.
func (s PairedSequence) Soonest(margin, alpha float64, most int) int {
	const rounding = 1e-9 // of a p-value, which is made of the logarithm
	bound := math.Log(2/alpha) - rounding
	won := make(PairedSequence, max(0, most-len(s)))
	for i := range won {
		won[i].Candidate = 1
	}
	up, down := slices.Concat(s, won), slices.Concat(s.mirrored(), won)
	reached := func(s PairedSequence, m float64) int {
		if rounds, ok := s.Reached(m, bound); ok {
			return rounds
		}
		return most
	}
	differs := min(reached(up, 0), reached(down, 0))
	within := max(reached(up, -margin), reached(down, -margin))
	return min(differs, within, most)
}

// Interval holds the differences that the bets do not exclude: with a chance of at
// least 1 - alpha it holds the true one at all times together.
func (s PairedSequence) Interval(alpha float64) (lo, hi float64) {
	bound := math.Log(2 / alpha)
	return s.lowest(bound), -s.mirrored().lowest(bound)
}

// lowest is the largest m below which all are excluded.
func (s PairedSequence) lowest(bound float64) float64 {
	excluded := func(m float64) bool {
		_, ok := s.Reached(m, bound)
		return ok
	}
	const nearest, precise = 1 - 1e-9, 1e-7
	if !excluded(-nearest) {
		return -1
	}
	return bisectTo(precise, nearest, -nearest, excluded)
}
