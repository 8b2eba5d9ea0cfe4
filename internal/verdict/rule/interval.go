package rule

import (
	"cmp"
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// UnlessNamed, as the rule of a layer, is wald where no layer below names a rule.
const UnlessNamed = "inconclusive"

var waldRule = Rule{
	Name: "wald", Aliases: []string{UnlessNamed},
	Doc:      "compares the Wald interval of the pass rate with the threshold; over-confident below about 20 trials",
	ThreeWay: true, Reports: "mean", Fill: fillWald, Check: needThreshold, Judge: byInterval("Wald", "wald", waldInterval),
	Counts: countsByInterval(waldInterval), PValue: binomialP,
	Asks: asks("wald: pass rate at least"), Explains: explainInterval,
}

var wilsonRule = Rule{
	Name: "wilson", Doc: "compares the Wilson score interval of the pass rate with the threshold",
	ThreeWay: true, Reports: "mean", Check: needThreshold, Judge: byInterval("Wilson", "wilson", wilsonInterval),
	Counts: countsByInterval(wilsonInterval), PValue: binomialP,
	Asks: asks("wilson: pass rate at least"), Explains: explainInterval,
}

var exactRule = Rule{
	Name: "exact", Doc: "compares the exact Clopper-Pearson interval of the pass rate with the threshold",
	ThreeWay: true, Reports: "mean", Check: needThreshold, Judge: byInterval("Clopper-Pearson", "clopper-pearson", exactInterval),
	Counts: countsExact, PValue: binomialP,
	Asks: asks("exact: pass rate at least"), Explains: explainInterval,
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

// byInterval judges by where an interval of the pass rate is: wholly above
// the threshold is a pass, wholly below it a fail, both strictly.
func byInterval(name, method string, interval rateInterval) func(*Sample, envelope.Effective) Judgement {
	return func(s *Sample, p envelope.Effective) Judgement {
		lo, hi := interval(s.Passed, s.N(), p.Confidence.V)
		j := compare(lo, hi, p.Threshold.V)
		j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: method}
		j.Verdict.Statistic = envelope.Some(float64(s.Passed) / float64(s.N()))
		j.Verdict.Reason = fmt.Sprintf("%s passed: the %s %s interval %s %s the threshold %s",
			words.Of(s.Passed, s.N(), "trial", "trials"), words.Level(p.Confidence.V), name, words.FromTo(lo, hi, p.Threshold.V), sideOf(j.Status),
			words.Number(p.Threshold.V))
		return j.WithThreshold(p)
	}
}

func countsByInterval(interval rateInterval) func(envelope.Effective) Decide {
	return func(p envelope.Effective) Decide {
		return func(passed, failed int) stats.Decision {
			if passed+failed == 0 {
				return stats.Undecided
			}
			lo, hi := interval(passed, passed+failed, p.Confidence.V)
			return decisionOf(lo, hi, p.Threshold.V)
		}
	}
}

// countsExact says what the exact interval says by the two tests of which the interval is the inversion: it is above the threshold when
// so many passes or more would be rarer than half of what the confidence leaves, were the threshold the rate. A plan asks for very many
// counts, and a test takes a tenth of the time of an interval. Where rounding may matter the interval decides.
func countsExact(p envelope.Effective) Decide {
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

func compare(lo, hi, threshold float64) Judgement {
	return Judgement{Status: StatusOf(decisionOf(lo, hi, threshold))}
}

func sideOf(s envelope.Status) string {
	switch s {
	case envelope.Pass:
		return "is above"
	case envelope.Fail:
		return "is below"
	}
	return "contains"
}

// binomialP is the one-sided exact binomial p-value against "the rate is at least the threshold".
func binomialP(s *Sample, p envelope.Effective) float64 {
	return stats.BinomialPBelow(s.Passed, s.N(), p.Threshold.V)
}

const defaultGap = 0.1

// needThreshold is the check of rules that hold a pass rate against a threshold.
func needThreshold(p envelope.Policy) error {
	if !p.Threshold.OK {
		return &policy.KeyError{Key: "rule", Value: p.Rule, Text: "needs a threshold: the pass rate to reach, above 0 and below 1, " +
			"for instance --threshold 0.9"}
	}
	if t := p.Threshold.V; !(t > 0 && t < 1) {
		return &policy.KeyError{Key: "threshold", Value: words.Number(t), Text: "is out of range for rule " + p.Rule +
			": give a pass rate above 0 and below 1" + cmp.Or(policy.Meant(t), ", such as 0.9 or 90%; for every trial to pass, use rule all")}
	}
	if gap, t := p.Gap.V, p.Threshold.V; gap >= t && gap != defaultGap { // which suits most thresholds, and is cut for lower ones
		return &policy.KeyError{Key: "gap", Value: words.Number(gap), Text: fmt.Sprintf("is too large for threshold %s: give a gap below "+
			"%[1]s, such as %s", words.Number(t), words.Number(min(defaultGap, t/2)))}
	}
	return nil
}

// Score summarises the scores of a test under the rule; nil when no counted trial has one.
func (r Rule) Score(s *Sample, confidence float64) *envelope.Score {
	if !s.HasScores {
		return nil
	}
	all := Summarise(s.Scores)
	mean := ShortDecimal(all.Mean)
	out := &envelope.Score{Value: mean, Mean: mean, Min: all.least, Max: all.most}
	if !envelope.Finite(mean).OK {
		return nil // scores too large to be summed
	}
	switch r.Reports {
	case "best":
		out.Value = out.Max
	case "worst":
		out.Value = out.Min
	}
	all.Mean = mean
	if lo, hi, err := all.interval(confidence); err == nil {
		out.StdDev, out.Lo, out.Hi = envelope.Finite(all.Deviation), envelope.Finite(lo), envelope.Finite(hi)
	}
	return out
}

var tIntervalRule = Rule{
	Name: "t-interval", Aliases: []string{"confidence_interval"}, Doc: "compares the Student t interval of the mean score with the threshold",
	ThreeWay: true, Reports: "mean", Scored: true, Check: finiteThreshold, Judge: judgeTInterval, Scores: scoresByTInterval, PValue: studentP,
	Asks: asks("t-interval: mean score at least"), Explains: explainInterval,
}

func judgeTInterval(s *Sample, p envelope.Effective) Judgement {
	all := Summarise(s.Scores)
	lo, hi, err := all.tInterval(p.Confidence.V)
	if err != nil {
		j := Judgement{Status: envelope.Inconclusive}
		j.Verdict.Reason = fmt.Sprintf("%s: %v", words.Plural(s.N(), "trial", "trials"), err)
		return j.WithThreshold(p)
	}
	j := compare(lo, hi, p.Threshold.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "t"}
	j.Verdict.Statistic = envelope.Some(ShortDecimal(all.Mean))
	j.Verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s t interval %s %s the threshold %s",
		all.Mean, words.Plural(s.N(), "trial", "trials"), words.Level(p.Confidence.V), words.FromTo(lo, hi, p.Threshold.V), sideOf(j.Status),
		words.Number(p.Threshold.V)) + voided(s, 0)
	return j.WithThreshold(p)
}

// Coarse reports a test judged by Student's t whose scores are so coarse that it errs: few distinct ones, and some of them equal.
func Coarse(t *envelope.Test) bool {
	if t.Verdict.Rule != tIntervalRule.Name || t.Verdict.Interval == nil {
		return false
	}
	all := Summarise(SampleOf(t.Rows).Scores)
	return all.distinct <= coarse && all.distinct < all.N
}

// FewestScores is how many distinct scores Student's t needs to say how scores vary.
const FewestScores = 3

// tInterval is the t interval of scores that say how they vary.
func (s Summary) tInterval(confidence float64) (lo, hi float64, err error) {
	if s.N >= 2 && s.distinct < FewestScores {
		return lo, hi, fmt.Errorf("rule t-interval needs at least %d distinct scores, and these have %d: use --rule bounded-mean, or more "+
			"trials", FewestScores, s.distinct)
	}
	return s.interval(confidence)
}

// scoresByTInterval is judgeTInterval without words.
func scoresByTInterval(scores Summary, p envelope.Effective) stats.Decision {
	lo, hi, err := scores.tInterval(p.Confidence.V)
	if err != nil {
		return stats.Undecided
	}
	return decisionOf(lo, hi, p.Threshold.V)
}

// studentP is the one-sided p-value of Student's t against "the mean score is
// at least the threshold". Where there is no interval it claims nothing.
func studentP(s *Sample, p envelope.Effective) float64 {
	all := Summarise(s.Scores)
	if _, _, err := all.tInterval(p.Confidence.V); err != nil {
		return 1
	}
	return stats.StudentTBelow((all.Mean-p.Threshold.V)/(all.Deviation/math.Sqrt(float64(all.N))), all.N-1)
}

var boundedMeanRule = Rule{
	Name: "bounded-mean", Doc: "compares an interval of the mean score, valid for any scores in a known range " +
		"(`--score-range`), with the threshold",
	ThreeWay: true, Reports: "mean", Scored: true, Ranged: true, Check: checkBounded, Judge: judgeBounded, Scores: scoresByBound,
	PValue: boundedP,
	Asks:   asks("bounded-mean: mean score at least"), Explains: explainInterval,
}

func checkBounded(p envelope.Policy) error {
	if err := finiteThreshold(p); err != nil {
		return err
	}
	lo, hi, err := policy.ScoreRange(p.ScoreRange)
	if t := p.Threshold.V; err == nil && !(t > lo && t < hi) {
		return &policy.KeyError{Key: "threshold", Value: words.Number(t), Text: fmt.Sprintf("is out of range for rule %s; give a mean score "+
			"above %s and below %s, or --score-range with the lowest and highest score, such as 1..5", p.Rule, words.Number(lo), words.Number(hi))}
	}
	return err
}

// scale is the range of scores, which the rule maps to 0..1.
type scale struct{ lo, hi float64 }

func scaleOf(p envelope.Effective) scale {
	lo, hi, err := policy.ScoreRange(p.ScoreRange)
	if err != nil { // Resolve checked it
		return scale{0, 1}
	}
	return scale{lo, hi}
}

// PointsUnder is the score of a trial that has none, under a policy: the best or the worst of the range.
func PointsUnder(p envelope.Effective, passed bool) float64 {
	s := scaleOf(p)
	return s.lo + Points(passed)*(s.hi-s.lo)
}

// Points is the score of a further trial that has none, and ScoresOf are those of all trials, as the rule takes them.
func (r Rule) Points(p envelope.Effective, passed bool) float64 {
	if r.Ranged {
		return PointsUnder(p, passed)
	}
	return Points(passed)
}

func (r Rule) ScoresOf(s *Sample, p envelope.Effective) []float64 {
	if r.Ranged {
		return s.within(p)
	}
	return s.Scores
}

func (s scale) down(v float64) float64 { return (v - s.lo) / (s.hi - s.lo) }

func (s scale) up(v float64) float64 { return s.lo + v*(s.hi-s.lo) }

// values are scores on 0..1.
func (s scale) values(scores []float64) ([]float64, error) {
	out := make([]float64, len(scores))
	for i, v := range scores {
		if !(v >= s.lo && v <= s.hi) {
			return nil, fmt.Errorf("a score of %s is outside %s to %s: give the range of all scores, --score-range LOW..HIGH",
				words.Number(v), words.Number(s.lo), words.Number(s.hi))
		}
		out[i] = s.down(v)
	}
	return out, nil
}

// within are the scores of a sample in their range: a trial without a score, or in error,
// has the best of it where it passed and else the worst.
func (s *Sample) within(p envelope.Effective) []float64 {
	for i := range s.Scores {
		if i >= len(s.Own) || !s.Own[i] {
			s.Scores[i] = PointsUnder(p, s.Outcomes[i])
		}
	}
	return s.Scores
}

// MeanOf is the mean of scores with its interval for any scores in the range of the policy. A score outside of it is an error.
func MeanOf(scores []float64, p envelope.Effective) (*envelope.Rate, error) {
	in := scaleOf(p)
	values, err := in.values(scores)
	if err != nil {
		return nil, err
	}
	lo, hi := stats.BoundedMean(values, p.Confidence.V)
	return &envelope.Rate{Value: ShortDecimal(Summarise(scores).Mean), Lo: in.up(lo), Hi: in.up(hi),
		Method: "bounded mean", Confidence: p.Confidence.V}, nil
}

func judgeBounded(s *Sample, p envelope.Effective) Judgement {
	in, scores := scaleOf(p), s.within(p)
	of, err := MeanOf(scores, p)
	if err != nil {
		j := Judgement{Status: envelope.Inconclusive}
		j.Verdict.Reason = err.Error()
		return j.WithThreshold(p)
	}
	mean, lo, hi := of.Value, of.Lo, of.Hi
	j := compare(lo, hi, p.Threshold.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: of.Method}
	j.Verdict.Statistic = envelope.Some(mean)
	j.Verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s interval %s (for scores from %s to %s) %s the threshold %s",
		mean, words.Plural(s.N(), "trial", "trials"), words.Level(p.Confidence.V), words.FromTo(lo, hi, p.Threshold.V),
		words.Number(in.lo), words.Number(in.hi), sideOf(j.Status), words.Number(p.Threshold.V)) + voided(s, in.lo)
	return j.WithThreshold(p)
}

// scoresByBound is judgeBounded without words and without the interval: by the p-values
// that it inverts, and by the interval where rounding may matter.
func scoresByBound(scores Summary, p envelope.Effective) stats.Decision {
	in, half := scaleOf(p), (1-p.Confidence.V)/2
	values, err := in.values(scores.all())
	if err != nil {
		return stats.Undecided
	}
	p0 := in.down(p.Threshold.V)
	above, below := stats.BoundedMeanPAbove(values, p0), stats.BoundedMeanPBelow(values, p0)
	switch {
	case !apart(above, half) || !apart(below, half):
		lo, hi := stats.BoundedMean(values, p.Confidence.V)
		return decisionOf(in.up(lo), in.up(hi), p.Threshold.V)
	case above < half:
		return stats.Pass
	case below < half:
		return stats.Fail
	}
	return stats.Undecided
}

// boundedP is the evidence against "the mean score is at least the threshold"; none where a score lies outside of the range.
func boundedP(s *Sample, p envelope.Effective) float64 {
	in := scaleOf(p)
	values, err := in.values(s.within(p))
	if err != nil {
		return 1
	}
	return math.Min(1, stats.BoundedMeanPBelow(values, in.down(p.Threshold.V)))
}
