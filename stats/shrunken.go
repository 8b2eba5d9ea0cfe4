package stats

import (
	"math"

	"tribunal/internal/each"
)

// Components splits the variance of repeated judgements of trials, each passed or
// not, into that between trials and that of judging one trial again.
type Components struct {
	MSBetween, MSWithin float64
	Size                float64 // the adjusted mean number of judgements of a trial
	Between, Within     float64
	// ICC is the share of the variance that is between trials, not cut to 0..1;
	// Lo and Hi its interval, NaN unless all trials have as many judgements.
	ICC, Lo, Hi float64
}

// VarianceComponents estimates them by the one-way analysis of variance, from the
// judgements of each trial: a cluster is a trial, passed of n judgements. Trials
// without judgements are ignored. The interval is that of normal data. All is NaN
// below two trials, without a trial judged twice, and for impossible counts.
//
// P. E. Shrout, J. L. Fleiss, Psychol. Bull. 86 (1979) 420-428; S. R. Searle, G.
// Casella, C. E. McCulloch, Variance Components (1992).
func VarianceComponents(trials []Cluster, confidence float64) Components {
	nan := math.NaN()
	none := Components{nan, nan, nan, nan, nan, nan, nan, nan}
	c, err := newClusters(trials)
	k := float64(len(c.of))
	if err != nil || c.trials == k || !isLevel(confidence) {
		return none
	}
	between, within := c.meanSquares()
	v := Components{MSBetween: between, MSWithin: within, Size: c.size(), ICC: c.icc(), Within: within, Lo: nan, Hi: nan}
	v.Between = math.Max(0, (between-within)/v.Size)
	if c.squares*k == c.trials*c.trials {
		v.Lo, v.Hi = iccInterval(between, within, k, c.trials/k, confidence)
	}
	return v
}

// iccInterval inverts the F test of k rows of m judgements.
func iccInterval(between, within, k, m, confidence float64) (lo, hi float64) {
	switch {
	case within == 0 && between == 0:
		return math.NaN(), math.NaN()
	case within == 0:
		return 1, 1
	}
	ratio, level := between/within, (1+confidence)/2
	down := ratio / quantileF(level, k-1, k*m-k)
	up := ratio * quantileF(level, k*m-k, k-1)
	return (down - 1) / (down + m - 1), (up - 1) / (up + m - 1)
}

// quantileF is the quantile of Fisher's F: a ratio of the two parts of a beta
// variable, of which the smaller keeps its digits.
func quantileF(prob, df1, df2 float64) float64 {
	if x := betaQuantile(df1/2, df2/2, prob); x < 0.5 {
		return df2 / df1 * x / (1 - x)
	}
	y := betaQuantile(df2/2, df1/2, 1-prob)
	return df2 / df1 * (1 - y) / y
}

// JudgeComponents splits the variance of trials that all judges judged once into
// that between trials, between judges, and the rest.
type JudgeComponents struct {
	MSTrials, MSJudges, MSError float64
	Trials, Judges, Error       float64
	// ICC is ICC(2,1): how far one judge's word stands for any other's.
	ICC float64
}

// CrossedComponents estimates them by the two-way analysis of variance: passed[i][j] is judge j's
// word on trial i. All is NaN where a judgement is missing and below two trials or two judges.
//
// P. E. Shrout, J. L. Fleiss, Psychol. Bull. 86 (1979) 420-428.
func CrossedComponents(passed [][]bool) JudgeComponents {
	nan := math.NaN()
	none := JudgeComponents{nan, nan, nan, nan, nan, nan, nan}
	if len(passed) < 2 || len(passed[0]) < 2 {
		return none
	}
	n, k := len(passed), len(passed[0])
	ofJudge, ofTrials, total := make([]int, k), 0, 0
	for _, row := range passed {
		if len(row) != k {
			return none
		}
		inRow := 0
		for j, pass := range row {
			if pass {
				inRow++
				ofJudge[j]++
			}
		}
		ofTrials += inRow * inRow
		total += inRow
	}
	ofJudges := each.Sum(ofJudge, func(c int) int { return c * c })
	// Sums of squares times n k are whole numbers.
	trials, judges, all := n*ofTrials-total*total, k*ofJudges-total*total, n*k*total-total*total
	rest := all - trials - judges
	size, rows, columns := float64(n)*float64(k), float64(n), float64(k)
	v := JudgeComponents{MSTrials: float64(trials) / size / (rows - 1), MSJudges: float64(judges) / size / (columns - 1),
		MSError: float64(rest) / size / ((rows - 1) * (columns - 1)), ICC: nan}
	v.Trials, v.Judges, v.Error = math.Max(0, (v.MSTrials-v.MSError)/columns), math.Max(0, (v.MSJudges-v.MSError)/rows), v.MSError
	if divisor := v.MSTrials + (columns-1)*v.MSError + columns*(v.MSJudges-v.MSError)/rows; divisor > 0 {
		v.ICC = (v.MSTrials - v.MSError) / divisor
	}
	return v
}

// How the rates of tests are shrunken.
const (
	ShrunkenFitted   = "fitted"   // towards each other, as far as they differ
	ShrunkenPooled   = "pooled"   // to one: they differ no more than chance makes them
	ShrunkenSeparate = "separate" // not at all: every test passes always or never
)

// Shrunken are the rates of tests that are taken for draws from one beta law, which is
// fitted to them.
type Shrunken struct {
	Kind         string    // "" where there is nothing to fit
	A, B         float64   // of the beta law; NaN unless fitted
	Mean, Lo, Hi []float64 // of each test; NaN where there is none
}

