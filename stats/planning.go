package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// RecommendRunsAt returns how many trials bring the half-width of a pass rate's normal interval
// down to halfWidth at an expected pass rate p: ceil((z/h)^2 p (1-p)), at least 1; 0.5 is the worst
// case. The arithmetic is rational on the decimals as written, so that (1.96/0.01)^2/4 is 9604 and
// not, by a rounding error, 9605. It is an error unless 0 < halfWidth < 1, 0 < z < 100 and 0 <=
// rate <= 1, or if the answer is too large for an int.
func RecommendRunsAt(halfWidth, z, rate float64) (int, error) {
	if err := checkHalfWidth(halfWidth, rate); err != nil {
		return 0, err
	}
	if !(z > 0 && z < 100) {
		return 0, fmt.Errorf("z is %v: it must be between 0 and 100, both excluded", z)
	}
	ratio := new(big.Rat).Quo(decimal(z), decimal(halfWidth))
	p := decimal(rate)
	spread := new(big.Rat).Mul(p, new(big.Rat).Sub(big.NewRat(1, 1), p))
	runs := new(big.Rat).Mul(ratio, ratio)
	runs.Mul(runs, spread)
	whole, rest := new(big.Int).QuoRem(runs.Num(), runs.Denom(), new(big.Int))
	if rest.Sign() > 0 || whole.Sign() == 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() || whole.Int64() > math.MaxInt {
		return 0, fmt.Errorf("half-width %v needs more trials than can be counted", halfWidth)
	}
	return int(whole.Int64()), nil
}

func checkHalfWidth(halfWidth, rate float64) error {
	if !isLevel(halfWidth) {
		return fmt.Errorf("half-width is %v: it must be between 0 and 1, both excluded", halfWidth)
	}
	if !isRate(rate) {
		return fmt.Errorf("expected rate is %v: it must be between 0 and 1", rate)
	}
	return nil
}

// WilsonRuns returns the fewest trials after which half the length of Wilson's interval is at most
// halfWidth, if rate times the trials pass: a real number of passes, so that the answer does not
// jump with rounding. It is an error unless 0 < halfWidth < 1, 0 <= rate <= 1 and z > 0, or when
// 2^40 trials are not enough.
func WilsonRuns(halfWidth, z, rate float64) (int, error) {
	if !(z > 0) {
		return 0, fmt.Errorf("z is %v: it must be above 0", z)
	}
	return runsFor(halfWidth, rate, func(n float64) float64 { return WilsonHalfWidth(n, z, rate) })
}

// ExactRuns is [WilsonRuns] for the Clopper-Pearson interval at a confidence
// level, which must lie between 0 and 1.
func ExactRuns(halfWidth, confidence, rate float64) (int, error) {
	if !isLevel(confidence) {
		return 0, errConfidence(confidence)
	}
	return runsFor(halfWidth, rate, func(n float64) float64 { return ExactHalfWidth(n, confidence, rate) })
}

func runsFor(halfWidth, rate float64, half func(n float64) float64) (int, error) {
	if err := checkHalfWidth(halfWidth, rate); err != nil {
		return 0, err
	}
	const mostRuns = min(1<<40, math.MaxInt) // how many trials a plan is looked for up to: fewer where an int has 32 bits
	n, ok := smallest(mostRuns, func(n int) bool { return half(float64(n)) <= halfWidth })
	if !ok {
		return 0, fmt.Errorf("half-width %v needs more trials than can be counted", halfWidth)
	}
	return n, nil
}

// WilsonHalfWidth returns half the length of Wilson's interval after n trials of
// which rate n passed. NaN unless n > 0, z >= 0 and 0 <= rate <= 1.
func WilsonHalfWidth(n, z, rate float64) float64 {
	if !(n > 0 && z >= 0 && isRate(rate)) {
		return math.NaN()
	}
	lo, hi := scoreInterval(rate*n, n, z)
	return (hi - lo) / 2
}

// ExactHalfWidth is the same for the Clopper-Pearson interval.
// NaN unless n > 0, 0 < confidence < 1 and 0 <= rate <= 1.
func ExactHalfWidth(n, confidence, rate float64) float64 {
	if !(n > 0 && isLevel(confidence) && isRate(rate)) {
		return math.NaN()
	}
	c := rate * n
	f := n - c
	lo, hi := betaInterval(c, f+1, c+1, f, confidence)
	return (hi - lo) / 2
}

// NormalHalfWidth is z sqrt(p (1-p) / n), the half-width of the normal interval at an
// expected pass rate; 0.5 is the worst case. A planning figure, not an interval of anything
// observed. NaN unless n >= 1, z >= 0 and 0 <= rate <= 1.
func NormalHalfWidth(n, z, rate float64) float64 {
	if !(n >= 1 && z >= 0 && isRate(rate)) {
		return math.NaN()
	}
	return z * math.Sqrt(rate*(1-rate)/n)
}

// decimal returns the shortest decimal that reads back as x, as a fraction:
// the number a person wrote, not its nearest binary neighbour.
func decimal(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}

// Difference is a question for a comparison of two pass rates: how surely a test
// at the level 1 - Confidence, two-sided, sees that they are not equal.
type Difference struct {
	Rate1, Rate2 float64
	Confidence   float64
}

// Check reports a question that has no answer.
func (d Difference) Check() error {
	switch {
	case !isLevel(d.Rate1) || !isLevel(d.Rate2):
		return fmt.Errorf("rates are %v and %v: both must be between 0 and 1, both ends excluded", d.Rate1, d.Rate2)
	case d.Rate1 == d.Rate2:
		return fmt.Errorf("rates are both %v: there is no difference to detect", d.Rate1)
	case !isLevel(d.Confidence):
		return errConfidence(d.Confidence)
	}
	return nil
}

