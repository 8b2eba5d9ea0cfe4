// Package render has the table of output formats. Help, errors, flags, goldens and docs are
// made from it: a new format is a folder with a Write function and a row here.
//
// A renderer writes a judged envelope. It decides, recomputes and changes nothing.
package render

import (
	"strconv"

	"tribunal/envelope"
	"tribunal/render/agent"
	"tribunal/render/allure"
	"tribunal/render/badge"
	"tribunal/render/csv"
	"tribunal/render/ctrf"
	"tribunal/render/github"
	"tribunal/render/gitlab"
	"tribunal/render/html"
	"tribunal/render/internal/standing"
	"tribunal/render/junit"
	"tribunal/render/markdown"
	"tribunal/render/minimal"
	"tribunal/render/ndjson"
	"tribunal/render/openmetrics"
	"tribunal/render/otlp"
	"tribunal/render/pretty"
	"tribunal/render/sarif"
	"tribunal/render/slack"
	"tribunal/render/sonar"
	"tribunal/render/tap"
	"tribunal/render/teamcity"
	"tribunal/render/trx"
)

// Format is one way to write an envelope.
type Format = Of[*envelope.Envelope]

// Formats is the table.
var Formats = checked(Table[*envelope.Envelope]{
	{Name: "pretty", Doc: "the terminal report: failures first, a row per test, the summary last",
		Inconclusive: "`UNDECIDED`", Lost: "view only",
		Endings: []string{".txt"},
		Options: []Option{{Name: "pretty-rows", Doc: "maximum failed tests, 30 without -v; passed ones: all or none", Number: true,
			Values: []string{strconv.Itoa(pretty.DefaultRows)}}}, Write: with(pretty.Write, prettyOptions)},
	{Name: "json", Doc: "the whole envelope as one JSON document",
		Inconclusive: "`\"status\":\"inconclusive\"`", Lost: "nothing",
		Endings:  []string{".json"},
		Lossless: true, Rows: true, Write: plain(ndjson.WriteJSON)},
	{Name: "ndjson", Doc: "the same envelope, a line per test",
		Inconclusive: "`\"status\":\"inconclusive\"`", Lost: "nothing",
		Endings:  []string{".ndjson", ".jsonl"},
		Lossless: true, Rows: true, Write: plain(ndjson.Write)},
	{Name: "junit", Doc: "JUnit XML for GitLab, Jenkins and GitHub; a testcase per test",
		Inconclusive: "`<skipped message=\"inconclusive\"/>`", Lost: "texts and labels of single trials",
		Endings: []string{".xml"},
		Options: junitOptions, Write: with(junit.Write, junitOptionsOf)},
	{Name: "tap", Doc: "Test Anything Protocol, a point per test",
		Inconclusive: "`ok N - … # TODO inconclusive`", Lost: "trials of passing tests",
		Endings: []string{".tap"},
		Options: tapOptions, Write: with(tap.Write, tapOptionsOf)},
	{Name: "gitlab", Doc: "GitLab Code Quality: tests that did not simply pass",
		Inconclusive: "an entry of severity info", Lost: "passing tests",
		Endings: codeQuality,
		Options: []Option{{Name: "gitlab-inconclusive", Doc: "severity of undecided tests", Values: []string{"info", "omit"}}},
		Write: with(gitlab.Write, func(s Settings) gitlab.Options {
			return gitlab.Options{Inconclusive: s.Options["gitlab-inconclusive"]}
		})},
	{Name: "html", Doc: "one offline page for reviewers",
		Inconclusive: "an `UNDECIDED` badge", Lost: "view only",
		Endings: pages,
		Options: htmlOptions, Write: with(html.Write, htmlOptionsOf), Large: largePage},
	{Name: "markdown", Doc: "a comment for a pull request or a wiki",
		Inconclusive: "an `UNDECIDED` row", Lost: "passes first when it is too long",
		Endings: comments,
		Options: markdownOptions, Write: with(markdown.Write, markdownOptionsOf)},
	{Name: "github", Doc: "annotations for a GitHub job, and the step summary where $GITHUB_STEP_SUMMARY is set",
		Inconclusive: "a notice", Lost: "beyond ten of a kind",
		Write:  with(github.Write, githubOptions),
		Append: &Append[*envelope.Envelope]{Env: "GITHUB_STEP_SUMMARY", Write: with(github.WriteSummary, githubOptions)}},
	{Name: "ctrf", Doc: "Common Test Report Format",
		Inconclusive: "`other`, raw status `inconclusive`", Lost: "nothing: our data is in `extra`",
		Endings: []string{".ctrf.json", "ctrf-report.json", "ctrf.json"},
		Rows:    true, Write: plain(ctrf.Write)},
	{Name: "sarif", Doc: "SARIF 2.1.0 for code scanning: failures, errors, undecided tests",
		Inconclusive: "level note", Lost: "passing tests",
		Endings: []string{".sarif", ".sarif.json"},
		Write:   plain(sarif.Write)},
	{Name: "openmetrics", Doc: "gauges for Prometheus and GitLab's metrics report",
		Inconclusive: "a gauge", Lost: "single tests",
		Endings: []string{".prom", ".openmetrics", "metrics.txt"},
		Write:   plain(openmetrics.Write)},
	{Name: "csv", Doc: "a row per test",
		Inconclusive: "`inconclusive`", Lost: "",
		Endings: []string{".csv"},
		Write:   plain(csv.Write)},
	{Name: "csv-trials", Doc: "a row per trial",
		Inconclusive: "`inconclusive`", Lost: "",
		Write: plain(csv.WriteTrials)},
	{Name: "agent", Doc: "ranked lines for a language model, within a budget of bytes",
		Inconclusive: "`UNDECIDED` line", Lost: "what is beyond the budget, counted",
		Options: []Option{{Name: "agent-budget", Doc: "maximum bytes to write", Values: []string{strconv.Itoa(agent.DefaultBudget)},
			Number: true}},
		Write: with(agent.Write, func(s Settings) agent.Options {
			return agent.Options{Budget: s.number("agent-budget"), Report: s.Terminal.Report}
		})},
	{Name: "trx", Doc: "TRX of Visual Studio, for Azure DevOps",
		Inconclusive: "outcome `Inconclusive`", Lost: "single trials",
		Options: []Option{{Name: "trx-inconclusive", Doc: "outcome of an undecided test",
			Values: []string{trx.AsInconclusive, trx.AsNotExecuted}}},
		Write: with(trx.Write, func(s Settings) trx.Options { return trx.Options{Inconclusive: s.Options["trx-inconclusive"]} })},
	{Name: "allure", Doc: "results for Allure 2 and 3; `-o allure=FOLDER/` writes the folder",
		Inconclusive: "status `unknown`, tag `inconclusive`", Lost: "trials before the last fifty of a test",
		FileOf: allure.Name, Marks: []string{allure.Mark},
		Write: with(allure.Write, func(s Settings) allure.Options { return allure.Options{Folder: s.Folder} })},
	{Name: "teamcity", Doc: "service messages for the log of a TeamCity build",
		Inconclusive: "`testIgnored`, its message begins with `inconclusive`", Lost: "single trials",
		Write: plain(teamcity.Write)},
	{Name: "sonar", Doc: "generic test execution XML of SonarQube",
		Inconclusive: "`<skipped message=\"inconclusive: …\">`", Lost: "single trials",
		Write: plain(sonar.Write)},
	{Name: "slack", Doc: "a message for Slack in Block Kit JSON, for an incoming webhook",
		Inconclusive: "`; N undecided`, and an `UNDECIDED` line", Lost: "tests that passed; of the others all beyond twenty, counted",
		Write: with(slack.Write, func(s Settings) standing.Commands { return s.Terminal.Commands })},
	{Name: "badge", Doc: "a badge: an SVG image, or the endpoint JSON of shields.io",
		Inconclusive: "`N inconclusive`, yellow", Lost: "everything but the counts",
		Options: []Option{{Name: "badge-form", Doc: "an image, or JSON for shields.io", Values: []string{badge.SVG, badge.Endpoint}}},
		Write:   with(badge.Write, func(s Settings) badge.Options { return badge.Options{Form: s.Options["badge-form"]} })},
	{Name: "otlp", Doc: "OpenTelemetry: a trace for each trial, and metrics; `-o otlp=FOLDER/` writes two files",
		Inconclusive: "`test.case.result.status` `inconclusive`", Lost: "what was said in conversations",
		Endings: []string{".otlp.jsonl"},
		FileOf:  otlp.Name, Marks: otlp.Marks, Write: with(otlp.Write, otlpOptionsOf), Options: []Option{
			{Name: "otlp-signal", Doc: "data to write; readers accept one kind per file", Values: []string{otlp.Both, otlp.Traces, otlp.Metrics}}}},
	{Name: "minimal", Doc: "one line",
		Inconclusive: "`, N inconclusive`", Lost: "",
		Write: plain(minimal.Write)},
})

