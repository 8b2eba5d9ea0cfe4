package stats

import "math"

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
