package gitlab

import (
	"strings"

	"tribunal/internal/regex"
	"tribunal/internal/text"
)

var linkEnds = strings.NewReplacer("#", "_", "?", "_", "%", "_", "\ufffd", "_")

// relative is the file as GitLab links to it; "" when nothing of it is left.
// Characters that would end the path in a link become _.
func relative(file string) string {
	return text.CutLine(linkEnds.Replace(text.Path(file)), pathLimit)
}

const pathLimit = 1000 // bytes

// madeUp is the path of a test without a file: tribunal/<suite>/<test>, in
// letters, digits, dots, dashes and underscores. It depends on the names alone
// and leads nowhere, but GitLab fails on an entry without a path.
func madeUp(suite, test string) string {
	segments := []string{"tribunal"}
	for _, name := range []string{suite, test} {
		if name != "" {
			segments = append(segments, slug(name))
		}
	}
	return strings.Join(segments, "/")
}

var notSlug = regex.Of(`[^A-Za-z0-9._-]+`)

func slug(name string) string {
	s := strings.Trim(notSlug().ReplaceAllString(name, "_"), "._")
	if s == "" {
		return "_"
	}
	return s[:min(len(s), 100)]
}
