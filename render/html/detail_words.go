package html

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/verdict/rule"
)

// verdictSentences say what the reason of a verdict does not: what was tested
// against what, at which error rates, and when it holds.
func verdictSentences(v *envelope.Verdict) []string {
	return sentences(ruleWords(v), stoppingWords(v), adjustmentWords(v), peekingWords(v))
}

// sentences are those that say something.
func sentences(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// ruleWords are the rule's own, its numbers kept with their units.
func ruleWords(v *envelope.Verdict) string {
	by, err := rule.ByName(v.Rule)
	if err != nil || by.Explains == nil {
		return ""
	}
	return strings.ReplaceAll(by.Explains(v), " %", nbsp+"%")
}

func stoppingWords(v *envelope.Verdict) string {
	if !v.StoppedAt.OK || v.StoppedAt.V >= v.N {
		return ""
	}
	return "Decided at trial " + count(int64(v.StoppedAt.V)) + " of " + count(int64(v.N)) + "; " + laterWords(v)
}

func laterWords(v *envelope.Verdict) string {
	if v.Contradicted != nil {
		return "the later ones contradict it, so that it does not stand."
	}
	return "the later ones do not change it."
}

func adjustmentWords(v *envelope.Verdict) string {
	if !v.PAdjusted.OK {
		return ""
	}
	words := "Adjusted for the number of tests: p " + optional(v.PValue, number) + " becomes " + number(v.PAdjusted.V)
	if v.RawStatus != "" {
		words += ", and " + newBadge(v.RawStatus).Word + " does not stand"
	}
	return words + "."
}

// changeWords say how many more trials would give another status.
func changeWords(v *envelope.Verdict) string {
	words := ""
	for _, c := range v.Changes {
		kind := map[envelope.Status][2]string{envelope.Pass: {"pass", "passes"}, envelope.Fail: {"failure", "failures"}}[c.Outcome]
		if kind[0] == "" || c.Trials < 1 {
			continue
		}
		more := count(int64(c.Trials)) + " more " + kind[1] + " in a row"
		if c.Trials == 1 {
			more = "1 more " + kind[0]
		}
		if words != "" {
			words += ", "
		}
		words += more + " would make it " + newBadge(c.Status).Word
	}
	if words == "" {
		return ""
	}
	if v.PAdjusted.OK {
		return "Alone, before adjusting for the number of tests: " + words + "."
	}
	return "What would change it: " + words + "."
}

func peekingWords(v *envelope.Verdict) string {
	switch {
	case !v.ValidUnderPeeking.OK:
		return ""
	case v.ValidUnderPeeking.V:
		return "Valid no matter how often you looked before stopping."
	case v.Hypotheses != nil:
		return "Not valid under repeated looks here, as the reason says."
	}
	return "Valid only if the number of trials was settled before looking at any."
}
