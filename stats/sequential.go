package stats

import (
	"fmt"
	"math"
	"sort"

	"tribunal/internal/each"
)

// Decision is what a sequential test says after the trials it has seen.
type Decision int

// The three decisions. The zero value keeps sampling.
const (
	Undecided Decision = iota
	Pass
	Fail
)

// String returns "pass", "fail" or "inconclusive".
func (d Decision) String() string {
	switch d {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	}
	return "inconclusive"
}

// lowestRate is the smallest alternative hypothesis a gap can lead to.
const lowestRate = 0.01

// alternative returns the rate called bad: threshold - gap, at least 0.01.
func alternative(threshold, gap float64) float64 { return math.Max(lowestRate, threshold-gap) }

// checkErrorRates reports error rates no sequential test can honour.
func checkErrorRates(alpha, beta float64) error {
	if !isLevel(alpha) {
		return fmt.Errorf("alpha is %v: it must be between 0 and 1, both excluded", alpha)
	}
	if !isLevel(beta) {
		return fmt.Errorf("beta is %v: it must be between 0 and 1, both excluded", beta)
	}
	return nil
}

// sprtSlack keeps a boundary that is met exactly from being missed by a rounding error.
const sprtSlack = 1e-9

// SPRT is Wald's sequential probability ratio test of the good rate P0 against the bad rate P1 < P0. Alpha is the
// nominal probability of failing a test whose rate is P0, Beta of passing one whose rate is P1. Both are met when the
// test stops at its first crossing; between P1 and P0 nothing is promised, and the interval of the observed rate may
// well contain P0 at a pass. A stop at the first crossing looks at no trial after it: see [SPRT.Contradicts].
//
// A. Wald, Ann. Math. Stat. 16 (1945) 117-186.
type SPRT struct {
	P0, P1, Alpha, Beta float64
}

// NewSPRT returns the test of threshold against max(0.01, threshold - gap). It is an error unless
// 0.02 <= threshold <= 0.999, gap > 0, alpha and beta lie between 0 and 1 and alpha + beta < 1.
func NewSPRT(threshold, gap, alpha, beta float64) (SPRT, error) {
	if !(threshold >= 0.02 && threshold <= 0.999) {
		return SPRT{}, fmt.Errorf("sprt threshold is %v: it must be in 0.02..0.999", threshold)
	}
	if !(gap > 0) {
		return SPRT{}, fmt.Errorf("sprt gap is %v: it must be above 0", gap)
	}
	if err := checkErrorRates(alpha, beta); err != nil {
		return SPRT{}, err
	}
	if alpha+beta >= 1 {
		return SPRT{}, fmt.Errorf("alpha %v and beta %v: their sum must be below 1", alpha, beta)
	}
	return SPRT{P0: threshold, P1: alternative(threshold, gap), Alpha: alpha, Beta: beta}, nil
}

// Bounds returns the log-likelihood ratios at which the test stops: fail at
// lower = log(alpha/(1-beta)), pass at upper = log((1-alpha)/beta).
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Alpha / (1 - s.Beta)), math.Log((1 - s.Alpha) / s.Beta)
}

// LLR returns the log-likelihood ratio of P0 to P1 after the given outcomes.
func (s SPRT) LLR(passed, failed int) float64 {
	return float64(passed)*math.Log(s.P0/s.P1) + float64(failed)*(math.Log1p(-s.P0)-math.Log1p(-s.P1))
}

// Decide compares the ratio after these outcomes with the bounds. It looks at
// one moment only; [SPRT.Run] stops at the first crossing.
func (s SPRT) Decide(passed, failed int) Decision {
	lower, upper := s.Bounds()
	switch llr := s.LLR(passed, failed); {
	case llr >= upper-sprtSlack:
		return Pass
	case llr <= lower+sprtSlack:
		return Fail
	}
	return Undecided
}

