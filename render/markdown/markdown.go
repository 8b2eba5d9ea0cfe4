// Package markdown writes an envelope as GitHub-flavoured Markdown: a comment on
// a pull request, a wiki page, a job summary.
//
// Texts of tests must not break the page or act on it. They are only in code elements and fences,
// where GitHub and GitLab find no mention, reference, emoji or quick action, with every special
// character of Markdown as an entity (see escape.go).
//
// A page has a limit. It drops whole parts by rank: passed tests first, then details, then the
// rest, and says how much is missing. It never leaves a table, details element or fence open.
// Curves, labels and single trials are only in html and json.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// DefaultLimit is how many characters GitHub takes in one comment.
const DefaultLimit = 65536

// Options of the format. The zero value is a comment on GitHub.
type Options struct {
	Limit int  // the most the page may hold; 0 is DefaultLimit
	Bytes bool // Limit counts bytes and not characters
	standing.Commands
}

// Write writes the envelope as one page. The error is that of the writer, or
// says that the limit is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	return write(w, append(parts(e), next(e, o.Commands)), e.Gate.Status, o)
}

func write(w io.Writer, parts []*part, gate envelope.Status, o Options) error {
	if o.Limit < 0 {
		return fmt.Errorf("markdown limit %d: give 0 or more characters", o.Limit)
	}
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	size := utf8.RuneCountInString
	if o.Bytes {
		size = func(s string) int { return len(s) }
	}
	_, err := io.WriteString(w, compose(parts, o.Limit, size, standing.Mark(gate)))
	return err
}

func parts(e *envelope.Envelope) []*part {
	groups := sorted(e.Tests)
	open := between(groups, standing.Failed, standing.Flaky)
	return []*part{
		title(e), about(e), reasons(&e.Gate), gates(&e.Gate), causes(e), attention(e, open), matrix(e),
		problems(e.Problems), details(e, open), folded(e, groups), method(e),
	}
}

// How much of a text is shown, in bytes.
const (
	nameLimit   = 300
	lineLimit   = 400
	titleLimit  = 120
	outputLimit = 1500
)

// special are the characters that mean something to Markdown, to HTML or to the
// tables and formulas of GitHub and GitLab, anywhere in a line.
const special = "&<>`|*_~[]\\$@#{}"

// escape writes special characters as entities, and breaks up web addresses, of
// which Markdown makes links wherever they stand.
func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		address := r == ':' && strings.HasPrefix(s[i+1:], "//") || r == '.' && i > 0 && s[i-1]|0x20 == 'w'
		if address || strings.ContainsRune(special, r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code is what a test wrote, cut to size, as one line of code; "" when nothing
// of it can be seen.
func code(s string, limit int) string {
	return words.Around("<code>", escape(text.CutLine(text.Line(s), limit)), "</code>")
}

func codeOr(s string, limit int, nothing string) string { return cmp.Or(code(s, limit), nothing) }

// fence is what a test wrote as a block of code, between fences longer than any
// run of backticks in it; "" when nothing of it can be seen. GitLab obeys a
// slash at the start of a line of a comment, and its older versions did so
// inside longer fences too: a blank stands before it.
func fence(s string, limit int) string {
	s = text.Cut(strings.Trim(text.Block(s), "\n"), limit)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = strings.ReplaceAll("\n"+strings.TrimRight(s, "\n"), "\n/", "\n /")
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "text" + s + "\n" + fence + "\n\n"
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// signs in words, as < and > open and quote in Markdown.
var signs = strings.NewReplacer("<", "below ", ">", "over ")

func percent(fraction float64) string { return signs.Replace(words.Percent(fraction)) }

func interval(lo, hi float64) string { return percent(lo) + " to " + percent(hi) + " %" }
