package gitlab

import (
	"path"
	"regexp"
	"strings"

	"tribunal/render/text"
)

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// relative is the file as GitLab links to it: below the root of the
// repository, with forward slashes, without "." and ".."; "" when nothing of it
// is left. Characters that would end the path in a link become _.
func relative(file string) string {
	p := strings.Map(func(r rune) rune {
		switch r {
		case '\\':
			return '/'
		case '#', '?', '%', '\ufffd':
			return '_'
		}
		return r
	}, text.Line(file))
	p = drive.ReplaceAllString(p, "")
	p = strings.TrimPrefix(path.Clean("/"+p), "/") // as the root, .. goes nowhere
	return text.CutLine(p, pathLimit)
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

var notSlug = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func slug(name string) string {
	s := strings.Trim(notSlug.ReplaceAllString(name, "_"), "._")
	if s == "" {
		return "_"
	}
	return s[:min(len(s), 100)]
}
