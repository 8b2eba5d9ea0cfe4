package trend

import (
	"fmt"

	"tribunal/stats"
)

// Release says whether a test that is excused for being flaky need not be any
// more.
type Release struct {
	Leaves bool
	Why    string // in words
}

// mostMore is the largest number of further trials worth naming.
const mostMore = 1_000_000

// Release holds a test against a pass rate, a fraction: it may leave when the
// interval of its rate over the runs lies wholly above, and nothing says that it
// gets worse. The interval supposes that the window was chosen without looking
// at where the failures are.
func (t *Trend) Release(test *Test, threshold float64) Release {
	if test.Rate == nil {
		return Release{Why: "no trial was counted in " + runs(len(test.Points))}
	}
	seen := fmt.Sprintf("%d of %s in %s passed, %.1f to %.1f %%", test.Passed, trials(test.Counted), runs(test.Runs), 100*test.Rate.Lo, 100*test.Rate.Hi)
	switch test.State {
	case Broken, NewFlaky, DriftingDown:
		return Release{Why: string(test.State) + ": " + test.Evidence}
	}
	if test.Rate.Lo > threshold {
		return Release{Leaves: true, Why: seen + fmt.Sprintf(": wholly above %g %%", 100*threshold)}
	}
	why := seen + fmt.Sprintf(": not wholly above %g %%", 100*threshold)
	if more := t.more(test, threshold); more < mostMore {
		why += fmt.Sprintf("; %s in a row would be enough", moreTrials(more))
	}
	return Release{Why: why}
}

func moreTrials(n int) string {
	if n == 1 {
		return "1 more pass"
	}
	return fmt.Sprintf("%d more passes", n)
}

// more is the least number of further trials, all passed, that lift the interval
// above the threshold.
func (t *Trend) more(test *Test, threshold float64) int {
	z := stats.ConventionalZ(t.Confidence)
	lo, hi := 0, mostMore // lo is not enough
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if low, _ := stats.Wilson(test.Passed+mid, test.Counted+mid, z); low > threshold {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
