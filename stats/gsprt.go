package stats

import (
	"fmt"
	"math"
)

// GSPRT is the generalised sequential probability ratio test of a mean: of the values of pairs of
// trials, -1 where only the base passed, 0 where both ended alike, 1 where only the candidate
// passed (three counts), or of two such pairs together, -1, -1/2, 0, 1/2, 1 (five counts). The mean
// is the difference in pass rate. D0 and D1 are the two differences that it decides between.
//
// It is asymptotic: stopped at Bounds its error rates are a little high. Decide keeps them.
//
// M. Van den Bergh, "The GSPRT approximation", cantate.be/Fishtest; the test that
// official-stockfish/fishtest runs.
type GSPRT struct{ D0, D1, Alpha, Beta float64 }

// NewGSPRT returns the test; it is an error unless -1 < d0 < d1 < 1, alpha and beta
// lie between 0 and 1, and so does their sum.
func NewGSPRT(d0, d1, alpha, beta float64) (GSPRT, error) {
	if !(-1 < d0 && d0 < d1 && d1 < 1) {
		return GSPRT{}, fmt.Errorf("differences are %v and %v: the first must be below the second, both between -1 and 1", d0, d1)
	}
	if err := checkErrorRates(alpha, beta); err != nil {
		return GSPRT{}, err
	}
	if alpha+beta >= 1 {
		return GSPRT{}, fmt.Errorf("alpha %v and beta %v: their sum must be below 1", alpha, beta)
	}
	return GSPRT{D0: d0, D1: d1, Alpha: alpha, Beta: beta}, nil
}

// Bounds are the log-likelihood ratios beyond which it stops: below lower for D0,
// above upper for D1.
func (g GSPRT) Bounds() (lower, upper float64) {
	return math.Log(g.Beta / (1 - g.Alpha)), math.Log((1 - g.Beta) / g.Alpha)
}

// FewestDiscordant is how many pairs must differ before Decide says anything.
const FewestDiscordant = 10

// Decide is D0 (below 0), D1 (above 0) or neither yet (0) after the counts of values.
// Until ten pairs differ it is neither: the ratio of so few is no sum of many. Then its
// bounds are log Beta and log 1/Alpha, a little wider than Bounds.
func (g GSPRT) Decide(counts []int) int {
	discordant := 0
	for i, c := range counts {
		if 2*i != len(counts)-1 {
			discordant += c
		}
	}
	switch llr := g.LLR(counts); {
	case discordant < FewestDiscordant:
	case llr < math.Log(g.Beta):
		return -1
	case llr > -math.Log(g.Alpha):
		return 1
	}
	return 0
}

// emptyCount stands for a count of 0, so that every value stays possible.
const emptyCount = 0.001

// LLR returns the log-likelihood ratio of D1 to D0 after the counts of values, low
// to high: 0 without any, NaN unless there are three or five.
func (g GSPRT) LLR(counts []int) float64 {
	p, n, ok := shares(counts)
	if !ok {
		return math.NaN()
	}
	if n == 0 {
		return 0
	}
	centred := func(d float64) []float64 {
		values := make([]float64, len(p))
		for i := range values {
			values[i] = 2*float64(i)/float64(len(p)-1) - 1 - d
		}
		return values
	}
	return logRatio(p, n, centred(g.D0), centred(g.D1))
}

// shares are the counts as shares of their sum, none of them 0.
func shares(counts []int) (p []float64, n float64, ok bool) {
	if len(counts) != 3 && len(counts) != 5 {
		return nil, 0, false
	}
	seen := false
	for _, c := range counts {
		if c < 0 {
			return nil, 0, false
		}
		seen = seen || c > 0
		n += math.Max(emptyCount, float64(c))
	}
	if !seen {
		return nil, 0, true
	}
	for _, c := range counts {
		p = append(p, math.Max(emptyCount, float64(c))/n)
	}
	return p, n, true
}

// logRatio compares the likeliest distributions under two constraints, each that
// some function of the value has the mean 0.
func logRatio(p []float64, n float64, g0, g1 []float64) float64 {
	x0, x1 := multiplier(p, g0), multiplier(p, g1)
	total := 0.
	for i := range p {
		total += p[i] * (math.Log1p(x0*g0[i]) - math.Log1p(x1*g1[i]))
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

// EloLLR is the ratio for differences given in Elo, as engines for chess are
// tested: 400 log10 of the odds of a score.
func EloLLR(counts []int, elo0, elo1 float64) float64 {
	difference := func(elo float64) float64 { return 2/(1+math.Pow(10, -elo/400)) - 1 }
	return GSPRT{D0: difference(elo0), D1: difference(elo1)}.LLR(counts)
}

// NormalizedEloLLR is the ratio for differences given in normalised Elo, which is
// the difference of the score over its deviation.
//
// M. Van den Bergh, "Normalized Elo practical", cantate.be/Fishtest.
func NormalizedEloLLR(counts []int, elo0, elo1 float64) float64 {
	p, n, ok := shares(counts)
	if !ok {
		return math.NaN()
	}
	if n == 0 {
		return 0
	}
	perElo := math.Ln10 / 800
	if len(counts) == 5 {
		perElo *= math.Sqrt2
	}
	return logRatio(p, n, standardised(p, elo0*perElo), standardised(p, elo1*perElo))
}

// standardised is the constraint that the score is t deviations above 1/2, made
// linear at the distribution it leads to.
func standardised(p []float64, t float64) []float64 {
	const steps, still = 1000, 1e-15
	q, g := make([]float64, len(p)), make([]float64, len(p))
	for i := range q {
		q[i] = 1 / float64(len(q))
	}
	value := func(i int) float64 { return float64(i) / float64(len(p)-1) }
	for range steps {
		mean, square := 0., 0.
		for i := range q {
			mean += q[i] * value(i)
		}
		for i := range q {
			square += q[i] * (value(i) - mean) * (value(i) - mean)
		}
		deviation := math.Sqrt(square)
		for i := range g {
			away := (mean - value(i)) / deviation
			g[i] = value(i) - 0.5 - t*deviation*(1+away*away)/2
		}
		x, moved := multiplier(p, g), 0.
		for i := range q {
			next := p[i] / (1 + x*g[i])
			moved, q[i] = math.Max(moved, math.Abs(next-q[i])), next
		}
		if moved < still {
			break
		}
	}
	return g
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
