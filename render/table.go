package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/internal/audit"
	"tribunal/internal/block"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/internal/compression"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/plan"
	"tribunal/internal/run/next"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/parting"
	"tribunal/render/csv"
	"tribunal/render/github"
	"tribunal/render/gitlab"
	"tribunal/render/html"
	"tribunal/render/internal/standing"
	"tribunal/render/markdown"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Default is the format of standard output when none is asked for: every table
// has it.
const Default = "pretty"

// Table is the formats that documents of one kind are written in. The envelope
// has the longest; others, such as a comparison of two runs, have their own.
type Table[D any] []Of[D]

// Of is one row of a table: a format of documents of type D.
type Of[D any] struct {
	Name string
	Doc  string // one line
	// Inconclusive is how an inconclusive test looks, where the document has
	// tests; Lost is what the format has no place for.
	Inconclusive, Lost string
	Lossless           bool // can be read back as it was
	Rows               bool // shows the rows of the trials, with digests of their texts
	// Endings are those of paths that are written in this format where none is named;
	// of two that fit, the longer one counts. A format without any is always named.
	Endings []string
	Options []Option
	Write   func(w io.Writer, document D, s Settings) error
	// FileOf, of a format that is a folder, names the file that a line of what Write
	// writes becomes there.
	FileOf func(line []byte) string
	// Marks are how the files of such a folder begin that are not read again, so that an
	// earlier report of ours is known.
	Marks []string
	// Large is the size in bytes from which readers of the format have trouble
	// with a report; 0 where there is none.
	Large int64
	// Append is a second part that a CI system wants added to a file of its own.
	Append *Append[D]
}

// Append is what a format adds to a file that the CI system names.
type Append[D any] struct {
	Env   string // the variable that names the file
	Write func(w io.Writer, document D, s Settings) error
}

// Option is a choice that belongs to one format and becomes a flag.
type Option struct {
	Name   string // of the flag
	Doc    string
	Values []string // the first is the default
	Number bool     // any positive whole number will do
	Switch bool     // a flag without a value, false or true
	Text   *Text    // any text will do that it does not refuse
}

// Text is an option that is free text, "" by default.
type Text struct {
	Word   string // what the text is, for the help
	Refuse func(string) error
}

// Choices are the words for what can be given.
func (o Option) Choices() []string {
	if o.Text != nil {
		return []string{o.Text.Word}
	}
	return o.Values
}

// Settings is what a writer gets beside the document.
type Settings struct {
	Terminal Terminal
	Options  map[string]string // by name, each one of its Values
	// Files opens a file that a trial names by its path, as an attachment, nil where
	// nobody knows where trials lie.
	Files func(path string) (io.ReadCloser, error)
	// Existing is how many bytes are already in the file that the second part of
	// the format is added to; less than 0 when no file is named.
	Existing int64
	Folder   bool // lines become files of a folder
}

// Terminal describes where standard output goes, for formats made for people.
type Terminal struct {
	Color bool
	Width int // columns; 0 where lines are as long as they are
	ASCII bool
	// Kept is what is kept and searched, as a file or a pipe is: no name is cut.
	Kept bool
	// Detailed is for readers who want statistics, policies and transcripts as well.
	Detailed bool
	standing.Commands
}

func (s Settings) number(name string) int {
	n, _ := strconv.Atoi(s.Options[name])
	return n
}

// Defaults are the values of the format's options when none is given.
func (f Of[D]) Defaults() map[string]string {
	values := map[string]string{}
	for _, o := range f.Options {
		values[o.Name] = o.Values[0]
	}
	return values
}

// Write writes a document in the format of a name, with the defaults of its options.
// Who wants others takes the format by its name and calls its own Write.
func (t Table[D]) Write(w io.Writer, name string, document D) error {
	f, err := t.ByName(name)
	if err != nil {
		return err
	}
	return f.Write(w, document, Settings{Options: f.Defaults(), Existing: -1})
}

// ByName finds a format. The error lists near names, or all.
func (t Table[D]) ByName(name string) (Of[D], error) {
	return suggest.Find("output format", name, t, Of[D].name)
}

// ByPath finds the format that the ending of a path means, whatever its case, under
// what packs it.
func (t Table[D]) ByPath(path string) (found Of[D], ok bool) {
	path = compression.TrimExtension(strings.ToLower(path))
	longest := 0
	for _, f := range t {
		for _, ending := range f.Endings {
			if strings.HasSuffix(path, ending) && len(ending) > longest {
				found, longest = f, len(ending)
			}
		}
	}
	return found, longest > 0
}

// Endings lists the endings that mean a format, in the order of the table.
func (t Table[D]) Endings() []string {
	return slices.Concat(each.Of(t, func(f Of[D]) []string { return f.Endings })...)
}

// Names lists the names of the formats in the order of the table.
func (t Table[D]) Names() []string { return each.Of(t, Of[D].name) }

