package rule

import (
	"tribunal/envelope"
	"tribunal/internal/words"
)

// says is a rule without parameters in words.
func says(text string) func(envelope.Effective) string {
	return func(envelope.Effective) string { return text }
}

// asks is a rule that holds a number against a threshold: its name, what it
// compares, and how sure it has to be.
func asks(text string) func(envelope.Effective) string {
	return func(p envelope.Effective) string {
		return text + given(" ", p.Threshold, words.Fraction) + sureness(p)
	}
}

// asksSequential is a rule that decides between two pass rates.
func asksSequential(name string) func(envelope.Effective) string {
	return func(p envelope.Effective) string {
		return name + ": pass rate" + given(" ", p.Threshold, words.Fraction) + given(", gap ", p.Gap, words.Fraction) +
			given(", alpha ", p.Alpha, words.Fraction) + given(", beta ", p.Beta, words.Fraction)
	}
}

// sureness is the confidence and the least number of trials.
func sureness(p envelope.Effective) string {
	s := given(" at ", p.Confidence, words.Level)
	if s != "" {
		s += " confidence"
	}
	if p.MinTrials.V > 1 {
		s += ", at least " + words.Plural(p.MinTrials.V, "trial", "trials")
	}
	return s
}

// given is a value behind its word, and nothing where it is absent.
func given(word string, v envelope.Opt[float64], form func(float64) string) string {
	if !v.OK {
		return ""
	}
	return word + form(v.V)
}

// explainInterval is for the rules that ask where an interval lies.
func explainInterval(v *envelope.Verdict) string {
	if !v.Threshold.OK {
		return ""
	}
	return "Passes when the whole interval lies above " + words.Number(v.Threshold.V) + ", fails when it lies below, and is undecided between."
}

// explainHypotheses is for the sequential rules.
func explainHypotheses(v *envelope.Verdict) string {
	h := v.Hypotheses
	if h == nil {
		return ""
	}
	return "Tells a pass rate of " + words.Number(h.P0) + " from one of " + words.Number(h.P1) + ": a test at " + words.Number(h.P0) +
		" fails by chance at most " + words.Level(h.Alpha) + " of the time, one at " + words.Number(h.P1) + " passes at most " + words.Level(h.Beta) + "."
}