// File endings of formats in several tables.
var (
	pages       = []string{".html", ".htm"}
	comments    = []string{".md", ".markdown"}
	codeQuality = []string{"gl-code-quality.json", "gl-code-quality-report.json"}
)

// largePage is the size in bytes from which browsers open a page slowly.
const largePage = 50_000_000

const embedAttachments = "embed-attachments"

var htmlOptions = []Option{
	{Name: "source-url", Doc: "link to a test, with {file}, {line} and, if known, {commit}",
		Values: []string{""}, Text: &Text{Word: "URL", Refuse: html.CheckSourceURL}},
	{Name: "html-static", Doc: "maximum tests that can be read without scripts", Number: true,
		Values: []string{strconv.Itoa(html.DefaultStatic)}},
	{Name: "html-transcripts", Doc: "maximum bytes of compressed conversations, such as 500kB [20MB]",
		Values: []string{""}, Text: &Text{Word: "SIZE", Refuse: html.CheckSize}},
	{Name: embedAttachments, Doc: "put attached images into the page; they are not redacted",
		Values: []string{"false", "true"}, Switch: true},
}

var markdownOptions = []Option{
	{Name: "markdown-limit", Doc: "maximum characters of a comment", Values: []string{strconv.Itoa(markdown.DefaultLimit)}, Number: true},
}

