package standing

import (
	"tribunal/envelope"
	"tribunal/internal/words"
)

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
