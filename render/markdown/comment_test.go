package markdown_test

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/internal/rendertest"
	"tribunal/render/markdown"
)

// commented is the comment on a run of which every test is news, with a link that would
// run a script.
func commented(e *envelope.Envelope) rendertest.Writer {
	c := markdown.Comment{Mark: "<!-- tribunal comment: x -->", Since: "main @all", Links: []markdown.Link{
		{Name: "Job", URL: `https://ci.example/1?a="><b>&c`}, {Name: "Bad", URL: "javascript:alert(1)"}}}
	for _, title := range []string{"Newly broken", "Newly flaky", "Fixed"} {
		n := markdown.News{Title: title}
		for i := range e.Tests {
			n.Tests = append(n.Tests, &e.Tests[i])
		}
		c.News = append(c.News, n)
	}
	return func(w io.Writer, e *envelope.Envelope) error { return markdown.WriteComment(w, e, c) }
}

// TestComment: whatever the run holds, at most 20 lines are open, the comment fits GitHub,
// all that is folded is closed again, and nothing of a test acts.
func TestComment(t *testing.T) {
	owned := hostile.Plain()
	for i := range owned.Tests {
		owned.Tests[i].Owners = []string{"@acme/web", "@everybody </code> @here"}
	}
	all := envelopes()
	all["owned"] = owned
	for name, e := range all {
		got := string(rendertest.Written(t, e, commented(e)))
		if !strings.HasPrefix(got, "<!-- tribunal comment: x -->\n## ") {
			t.Errorf("%s begins with %.80q", name, got)
		}
		if n := utf8.RuneCountInString(got); n > markdown.DefaultLimit {
			t.Errorf("%s has %d characters", name, n)
		}
		open, depth, fence := 0, 0, ""
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if fence != "" {
				if line == fence {
					fence = ""
				}
				continue
			}
			if m := fenceLine.FindStringSubmatch(line); m != nil {
				fence = m[1]
				continue
			}
			depth += strings.Count(line, "<details>")
			if depth == 0 {
				open++
			}
			depth -= strings.Count(line, "</details>")
			if rest := codeText.ReplaceAllString(line, ""); strings.Contains(line, "@") || strings.Contains(rest, "javascript") || strings.Contains(rest, `"><b>`) {
				t.Errorf("%s: this line acts: %s", name, line)
			}
		}
		if open > 21 || depth != 0 || fence != "" { // the first line is hidden
			t.Errorf("%s: %d lines are open, %d folds and the fence %q", name, open, depth, fence)
		}
	}
	got := string(rendertest.Written(t, owned, commented(owned)))
	for _, want := range []string{
		"New against <code>main &#64;all</code>:<br>\n**Newly broken (7)**: <code>", " and 2 more<br>\n**Newly flaky (7)**",
		"(<code>owners &#64;acme/web, &#64;everybody &#60;/code&#62; &#64;here</code>)", `<a href="https://ci.example/1?a=`, "<details><summary>Tests and details</summary>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%.3000s", want, got)
		}
	}
	quiet := string(rendertest.Written(t, owned, func(w io.Writer, e *envelope.Envelope) error {
		return markdown.WriteComment(w, e, markdown.Comment{Mark: "<!-- x -->", Since: "main"})
	}))
	if !strings.Contains(quiet, "Nothing new against <code>main</code>\n") {
		t.Errorf("%.500s", quiet)
	}
}