func (f Of[D]) name() string { return f.Name }

// Check accepts one of the option's values, or a number where it is one.
func (o Option) Check(value string) error {
	if o.Number {
		if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return fmt.Errorf("%s %q: give a whole number of 1 or more", o.Name, value)
		}
		return nil
	}
	if o.Text != nil {
		if err := o.Text.Refuse(value); err != nil {
			return fmt.Errorf("%s %q: %w", o.Name, value, err)
		}
		return nil
	}
	if slices.Contains(o.Values, value) {
		return nil
	}
	return fmt.Errorf("%s %q: use one of %s", o.Name, value, strings.Join(o.Values, ", "))
}

// drawn is a result that becomes a document, such as a plan or a ranking.
type drawn interface{ Document() *block.Document }

// asText, asMarkdown, asPage and asJSON are the formats that most results share.
func asText[D drawn](doc, lost string) Of[D] {
	return Of[D]{Name: Default, Doc: doc, Lost: lost, Endings: []string{".txt"}, Write: func(w io.Writer, d D, s Settings) error {
		return pretty.WriteDocument(w, d.Document(), prettyOptions(s))
	}}
}

func asMarkdown[D drawn](doc, lost string) Of[D] {
	return Of[D]{Name: "markdown", Doc: doc, Lost: lost, Endings: comments, Options: markdownOptions,
		Write: func(w io.Writer, d D, s Settings) error {
			return markdown.WriteDocument(w, d.Document(), markdownOptionsOf(s))
		}}
}

func asPage[D drawn](doc, lost string) Of[D] {
	return Of[D]{Name: "html", Doc: doc, Lost: lost, Endings: pages, Write: func(w io.Writer, d D, _ Settings) error {
		return html.WriteDocument(w, d.Document())
	}}
}

func asJSON[D any](doc string) Of[*D] {
	return Of[*D]{Name: "json", Doc: doc, Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteDocument[D])}
}

// checked are formats that refuse to write no document.
func checked[T any](t Table[*T]) Table[*T] {
	for i, f := range t {
		t[i].Write = func(w io.Writer, d *T, s Settings) error {
			if d == nil {
				return fmt.Errorf("%s: no document to write", f.Name)
			}
			return f.Write(w, d, s)
		}
	}
	return t
}

func plain[D any](write func(io.Writer, D) error) func(io.Writer, D, Settings) error {
	return func(w io.Writer, d D, _ Settings) error { return write(w, d) }
}

func with[D, O any](write func(io.Writer, D, O) error, options func(Settings) O) func(io.Writer, D, Settings) error {
	return func(w io.Writer, d D, s Settings) error { return write(w, d, options(s)) }
}

func prettyOptions(s Settings) pretty.Options {
	t := s.Terminal
	return pretty.Options{Color: t.Color, Width: t.Width, ASCII: t.ASCII, Kept: t.Kept, Detailed: t.Detailed,
		Commands: t.Commands, Rows: s.number("pretty-rows")}
}

func markdownOptionsOf(s Settings) markdown.Options {
	return markdown.Options{Limit: s.number("markdown-limit"), Commands: s.Terminal.Commands}
}

// Shows is the table of formats that conversations are written in.
var Shows = checked(Table[*parting.Shown]{
	{Name: Default, Doc: "the conversation for a terminal, or two aligned by their calls",
		Lost: "in a terminal, what long texts have beyond some lines", Endings: []string{".txt"}, Write: with(pretty.WriteShow, prettyOptions)},
	{Name: "json", Doc: "the turns as one JSON document",
		Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteShow)},
})

// Comparisons is the table of formats that comparisons are written in.
var Comparisons = checked(Table[*compare.Comparison]{
	asText[*compare.Comparison]("the terminal report: what changed first, what cannot be said as ~", "tests that did not change"),
	{Name: "json", Doc: "the whole comparison as one JSON document (tribunal schema comparison)",
		Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteComparison)},
	asMarkdown[*compare.Comparison]("a comment for a pull request", "tests that did not change"),
	{Name: "github", Doc: "annotations for a GitHub job, and the step summary where $GITHUB_STEP_SUMMARY is set",
		Lost:   "beyond ten of a kind",
		Write:  with(github.WriteComparison, githubOptions),
		Append: &Append[*compare.Comparison]{Env: "GITHUB_STEP_SUMMARY", Write: with(github.WriteComparisonSummary, githubOptions)}},
	{Name: "html", Doc: "one offline page, both runs side by side",
		Lost: "beyond 500 tests that did not change", Endings: pages, Write: plain(html.WriteComparison), Large: largePage},
	{Name: "gitlab", Doc: "GitLab Code Quality: an entry for everything that got worse",
		Lost: "all else", Endings: codeQuality, Write: plain(gitlab.WriteComparison)},
})

