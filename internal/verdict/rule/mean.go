package rule

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

var meanRule = Rule{
	Name: "mean", Doc: "passes when the mean score reaches the threshold; without a score, a pass is 1 and a failure 0; an error is at most 0",
	Reports: "mean", Scored: true, Fill: fillMean, Check: finiteThreshold, Judge: judgeMean, Scores: scoresByMean,
	Asks: asksMean,
}

// asksMean leaves the confidence out: the rule knows none.
func asksMean(p envelope.Effective) string {
	return "mean score" + p.Threshold.Text(" at least ", words.Fraction)
}

func fillMean(p *envelope.Policy) {
	if !p.Threshold.OK {
		p.Threshold = p.ScoreThreshold
	}
}

// finiteThreshold is the check of rules about scores, which may have any scale.
func finiteThreshold(p envelope.Policy) error {
	if !p.Threshold.OK {
		return &policy.KeyError{Key: "rule", Value: p.Rule, Text: "needs a threshold: the mean score to reach, for instance --threshold 0.8"}
	}
	if math.IsNaN(p.Threshold.V) || math.IsInf(p.Threshold.V, 0) {
		return fmt.Errorf("threshold %v is out of range: give a finite number", p.Threshold.V)
	}
	return nil
}

func scoresByMean(scores Summary, p envelope.Effective) stats.Decision {
	return either(scores.reaches(p.Threshold.V))
}

func judgeMean(s *Sample, p envelope.Effective) Judgement {
	all := Summarise(s.Scores)
	mean := ShortDecimal(all.Mean)
	over := words.Plural(s.N(), "trial", "trials")
	lo, hi, err := all.interval(p.Confidence.V)
	if err == nil {
		over += fmt.Sprintf(" (%s t interval %s)", words.Level(p.Confidence.V), words.FromTo(lo, hi, mean))
	}
	j := binary(true, "mean score %.4g over %s; at least %s is asked for", mean, over, words.Number(p.Threshold.V))
	if !all.reaches(p.Threshold.V) {
		j = binary(false, "mean score %s over %s; at least %s is asked for", words.Distinct(mean, 'g', 4, p.Threshold.V), over,
			words.Number(p.Threshold.V))
	}
	if err == nil {
		j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "t"}
	}
	j.Verdict.Reason += voided(s, 0)
	j.Verdict.Threshold, j.Verdict.Statistic = p.Threshold, envelope.Some(mean)
	return j
}

// voided says which trials do not count with their scores; "" where all do.
func voided(s *Sample, as float64) string {
	switch s.Voided {
	case 0:
		return ""
	case 1:
		return "; 1 of them ended in an error and counts as " + words.Number(as) + ", whatever it scored"
	}
	return fmt.Sprintf("; %s of them ended in an error and count as %s, whatever they scored", words.Count(s.Voided), words.Number(as))
}

// slack is by how much of the largest score a mean may miss its threshold: sums
// of decimals are rounded, and one that equals the threshold reaches it.
const slack = 1e-12

func (s Summary) reaches(threshold float64) bool {
	scale := max(math.Abs(threshold), math.Abs(s.least), math.Abs(s.most))
	return ShortDecimal(s.Mean) >= threshold-slack*scale
}

var allRule = Rule{
	Name: "all", Aliases: []string{"pass_all", "pass_hat_k"}, Doc: "passes when every counted trial passed",
	Reports: "worst", Check: noCheck, Judge: judgeAll,
	Asks: says("all trials must pass"),
	Counts: func(envelope.Effective) Decide {
		return func(_, failed int) stats.Decision { return either(failed == 0) }
	},
}

var anyRule = Rule{
	Name: "any", Aliases: []string{"pass_at_k", "pass_any"}, Doc: "passes when at least one counted trial passed",
	Reports: "best", Check: noCheck, Judge: judgeAny,
	Asks: says("one trial must pass"),
	Counts: func(envelope.Effective) Decide {
		return func(passed, _ int) stats.Decision { return either(passed > 0) }
	},
}

var majorityRule = Rule{
	Name: "majority", Doc: "passes when more than half of the counted trials passed",
	Reports: "mean", Check: noCheck, Judge: judgeMajority,
	Asks: says("more than half of the trials must pass"),
	Counts: func(envelope.Effective) Decide {
		return func(passed, failed int) stats.Decision { return either(passed > failed) }
	},
}

func noCheck(envelope.Policy) error { return nil }

func judgeAll(s *Sample, _ envelope.Effective) Judgement {
	switch {
	case s.N() == 1 && s.Passed == 1:
		return binary(true, "its only trial passed")
	case s.N() == 1:
		return binary(false, "its only trial did not pass")
	case s.Passed == s.N():
		return binary(true, "all %s passed", words.Plural(s.N(), "trial", "trials"))
	}
	return binary(false, "%s did not pass; all must", words.Of(s.N()-s.Passed, s.N(), "trial", "trials"))
}

func judgeAny(s *Sample, _ envelope.Effective) Judgement {
	if s.Passed > 0 {
		return binary(true, "%s passed; one is enough", words.Of(s.Passed, s.N(), "trial", "trials"))
	}
	return binary(false, "none of %s passed", words.Plural(s.N(), "trial", "trials"))
}

func judgeMajority(s *Sample, _ envelope.Effective) Judgement {
	return binary(2*s.Passed > s.N(), "%s passed; more than half must", words.Of(s.Passed, s.N(), "trial", "trials"))
}

// JudgeChains judges repeats that were retried, each of which passes when one of its
// tries did, by a rule of two answers. For any other rule all of them must pass.
func JudgeChains(s *Sample, by Rule) Judgement {
	if by.ThreeWay || by.Counts == nil {
		by = allRule
	}
	passed := each.Count(s.Chains, func(ok bool) bool { return ok })
	left, tries := len(s.Chains)-passed, words.Plural(s.N(), "trial", "trials")
	switch pass := by.Counts(envelope.Effective{})(passed, left) == stats.Pass; {
	case left == 0:
		return binary(pass, "each of %d repeats passed, retries included (%s)", passed, tries)
	case pass:
		return binary(pass, "%d of %d repeats passed, retries included (%s); rule %s asks for no more", passed, len(s.Chains), tries, by.Name)
	}
	return binary(false, "%d of %d repeats did not pass, retries included (%s)", left, len(s.Chains), tries)
}

func binary(pass bool, format string, args ...any) Judgement {
	j := Judgement{Status: envelope.Fail}
	if pass {
		j.Status = envelope.Pass
	}
	j.Verdict.Reason = fmt.Sprintf(format, args...)
	return j
}
