package verdict

import (
	"tribunal/envelope"
	"tribunal/reliability"
)

// Sample is what a rule sees of a test: its counted trials in canonical order.
type Sample struct {
	Outcomes []bool // true for a pass
	Passed   int
	// Scores has a score for every counted trial, 1 for a pass and 0 for a
	// non-pass where the trial has none.
	Scores    []float64
	HasScores bool
	// Retries counts trials that ran only because the one before them failed.
	Retries int
	// Chains has the outcome of every repeat: a trial with its retries, passed
	// when one of them passed.
	Chains []bool
}

// N is the number of counted trials.
func (s *Sample) N() int { return len(s.Outcomes) }

// reset makes the sample empty and keeps its memory.
func (s *Sample) reset() {
	*s = Sample{Outcomes: s.Outcomes[:0], Scores: s.Scores[:0], Chains: s.Chains[:0]}
}

func (s *Sample) add(r *envelope.Rows, i int, passed bool) {
	s.Outcomes = append(s.Outcomes, passed)
	points := 0.0
	if passed {
		s.Passed++
		points = 1
	}
	if score, ok := r.Score.At(i); ok {
		points, s.HasScores = score, true
	}
	s.Scores = append(s.Scores, points)
	if r.Retry.At(i) {
		s.Retries++
		if len(s.Chains) > 0 {
			last := &s.Chains[len(s.Chains)-1]
			*last = *last || passed
			return
		}
	}
	s.Chains = append(s.Chains, passed)
}

func (s *Sample) reliability() *envelope.Reliability {
	r, ok := reliability.Of(s.Outcomes)
	if !ok {
		return nil
	}
	return &envelope.Reliability{
		Runs: r.Runs, PassAtK: r.PassAtK, PassHatK: r.PassHatK, AllPassed: r.AllPassed,
		VarianceAmplification: r.VarianceAmplification, GracefulDegradation: r.GracefulDegradation, Curve: r.Curve,
	}
}
