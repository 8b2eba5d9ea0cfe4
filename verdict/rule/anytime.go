package rule

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// OfThreshold is the rule where a threshold is given and no rule.
const OfThreshold = "anytime"

var anytimeRule = Rule{
	Name: OfThreshold, Doc: "tests threshold against threshold - gap with e-processes; valid no matter how often you look",
	ThreeWay: true, Sequential: true, Reports: "mean", Fill: fillSequential, Check: checkAnytime, Judge: judgeAnytime, Counts: countsAnytime, Onward: onwardAnytime, Hypotheses: hypothesesAnytime, PValue: anytimeP,
	Asks: asksSequential("anytime"), Explains: explainHypotheses,
}

func anytimeOf(p envelope.Policy) (stats.Anytime, error) {
	if p.Gap.V <= 0 {
		return stats.Anytime{}, fmt.Errorf("anytime gap is %s: it must be above 0, or a rate at the threshold could pass and fail", words.Number(p.Gap.V))
	}
	return stats.NewAnytime(p.Threshold.V, p.Gap.V, p.Alpha.V, p.Beta.V)
}

func checkAnytime(p envelope.Policy) error {
	if err := needThreshold(p); err != nil {
		return err
	}
	test, err := anytimeOf(p)
	if err == nil && test.P1 >= test.P0 {
		return fmt.Errorf("anytime threshold %s is too low: the rate to reject, at least 0.01, must lie below it", words.Number(p.Threshold.V))
	}
	return err
}

func hypothesesAnytime(p envelope.Effective) *envelope.Hypotheses {
	test, err := anytimeOf(p.Policy)
	if err != nil { // Resolve checked it
		return nil
	}
	return &envelope.Hypotheses{P0: test.P0, P1: test.P1, Alpha: test.Alpha, Beta: test.Beta}
}

func countsAnytime(p envelope.Effective) Decide {
	test, err := anytimeOf(p.Policy)
	if err != nil { // Resolve checked it
		return undecided
	}
	return func(passed, failed int) stats.Decision { return test.Decide(test.LogE(passed, failed)) }
}

// onwardAnytime keeps a fail, and a pass up to a fail.
func onwardAnytime(s *Sample, p envelope.Effective) Decide {
	test, err := anytimeOf(p.Policy)
	if err != nil { // Resolve checked it
		return undecided
	}
	before := test.Run(s.Outcomes).Decision
	return func(passed, failed int) stats.Decision {
		if before == stats.Fail {
			return stats.Fail
		}
		if now := test.Decide(test.LogE(s.Passed+passed, s.N()-s.Passed+failed)); now != stats.Undecided {
			return now
		}
		return before
	}
}

func judgeAnytime(s *Sample, p envelope.Effective) Judgement {
	test, err := anytimeOf(p.Policy)
	if err != nil { // Resolve checked it
		return Judgement{Status: envelope.Inconclusive, Verdict: envelope.Verdict{Reason: err.Error()}}
	}
	r := test.Run(s.Outcomes)
	j := sequential(r.Decision, r.Trials, p)
	lo, hi := stats.BetaMixtureCS(s.Passed, s.N(), p.Confidence.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "beta mixture confidence sequence"}
	j.Verdict.ValidUnderPeeking = envelope.Some(true)
	j.Verdict.Hypotheses = hypothesesAnytime(p)
	j.Verdict.Evidence = eValuePaths(test, s.Outcomes[:r.Trials])
	j.Verdict.Statistic = envelope.Some(r.At.LogFail)
	says := fmt.Sprintf("log e-values %.3f of %.3f for a fail, %.3f of %.3f for a pass", r.At.LogFail, r.Bounds.LogFail, r.At.LogPass, r.Bounds.LogPass)
	if r.Decision == stats.Pass {
		j.Verdict.Statistic = envelope.Some(r.At.LogPass)
	}
	overruled := ""
	if r.Overruled > 0 {
		overruled = fmt.Sprintf("; this overrides the pass it had after %s", words.Plural(r.Overruled, "trial", "trials"))
	}
	j.Verdict.Reason = fmt.Sprintf("%s (%s)%s", shown(r.Decision, r.Trials, j.Verdict.Hypotheses), says, overruled)
	return j
}

