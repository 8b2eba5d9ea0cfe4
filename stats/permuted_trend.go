package stats

import "math"

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

// mostEnumerated is the largest number of runs of which all orders are gone through.
const mostEnumerated = 8

// PermutedTrend tests it by all orders of the runs up to 8 of them, and beyond by
// the normal law that the statistic has over all orders, with its exact variance
// there. It holds however trials of a run depend on each other; a run counts once.
// Runs without trials are left out. NaN below two runs, for impossible counts and
// for slices of different lengths.
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
	seen := dot(places, residuals)
	t := permutedNormal(residuals, places, seen)
	if len(residuals) <= mostEnumerated {
		z := t.Z
		t = permutedExactly(residuals, places, seen)
		t.Z = z
	}
	t.Statistic = seen / times
	return t
}

func dot(x, y []float64) float64 {
	sum := 0.
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
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
	variance := spread * dot(residuals, residuals) / float64(len(places)-1)
	if !(variance > 0) {
		return RunTrend{Z: math.NaN(), P: 1, PFalling: 1, PRising: 1}
	}
	z := seen / math.Sqrt(variance)
	return RunTrend{Z: z, P: math.Erfc(math.Abs(z) / math.Sqrt2), PFalling: normalBelow(z), PRising: normalBelow(-z)}
}
