package stats

import (
	"math"
	"sort"
)

// Limits are the numbers of passes at which a rule decides after some trials:
// fail with Fail passes or fewer, pass with Pass or more. Fail is -1 where no
// count fails, and Pass is one more than the trials where none passes.
type Limits struct{ Fail, Pass int }

// Boundary is where a rule decides, trial by trial. It holds for rules that
// depend on counts alone, and under which a further pass never turns a pass
// into something else, nor a further failure a fail.
type Boundary struct {
	decide func(passed, failed int) Decision
	limits []Limits // by trials
}

// NewBoundary is the boundary of a rule.
func NewBoundary(decide func(passed, failed int) Decision) *Boundary {
	return &Boundary{decide: decide, limits: []Limits{{Fail: -1, Pass: 1}}}
}

// farJump is how many trials ahead limits are bisected for rather than walked to.
const farJump = 32

// At returns the limits after the given trials, at least 0.
func (b *Boundary) At(trials int) Limits {
	if trials >= len(b.limits)+farJump {
		return b.bisect(trials)
	}
	b.walk(trials)
	return b.limits[max(trials, 0)]
}

// walk works out every number of trials once, from the one before it: one more
// trial moves a limit by one at most, but for the trial at which a rule begins
// to decide.
func (b *Boundary) walk(trials int) {
	for n := len(b.limits); n <= trials; n++ {
		b.limits = append(b.limits, b.next(n, b.limits[n-1]))
	}
}

// bisect finds the limits of one number of trials alone.
func (b *Boundary) bisect(n int) Limits {
	return Limits{
		Fail: sort.Search(n+1, func(passed int) bool { return b.decide(passed, n-passed) != Fail }) - 1,
		Pass: sort.Search(n+1, func(passed int) bool { return b.decide(passed, n-passed) == Pass }),
	}
}

func (b *Boundary) next(n int, before Limits) Limits {
	says := func(passed int, d Decision) bool { return b.decide(passed, n-passed) == d }
	fail := before.Fail
	for fail >= 0 && !says(fail, Fail) {
		fail--
	}
	for fail < n && says(fail+1, Fail) {
		fail++
	}
	pass := before.Pass + 1
	for pass <= n && !says(pass, Pass) {
		pass++
	}
	for pass > 0 && says(pass-1, Pass) {
		pass--
	}
	return Limits{Fail: fail, Pass: pass}
}

// Settled reports whether every number of passes that is still possible when
// trials are full gives the same decision, and which: passed of the trials so
// far have passed. It is false when there are more trials than full.
func (b *Boundary) Settled(passed, trials, full int) (Decision, bool) {
	if !isCount(passed, trials) || trials > full {
		return Undecided, false
	}
	return b.At(full).settled(passed, passed+full-trials)
}

// settled is the one decision of all numbers of passes from least to most.
func (l Limits) settled(least, most int) (Decision, bool) {
	switch {
	case least >= l.Pass:
		return Pass, true
	case most <= l.Fail:
		return Fail, true
	}
	return Undecided, least > l.Fail && most < l.Pass
}

// SmallestPass returns the fewest trials after which a rule can pass at all,
// all of them passes; ok is false when limit trials are not enough.
func SmallestPass(decide func(passed, failed int) Decision, limit int) (trials int, ok bool) {
	return smallest(limit, func(n int) bool { return decide(n, 0) == Pass })
}

// SmallestFail returns the fewest trials after which a rule can fail at all,
// none of them passes; ok is false when limit trials are not enough.
func SmallestFail(decide func(passed, failed int) Decision, limit int) (trials int, ok bool) {
	return smallest(limit, func(n int) bool { return decide(0, n) == Fail })
}

// smallest finds the first of 1..limit for which a condition holds that holds
// from there on, by doubling and bisecting.
func smallest(limit int, holds func(int) bool) (first int, ok bool) {
	below, at := 0, 1
	for !holds(at) {
		if at >= limit {
			return 0, false
		}
		below, at = at, at+min(at, limit-at)
	}
	for at-below > 1 {
		if mid := below + (at-below)/2; holds(mid) {
			at = mid
		} else {
			below = mid
		}
	}
	return at, true
}

// Chances are what a rule does at one true pass rate in the long run: the
// probabilities of its three answers, which sum to 1.
type Chances struct{ Pass, Fail, Undecided float64 }

// Once returns the chances of a rule that looks once, after the given trials,
// from exact binomial tails. NaN unless trials >= 0 and 0 <= rate <= 1.
func (b *Boundary) Once(rate float64, trials int) Chances {
	return b.OnceMore(rate, 0, 0, trials)
}

// OnceMore returns the chances after more trials at the given rate, when passed
// of the trials so far have passed.
func (b *Boundary) OnceMore(rate float64, passed, trials, more int) Chances {
	if !isCount(passed, trials) || more < 0 || !isRate(rate) {
		return Chances{math.NaN(), math.NaN(), math.NaN()}
	}
	at := b.At(trials + more)
	c := Chances{Pass: atLeast(at.Pass-passed, more, rate), Fail: atMost(at.Fail-passed, more, rate)}
	if at.Fail+1 < at.Pass {
		c.Undecided = math.Max(0, 1-c.Pass-c.Fail)
	}
	return c
}

// atLeast is P(X >= k) for X binomial, for any k.
func atLeast(k, n int, rate float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return BinomialPAbove(k, n, rate)
}

// atMost is P(X <= k) for X binomial, for any k.
func atMost(k, n int, rate float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return BinomialPBelow(k, n, rate)
}
