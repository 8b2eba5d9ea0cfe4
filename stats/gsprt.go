package stats

import (
	"math"
	"slices"
)

// GSPRT is the generalised sequential probability ratio test of a mean: of the values of pairs of
// trials, -1 where only the base passed, 0 where both ended alike, 1 where only the candidate
// passed (three counts), or of two such pairs together, -1, -1/2, 0, 1/2, 1 (five counts). The mean
// is the difference in pass rate. D0 and D1 are the two differences that it decides between.
//
// M. Van den Bergh, "The GSPRT approximation", cantate.be/Fishtest; the test that
// official-stockfish/fishtest runs.
type GSPRT struct{ D0, D1 float64 }

// FewestDiscordant is how many pairs must differ before a comparison says anything: the
// ratio of so few is no sum of many.
const FewestDiscordant = 10

// emptyCount stands for a count of 0, so that every value stays possible.
const emptyCount = 0.001

// LLR returns the log-likelihood ratio of D1 to D0 after the counts of values, low
// to high: 0 without any, NaN unless there are three or five.
func (g GSPRT) LLR(counts []int) float64 {
	if len(counts) != 3 && len(counts) != 5 || slices.Min(counts) < 0 {
		return math.NaN()
	}
	if slices.Max(counts) == 0 {
		return 0
	}
	n, total := 0., 0.
	for _, c := range counts {
		n += math.Max(emptyCount, float64(c))
	}
	var p, away0, away1 []float64 // the share of each value, and its distance from the means
	for i, c := range counts {
		value := 2*float64(i)/float64(len(counts)-1) - 1
		p, away0, away1 = append(p, math.Max(emptyCount, float64(c))/n), append(away0, value-g.D0), append(away1, value-g.D1)
	}
	x0, x1 := multiplier(p, away0), multiplier(p, away1)
	for i := range p {
		total += p[i] * (math.Log1p(x0*away0[i]) - math.Log1p(x1*away1[i]))
	}
	return n * total
}

// multiplier is the x at which sum p g/(1+x g) is 0. The distribution nearest to p
// under which g has the mean 0 is p/(1+x g).
func multiplier(p, g []float64) float64 {
	least, most := g[0], g[0]
	for _, v := range g {
		least, most = math.Min(least, v), math.Max(most, v)
	}
	return bisect(-1/least, -1/most, func(x float64) bool {
		sum := 0.
		for i := range p {
			sum += p[i] * g[i] / (1 + x*g[i])
		}
		return sum >= 0
	})
}

// PairedGSPRT decides between three differences in pass rate: worse by a margin, none, and better
// by it. It is [GSPRT] of 0 against either, over the rounds of a comparison as they come. Pairs of
// several tests are counted together: that tests differ only adds to the variance it sees.
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
