package render

import (
	"io"

	"tribunal/compare"
	"tribunal/render/github"
	"tribunal/render/gitlab"
	"tribunal/render/html"
	"tribunal/render/markdown"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Comparisons is the table of formats that comparisons are written in.
var Comparisons = Table[*compare.Comparison]{
	{Name: Default, Doc: "the terminal report: what changed first, what cannot be said as ~", Lost: "tests that did not change", Endings: []string{".txt"}, Write: prettyComparison},
	{Name: "json", Doc: "the whole comparison as one JSON document (tribunal schema comparison)", Lost: "nothing", Endings: []string{".json"}, Write: jsonComparison},
	{Name: "markdown", Doc: "a comment for a pull request", Lost: "tests that did not change",
		Endings: comments, Options: markdownOptions, Write: markdownComparison},
	{Name: "github", Doc: "annotations for a GitHub job, and the step summary where $GITHUB_STEP_SUMMARY is set", Lost: "beyond ten of a kind",
		Write:  githubComparison,
		Append: &Append[*compare.Comparison]{Env: "GITHUB_STEP_SUMMARY", Write: appendComparison}},
	{Name: "html", Doc: "one offline page, both runs side by side", Lost: "beyond 500 tests that did not change", Endings: pages, Write: htmlComparison, Large: largePage},
	{Name: "gitlab", Doc: "GitLab Code Quality: an entry for everything that got worse", Lost: "all else", Endings: codeQuality, Write: gitlabComparison},
}

func prettyComparison(w io.Writer, c *compare.Comparison, s Settings) error {
	return pretty.WriteComparison(w, c, prettyOptions(s))
}

func prettyOptions(s Settings) pretty.Options {
	return pretty.Options{Color: s.Terminal.Color, Width: s.Terminal.Width, ASCII: s.Terminal.ASCII, Kept: s.Terminal.Kept, Detailed: s.Terminal.Detailed, Report: s.Terminal.Report, Show: s.Terminal.Show, Rows: s.number("pretty-rows")}
}

func jsonComparison(w io.Writer, c *compare.Comparison, _ Settings) error {
	return ndjson.WriteComparison(w, c)
}

func markdownComparison(w io.Writer, c *compare.Comparison, s Settings) error {
	return markdown.WriteComparison(w, c, markdown.Options{Limit: s.number("markdown-limit")})
}

func githubComparison(w io.Writer, c *compare.Comparison, s Settings) error {
	return github.WriteComparison(w, c, githubOptions(s))
}

func appendComparison(w io.Writer, c *compare.Comparison, existing int64) error {
	return github.WriteComparisonSummary(w, c, github.Options{Existing: existing})
}

func gitlabComparison(w io.Writer, c *compare.Comparison, _ Settings) error {
	return gitlab.WriteComparison(w, c)
}

func htmlComparison(w io.Writer, c *compare.Comparison, _ Settings) error {
	return html.WriteComparison(w, c)
}
