package standing

import "tribunal/envelope"

// Saved is what stopping at verdicts saved, behind the word saved; empty where it
// saved nothing.
func Saved(s *envelope.Summary, count func(int64) string, dollars func(float64) string) string {
	return savings(s.Saved, count, dollars, " by stopping at verdicts")
}

// Beyond is what was paid behind verdicts, behind the word beyond; empty where that was
// nothing.
func Beyond(s *envelope.Summary, count func(int64) string, dollars func(float64) string) string {
	return savings(s.Beyond, count, dollars, " ran after the verdicts of their tests")
}

// EarlySaves is what stopping early would have saved on the very outcomes of the
// run, behind a word such as unneeded; empty where it would have saved nothing.
func EarlySaves(s *envelope.Summary, count func(int64) string, dollars func(float64) string) string {
	return savings(s.EarlySaves, count, dollars, ", which --stop early would not have started")
}

func savings(s *envelope.Savings, count func(int64) string, dollars func(float64) string, how string) string {
	if s == nil {
		return ""
	}
	words := count(s.Trials) + " of " + count(s.Of) + " trials"
	if s.CostUSD.OK {
		words += " (" + dollars(s.CostUSD.V) + ")"
	}
	return words + how
}
