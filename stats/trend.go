package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// CleanStretch returns the probability that a stretch of trials named in advance, such as the last
// ones, holds none of the failed among all trials, if every order of the trials is as likely:
// C(all-stretch, failed)/C(all, failed). It is also the exact p-value of the longest such stretch
// at one end, because that end is clean for at least this long if and only if the stretch is. NaN
// unless 0 <= stretch <= all and 0 <= failed <= all.
func CleanStretch(stretch, failed, all int) float64 {
	if !isCount(stretch, all) || !isCount(failed, all) {
		return math.NaN()
	}
	p := 1.
	few, many := min(stretch, failed), max(stretch, failed)
	for i := range few {
		p *= math.Max(0, float64(all-many-i)) / float64(all-i)
	}
	return p
}

// RunTrend says whether the pass rate moves along with the order of runs, when
// whole runs are exchangeable and not their trials.
type RunTrend struct {
	// Statistic is sum score (passed - trials rate), above 0 for a rising rate.
	Statistic float64
	// Z is the statistic over its deviation, over all orders.
	Z float64
	// P is two-sided, PFalling and PRising are one-sided.
	P, PFalling, PRising float64
}

// PermutedTrend tests it by all orders of the runs up to 8 of them, and beyond by the normal law
// that the statistic has over all orders, with its exact variance there. It holds however trials of
// a run depend on each other; a run counts once. Runs without trials are left out. NaN below two
// runs, for impossible counts and for slices of different lengths.
//
// The statistic is that of P. Armitage, Biometrics 11 (1955) 375-386; its law over
// orders W. Hoeffding, Ann. Math. Stat. 22 (1951) 558-566.
func PermutedTrend(passed, trials []int, scores []float64) RunTrend {
	none := RunTrend{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if len(passed) != len(trials) || len(passed) != len(scores) {
		return none
	}
	all, passes := 0, 0
	for i, n := range trials {
		if !isCount(passed[i], n) {
			return none
		}
		all, passes = all+n, passes+passed[i]
	}
	var residuals, places []float64 // residuals are whole numbers: times all
	for i, n := range trials {
		if n > 0 {
			residuals, places = append(residuals, float64(passed[i]*all-n*passes)), append(places, scores[i])
		}
	}
	return permutedTrend(residuals, places, float64(all))
}

// PermutedTrendOfScores is PermutedTrend of mean scores in place of pass rates.
func PermutedTrendOfScores(of []Scored, scores []float64) RunTrend {
	var all Scored
	for _, run := range of {
		all = all.With(run)
	}
	var residuals, places []float64
	for i, run := range of {
		if run.N > 0 {
			residuals, places = append(residuals, float64(run.N)*(run.Mean-all.Mean)), append(places, scores[i])
		}
	}
	return permutedTrend(residuals, places, 1)
}

func permutedTrend(residuals, places []float64, times float64) RunTrend {
	if len(residuals) < 2 {
		return RunTrend{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	seen := floats.Dot(places, residuals)
	t := permutedNormal(residuals, places, seen)
	const mostEnumerated = 8 // the largest number of runs of which all orders are gone through
	if len(residuals) <= mostEnumerated {
		z := t.Z
		t = permutedExactly(residuals, places, seen)
		t.Z = z
	}
	t.Statistic = seen / times
	return t
}

// permutedExactly goes through all orders of the residuals, by Heap's algorithm.
func permutedExactly(residuals, places []float64, seen float64) RunTrend {
	slack := 0.
	for i := range places {
		slack += math.Abs(places[i] * residuals[i])
	}
	slack *= 1e-10
	orders, extreme, falling, rising := 0., 0., 0., 0.
	now := seen
	count := func() {
		orders++
		if math.Abs(now) >= math.Abs(seen)-slack {
			extreme++
		}
		if now <= seen+slack {
			falling++
		}
		if now >= seen-slack {
			rising++
		}
	}
	count()
	turns := make([]int, len(residuals))
	for i := 1; i < len(residuals); {
		if turns[i] == i {
			turns[i] = 0
			i++
			continue
		}
		other := 0
		if i%2 == 1 {
			other = turns[i]
		}
		now += (places[i] - places[other]) * (residuals[other] - residuals[i])
		residuals[i], residuals[other] = residuals[other], residuals[i]
		count()
		turns[i]++
		i = 1
	}
	return RunTrend{P: extreme / orders, PFalling: falling / orders, PRising: rising / orders}
}

// permutedNormal uses the variance over all orders, the product of both sums of
// squares over one less than the runs. The mean is 0.
func permutedNormal(residuals, places []float64, seen float64) RunTrend {
	mean := sum(places, func(v float64) float64 { return v }) / float64(len(places))
	spread := sum(places, func(v float64) float64 { return (v - mean) * (v - mean) })
	variance := spread * floats.Dot(residuals, residuals) / float64(len(places)-1)
	if !(variance > 0) {
		return RunTrend{Z: math.NaN(), P: 1, PFalling: 1, PRising: 1}
	}
	z := seen / math.Sqrt(variance)
	return RunTrend{Z: z, P: math.Erfc(math.Abs(z) / math.Sqrt2), PFalling: normalBelow(z), PRising: normalBelow(-z)}
}

// The two processes below ask of one test, run after run, whether its pass rate ever
// changed. docs/statistics/runs.md has what they promise. The chance that the change comes
// after run s is T(s) - T(s+1), with T(s) = 1/sqrt(1+s) for none up to there.

func notChangedBefore(s int) float64 { return 1 / math.Sqrt(1+float64(s)) }

func changeAfter(s int) float64 { return notChangedBefore(s) - notChangedBefore(s+1) }

// RateE is the process for runs whose trials are independent given the rate of
// the test. Where trials of a run share anything that moves them together it
// finds changes that are none; use [RunsE] there. The zero value has seen no run.
//
// It is the likelihood of the passes with one change at any run, rates before and
// after from Jeffreys' prior, over the largest likelihood without a change.
//
// A. Ramdas, J. Ruf, M. Larsson, W. Koolen, Int. J. Approx. Reason. 141 (2022)
// 83-109; R. Krichevsky, V. Trofimov, IEEE Trans. Inf. Theory 27 (1981) 199-207.
type RateE struct {
	passed, trials []int // up to each run, from none on
	mixture        krichevskyTrofimov
	broken         bool
}

// Add takes a run. A run without trials changes nothing. Impossible counts leave
// no evidence from there on.
func (r *RateE) Add(passed, trials int) {
	r.broken = r.broken || !isCount(passed, trials)
	if trials == 0 || r.broken {
		return
	}
	if r.trials == nil {
		r.passed, r.trials = []int{0}, []int{0}
	}
	last := len(r.trials) - 1
	r.passed, r.trials = append(r.passed, r.passed[last]+passed), append(r.trials, r.trials[last]+trials)
}

// Evidence returns the log e-value after the runs so far, 0 before the first, and
// the number of runs after which a change is likeliest to have come, 0 below two. It
// takes time in proportion to the runs. NaN after impossible counts.
func (r *RateE) Evidence() (logE float64, split int) {
	t := len(r.trials) - 1
	switch {
	case r.broken:
		return math.NaN(), 0
	case t < 1:
		return 0, 0
	}
	all := r.trials[t]
	r.mixture.reach(all)
	terms := make([]float64, 0, t+1)
	best := math.Inf(-1)
	for s := range t {
		before := r.mixture.log(r.passed[s], r.trials[s]-r.passed[s])
		passed, trials := r.passed[t]-r.passed[s], all-r.trials[s]
		term := math.Log(changeAfter(s)) + before + r.mixture.log(passed, trials-passed)
		if s > 0 && term > best {
			best, split = term, s
		}
		terms = append(terms, term)
	}
	terms = append(terms, math.Log(notChangedBefore(t))+r.mixture.log(r.passed[t], all-r.passed[t]))
	return floats.LogSumExp(terms) - largestLikelihood(r.passed[t], all), split
}

// largestLikelihood is that of the passes under the rate which fits them best.
func largestLikelihood(passed, trials int) float64 {
	x, f, n := float64(passed), float64(trials-passed), float64(trials)
	sum := 0.
	if passed > 0 {
		sum += x * math.Log(x/n)
	}
	if passed < trials {
		sum += f * math.Log(f/n)
	}
	return sum
}

// krichevskyTrofimov is the probability of a sequence of passes and failures whose
// rate is from Jeffreys' prior, B(c+1/2, f+1/2)/B(1/2, 1/2), by tables.
type krichevskyTrofimov struct {
	half, factorial []float64 // log Gamma(i+1/2) - log Gamma(1/2), log i!
}

func (k *krichevskyTrofimov) reach(n int) {
	for i := len(k.half); i <= n; i++ {
		half, _ := math.Lgamma(float64(i) + 0.5)
		factorial, _ := math.Lgamma(float64(i) + 1)
		k.half, k.factorial = append(k.half, half-math.Log(math.Pi)/2), append(k.factorial, factorial)
	}
}

func (k *krichevskyTrofimov) log(passed, failed int) float64 {
	return k.half[passed] + k.half[failed] - k.factorial[passed+failed]
}

// rateCells are the pieces of 0..1 in which a constant rate may lie.
const rateCells = 200

// bets are the shares of the capital that are risked on a rise, and on a fall.
var bets = [3]float64{0.25, 0.5, 1}

// RunsE is the process for runs whose trials may depend on each other in any way: it only
// supposes that a test which does not change has the same expected rate, or mean score, every
// run, whatever came before. It bets on the share of passes of each run, and takes the least
// capital over all constant rates. Make it with [NewRunsE].
//
// I. Waudby-Smith, A. Ramdas, J. R. Stat. Soc. B 86 (2024) 1-27 (betting); the
// mixture over the run of the change as in [RateE].
type RunsE struct {
	cells [rateCells]capital
	runs  int
	logE  float64
}

// capital is what six bets against one cell have won: begun are those on changes
// after some earlier run, fresh those on a change before the first.
type capital struct {
	begun, fresh [2 * len(bets)]float64
	sum          float64 // of fresh
}

// mostCapital keeps capital finite; it is far beyond any bound.
const mostCapital = 1e200

// NewRunsE returns the process before the first run.
func NewRunsE() *RunsE {
	n := &RunsE{}
	for j := range n.cells {
		for b := range n.cells[j].fresh {
			n.cells[j].fresh[b] = 1
		}
		n.cells[j].sum = float64(len(n.cells[j].fresh))
	}
	return n
}

// Add takes a run and returns the log e-value after it. A run without trials
// changes nothing. Impossible counts are NaN from there on.
func (n *RunsE) Add(passed, trials int) float64 {
	if !isCount(passed, trials) {
		n.logE = math.NaN()
	}
	if trials == 0 || math.IsNaN(n.logE) {
		return n.logE
	}
	return n.AddShare(float64(passed) / float64(trials))
}

// AddShare takes a run by its share of passes, or by a mean score from 0 to 1; NaN for another.
func (n *RunsE) AddShare(share float64) float64 {
	if !(share >= 0 && share <= 1) {
		n.logE = math.NaN()
	}
	if math.IsNaN(n.logE) {
		return n.logE
	}
	starts, none := changeAfter(n.runs), notChangedBefore(n.runs+1)
	n.runs++
	least := math.Inf(1)
	for j := range n.cells {
		up, down := share*rateCells/float64(j+1), (1-share)/(1-float64(j)/rateCells)
		least = min(least, n.cells[j].add(up, down, starts, none))
	}
	n.logE = math.Log(least)
	return n.logE
}

// add adds one run and returns the capital after it, of those who began and,
// weighed by none, of those who did not yet.
func (c *capital) add(up, down, starts, none float64) float64 {
	const sides = float64(2 * len(bets))
	enters := starts * c.sum / sides
	begun, still := 0., 0.
	for side, odds := range [...]float64{up, down} {
		for i, share := range bets {
			b := side*len(bets) + i
			win := 1 - share + share*odds
			c.begun[b] = min(mostCapital, (c.begun[b]+enters)*win)
			c.fresh[b] = min(mostCapital, c.fresh[b]*win)
			begun, still = begun+c.begun[b], still+c.fresh[b]
		}
	}
	c.sum = still
	return begun/sides + none*still/sides
}

// AboveE is the e-process for a rate above a threshold: as long as the expected share of
// passes of a run is the threshold or less, whatever came before, the chance that it
// ever reaches 1/alpha is at most alpha, however trials of a run depend on each other.
// It bets on a share above. Make it with [NewAboveE].
type AboveE struct {
	threshold float64
	capital   [len(bets)]float64
}

// NewAboveE returns the process before the first run, for a threshold between 0 and 1.
func NewAboveE(threshold float64) *AboveE {
	return &AboveE{threshold: threshold, capital: [len(bets)]float64{1, 1, 1}}
}

// Add takes a run and returns the log e-value after it. A run without trials
// changes nothing. NaN for impossible counts and a threshold that is none.
func (a *AboveE) Add(passed, trials int) float64 {
	if !isCount(passed, trials) || !isLevel(a.threshold) {
		return math.NaN()
	}
	total := 0.
	for i, share := range bets {
		if trials > 0 {
			a.capital[i] = math.Min(mostCapital, a.capital[i]*(1-share+share*float64(passed)/float64(trials)/a.threshold))
		}
		total += a.capital[i]
	}
	return math.Log(total / float64(len(bets)))
}
