package verdict

import (
	"tribunal/envelope"
	"tribunal/verdict/rule"
)

// fillInside says what is to be said of the checks of a test.
func fillInside(t *envelope.Test, p *envelope.Effective) {
	if len(t.Rows.Checks()) == 0 {
		return
	}
	t.Rows.ClassifyChecks(envelope.CountingRules{ScoreThreshold: p.ScoreThreshold.V})
	t.Checks = make(map[string]envelope.CheckRate, len(t.Rows.Checks()))
	for i := range t.Rows.Checks() {
		c := &t.Rows.Checks()[i]
		t.Checks[c.Name] = checkRate(t, c, p)
	}
}

func checkRate(t *envelope.Test, c *envelope.CheckColumn, p *envelope.Effective) envelope.CheckRate {
	var out envelope.CheckRate
	var scores []float64
	for i, outcome := range t.Rows.Outcome {
		if !outcome.Counted() || !c.At(i).Counted() {
			continue
		}
		out.N++
		if c.At(i) == envelope.Passed {
			out.Passed++
		}
		if score, ok := c.Score.At(i); ok {
			scores = append(scores, score)
		}
	}
	if out.N > 0 {
		of := rate(out.Passed, out.N, p.Confidence.V)
		out.Rate = &of
	}
	out.Score = rule.Rule{}.Score(&rule.Sample{HasScores: len(scores) > 0, Scores: scores}, p.Confidence.V)
	return out
}
