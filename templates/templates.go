// Package templates holds the HTML, CSS and JavaScript of the HTML report, as
// files that someone who writes pages can open and change without a build step
// and without reading Go. It exists so that those files can be compiled into
// the binary; it knows neither the data nor how the parts are put together,
// which is the business of package render/html.
//
//	page.html      the frame: head, order of the parts, footer
//	summary.html   the top: gate, counts, trials, rates, policy
//	tables.html    any plain table: metrics, suites, sources, problems; the matrix
//	rows.html      the tests: toolbar, groups, one line a test
//	detail.html    a test opened: facts, curve, kept trials
//	charts.html    the drawings, inline SVG
//	style.css      the look, in light, dark and print
//	behaviour.js   the filters; nothing is lost without it
package templates

import "embed"

// FS holds the files of this folder.
//
//go:embed *.html style.css behaviour.js
var FS embed.FS