// Trends is the table of formats of a trend.
var Trends = checked(Table[*trend.Trend]{
	{Name: Default, Doc: "tests that changed or are not stable, with sparklines, for the terminal",
		Lost: "stable tests, counted", Endings: []string{".txt"}, Write: with(pretty.WriteTrend, prettyOptions)},
	{Name: "html", Doc: "one offline page: every state, and the course of every test that is not stable",
		Lost: "stable tests beyond 2,000, others beyond 200 of a state, counted", Endings: pages, Write: plain(html.WriteTrend)},
	{Name: "json", Doc: "the whole trend as one JSON document (tribunal schema trend)",
		Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteTrend)},
	{Name: "csv", Doc: "a row per test: its state, the evidence, rate and drift",
		Lost: "single runs", Endings: []string{".csv"}, Write: plain(csv.WriteTrend)},
	{Name: "csv-runs", Doc: "a row per test and run", Lost: "states", Write: plain(csv.WriteTrendRuns)},
})

// History and Released are what WriteHistory writes as pages.
type (
	History  = html.History
	Released = html.Released
)

// HistoryIndex is the page of a history that is opened first; HistoryMark is near the
// beginning of all of its pages.
const (
	HistoryIndex = html.HistoryIndex
	HistoryMark  = html.HistoryMark
)

// WriteHistory writes the pages of a history into files that create makes.
var WriteHistory = html.WriteHistory

// Plans is the table of formats of a plan.
var Plans = checked(Table[*plan.Plan]{
	asText[*plan.Plan]("tables and pictures for the terminal", "view only"),
	asJSON[plan.Plan]("the whole plan as one JSON document (tribunal schema plan)"),
	asMarkdown[*plan.Plan]("tables and sentences for a comment or a wiki", "view only"),
	asPage[*plan.Plan]("one offline page with the pictures", "view only"),
})

// Rankings is the table of formats of a ranking.
var Rankings = checked(Table[*rank.Ranking]{
	asText[*rank.Ranking]("who is the best and how sure that is, for the terminal",
		"pairs beyond ten variants, tests not ranked beyond twenty"),
	asJSON[rank.Ranking]("the whole ranking as one JSON document (tribunal schema ranking)"),
	asMarkdown[*rank.Ranking]("a table for a comment or a wiki", "pairs, tests not ranked beyond twenty"),
	asPage[*rank.Ranking]("one offline page: rates with their intervals, all pairs, cost against rate", "pairs beyond thirty variants"),
	{Name: "csv", Doc: "a row per variant",
		Lost: "pairs, tests not ranked", Endings: []string{".csv"}, Write: plain(csv.WriteRanking)},
})

// GateAudits is the table of formats of an audit of a gate.
var GateAudits = checked(Table[*audit.Gate]{
	asText[*audit.Gate]("how often the gate is red by chance, why, and what helps, for the terminal", "tests beyond thirty"),
	asJSON[audit.Gate]("the whole audit as one JSON document (tribunal schema gate-audit)"),
	asMarkdown[*audit.Gate]("tables for a comment or a wiki", "tests beyond thirty"),
	asPage[*audit.Gate]("one offline page", "tests beyond thirty"),
	{Name: "csv", Doc: "a row per test", Lost: "the build, options", Endings: []string{".csv"}, Write: plain(csv.WriteGateAudit)},
})

// TestsAudits is the table of formats of an audit of tests.
var TestsAudits = checked(Table[*audit.Tests]{
	asText[*audit.Tests]("tests that say nothing, or something odd, and the few that are enough", "tests beyond thirty"),
	asJSON[audit.Tests]("the whole audit as one JSON document (tribunal schema tests-audit)"),
	asMarkdown[*audit.Tests]("tables for a comment or a wiki", "tests beyond thirty"),
	asPage[*audit.Tests]("one offline page", "tests beyond thirty"),
	{Name: "csv", Doc: "a row per test",
		Lost: "checks, pairs, evidence", Endings: []string{".csv"}, Write: plain(csv.WriteTestsAudit)},
})

// Nexts is the table of formats of the trials to run next.
var Nexts = checked(Table[*next.Plan]{
	asText[*next.Plan]("the tests that are worth most, and what is left", "view only"),
	asJSON[next.Plan]("trials and tests as one JSON document (tribunal schema next)"),
	{Name: "ndjson", Doc: "a trial a line, for an engine",
		Lost: "where tests stand", Endings: []string{".ndjson", ".jsonl"}, Write: plain(ndjson.WriteNext)},
	{Name: "args", Doc: "the words of the command behind -- for each trial, a NUL behind each word: xargs -0r -n WORDS env, parallel -0 -n " +
		"WORDS env",
		Lost: "all but the command", Write: plain(ndjson.WriteArgs)},
	{Name: "matrix", Doc: `{"include":[…]} for the matrix of a GitHub workflow, on one line`,
		Lost: "where tests stand", Write: plain(ndjson.WriteMatrix)},
})
