package render

import (
	"io"

	"tribunal/compare"
	"tribunal/render/github"
	"tribunal/render/gitlab"
	"tribunal/render/html"
	"tribunal/render/ndjson"
)

// Comparisons is the table of formats that comparisons are written in.
var Comparisons = Table[*compare.Comparison]{
	{Name: Default, Doc: "the terminal report: what changed first, what cannot be said as ~", Lost: "tests that did not change", Endings: []string{".txt"}, Write: drawPretty[*compare.Comparison]},
	{Name: "json", Doc: "the whole comparison as one JSON document (tribunal schema comparison)", Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteComparison)},
	{Name: "markdown", Doc: "a comment for a pull request", Lost: "tests that did not change",
		Endings: comments, Options: markdownOptions, Write: drawMarkdown[*compare.Comparison]},
	{Name: "github", Doc: "annotations for a GitHub job, and the step summary where $GITHUB_STEP_SUMMARY is set", Lost: "beyond ten of a kind",
		Write:  with(github.WriteComparison, githubOptions),
		Append: &Append[*compare.Comparison]{Env: "GITHUB_STEP_SUMMARY", Write: appendComparison}},
	{Name: "html", Doc: "one offline page, both runs side by side", Lost: "beyond 500 tests that did not change", Endings: pages, Write: plain(html.WriteComparison), Large: largePage},
	{Name: "gitlab", Doc: "GitLab Code Quality: an entry for everything that got worse", Lost: "all else", Endings: codeQuality, Write: plain(gitlab.WriteComparison)},
}

func appendComparison(w io.Writer, c *compare.Comparison, existing int64) error {
	return github.WriteComparisonSummary(w, c, github.Options{Existing: existing})
}
