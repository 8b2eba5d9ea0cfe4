package markdown

import (
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Comment is what a comment on a pull request has beside the run.
type Comment struct {
	Mark  string // the first line, which nobody sees: it finds the comment again
	Since string // what the news are against; "" where nothing is known of earlier runs
	News  []News
	Links []Link
}

// News are tests that changed in one way.
type News struct {
	Title string
	Tests []*envelope.Test
}

// Link is a page that the comment leads to.
type Link struct{ Name, URL string }

// How much of a comment is open. With the headline and what stands below it these are at
// most 20 lines.
const (
	mostNews   = 5 // tests of a line
	mostOpen   = 3 // causes or failing tests
	mostAbouts = 3 // lines below the headline
)

// WriteComment writes the run as a comment: headline, news, causes and links, and all else
// of the page behind a click.
func WriteComment(w io.Writer, e *envelope.Envelope, c Comment) error {
	groups := sorted(e.Tests)
	open := between(groups, standing.Failed, standing.Flaky)
	head := c.Mark + "\n" + title(e).at(0) + strings.Join(first(aboutLines(e), mostAbouts), "<br>\n") + "\n\n" + c.news() + worst(e, groups) + c.links()
	rest := []*part{reasons(&e.Gate), gates(&e.Gate), attention(e, open), matrix(e.Tests), problems(e.Problems), details(e, open), folded(e, groups), method(e)}
	const opened, closed = "<details><summary>Tests and details</summary>\n\n", "</details>\n"
	if slices.ContainsFunc(rest, func(p *part) bool { return p.n > 0 }) {
		page := append([]*part{one(rankTitle, head+opened, "title", "titles")}, rest...)
		head = compose(page, DefaultLimit-len(closed), utf8.RuneCountInString, standing.Mark(e.Gate.Status)) + closed
	}
	_, err := io.WriteString(w, head)
	return err
}

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// news are a line for each kind of change.
func (c Comment) news() string {
	if c.Since == "" {
		return ""
	}
	var lines []string
	for _, n := range c.News {
		if len(n.Tests) == 0 {
			continue
		}
		var names []string
		for _, t := range first(n.Tests, mostNews) {
			names = append(names, name(t)+owned(t))
		}
		line := fmt.Sprintf("**%s (%d)**: %s", n.Title, len(n.Tests), strings.Join(names, ", "))
		if more := len(n.Tests) - len(names); more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return "Nothing new against " + code(c.Since, nameLimit) + "\n\n"
	}
	return "New against " + code(c.Since, nameLimit) + ":<br>\n" + strings.Join(lines, "<br>\n") + "\n\n"
}

func owned(t *envelope.Test) string {
	if owners := code(standing.Owners(t), nameLimit); owners != "" {
		return " (" + owners + ")"
	}
	return ""
}

// worst are the causes of failing tests, or these where they are few.
func worst(e *envelope.Envelope, groups [standing.Groups][]*envelope.Test) string {
	if title, causes, more := standing.Causes(e); title != "" {
		s := title + ":\n"
		for _, c := range first(causes, mostOpen) {
			s += fmt.Sprintf("- %s: %s\n", words.Plural(c.Tests, "test", "tests"), code(c.Label, lineLimit))
		}
		return s + andMore(more+len(causes)-min(len(causes), mostOpen), "more cause", "more causes")
	}
	failing := between(groups, standing.Failed, standing.Errored)
	if len(failing) == 0 {
		return ""
	}
	s := ""
	for _, t := range first(failing, mostOpen) {
		s += "- " + verdict(t) + " " + name(t) + owned(t) + ": " + code(reason(e, t), lineLimit) + "\n"
	}
	return s + andMore(len(failing)-min(len(failing), mostOpen), "more failing test", "more failing tests")
}

func andMore(n int, one, many string) string {
	if n == 0 {
		return "\n"
	}
	return "- and " + words.Plural(n, one, many) + "\n\n"
}

// links are those to pages of the web.
func (c Comment) links() string {
	var all []string
	for _, l := range c.Links {
		if u, err := url.Parse(l.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			all = append(all, `<a href="`+html.EscapeString(u.String())+`">`+escape(l.Name)+"</a>")
		}
	}
	if all == nil {
		return ""
	}
	return strings.Join(all, " · ") + "\n\n"
}