// eValuePaths are the paths of both log e-values up to the stop.
func eValuePaths(test stats.Anytime, outcomes []bool) []envelope.Evidence {
	fail, pass := make([]float64, len(outcomes)), make([]float64, len(outcomes))
	for i, e := range test.Path(outcomes) {
		fail[i], pass[i] = e.LogFail, e.LogPass
	}
	toFail, toPass := evidence("log_e_fail", len(outcomes), fail), evidence("log_e_pass", len(outcomes), pass)
	toFail.FailAt, toPass.PassAt = envelope.Some(test.Bounds().LogFail), envelope.Some(test.Bounds().LogPass)
	return []envelope.Evidence{toFail, toPass}
}

// anytimeP is 1 over the largest e-value for a fail: a p-value at any stopping
// time.
func anytimeP(s *Sample, p envelope.Effective) float64 {
	test, err := anytimeOf(p.Policy)
	if err != nil {
		return 1
	}
	return test.Run(s.Outcomes).PFail()
}

var boundedMeanRule = Rule{
	Name: "bounded-mean", Doc: "compares an interval of the mean score with the threshold that holds for any scores in a known range (`--score-range`)",
	ThreeWay: true, Reports: "mean", Scored: true, Ranged: true, Check: checkBounded, Judge: judgeBounded, Scores: scoresByBound, PValue: boundedP,
	Asks: asks("bounded-mean: mean score above"), Explains: explainInterval,
}

func checkBounded(p envelope.Policy) error {
	if err := finiteThreshold(p); err != nil {
		return err
	}
	lo, hi, err := policy.ScoreRange(p.ScoreRange)
	if t := p.Threshold.V; err == nil && !(t > lo && t < hi) {
		return fmt.Errorf("threshold %s is out of range for rule %s; give a mean score between %s and %s, or the range of scores, such as --score-range 1..5",
			words.Number(t), p.Rule, words.Number(lo), words.Number(hi))
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

// PointsUnder is the score of a trial that has none, under a policy: the best or the
// worst of the range.
func PointsUnder(p envelope.Effective, passed bool) float64 {
	s := scaleOf(p)
	return s.lo + Points(passed)*(s.hi-s.lo)
}

func (s scale) down(v float64) float64 { return (v - s.lo) / (s.hi - s.lo) }

func (s scale) up(v float64) float64 { return s.lo + v*(s.hi-s.lo) }

// values are scores on 0..1.
func (s scale) values(scores []float64) ([]float64, error) {
	out := make([]float64, len(scores))
	for i, v := range scores {
		if !(v >= s.lo && v <= s.hi) {
			return nil, fmt.Errorf("a score of %s is outside %s to %s: give the range of the scores, such as --score-range 1..5",
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

// MeanOf is the mean of scores with its interval for any scores in the range of the policy.
// A score outside of it is an error.
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
	j.Verdict.Reason = fmt.Sprintf("mean score %.4g over %s: the %s interval for scores from %s to %s, %s, %s the threshold %s",
		mean, words.Plural(s.N(), "trial", "trials"), words.Level(p.Confidence.V), words.Number(in.lo), words.Number(in.hi),
		words.FromTo(lo, hi, p.Threshold.V), lies(j.Status), words.Number(p.Threshold.V)) + voided(s)
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

// boundedP is the evidence against "the mean score is at least the threshold"; none where
// a score lies outside of the range.
func boundedP(s *Sample, p envelope.Effective) float64 {
	in := scaleOf(p)
	values, err := in.values(s.within(p))
	if err != nil {
		return 1
	}
	return math.Min(1, stats.BoundedMeanPBelow(values, in.down(p.Threshold.V)))
}
