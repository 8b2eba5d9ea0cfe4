package stats

import "iter"

// Beta is a belief about a pass rate: a beta distribution, whose parameters say as
// much as so many passes and failures.
type Beta struct{ Passes, Failures float64 }

// Foresee computes, without simulation, what a rule that looks after every trial
// will do with the next trials of a test, when its pass rate is believed to be
// prior and the trials of start have been seen, none of which decided. It yields
// for each further trial, from the first on, the chances that the rule decides with
// it; what is Undecided there is still going on. It ends where that is nothing, and
// after limit further trials.
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

// stepBelieving adds a trial to the given ones, whose chance to pass goes by what
// was seen.
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
