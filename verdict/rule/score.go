package rule

import "tribunal/envelope"

// Score summarises the scores of a test under the rule; nil when no counted trial
// has one.
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
