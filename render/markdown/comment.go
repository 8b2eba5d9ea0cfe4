package markdown

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Comment is what a comment on a pull request has beside the run.
type Comment struct {
	Mark  string // the first line, which nobody sees: it finds the comment again
	Since string // what the news are against; "" where nothing is known of earlier runs
	News  []News
	Links []Link
	standing.Commands
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
	head := c.Mark + "\n" + title(e).at(0) + strings.Join(first(aboutLines(e), mostAbouts), "<br>\n") + "\n\n" +
		c.news() + worst(e, groups) + words.Around("", next(e, c.Commands).at(0), "\n") + c.links()
	rest := []*part{reasons(&e.Gate), gates(&e.Gate), attention(e, open), matrix(e), problems(e.Problems), details(e, open),
		folded(e, groups), method(e)}
	const opened, closed = "<details><summary>Tests and details</summary>\n\n", "</details>\n"
	if slices.ContainsFunc(rest, func(p *part) bool { return p.n > 0 }) {
		page := append([]*part{one(rankTitle, head+opened, "title", "titles")}, rest...)
		head = compose(page, DefaultLimit-len(closed), utf8.RuneCountInString, standing.Mark(e.Gate.Status)) + closed
	}
	_, err := io.WriteString(w, head)
	return err
}

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

func (c Comment) news() string {
	if c.Since == "" {
		return ""
	}
	var lines []string
	for _, n := range c.News {
		if len(n.Tests) == 0 {
			continue
		}
		names := words.First(n.Tests, mostNews, func(t *envelope.Test) string { return name(t) + owned(t) })
		lines = append(lines, fmt.Sprintf("**%s (%d)**: %s", n.Title, len(n.Tests), names))
	}
	if lines == nil {
		return "Nothing new against " + code(c.Since, nameLimit) + "\n\n"
	}
	return "New against " + code(c.Since, nameLimit) + ":<br>\n" + strings.Join(lines, "<br>\n") + "\n\n"
}

func owned(t *envelope.Test) string {
	return words.Around(" (", code(standing.Owners(t), nameLimit), ")")
}

func worst(e *envelope.Envelope, groups [standing.Groups][]*envelope.Test) string {
	if title, causes, more := standing.Causes(e); title != "" {
		s := title + ":\n"
		for _, c := range first(causes, mostOpen) {
			s += fmt.Sprintf("- %s: %s\n", words.Plural(c.Tests, "test", "tests"), code(standing.CauseLabel(e, &c), lineLimit))
		}
		return s + andMore(more+len(causes)-min(len(causes), mostOpen), "more cause", "more causes")
	}
	failing := between(groups, standing.Failed, standing.Errored)
	if len(failing) == 0 {
		return ""
	}
	s := ""
	for _, t := range first(failing, mostOpen) {
		s += "- " + verdict(e, t) + " " + name(t) + owned(t) + ": " + code(reason(e, t), lineLimit) + "\n"
	}
	return s + andMore(len(failing)-min(len(failing), mostOpen), "more failing test", "more failing tests")
}

func andMore(n int, one, many string) string {
	if n == 0 {
		return "\n"
	}
	return "- and " + words.Plural(n, one, many) + "\n\n"
}

func (c Comment) links() string {
	var all []string
	for _, l := range c.Links {
		if u, err := url.Parse(l.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			all = append(all, `<a href="`+html.EscapeString(u.String())+`">`+escape(l.Name)+"</a>")
		}
	}
	return words.If(all != nil, strings.Join(all, " · ")+"\n\n")
}

// The ranks of the parts. What has a higher number is left out first.
const (
	rankTitle = iota
	rankCounts
	rankReasons
	rankGates
	rankAttention
	rankProblems
	rankMethod
	rankMatrix
	rankDetails
	rankFolded
)

// part is a piece of the page: items that may be left out from the end, between
// an opening and a closing that are written when there is any item.
type part struct {
	rank        int
	open, close string
	n           int
	item        func(i int) string
	noun        func(i int) noun // what item i is
	made        []string         // the items so far, so that each is made once
}

// noun is what is counted, as in `1 passed test`, `2 passed tests`.
type noun struct{ one, many string }

func always(one, many string) func(int) noun { return func(int) noun { return noun{one, many} } }

func (p *part) at(i int) string {
	for len(p.made) <= i {
		p.made = append(p.made, p.item(len(p.made)))
	}
	return p.made[i]
}

type measure func(string) int

// fit is how many items of each part fit the limit. As soon as one item does
// not, everything of a higher rank is left out with it.
func fit(parts []*part, limit int, size measure) (taken []int, whole bool) {
	taken = make([]int, len(parts))
	order := each.Index(len(parts))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[a].rank, parts[b].rank) })
	for _, at := range order {
		p := parts[at]
		cost := size(p.open) + size(p.close)
		for taken[at] < p.n {
			if cost += size(p.at(taken[at])); cost > limit {
				return taken, false
			}
			taken[at]++
		}
		if p.n > 0 {
			limit -= cost
		}
	}
	return taken, true
}

// compose writes as much of the parts as the limit allows, and if that is not all, a last line
// on what is missing. verdict is the word for a limit that has no room for more.
func compose(parts []*part, limit int, size measure, verdict string) string {
	taken, whole := fit(parts, limit, size)
	if whole {
		return join(parts, taken)
	}
	room := limit - size(missing(parts, make([]int, len(parts)))) // the longest that line can be
	if taken, _ = fit(parts, room, size); taken[0] > 0 {
		return join(parts, taken) + missing(parts, taken)
	}
	for _, s := range []string{"## " + verdict + "\n\nThere is no room for more.\n", verdict + "\n"} {
		if size(s) <= limit {
			return s
		}
	}
	return ""
}

func join(parts []*part, taken []int) string {
	var b strings.Builder
	for i, p := range parts {
		if taken[i] == 0 {
			continue
		}
		b.WriteString(p.open)
		for at := range taken[i] {
			b.WriteString(p.at(at))
		}
		b.WriteString(p.close)
	}
	return b.String()
}

func missing(parts []*part, taken []int) string {
	var order []noun
	number := map[noun]int{}
	for i, p := range parts {
		for at := taken[i]; at < p.n; at++ {
			what := p.noun(at)
			if number[what] == 0 {
				order = append(order, what)
			}
			number[what]++
		}
	}
	counts := words.List(order, func(what noun) string { return words.Plural(number[what], what.one, what.many) })
	return fmt.Sprintf("Left out to save space: %s. <code>tribunal report INPUT -o json=report.json</code> writes everything.\n", counts)
}
