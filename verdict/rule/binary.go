package rule

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

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
	passed := 0
	for _, ok := range s.Chains {
		if ok {
			passed++
		}
	}
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