var junitOptions = []Option{
	{Name: "junit-profile", Doc: "reader to write for; strict is Jenkins' xUnit plugin",
		Values: []string{"default", "gitlab", "jenkins", "strict", "surefire"}},
	{Name: "junit-flaky", Doc: "mark flaky passes with flakyFailure elements", Values: []string{"off", "on"}},
}

var tapOptions = []Option{
	{Name: "tap-version", Doc: "version of the protocol", Values: []string{"13", "14"}},
	{Name: "tap-inconclusive", Doc: "how to write an undecided test", Values: []string{"todo", "todo-not-ok", "skip"}},
}

// githubOptions describes the step summary that the log links to.
func githubOptions(s Settings) github.Options {
	return github.Options{Existing: max(0, s.Existing), NoSummary: s.Existing < 0, Commands: s.Terminal.Commands}
}

func junitOptionsOf(s Settings) junit.Options {
	return junit.Options{Profile: s.Options["junit-profile"], Flaky: s.Options["junit-flaky"] == "on"}
}

func tapOptionsOf(s Settings) tap.Options {
	return tap.Options{Version: s.number("tap-version"), Inconclusive: s.Options["tap-inconclusive"]}
}

func htmlOptionsOf(s Settings) html.Options {
	return html.Options{Commands: s.Terminal.Commands, SourceURL: s.Options["source-url"], Static: s.number("html-static"), Files: s.Files,
		Transcripts: html.Size(s.Options["html-transcripts"]), Embed: s.Options[embedAttachments] == "true"}
}

func otlpOptionsOf(s Settings) otlp.Options { return otlp.Options{Signal: s.Options["otlp-signal"]} }
