package standing

import (
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// PassRate is the pass rate of the run in words, with the interval of each question it
// answers: of these tests, tried again, and of tests like these, of which they are a
// sample. Whoever gates a build means the first, whoever says "my agent" the second.
// It is empty where no trial counted.
func PassRate(s *envelope.Summary) string {
	r, like := s.Rate.PerProtocol, s.Like
	if r == nil {
		return ""
	}
	rate := words.Percent(r.Value) + " % "
	if like == nil || like.Rate == nil {
		return rate + interval(r)
	}
	says := rate + "on these tests " + interval(r) + "; on tests like these " + interval(like.Rate)
	if weigh := Weigh(s); weigh != "" {
		says += ": " + weigh
	}
	return says
}

// Weigh says what the trials of tests that differ are worth; empty where they do not
// differ, or where nothing tells.
func Weigh(s *envelope.Summary) string {
	if s.Like == nil || !s.Like.EffectiveN.OK {
		return ""
	}
	trials := int(math.Round(s.Like.EffectiveN.V))
	if trials >= s.Trials.Counted {
		return ""
	}
	return words.Plural(s.Like.Count, "test", "tests") + " that differ weigh like " + words.Plural(trials, "trial", "trials")
}

func interval(r *envelope.Rate) string {
	return "[" + words.Percent(r.Lo) + ", " + words.Percent(r.Hi) + "]"
}
