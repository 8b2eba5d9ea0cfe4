package stats

import "math"

const (
	// settledMass is the probability of still going on at which a course ends.
	settledMass = 1e-12
	// lostMass is what the two ends of a course are cut off below; over a
	// million trials the loss stays far below settledMass.
	lostMass = 1e-24
)

// Course is what becomes of a sequential rule at one true pass rate.
type Course struct {
	// Chances hold the first decision; Undecided is the probability of none
	// within the trials followed.
	Chances
	// Mean is the expected number of trials until the decision, or until the
	// last trial followed where there is none.
	Mean float64
	// Within is the number of trials by which the asked-for share of courses
	// is decided; 0 when it is not within the trials followed.
	Within int
}

// Start is where a course begins: trials so far, none of which decided.
type Start struct{ Passed, Trials int }

// Follow computes, without simulation, what a rule that looks after every trial
// does at a true pass rate: probability moves from each count of passes to its
// two successors, and what the boundary decides is taken out. It begins at
// start, follows at most up to limit trials in all, and counts a decision before
// least trials as one at least. Share is the quantile of Within.
//
// P. Armitage, C. K. McPherson, B. C. Rowe, J. R. Stat. Soc. A 132 (1969)
// 235-244, compute repeated looks in the same way.
func (b *Boundary) Follow(rate float64, start Start, limit, least int, share float64) Course {
	b.walk(min(start.Trials, limit))
	var c Course
	alive := front{lowest: start.Passed, mass: []float64{1}}
	for n := start.Trials + 1; n <= limit; n++ {
		alive.step(rate)
		fail, pass := alive.absorb(b.At(n))
		c.Fail += fail
		c.Pass += pass
		c.Mean += (fail + pass) * float64(max(n, least))
		if c.Within == 0 && c.Fail+c.Pass >= share {
			c.Within = max(n, least)
		}
		if alive.total() < settledMass {
			alive.mass = nil
			break
		}
	}
	c.Undecided = alive.total()
	c.Mean += c.Undecided * float64(max(limit, start.Trials))
	return c
}

// front holds the probabilities of the counts of passes, from the lowest on,
// that are not decided yet.
type front struct {
	lowest int
	mass   []float64
}

// step adds a trial.
func (f *front) step(rate float64) {
	f.mass = append(f.mass, 0)
	for i := len(f.mass) - 1; i > 0; i-- {
		f.mass[i] = f.mass[i]*(1-rate) + f.mass[i-1]*rate
	}
	if len(f.mass) > 0 {
		f.mass[0] *= 1 - rate
	}
}

// absorb takes out what is decided, and ends too unlikely to matter.
func (f *front) absorb(at Limits) (fail, pass float64) {
	for len(f.mass) > 0 && (f.lowest <= at.Fail || f.mass[0] < lostMass) {
		if f.lowest <= at.Fail {
			fail += f.mass[0]
		}
		f.lowest++
		f.mass = f.mass[1:]
	}
	for last := len(f.mass) - 1; last >= 0 && (f.lowest+last >= at.Pass || f.mass[last] < lostMass); last-- {
		if f.lowest+last >= at.Pass {
			pass += f.mass[last]
		}
		f.mass = f.mass[:last]
	}
	return fail, pass
}

func (f *front) total() float64 {
	sum := 0.
	for _, m := range f.mass {
		sum += m
	}
	return math.Min(1, sum)
}
