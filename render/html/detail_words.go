package html

import (
	"slices"

	"tribunal/envelope"
)

// verdictSentences say what the reason of a verdict does not: what was tested
// against what, at which error rates, and when it holds.
func verdictSentences(v *envelope.Verdict) []string {
	return sentences(hypothesisWords(v), stoppingWords(v), adjustmentWords(v), peekingWords(v))
}

// sentences are those that say something.
func sentences(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func hypothesisWords(v *envelope.Verdict) string {
	if h := v.Hypotheses; h != nil {
		return "Tells a pass rate of " + number(h.P0) + " from one of " + number(h.P1) + ": a test at " + number(h.P0) +
			" fails by chance at most " + percent(h.Alpha) + " of the time, one at " + number(h.P1) + " passes at most " + percent(h.Beta) + "."
	}
	threshold := optional(v.Threshold, number)
	switch {
	case threshold == "":
		return ""
	case slices.Contains(intervalRules, v.Rule):
		return "Passes when the whole interval lies above " + threshold + ", fails when it lies below, and is undecided between."
	case v.Rule == "bayes" && v.Confidence.OK:
		return "Passes when the probability of a rate of " + threshold + " or more reaches " + percent(v.Confidence.V) +
			", fails when that of a lower rate does and the rate seen is below, and is undecided between."
	}
	return ""
}

// intervalRules are those that ask where an interval lies.
var intervalRules = []string{"wald", "wilson", "exact", "t-interval"}

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
		return "Valid however often one looked before stopping."
	case v.Hypotheses != nil:
		return "Not valid under repeated looks here, as the reason says."
	}
	return "Valid only if the number of trials was settled before looking at any."
}
