package stats

import "math"

// Judged counts trials that a judge called and of which the truth is known: both
// passed, the judge alone, the truth alone, neither.
type Judged struct {
	BothPass, JudgeOnly, TruthOnly, Neither int
}

// N is the number of trials.
func (j Judged) N() int { return j.BothPass + j.JudgeOnly + j.TruthOnly + j.Neither }

func (j Judged) isPossible() bool { return min(j.BothPass, j.JudgeOnly, j.TruthOnly, j.Neither) >= 0 }

// Positives are the trials that passed in truth.
func (j Judged) Positives() int { return j.BothPass + j.TruthOnly }

// Negatives are the trials that did not pass in truth.
func (j Judged) Negatives() int { return j.JudgeOnly + j.Neither }

// Sensitivity is the share of trials that passed in truth which the judge passes; NaN without any.
func (j Judged) Sensitivity() float64 { return share(j.BothPass, j.Positives()) }

// Specificity is the share of trials that did not pass in truth which the judge fails; NaN without any.
func (j Judged) Specificity() float64 { return share(j.Neither, j.Negatives()) }

func share(part, of int) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(part) / float64(of)
}

// Corrected is a pass rate corrected for the errors of a judge.
type Corrected struct {
	// Raw is the corrected rate as calculated, Estimate the same cut to 0..1.
	Raw, Estimate, Lo, Hi float64
}

// RoganGladen corrects a judge's pass rate, passed of n trials whose truth is not known, by its sensitivity and
// specificity among other trials whose truth is: (A + Sp - 1) / (Se + Sp - 1). The interval is Lang and Reiczigel's. All
// is NaN where the correction does not exist: no trials of either kind, or a judge that is no better than a coin.
//
// W. J. Rogan, B. Gladen, Am. J. Epidemiol. 107 (1978) 71-76; Z. Lang, J. Reiczigel, Prev. Vet. Med. 113 (2014) 13-22.
func RoganGladen(passed, n int, labelled Judged, confidence float64) Corrected {
	c, _ := roganGladen(passed, n, labelled, confidence)
	return c
}

// RoganGladenRate is RoganGladen for the pass rate of a report: the same estimate, and an interval that holds where
// nearly all trials pass and few labels are bad ones as well. It is Lang and Reiczigel's together with what that is
// without its shift, and the estimate: their own covers 0.92 of rates of 0.97 by a hundred labels.
func RoganGladenRate(passed, n int, labelled Judged, confidence float64) Corrected {
	c, shift := roganGladen(passed, n, labelled, confidence)
	if !math.IsNaN(c.Lo) {
		c.Lo = math.Min(c.Estimate, toRate(shift.lo-math.Max(0, shift.by)))
		c.Hi = math.Max(c.Estimate, toRate(shift.hi-math.Min(0, shift.by)))
	}
	return c
}

// shifted is the interval before it is cut to 0..1, and by how much it was shifted.
type shifted struct{ lo, hi, by float64 }

