// Package templates holds the HTML, CSS and JavaScript of the pages, as files
// that someone who writes pages can open and change without a build step and
// without reading Go. It exists so that those files can be compiled into the
// binary; it knows neither the data nor how the parts are put together, which
// is the business of packages render/internal/frame and render/html.
//
//	frame.*        of every page: head, foot, colours, type, tables, badges, printing
//	early.js       of every page: what has to happen before it is drawn
//	page.html      the order of the parts of the report
//	summary.*      its top: gate, counts, trials, rates, policy
//	tables.html    any plain table: metrics, suites, sources, problems; the matrix
//	rows.html      the tests: toolbar, groups, one line a test
//	tests.*        the look and the behaviour of the list of tests
//	detail.*       a test opened: facts, kept trials, the colours of terminals
//	pane.js        the open test beside the list
//	tabs.js        tabs, of the page and of an open test
//	inside.*       of a test opened: checks, where trials part, conversations
//	align.js       which steps of two conversations stand beside each other
//	pair.js        two conversations side by side
//	comparison.*   the page of a comparison
//	charts.*       the drawings, inline SVG
//	plain.*        a plain document, such as a plan: a section for each part
//	trend.*        tests over runs
//	history.*      the index of a history: what changed in its last run, tests by runs
package templates

import "embed"

// FS holds the files of this folder.
//
//go:embed *.html *.css *.js
var FS embed.FS

// Early is the script that runs before a page is drawn.
const Early = "early.js"

// Page names the files that a kind of page is made of. Styles and scripts are
// put together in this order; every script is a part of one module, so a name
// that one part declares is known to the others.
type Page struct{ Parts, Styles, Scripts []string }

// Review is the report of a run.
var Review = Page{
	Parts:  []string{"frame.html", "page.html", "summary.html", "tables.html", "rows.html", "detail.html", "inside.html", "charts.html"},
	Styles: []string{"frame.css", "summary.css", "tests.css", "detail.css", "inside.css", "charts.css"},
	Scripts: []string{"frame.js", "data.js", "model.js", "list.js", "rows.js", "tabs.js", "pane.js", "pair.js", "align.js",
		"state.js", "tools.js", "keys.js", "print.js", "tests.js"},
}

// Plain is a document of texts, tables and charts, such as a plan or a ranking.
var Plain = Page{
	Parts:   []string{"frame.html", "plain.html", "summary.html", "tables.html", "charts.html"},
	Styles:  []string{"frame.css", "summary.css", "charts.css", "plain.css"},
	Scripts: []string{"frame.js"},
}

// Comparison is the report of what changed between two runs.
var Comparison = Page{
	Parts:   []string{"frame.html", "comparison.html", "summary.html", "tables.html", "rows.html", "charts.html"},
	Styles:  []string{"frame.css", "summary.css", "tests.css", "charts.css", "comparison.css"},
	Scripts: []string{"frame.js", "comparison.js"},
}

// Trend is tests over runs.
var Trend = Page{
	Parts:   []string{"frame.html", "trend.html", "summary.html", "tables.html", "charts.html"},
	Styles:  []string{"frame.css", "summary.css", "tests.css", "charts.css", "trend.css"},
	Scripts: []string{"frame.js"},
}

// History is the index of a history that is written as pages.
var History = Page{
	Parts:   []string{"frame.html", "history.html", "trend.html", "summary.html", "tables.html", "charts.html"},
	Styles:  []string{"frame.css", "summary.css", "tests.css", "charts.css", "trend.css", "history.css"},
	Scripts: []string{"frame.js", "history.js"},
}