// SPRTResult is where a sequential probability ratio test stopped.
type SPRTResult struct {
	Decision Decision
	// Trials is the trial, counted from 1, at which a bound was crossed, or
	// the number of outcomes if none was. Passed counts passes up to there.
	Trials, Passed int
	// LLR is the log-likelihood ratio after Trials; Lower and Upper the bounds.
	LLR, Lower, Upper float64
	// Later is what came after a pass; nothing after any other decision.
	Later Later
}

// Later is the trials after a sequential test stopped with a pass, which the test never looks at.
type Later struct {
	Passed, Trials int
	// P is the exact one-sided p-value of these trials alone against "the rate is at least P0"; 1 where there are none.
	P float64
}

// Later returns what passed of some trials after a pass say.
func (s SPRT) Later(passed, trials int) Later {
	return Later{Passed: passed, Trials: trials, P: BinomialPBelow(passed, trials, s.P0)}
}

// Contradicts reports later trials that reject a rate of P0 or more at Alpha: a pass before them is not to be believed.
func (s SPRT) Contradicts(l Later) bool { return l.P <= s.Alpha }

// Run feeds outcomes, true for a pass, to the test until it stops, and gathers those after a pass.
func (s SPRT) Run(outcomes []bool) SPRTResult {
	var r SPRTResult
	r.Lower, r.Upper = s.Bounds()
	for _, pass := range outcomes {
		r.Trials++
		if pass {
			r.Passed++
		}
		if r.Decision = s.Decide(r.Passed, r.Trials-r.Passed); r.Decision != Undecided {
			break
		}
	}
	r.LLR = s.LLR(r.Passed, r.Trials-r.Passed)
	if r.Decision == Pass {
		later := outcomes[r.Trials:]
		passed := each.Count(later, func(pass bool) bool { return pass })
		r.Later = s.Later(passed, len(later))
	}
	return r
}

// Path returns the log-likelihood ratio after each outcome, also beyond the stop, for drawing.
func (s SPRT) Path(outcomes []bool) []float64 {
	path := make([]float64, len(outcomes))
	passed := 0
	for i, pass := range outcomes {
		if pass {
			passed++
		}
		path[i] = s.LLR(passed, i+1-passed)
	}
	return path
}

// Limits are the numbers of passes at which a rule decides after some trials: fail with Fail passes or fewer, pass with
// Pass or more. Fail is -1 where no count fails, and Pass is one more than the trials where none passes.
type Limits struct{ Fail, Pass int }

// Boundary is where a rule decides, trial by trial. It holds for rules that depend on counts alone, and under which a
// further pass never turns a pass into something else, nor a further failure a fail.
type Boundary struct {
	decide func(passed, failed int) Decision
	limits []Limits // by trials
}

// NewBoundary is the boundary of a rule.
func NewBoundary(decide func(passed, failed int) Decision) *Boundary {
	return &Boundary{decide: decide, limits: []Limits{{Fail: -1, Pass: 1}}}
}

// At returns the limits after the given trials, at least 0.
func (b *Boundary) At(trials int) Limits {
	const farJump = 32 // how many trials ahead limits are bisected for rather than walked to
	if trials >= len(b.limits)+farJump {
		return b.bisect(trials)
	}
	b.walk(trials)
	return b.limits[max(trials, 0)]
}

// walk works out every number of trials once, from the one before it: one more trial moves a limit
// by one at most, but for the trial at which a rule begins to decide.
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

// Settled reports whether every number of passes that is still possible when trials are full gives the same decision,
// and which: passed of the trials so far have passed. It is false when there are more trials than full.
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

// smallest finds the first of 1..limit for which a condition holds that holds from there on, by doubling and bisecting.
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
func (b *Boundary) Once(rate float64, trials int) Chances { return b.OnceMore(rate, 0, 0, trials) }

// OnceMore returns the chances after more trials at the given rate, when passed of the trials so far have passed.
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
