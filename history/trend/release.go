package trend

import (
	"fmt"
	"math"
	"time"

	"tribunal/envelope"
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

// What a release rests on.
const (
	ByWindow = "window" // the interval over the window: one look, named beforehand
	ByNights = "nights" // as many looks as there are runs, however trials of a run depend on each other
	ByTrials = "trials" // the same where trials of a run are independent
)

// ReleaseBy lists them, the default first.
var ReleaseBy = []string{ByNights, ByTrials, ByWindow}

// Leaving is what a test must show to be excused no more.
type Leaving struct {
	Threshold float64   // pass rate, a fraction
	By        string    // one of ReleaseBy
	Since     time.Time // evidence counts from then on; zero for all of it
}

// Release holds a test against a pass rate: it may leave when the interval of its
// rate over the window lies wholly above, nothing says that it gets worse, and, unless
// By is the window, the evidence since it was quarantined stands no matter how often you look.
func (t *Trend) Release(test *Test, l Leaving) Release {
	if test.Rate == nil {
		return Release{Why: "no trial was counted in " + runs(len(test.Points))}
	}
	seen := fmt.Sprintf("%d of %s in %s passed, %.1f to %.1f %%", test.Passed, trials(test.Counted), runs(test.Runs), 100*test.Rate.Lo, 100*test.Rate.Hi)
	switch test.State {
	case Broken, NewFlaky, DriftingDown:
		return Release{Why: string(test.State) + ": " + test.Evidence}
	}
	if test.Rate.Lo <= l.Threshold {
		why := seen + fmt.Sprintf(": not wholly above %g %%", 100*l.Threshold)
		if more := t.more(test, l.Threshold); more < mostMore {
			why += fmt.Sprintf("; %s in a row would be enough", moreTrials(more))
		}
		return Release{Why: why}
	}
	above := seen + fmt.Sprintf(": wholly above %g %%", 100*l.Threshold)
	if l.By == ByWindow {
		return Release{Leaves: true, Why: above}
	}
	return t.releaseEver(test, l, above)
}

// releaseEver asks for evidence that holds although somebody looks after every run.
func (t *Trend) releaseEver(test *Test, l Leaving, above string) Release {
	nights := t.since(test, l.Since)
	logE := logAbove(nights, l)
	bound := -math.Log(1 - t.Confidence)
	says := fmt.Sprintf("%s; looked at after every run, e = %s of %.4g in %s", above, eValue(logE), math.Exp(bound), runs(len(nights)))
	if logE >= bound {
		return Release{Leaves: true, Why: says}
	}
	for more := 1; more <= mostNights; more++ {
		nights = append(nights, t.passedNight(test))
		if logAbove(nights, l) >= bound {
			return Release{Why: says + fmt.Sprintf(": %d more like it, all passed, would be enough", more)}
		}
	}
	return Release{Why: says}
}

// mostNights is how many further runs are looked ahead for.
const mostNights = 400

// passedNight is a run as large as the test's last, all of which passed.
func (t *Trend) passedNight(test *Test) night {
	last := test.Ever.nights[len(test.Ever.nights)-1]
	return night{passed: last.counted, counted: last.counted}
}

// since are the runs of a test that began at an instant or after it. Those that do not
// say when they began count where no instant is given.
func (t *Trend) since(test *Test, begin time.Time) []night {
	if test.Ever == nil {
		return nil
	}
	var out []night
	for _, n := range test.Ever.nights {
		at, dated := envelope.Instant(t.run(int(n.run)).StartedAt)
		if begin.IsZero() || dated && !time.Unix(0, at).Before(begin) {
			out = append(out, n)
		}
	}
	return out
}

// run is a run of all that are stored.
func (t *Trend) run(i int) *Run {
	if i < len(t.Earlier) {
		return &t.Earlier[i]
	}
	return &t.Runs[i-len(t.Earlier)]
}

// logAbove is the evidence that the rate is above the threshold.
func logAbove(nights []night, l Leaving) float64 {
	if l.By == ByTrials {
		passed, counted := sumOf(nights)
		return stats.Anytime{P0: l.Threshold, P1: l.Threshold}.LogE(passed, counted-passed).LogPass
	}
	process, logE := stats.NewAboveE(l.Threshold), 0.
	for _, n := range nights {
		logE = process.Add(int(n.passed), int(n.counted))
	}
	return logE
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
