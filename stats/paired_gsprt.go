package stats

import "math"

// PairedGSPRT decides between three differences in pass rate: worse by a margin, none,
// and better by it. It is [GSPRT] of 0 against either, over the rounds of a comparison
// as they come. Pairs of several tests are counted together: that tests differ only
// adds to the variance it sees.
//
// It calls nothing a difference before FewestDiscordant pairs differ.
//
// M. Sobel, A. Wald, "A sequential decision procedure for choosing one of three
// hypotheses", Ann. Math. Stat. 20 (1949) 502-522, of two tests run side by side.
type PairedGSPRT struct {
	Rounds PairedSequence
	Margin float64 // above 0
}

// follow calls visit with the log-likelihood ratios of better by the margin, and of worse
// by it, to no difference, after each round from which on enough pairs differ, until it
// says that it has seen enough.
func (g PairedGSPRT) follow(visit func(rounds int, better, worse float64) (enough bool)) {
	up, down := GSPRT{D0: 0, D1: g.Margin}, GSPRT{D0: -g.Margin, D1: 0}
	counts := make([]int, 3)
	for i, r := range g.Rounds {
		counts[0], counts[1], counts[2] = counts[0]+r.Base, counts[1]+r.Alike, counts[2]+r.Candidate
		if counts[0]+counts[2] >= FewestDiscordant && visit(i+1, up.LLR(counts), -down.LLR(counts)) {
			return
		}
	}
}

// PValue is two-sided, of no difference, and holds no matter how often you look; never 0.
func (g PairedGSPRT) PValue() float64 {
	largest := 0.
	g.follow(func(_ int, better, worse float64) bool {
		largest = max(largest, better, worse)
		return false
	})
	return twoSided(largest)
}

// Decided returns the number of rounds after which PValue came down to level, and
// whether the candidate was better (1) or worse (-1) then; 0 when it never did.
func (g PairedGSPRT) Decided(level float64) (rounds, direction int) {
	bound := math.Log(2 / level)
	g.follow(func(n int, better, worse float64) bool {
		if max(better, worse) < bound {
			return false
		}
		rounds, direction = n, 1
		if worse > better {
			direction = -1
		}
		return true
	})
	return rounds, direction
}

// Within returns the number of rounds after which no difference was decided from both
// margins, each with a chance of at most alpha/2 to be wrong. Pairs that are all
// alike have no ratio, so that the bets of the rounds may say it first.
func (g PairedGSPRT) Within(margin, alpha float64) (rounds int, ok bool) {
	rounds, ok = g.Rounds.Within(margin, alpha)
	bound := math.Log(2 / alpha)
	var low, high bool
	g.follow(func(n int, better, worse float64) bool {
		low, high = low || worse <= -bound, high || better <= -bound
		if !low || !high {
			return false
		}
		if !ok || n < rounds {
			rounds, ok = n, true
		}
		return true
	})
	return rounds, ok
}
