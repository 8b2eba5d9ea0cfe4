package standing

import (
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
	return rate + "on these tests " + interval(r) + "; on tests like these " + words.Percent(like.Rate.Value) + " % " + interval(like.Rate) + ": " + SimilarTo(like)
}

// SimilarTo says what a rate on similar tests is drawn from: 11 tests, or 4 suites.
func SimilarTo(like *envelope.Clusters) string {
	switch like.By {
	case "test", "suite", "variant":
		return words.Plural(like.Count, like.By, like.By+"s")
	}
	return words.Plural(like.Count, "group", "groups")
}

func interval(r *envelope.Rate) string {
	return "[" + words.Percent(r.Lo) + ", " + words.Percent(r.Hi) + "]"
}