// ShrinkRates fits a beta-binomial law to the passes of tests, and returns the mean and the
// interval of each test's rate given that law and its trials; without a confidence between 0 and 1
// no interval. Fewer than two tests with trials, and trials that all ended alike, are left alone.
//
// R. E. Tarone, Biometrika 66 (1979) 585-590; G. Casella, Am. Stat. 39 (1985) 83-87.
func ShrinkRates(tests []Cluster, confidence float64) Shrunken {
	s := Shrunken{A: math.NaN(), B: math.NaN()}
	var of []Cluster
	passed, trials, extreme := 0, 0, true
	for _, t := range tests {
		s.Mean, s.Lo, s.Hi = append(s.Mean, math.NaN()), append(s.Lo, math.NaN()), append(s.Hi, math.NaN())
		if t.N > 0 && isCount(t.Passed, t.N) {
			of = append(of, t)
			passed, trials, extreme = passed+t.Passed, trials+t.N, extreme && (t.Passed == 0 || t.Passed == t.N)
		}
	}
	if len(of) < 2 || passed == 0 || passed == trials {
		return s
	}
	p, n := float64(passed)/float64(trials), float64(trials)
	spread := -n
	for _, t := range of {
		away := float64(t.Passed) - float64(t.N)*p
		spread += away * away / (p * (1 - p))
	}
	switch {
	case spread <= 1e-9*n:
		s.Kind = ShrunkenPooled
	case extreme:
		s.Kind = ShrunkenSeparate
	default:
		s.Kind = ShrunkenFitted
		s.A, s.B = fitBeta(of, p)
	}
	for i, t := range tests {
		if t.N == 0 || !isCount(t.Passed, t.N) {
			continue
		}
		switch a, b := s.A+float64(t.Passed), s.B+float64(t.N-t.Passed); s.Kind {
		case ShrunkenPooled:
			s.Mean[i], s.Lo[i], s.Hi[i] = p, p, p
		case ShrunkenSeparate:
			rate := float64(t.Passed) / float64(t.N)
			s.Mean[i], s.Lo[i], s.Hi[i] = rate, rate, rate
		default:
			s.Mean[i] = a / (a + b)
			if isLevel(confidence) {
				s.Lo[i], s.Hi[i] = betaQuantile(a, b, (1-confidence)/2), betaQuantile(a, b, (1+confidence)/2)
			}
		}
	}
	return s
}

// fitBeta maximises the beta-binomial likelihood over the log odds of the mean and the log
// of a + b, by Newton's method with shorter steps where one leads down.
func fitBeta(tests []Cluster, p float64) (a, b float64) {
	var of longer
	for _, t := range tests {
		for k, n := range [3]int{t.Passed, t.N - t.Passed, t.N} {
			of[k] = append(of[k], make([]float64, max(0, n-len(of[k])))...)
			for i := range n {
				of[k][i]++
			}
		}
	}
	at := [2]float64{math.Log(p / (1 - p)), 0}
	value, gradient, h := lookAtBeta(&of, at)
	for range 300 {
		step := [2]float64{(h[1][1]*gradient[0] - h[0][1]*gradient[1]), (h[0][0]*gradient[1] - h[0][1]*gradient[0])}
		if det := h[0][0]*h[1][1] - h[0][1]*h[0][1]; det > 0 && h[0][0] > 0 {
			step[0], step[1] = step[0]/det, step[1]/det
		} else { // not a hill here: uphill
			step = gradient
		}
		if most := math.Max(math.Abs(step[0]), math.Abs(step[1])); most > 2 {
			step[0], step[1] = step[0]*2/most, step[1]*2/most
		}
		scale := 1.
		for ; scale > 1e-12; scale /= 2 {
			next := [2]float64{at[0] + scale*step[0], at[1] + scale*step[1]}
			if higher, g, curved := lookAtBeta(&of, next); higher >= value {
				at, value, gradient, h = next, higher, g, curved
				break
			}
		}
		if scale <= 1e-12 || math.Abs(gradient[0])+math.Abs(gradient[1]) < 1e-11 {
			break
		}
	}
	return betaAt(at)
}

func betaAt(at [2]float64) (a, b float64) {
	size, mean := math.Exp(at[1]), 1/(1+math.Exp(-at[0]))
	return size * mean, size * (1 - mean)
}

// longer are how many tests have more than i passes, more than i other trials, and more than
// i trials.
type longer [3][]float64

// lookAtBeta is the log-likelihood with its gradient and its curvature downwards. With whole
// counts log B(a+x, b+n-x) - log B(a, b) is a sum of logarithms.
func lookAtBeta(of *longer, at [2]float64) (value float64, gradient [2]float64, h [2][2]float64) {
	a, b := betaAt(at)
	add := func(from float64, tests []float64, sign float64) (slope, bend float64) {
		for i, n := range tests {
			x := from + float64(i)
			value += sign * n * math.Log(x)
			slope += sign * n / x
			bend -= sign * n / (x * x)
		}
		return slope, bend
	}
	fa, faa := add(a, of[0], 1)
	fb, fbb := add(b, of[1], 1)
	all, fab := add(a+b, of[2], -1)
	fa, fb, faa, fbb = fa+all, fb+all, faa+fab, fbb+fab
	mean := a / (a + b)
	turn := a * (1 - mean) // how a grows with the log odds, and b falls
	gradient = [2]float64{turn * (fa - fb), a*fa + b*fb}
	bent := turn * (1 - 2*mean)
	h[0][0] = -(turn*turn*(faa-2*fab+fbb) + bent*(fa-fb))
	h[0][1] = -(turn*(a*faa+b*fab-a*fab-b*fbb) + turn*(fa-fb))
	h[1][1] = -(a*a*faa + 2*a*b*fab + b*b*fbb + a*fa + b*fb)
	h[1][0] = h[0][1]
	return value, gradient, h
}
