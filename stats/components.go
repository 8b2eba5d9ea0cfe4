package stats

import "math"

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

// CrossedComponents estimates them by the two-way analysis of variance:
// passed[i][j] is judge j's word on trial i. All is NaN where a judgement is
// missing and below two trials or two judges.
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
	ofJudges := 0
	for _, c := range ofJudge {
		ofJudges += c * c
	}
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