func (d Difference) alpha() float64 { return 1 - d.Confidence }

// FormulaRuns is the usual planning formula for two independent samples of equal
// size, the normal approximation with the pooled variance under the null:
//
//	n = ((z_a sqrt(2 p̄ (1-p̄)) + z_b sqrt(p1 (1-p1) + p2 (1-p2))) / (p1 - p2))^2
//
// It is a real number of trials per side. NaN where Check has an error or power
// does not lie between 0 and 1.
//
// J. L. Fleiss, Statistical Methods for Rates and Proportions (1981), 3.2.
func (d Difference) FormulaRuns(power float64) float64 {
	if d.Check() != nil || !isLevel(power) {
		return math.NaN()
	}
	mean := (d.Rate1 + d.Rate2) / 2
	null := math.Sqrt(2 * mean * (1 - mean))
	alternative := math.Sqrt(d.Rate1*(1-d.Rate1) + d.Rate2*(1-d.Rate2))
	root := (Z(d.Confidence)*null + mathext.NormalQuantile(power)*alternative) / (d.Rate1 - d.Rate2)
	return root * root
}

// FisherPower returns the probability that Fisher's exact test finds the difference with trials on
// each side: the sum over all pairs of counts, none left out. Work grows with the square of trials.
// NaN where Check has an error or trials < 1.
func (d Difference) FisherPower(trials int) float64 {
	if d.Check() != nil || trials < 1 {
		return math.NaN()
	}
	first, second := binomialMass(trials, d.Rate1), binomialMass(trials, d.Rate2)
	power := 0.
	var margin []float64
	for total := range 2*trials + 1 {
		var lo int
		lo, margin = Hypergeometric(margin, total, 2*trials, trials)
		left, right := rejected(margin, d.alpha())
		for i := range margin {
			if i < left || i >= right {
				power += first[lo+i] * second[total-lo-i]
			}
		}
	}
	return math.Min(1, power)
}

// rejected returns the ends of a unimodal distribution whose exact p-value, the probability of all
// points no more likely than one, is at most alpha: those before left and those from right on.
func rejected(mass []float64, alpha float64) (left, right int) {
	const tie = 1 + 1e-7 // as in FisherExact
	left, right = 0, len(mass)
	tail := 0.
	for left < right {
		limit := math.Min(mass[left], mass[right-1]) * tie
		l, r := left, right
		for l < r && mass[l] <= limit {
			tail += mass[l]
			l++
		}
		for r > l && mass[r-1] <= limit {
			r--
			tail += mass[r]
		}
		if tail > alpha {
			break
		}
		left, right = l, r
	}
	return left, right
}

func binomialMass(n int, p float64) []float64 {
	mass := make([]float64, n+1)
	for x := range mass {
		mass[x] = math.Exp(logBinomial(float64(x), float64(n), p))
	}
	return mass
}

// Discordance is the share of pairs that must differ at least, |p1 - p2|, and
// the share that would if both outcomes of a pair were independent.
func (d Difference) Discordance() (least, independent float64) {
	return math.Abs(d.Rate1 - d.Rate2), d.Rate1*(1-d.Rate2) + d.Rate2*(1-d.Rate1)
}

func (d Difference) pairs(discordant float64) (more, less float64, ok bool) {
	least, _ := d.Discordance()
	ok = d.Check() == nil && discordant >= least && discordant <= 1
	return (discordant + least) / 2, (discordant - least) / 2, ok
}

// FormulaPairs is the planning formula for paired trials, of which the given share is discordant:
//
//	n = ((z_a sqrt(d) + z_b sqrt(d - (p1-p2)^2)) / (p1 - p2))^2
//
// It is a real number of pairs. NaN where Check has an error or discordant is
// below |p1 - p2| or above 1.
//
// R. J. Connor, Biometrics 43 (1987) 207-211.
func (d Difference) FormulaPairs(power, discordant float64) float64 {
	if _, _, ok := d.pairs(discordant); !ok || !isLevel(power) {
		return math.NaN()
	}
	delta := d.Rate1 - d.Rate2
	root := (Z(d.Confidence)*math.Sqrt(discordant) + mathext.NormalQuantile(power)*math.Sqrt(discordant-delta*delta)) / delta
	return root * root
}

// McNemarPower returns the probability that the exact test of McNemar finds the
// difference with the given pairs: over all numbers of discordant pairs, that
// the fair coin is rejected. NaN as FormulaPairs.
func (d Difference) McNemarPower(pairs int, discordant float64) float64 {
	more, _, ok := d.pairs(discordant)
	if !ok || pairs < 1 {
		return math.NaN()
	}
	share := more / discordant
	power, critical := 0., -1
	for tosses := range pairs + 1 {
		for critical+1 <= tosses/2 && McNemarExact(critical+1, tosses-critical-1) <= d.alpha() {
			critical++
		}
		if critical < 0 {
			continue
		}
		weight := math.Exp(logBinomial(float64(tosses), float64(pairs), discordant))
		power += weight * (atMost(critical, tosses, share) + atLeast(tosses-critical, tosses, share))
	}
	return math.Min(1, power)
}

// RunsForPower returns the number of trials that reach the power while one fewer does not, looking
// from a first guess on; ok is false when limit is not enough. The power of an exact test does not
// rise evenly, so that a few fewer may reach it as well.
func RunsForPower(guess float64, power float64, limit int, at func(trials int) float64) (trials int, ok bool) {
	if !(guess >= 0) {
		return 0, false
	}
	n := int(math.Min(math.Max(math.Ceil(guess), 1), float64(limit)))
	for at(n) < power {
		if n >= limit {
			return 0, false
		}
		n = min(n+max(1, n/50), limit)
	}
	for n > 1 && at(n-1) >= power {
		n--
	}
	return n, true
}
