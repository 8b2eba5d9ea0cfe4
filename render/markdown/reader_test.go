package markdown_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// page is a page as a strict reader of the Markdown that GitHub and GitLab
// share sees it, written from the GitHub Flavored Markdown specification.
type page struct {
	tables    []grid
	summaries []string
	fences    []string
	list      []string
	lines     []string // what is in no table, list or fence
}

type grid struct{ rows [][]string } // the first row is the titles

// named are the rows of all tables that have this first title.
func (p page) named(title string) (rows [][]string) {
	for _, g := range p.tables {
		if g.rows[0][0] == title {
			rows = append(rows, g.rows[1:]...)
		}
	}
	return rows
}

var (
	fenceLine = regexp.MustCompile("^(`{3,})text$")
	codeText  = regexp.MustCompile(`<code>(.*?)</code>`)
	entity    = regexp.MustCompile(`&#\d+;`)
	ourTags   = regexp.MustCompile(`</?(details|summary)>|<br>$`)
	ourWords  = regexp.MustCompile(`^[A-Za-z0-9 .,:;()/%#…·$\[\]–<>-]*$`)
)

// reader is where in the page the reading is.
type reader struct {
	t       *testing.T
	page    page
	fence   string
	details bool
	last    string // the line before
}

func read(t *testing.T, s string) page {
	t.Helper()
	if s != "" && !strings.HasSuffix(s, "\n") {
		t.Errorf("the last line has no end: %q", s)
	}
	r := reader{t: t}
	for line := range strings.Lines(s) {
		r.line(strings.TrimSuffix(line, "\n"))
	}
	if r.fence != "" || r.details {
		t.Errorf("left open: fence %q, details %t", r.fence, r.details)
	}
	return r.page
}

func (r *reader) line(line string) {
	r.t.Helper()
	harmless(r.t, line)
	switch {
	case r.fence != "":
		r.inFence(line)
	case fenceLine.MatchString(line):
		r.fence = fenceLine.FindStringSubmatch(line)[1]
		r.page.fences = append(r.page.fences, "")
	default:
		r.outside(line)
	}
	r.last = line
}

// inFence ends the block at a run of backticks as long as the one that began it,
// with at most three blanks before it.
func (r *reader) inFence(line string) {
	if run := strings.TrimLeft(line, " "); len(line)-len(run) < 4 && strings.Trim(run, "` ") == "" && strings.HasPrefix(run, r.fence) {
		r.fence = ""
		return
	}
	r.page.fences[len(r.page.fences)-1] += line + "\n"
}

func (r *reader) outside(line string) {
	r.t.Helper()
	if strings.HasPrefix(r.last, "<details>") && line != "" {
		r.t.Errorf("no blank line behind %q", r.last)
	}
	r.words(line)
	switch {
	case strings.HasPrefix(line, "<details><summary>"):
		if r.details || !strings.HasSuffix(line, "</summary>") {
			r.t.Errorf("details in details: %q", line)
		}
		r.details = true
		r.page.summaries = append(r.page.summaries, line)
	case line == "</details>":
		if !r.details || r.last != "" {
			r.t.Errorf("</details> behind %q, open %t", r.last, r.details)
		}
		r.details = false
	case strings.HasPrefix(line, "|"):
		r.row(line)
	case strings.HasPrefix(line, "- "):
		r.page.list = append(r.page.list, line)
	case line != "":
		r.page.lines = append(r.page.lines, line)
	}
}

// words looks for anything but our words outside of code, and for anything that
// is not a text inside.
func (r *reader) words(line string) {
	r.t.Helper()
	for _, m := range codeText.FindAllStringSubmatch(line, -1) {
		if inside := entity.ReplaceAllString(m[1], ""); strings.ContainsAny(inside, "&<>`|*_~[]\\$@#{}") || strings.Contains(inside, "://") {
			r.t.Errorf("not escaped: %q", m[0])
		}
	}
	rest := codeText.ReplaceAllString(line, "")
	rest = strings.ReplaceAll(ourTags.ReplaceAllString(rest, ""), "&#36;", "$")
	rest = strings.ReplaceAll(strings.Trim(rest, "|"), " | ", " ")
	rest = strings.ReplaceAll(strings.ReplaceAll(rest, "**", ""), "| ", " ")
	if !ourWords.MatchString(rest) {
		r.t.Errorf("words that are not ours: %q in %q", rest, line)
	}
}

func (r *reader) row(line string) {
	r.t.Helper()
	if !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") && !strings.HasSuffix(line, "- |") {
		r.t.Fatalf("not a row: %q", line)
	}
	cells := strings.Split(line[2:len(line)-2], " | ")
	for i := range cells {
		cells[i] = html.UnescapeString(codeText.ReplaceAllString(cells[i], "$1"))
	}
	if !strings.HasPrefix(r.last, "|") {
		r.page.tables = append(r.page.tables, grid{})
	}
	g := &r.page.tables[len(r.page.tables)-1]
	isRule := strings.Trim(line, "|- ") == ""
	switch {
	case len(g.rows) > 0 && len(cells) != len(g.rows[0]):
		r.t.Errorf("%d cells under %d titles: %q", len(cells), len(g.rows[0]), line)
	case len(g.rows) == 1 && strings.HasPrefix(r.last, "|") && strings.Trim(r.last, "|- ") != "":
		if !isRule {
			r.t.Errorf("no line under the titles: %q", line)
		}
	default:
		g.rows = append(g.rows, cells)
	}
}

// harmless reports what a build server would obey when the page is printed in a
// job's log, what a terminal would, and what GitLab takes for a quick action.
func harmless(t *testing.T, line string) {
	t.Helper()
	lower := strings.ToLower(line)
	for _, command := range []string{"##[", "##vso[", "##teamcity[", "section_start:", "section_end:", "\x1b", "\r", "\u2028", "\u202e"} {
		if strings.Contains(line, command) || command[0] == '#' && strings.Contains(lower, command) { // GitLab heeds case
			t.Errorf("%q in %q", command, line)
		}
	}
	if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "::") || strings.HasPrefix(line, "/") {
		t.Errorf("a command: %q", line)
	}
}