func roganGladen(passed, n int, labelled Judged, confidence float64) (Corrected, shifted) {
	none := Corrected{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	positives, negatives := float64(labelled.Positives()), float64(labelled.Negatives())
	if !isCount(passed, n) || n == 0 || !labelled.isPossible() || positives == 0 || negatives == 0 || !isLevel(confidence) {
		return none, shifted{}
	}
	z := Z(confidence)
	sensitivity := (float64(labelled.BothPass) + 1) / (positives + 2)
	specificity := (float64(labelled.Neither) + 1) / (negatives + 2)
	youden := sensitivity + specificity - 1
	if !(labelled.Sensitivity()+labelled.Specificity() > 1) || !(youden > 0) {
		return none, shifted{}
	}
	seen := float64(passed) / float64(n)
	raw := (seen + labelled.Specificity() - 1) / (labelled.Sensitivity() + labelled.Specificity() - 1)
	trials := float64(n) + z*z
	rate := (float64(passed) + z*z/2) / trials
	middle := (rate + specificity - 1) / youden
	ofSensitivity := sensitivity * (1 - sensitivity) / (positives + 2)
	ofSpecificity := specificity * (1 - specificity) / (negatives + 2)
	shift := 2 * z * z * (middle*ofSensitivity - (1-middle)*ofSpecificity)
	half := z * math.Sqrt(rate*(1-rate)/trials+middle*middle*ofSensitivity+(1-middle)*(1-middle)*ofSpecificity) / youden
	of := shifted{middle + shift - half, middle + shift + half, shift}
	return Corrected{Raw: raw, Estimate: toRate(raw), Lo: toRate(of.lo), Hi: toRate(of.hi)}, of
}

func toRate(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// Powered is a prediction-powered estimate of a pass rate.
type Powered struct {
	// Lambda is how far the judge was trusted: 0 not at all, 1 as the plain estimate does.
	Lambda, Estimate, SE, Lo, Hi float64
}

// PPIMean estimates the true pass rate from a few trials of known truth and many that only the judge saw, passed of n,
// whatever the errors of the judge are: the judge's rate on the many plus what it was off on the few. lambda weighs the
// judge; NaN takes the weight that is best for the variance. The interval is normal, not clamped, and short below a
// hundred labelled trials: [PPIRate] mends that. NaN with fewer than two labelled trials or no others.
//
// A. N. Angelopoulos et al., Science 382 (2023) 669-674; A. N. Angelopoulos, J. C.
// Duchi, T. Zrnic, arXiv:2311.01453 (2023).
func PPIMean(passed, n int, labelled Judged, lambda, confidence float64) Powered {
	few, many := float64(labelled.N()), float64(n)
	if !isCount(passed, n) || n < 1 || !labelled.isPossible() || few < 2 || !isLevel(confidence) {
		nan := math.NaN()
		return Powered{nan, nan, nan, nan, nan}
	}
	truth := float64(labelled.Positives()) / few
	judge := float64(labelled.BothPass+labelled.JudgeOnly) / few
	together := float64(labelled.BothPass)/few - truth*judge
	if math.IsNaN(lambda) {
		lambda = bestLambda(together, float64(labelled.BothPass+labelled.JudgeOnly), few, float64(passed), many)
	}
	rate := float64(passed) / many
	p := Powered{Lambda: lambda, Estimate: lambda*rate + truth - lambda*judge}
	residual := math.Max(0, truth*(1-truth)-2*lambda*together+lambda*lambda*judge*(1-judge))
	p.SE = math.Sqrt(lambda*lambda*rate*(1-rate)/many + residual/few)
	half := Z(confidence) * p.SE
	p.Lo, p.Hi = p.Estimate-half, p.Estimate+half
	return p
}

// PPIRate is PPIMean for the pass rate of a report: the same estimate with the best weight, and an interval that holds
// with few labels as well: that of one more label of each of the four kinds, by Student's t. Cut to 0..1.
func PPIRate(passed, n int, labelled Judged, confidence float64) Powered {
	p := PPIMean(passed, n, labelled, math.NaN(), confidence)
	if math.IsNaN(p.Estimate) {
		return p
	}
	more := Judged{labelled.BothPass + 1, labelled.JudgeOnly + 1, labelled.TruthOnly + 1, labelled.Neither + 1}
	wide, few := PPIMean(passed, n, more, math.NaN(), confidence), float64(more.N())
	// The error of few labels has few-1 degrees of freedom in place of few.
	ofMany := wide.Lambda * wide.Lambda * share(passed, n) * (1 - share(passed, n)) / float64(n)
	p.SE = math.Sqrt(ofMany + (wide.SE*wide.SE-ofMany)*few/(few-1))
	half := StudentT(confidence, more.N()-1) * p.SE
	p.Estimate = toRate(p.Estimate)
	p.Lo = math.Min(p.Estimate, toRate(wide.Estimate-half))
	p.Hi = math.Max(p.Estimate, toRate(wide.Estimate+half))
	return p
}

// bestLambda is the covariance of truth and judge over the variance of the judge
// among all trials, each inflated by how few are labelled, cut to 0..1.
func bestLambda(together, judgedOfFew, few, judgedOfMany, many float64) float64 {
	all := few + many
	rate := (judgedOfFew + judgedOfMany) / all
	variance := rate * (1 - rate) * all / (all - 1)
	if variance == 0 {
		return 0
	}
	return toRate(together / ((1 + few/many) * variance))
}

// Agreement is how far two judges agree, and how far beyond chance.
type Agreement struct {
	Observed, Expected float64
	// Kappa is Cohen's, with its standard error, and SE0, the one to test whether it is 0.
	Kappa, SE, SE0, Lo, Hi float64
}

// CohenKappa compares two judges of the same trials, of which both passed some,
// the first or the second alone others, and neither the rest.
func CohenKappa(both, first, second, neither int, confidence float64) Agreement {
	return CohenKappaOf([][]int{{both, first}, {second, neither}}, confidence)
}

// CohenKappaOf compares two judges who put the same trials into categories: row i and column j count those that the
// first put into i and the second into j. Categories are equal or not, none is nearer than another. Kappa is NaN where
// both always say the same one thing: nothing then distinguishes agreement from habit. All is NaN without trials.
//
// J. L. Fleiss, J. Cohen, B. S. Everitt, Psychol. Bull. 72 (1969) 323-327.
func CohenKappaOf(table [][]int, confidence float64) Agreement {
	nan, trials, agreed, least := math.NaN(), 0, 0, 0
	rows, columns := make([]float64, len(table)), make([]float64, len(table))
	for i, row := range table {
		for j, count := range row {
			trials, least = trials+count, min(least, count)
			rows[i], columns[j] = rows[i]+float64(count), columns[j]+float64(count)
		}
		agreed += row[i]
	}
	if least < 0 || trials == 0 || !isLevel(confidence) {
		return Agreement{nan, nan, nan, nan, nan, nan, nan}
	}
	n := float64(trials)
	a := Agreement{Observed: float64(agreed) / n, Kappa: nan, SE: nan, SE0: nan, Lo: nan, Hi: nan}
	for i := range table {
		rows[i], columns[i] = rows[i]/n, columns[i]/n
		a.Expected += rows[i] * columns[i]
		if rows[i] == 1 && columns[i] == 1 {
			a.Expected = 1
			return a
		}
	}
	beyond := 1 - a.Expected
	a.Kappa = (a.Observed - a.Expected) / beyond
	square := -(a.Kappa - a.Expected*(1-a.Kappa)) * (a.Kappa - a.Expected*(1-a.Kappa))
	null := a.Expected + a.Expected*a.Expected
	for i, row := range table {
		for j, count := range row {
			weight := (1 - a.Kappa) * (columns[i] + rows[j])
			if i == j {
				weight = 1 - weight
			}
			square += float64(count) / n * weight * weight
		}
		null -= rows[i] * columns[i] * (rows[i] + columns[i])
	}
	a.SE = math.Sqrt(withoutRounding(square)/n) / beyond
	a.SE0 = math.Sqrt(withoutRounding(null)/n) / beyond
	half := Z(confidence) * a.SE
	a.Lo, a.Hi = math.Max(-1, a.Kappa-half), math.Min(1, a.Kappa+half)
	return a
}

// withoutRounding is a variance that is a difference of near terms: below 1e-13 only their rounding is left.
func withoutRounding(square float64) float64 {
	if square < 1e-13 {
		return 0
	}
	return square
}
