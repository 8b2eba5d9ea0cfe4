package verdict

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
)

// glob is a pattern in which * stands for any text, / included, and ? for one
// character. Most names are ruled out by the text before the first, after the
// last and the longest between them, which costs far less than the expression.
type glob struct {
	prefix, suffix, within string
	whole                  *regexp.Regexp
}

func newGlob(pattern string) *glob {
	pattern = strings.ToValidUTF8(pattern, string(utf8.RuneError)) // as names are
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*`, `.*`)
	quoted = strings.ReplaceAll(quoted, `\?`, `.`)
	g := &glob{prefix: pattern, whole: regexp.MustCompile(`(?s)\A` + quoted + `\z`)}
	if first := strings.IndexAny(pattern, "*?"); first >= 0 {
		g.prefix, g.suffix = pattern[:first], pattern[strings.LastIndexAny(pattern, "*?")+1:]
	}
	for _, text := range strings.FieldsFunc(pattern, func(c rune) bool { return c == '*' || c == '?' }) {
		if len(text) > len(g.within) {
			g.within = text
		}
	}
	return g
}

func (g *glob) match(name string) bool {
	return strings.HasPrefix(name, g.prefix) && strings.HasSuffix(name, g.suffix) && strings.Contains(name, g.within) && g.whole.MatchString(name)
}

// namesOf are the names that a pattern may match: a test's own, with its suite, with
// its variant, and as its runner prints it.
func namesOf(k envelope.Key) []string {
	return []string{k.Test, k.Suite + "/" + k.Test, k.String(), k.RunnerName()}
}

// Matcher reports which tests a pattern matches, as the match of an override does.
func Matcher(pattern string) func(envelope.Key) bool {
	g := newGlob(pattern)
	return func(k envelope.Key) bool { return slices.ContainsFunc(namesOf(k), g.match) }
}

// namedUnused is how many unused overrides are named.
const namedUnused = 5
