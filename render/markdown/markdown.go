// Package markdown writes an envelope as GitHub-flavoured Markdown: a comment on
// a pull request, a wiki page, a job summary.
//
// It exists for pages that people comment on, so what a test wrote must neither
// break the page nor act through it. Such text stands in code elements and in
// fences alone, where GitHub and GitLab look for no mention, reference, emoji or
// quick action, with every character that means something to Markdown as an
// entity (see escape.go).
//
// A page has a limit. What does not fit is left out whole and by rank: passed
// tests first, then details, then the rest, and the page says how much is
// missing. No table, details element or fence is ever left open.
//
// The package leaves out curves, labels and single trials; the html and json
// reports have them.
package markdown

import (
	"fmt"
	"io"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// DefaultLimit is how many characters GitHub takes in one comment.
const DefaultLimit = 65536

// Options of the format. The zero value is a comment on GitHub.
type Options struct {
	Limit int  // the most the page may hold; 0 is DefaultLimit
	Bytes bool // Limit counts bytes and not characters
}

// Write writes the envelope as one page. The error is that of the writer, or
// says that the limit is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	return write(w, parts(e), e.Gate.Status, o)
}

func write(w io.Writer, parts []*part, gate envelope.Status, o Options) error {
	if o.Limit < 0 {
		return fmt.Errorf("markdown limit %d: give 0 or more characters", o.Limit)
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	size := utf8.RuneCountInString
	if o.Bytes {
		size = func(s string) int { return len(s) }
	}
	_, err := io.WriteString(w, compose(parts, o.Limit, size, standing.Mark(gate)))
	return err
}

// parts are the parts of the page in their order.
func parts(e *envelope.Envelope) []*part {
	groups := sorted(e.Tests)
	open := between(groups, standing.Failed, standing.Flaky)
	return []*part{
		title(e), about(e), reasons(&e.Gate), gates(&e.Gate), causes(e), attention(e, open), matrix(e.Tests),
		problems(e.Problems), details(e, open), folded(e, groups), method(e),
	}
}
