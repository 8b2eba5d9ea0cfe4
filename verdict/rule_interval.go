package verdict

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

var waldRule = Rule{
	Name: "wald", Aliases: []string{UnlessNamed}, Doc: "compares the Wald interval of the pass rate with the threshold; over-confident below about 20 trials",
	ThreeWay: true, Reports: "mean", fill: fillWald, check: needThreshold, judge: byInterval("Wald", "wald", waldInterval), counts: countsByInterval(waldInterval), pValue: binomialP,
}

var wilsonRule = Rule{
	Name: "wilson", Doc: "compares the Wilson score interval of the pass rate with the threshold",
	ThreeWay: true, Reports: "mean", check: needThreshold, judge: byInterval("Wilson", "wilson", wilsonInterval), counts: countsByInterval(wilsonInterval), pValue: binomialP,
}

var exactRule = Rule{
	Name: "exact", Doc: "compares the exact Clopper-Pearson interval of the pass rate with the threshold",
	ThreeWay: true, Reports: "mean", check: needThreshold, judge: byInterval("Clopper-Pearson", "clopper-pearson", exactInterval), counts: countsExact, pValue: binomialP,
}

// fillWald: `inconclusive: {on: true}` alone asks for more than half.
func fillWald(p *envelope.Policy) {
	if !p.Threshold.OK {
		p.Threshold = envelope.Some(0.5)
	}
}

func waldInterval(passed, n int, confidence float64) (lo, hi float64) {
	return stats.Wald(passed, n, stats.ConventionalZ(confidence))
}

func wilsonInterval(passed, n int, confidence float64) (lo, hi float64) {
	return stats.Wilson(passed, n, stats.ConventionalZ(confidence))
}

func exactInterval(passed, n int, confidence float64) (lo, hi float64) {
	return stats.ClopperPearson(passed, n, confidence)
}

// rateInterval is an interval of the pass rate after passed of n trials.
type rateInterval func(passed, n int, confidence float64) (lo, hi float64)

// byInterval judges by where an interval of the pass rate lies: wholly above
// the threshold is a pass, wholly below it a fail, both strictly.
func byInterval(name, method string, interval rateInterval) func(*Sample, envelope.Policy) judgement {
	return func(s *Sample, p envelope.Policy) judgement {
		lo, hi := interval(s.Passed, s.N(), p.Confidence.V)
		j := compare(lo, hi, p.Threshold.V)
		j.verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: method}
		j.verdict.Statistic = envelope.Some(float64(s.Passed) / float64(s.N()))
		j.verdict.Reason = fmt.Sprintf("%s passed: the %s %s interval %s %s the threshold %s",
			words.Of(s.Passed, s.N(), "trial", "trials"), words.Level(p.Confidence.V), name, words.FromTo(lo, hi, p.Threshold.V), lies(j.status), words.Number(p.Threshold.V))
		return withThreshold(j, p)
	}
}

// countsByInterval is the same for counts.
func countsByInterval(interval rateInterval) func(envelope.Policy) Decide {
	return func(p envelope.Policy) Decide {
		return func(passed, failed int) stats.Decision {
			if passed+failed == 0 {
				return stats.Undecided
			}
			lo, hi := interval(passed, passed+failed, p.Confidence.V)
			return decisionOf(lo, hi, p.Threshold.V)
		}
	}
}

// countsExact says what the exact interval says by the two tests of which the
// interval is the inversion: it lies above the threshold when so many passes or
// more would be rarer than half of what the confidence leaves, were the threshold
// the rate. A plan asks for very many counts, and a test takes a tenth of the time
// of an interval. Where rounding may matter the interval decides.
func countsExact(p envelope.Policy) Decide {
	byInterval, half := countsByInterval(exactInterval)(p), (1-p.Confidence.V)/2
	return func(passed, failed int) stats.Decision {
		n := passed + failed
		if n == 0 {
			return stats.Undecided
		}
		above, below := stats.BinomialPAbove(passed, n, p.Threshold.V), stats.BinomialPBelow(passed, n, p.Threshold.V)
		switch {
		case !apart(above, half) || !apart(below, half):
			return byInterval(passed, failed)
		case above < half:
			return stats.Pass
		case below < half:
			return stats.Fail
		}
		return stats.Undecided
	}
}

// apart reports whether two probabilities differ by more than rounding.
func apart(a, b float64) bool { return math.Abs(a-b) > 1e-6*b }

func compare(lo, hi, threshold float64) judgement {
	return judgement{status: statusOf(decisionOf(lo, hi, threshold))}
}

func lies(s envelope.Status) string {
	switch s {
	case envelope.Pass:
		return "lies above"
	case envelope.Fail:
		return "lies below"
	}
	return "contains"
}

// withThreshold adds what every rule of a fixed number of trials records. Its
// error rate holds for one look at the end, not for looking after every trial.
func withThreshold(j judgement, p envelope.Policy) judgement {
	j.verdict.Threshold, j.verdict.Confidence = p.Threshold, p.Confidence
	j.verdict.ValidUnderPeeking = envelope.Some(false)
	return j
}

// binomialP is the one-sided exact binomial p-value against "the rate is at
// least the threshold".
func binomialP(s *Sample, p envelope.Policy) float64 {
	return stats.BinomialPBelow(s.Passed, s.N(), p.Threshold.V)
}
