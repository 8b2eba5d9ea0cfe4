package stats

import "math"

// mostPaths is the number of trials up to which paths are counted.
const mostPaths = 1000

// StoppedRate is the unbiased estimate of the pass rate of trials that a rule stopped: of
// all paths to the passes and trials at the stop, the share that begins with a pass. open
// says whether the rule goes on after some trials. NaN beyond 1000 trials, for impossible
// counts, and where no path leads to the stop.
//
// M. A. Girshick, F. Mosteller, L. J. Savage, Ann. Math. Stat. 17 (1946) 13-23.
func StoppedRate(passed, trials int, open func(passed, trials int) bool) float64 {
	if !isCount(passed, trials) || trials == 0 || trials > mostPaths {
		return math.NaN()
	}
	all, first := make([]float64, trials+1), make([]float64, trials+1) // by passes, over 2^n
	all[0], all[1], first[1] = 0.5, 0.5, 0.5
	for n := 1; n < trials; n++ {
		for k := n; k >= 0; k-- {
			a, f := all[k]/2, first[k]/2
			if !open(k, n) {
				a, f = 0, 0
			}
			all[k], first[k] = a, f
			all[k+1], first[k+1] = all[k+1]+a, first[k+1]+f
		}
	}
	return first[passed] / all[passed]
}
