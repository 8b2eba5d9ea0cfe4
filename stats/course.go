package stats

import (
	"iter"
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
)

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

// Follow computes, without simulation, what a rule that looks after every trial does at a true pass
// rate: probability moves from each count of passes to its two successors, and what the boundary
// decides is taken out. It begins at start, follows at most up to limit trials in all, and counts a
// decision before least trials as one at least. Share is the quantile of Within.
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

func (f *front) total() float64 { return math.Min(1, floats.Sum(f.mass)) }

// Beta is a belief about a pass rate: a beta distribution, whose parameters say as
// much as so many passes and failures.
type Beta struct{ Passes, Failures float64 }

// Foresee computes, without simulation, what a rule that looks after every trial will do with the
// next trials of a test, when its pass rate is believed to be prior and the trials of start have
// been seen, none of which decided. It yields for each further trial, from the first on, the
// chances that the rule decides with it; what is Undecided there is still going on. It ends where
// that is nothing, and after limit further trials.
//
// A trial after n that p passed passes with probability
// (prior.Passes + p) / (prior.Passes + prior.Failures + n).
func (b *Boundary) Foresee(prior Beta, start Start, limit int) iter.Seq2[int, Chances] {
	return func(yield func(int, Chances) bool) {
		b.walk(start.Trials)
		alive := front{lowest: start.Passed, mass: []float64{1}}
		for more := 1; more <= limit && len(alive.mass) > 0; more++ {
			seen := start.Trials + more - 1
			alive.stepBelieving(prior, seen)
			fail, pass := alive.absorb(b.At(seen + 1))
			if !yield(more, Chances{Pass: pass, Fail: fail, Undecided: alive.total()}) {
				return
			}
		}
	}
}

// stepBelieving adds a trial to the given ones, whose chance to pass goes by what was seen.
func (f *front) stepBelieving(prior Beta, seen int) {
	all := prior.Passes + prior.Failures + float64(seen)
	f.mass = append(f.mass, 0)
	for i := len(f.mass) - 1; i >= 0; i-- {
		stays := 1 - (prior.Passes+float64(f.lowest+i))/all
		f.mass[i] *= stays
		if i > 0 {
			f.mass[i] += f.mass[i-1] * (prior.Passes + float64(f.lowest+i-1)) / all
		}
	}
}

// RateDecision asks how large a run must be to decide whether the pass rate of similar
// tests is above a threshold, with the power given, if the rate is what it is taken to be.
type RateDecision struct {
	Rate, Threshold, Confidence, Power float64
}

// Tests is how many tests decide by Gaffke's bound on the mean of their rates with this variance; 0
// if more than most. Their mean is as bad as the power allows, by the beta distribution of its
// variance. The bound is that of the beta distribution with the mean and variance of T+1 rates, one
// of them the worst, under flat Dirichlet weights: for rates of 0 and 1, Clopper and Pearson's.
func (d RateDecision) Tests(variance float64, most int) int {
	rate, threshold := d.Rate, d.Threshold
	if rate < threshold { // the other bound, mirrored
		rate, threshold = 1-rate, 1-threshold
	}
	tail := (1 - d.Confidence) / 2
	decides := func(i int) bool {
		n := float64(i + 1)
		mean := rate
		if size := rate*(1-rate)*n/variance - 1; variance > 0 && size > 0 {
			mean = betaQuantile(rate*size, (1-rate)*size, 1-d.Power)
		}
		if mean <= threshold {
			return false
		}
		square := mean * mean
		if variance > 0 {
			square += variance * mean * (1 - mean) / (rate * (1 - rate))
		}
		center := mean * n / (n + 1)
		spread := (square*n/(n+1) - center*center) / (n + 2)
		size := center*(1-center)/spread - 1
		upper, _ := betaTails(center*size, (1-center)*size, threshold)
		return upper < tail
	}
	if rate == threshold || !decides(most-1) {
		return 0
	}
	return 1 + sort.Search(most, decides)
}

// StoppedRate is the unbiased estimate of the pass rate of trials that a rule stopped: of
// all paths to the passes and trials at the stop, the share that begins with a pass. open
// says whether the rule goes on after some trials. NaN beyond 1000 trials, for impossible
// counts, and where no path leads to the stop.
//
// M. A. Girshick, F. Mosteller, L. J. Savage, Ann. Math. Stat. 17 (1946) 13-23.
func StoppedRate(passed, trials int, open func(passed, trials int) bool) float64 {
	const mostPaths = 1000 // the number of trials up to which paths are counted
	if !isCount(passed, trials) || trials == 0 || trials > mostPaths {
		return math.NaN()
	}
	all, first := make([]float64, trials+1), make([]float64, trials+1) // by passes, over 2^n
	all[0], all[1], first[1] = 0.5, 0.5, 0.5
	for n := 1; n < trials; n++ {
		for k := n; k >= 0; k-- {
			a, f := all[k]/2, first[k]/2
			if !open(k, n) {
				a, f = 0, 0
			}
			all[k], first[k] = a, f
			all[k+1], first[k+1] = all[k+1]+a, first[k+1]+f
		}
	}
	return first[passed] / all[passed]
}
