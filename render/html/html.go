// Package html writes a page for reviewers: one file, which works offline, from file:// and
// as an artifact of a CI job.
//
// The page reads without styles and scripts, which Jenkins blocks. They are inline, and the
// page's Content-Security-Policy has their hashes. Texts of tests go through html/template.
//
// All numbers come from the envelope. HTML, CSS and JavaScript are in package templates.
package html

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/frame"
	"tribunal/render/internal/standing"
	"tribunal/templates"
)

// Options of the page. The zero value has the defaults.
type Options struct {
	// Static is how many tests can be read without scripts; 0 is DefaultStatic. Tests that did not pass always can.
	Static int
	// SourceURL links to the source of a test: an http or https address with {commit}, {file} and {line}. If it is "", there is no link.
	SourceURL string
	// Transcripts is the most bytes of compressed conversations; 0 is DefaultTranscripts.
	Transcripts int
	// Embed puts attached images into the page: those in the envelope, and those that Files opens by path.
	Embed bool
	Files func(path string) (io.ReadCloser, error)

	standing.Commands
	beside *beside // links to the other pages of a history
}

// Write writes the envelope as an HTML document. Its bytes depend only on envelope, options
// and embedded files. It writes row by row, so memory does not grow with the page. It
// returns the first error of w.
func Write(w io.Writer, e *envelope.Envelope, options Options) error {
	open, err := newOpener(e, options)
	if err != nil {
		return fmt.Errorf("html: source URL %q: %w", options.SourceURL, err)
	}
	list, room := newListing(e.Tests, cmp.Or(options.Static, DefaultStatic), open), cmp.Or(options.Transcripts, DefaultTranscripts)
	if options.Embed {
		open.images = newImages(list, options.Files, room/2)
	}
	d := newDocument(e, list, room)
	d.Next = options.Next(e)
	if d.Top.Beside = options.beside; d.Top.Beside != nil {
		d.Frame.Generator = historyGenerator
	}
	return writePage(w, review, "page", d)
}

func writePage(w io.Writer, kind func() *frame.Kind, part string, page any) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := kind().Parts.ExecuteTemplate(out, part, page)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	return nil
}

var review = frame.Of(templates.Review)

type document struct {
	Frame  frame.Frame
	Top    top
	First  []folded // problems, before the tests
	Index  *island  // of the tests, for the script while the page loads
	Tests  tests
	Run    runView
	Method methodView
	Next   []string // commands
}

type runView struct {
	Trials trials
	Matrix *matrix
	Parts  []folded
	Charts []picture
}

type methodView struct {
	PolicyWords string
	Trials      trials
	Policy      folded
	Metrics     []folded
	Terms       facts // terms of this page with their meaning from the glossary
}

func newDocument(e *envelope.Envelope, list *listing, transcripts int) document {
	trials := newTrials(&e.Run.Header, &e.Summary)
	d := document{Top: newTop(e), First: problemParts(e.Problems, true), Tests: newTests(e, list),
		Run:    runView{trials, newMatrix(e), runParts(e), newPictures(e)},
		Method: methodView{policyWords(&e.Policy), trials, policyPart(&e.Policy), metricParts(e.Metrics), nil}}
	d.Method.Terms = termsIn(d.said()...)
	if len(e.Tests) > 0 {
		d.Index = new(pack("index", index{listing: list}.writeTo))
		d.Tests.Islands = list.islands()
		if envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return len(t.Transcripts) > 0 }) {
			d.Tests.Conversations = &conversationData{list: list, budget: transcripts}
		}
	}
	d.Frame = review().Frame(shorten(d.Top.Badge.Word+" · "+d.Top.Name, titleRunes))
	return d
}

type fact struct{ Name, Value string }

type facts []fact

func (f *facts) add(name, value string) {
	if value != "" {
		*f = append(*f, fact{name, value})
	}
}

type badge struct{ Word, Class string }

func newBadge(s envelope.Status) badge {
	if slices.Contains(envelope.Statuses, s) {
		return badge{standing.Mark(s), string(s)}
	}
	const badgeRunes = 14
	return badge{shorten(name(string(s), "UNKNOWN"), badgeRunes), "other"}
}

const openProblems = 12

// problemParts returns the problems if grave says whether there is an error or warning. These
// come before the tests, mere information after them.
func problemParts(ps []envelope.Problem, grave bool) []folded {
	worse := func(p envelope.Problem) bool { return p.Severity != envelope.SeverityInfo }
	if len(ps) == 0 || slices.ContainsFunc(ps, worse) != grave {
		return nil
	}
	return []folded{problemPart(ps)}
}

func runParts(e *envelope.Envelope) []folded {
	out := problemParts(e.Problems, false)
	if len(e.Summary.StepsUsed) > 0 {
		out = append(out, usedPart(e.Summary.StepsUsed))
	}
	return append(out, sourcePart(&e.Run))
}

func metricParts(metrics []envelope.Metric) []folded {
	if len(metrics) == 0 {
		return nil
	}
	return []folded{{Title: "Metrics", Note: count(len(metrics)), Tables: []*table{metricTable(metrics)}}}
}

func problemPart(ps []envelope.Problem) folded {
	t := newTable("Problems", "", "severity", "position", "problem", "code", "#times")
	bySeverity := map[envelope.Severity]int{}
	for _, p := range ps {
		bySeverity[p.Severity]++
		t.row(strings.ToUpper(name(string(p.Severity), "unknown")), line(p.Position()), line(p.Message), name(p.Code, ""), count(max(p.Count, 1)))
	}
	severities := []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning, envelope.SeverityInfo}
	note := words.Some(severities, func(s envelope.Severity) string { return words.If(bySeverity[s] > 0, severityCount(bySeverity[s], s)) })
	grave := bySeverity[envelope.SeverityError] > 0
	return folded{Title: "Problems", Note: note, Open: grave && len(ps) <= openProblems, Tables: []*table{t.compact()}}
}

func severityCount(n int, s envelope.Severity) string {
	if s == envelope.SeverityInfo {
		return count(n) + " for information"
	}
	return plural(n, string(s))
}

func metricTable(metrics []envelope.Metric) *table {
	const about = "Except for avg, the interval is of the posterior mean, which has a prior: the estimate may be outside it"
	t := newTable("Metrics", about, "metric", "parameters", "variant", "#estimate", "#posterior mean", "#its interval", "#sigma",
		"#tests", "note")
	for i := range metrics {
		m := &metrics[i]
		interval := words.If(m.Lo.OK && m.Hi.OK, number(m.Lo.V)+" to "+number(m.Hi.V))
		used := count(m.TestsUsed) + " of " + count(m.TestsTotal)
		t.row(name(m.Name, "no name"), paramWords(m.Params), name(m.Variant, ""), m.Value.Text("", number),
			m.Mu.Text("", number), interval, m.Sigma.Text("", number), used, line(m.Note))
	}
	return t.compact()
}

func paramWords(params map[string]any) string {
	return words.ByName(params, func(key string, value any) string { return name(key, "") + " = " + paramValue(value) })
}

func paramValue(v any) string {
	switch v := v.(type) {
	case float64:
		return number(v)
	case string:
		return name(v, "")
	}
	text, err := json.Marshal(v)
	if err != nil { // no JSON value, so not from a wire form
		return name(fmt.Sprintf("%T", v), "")
	}
	return name(string(text), "")
}

func suiteTable(suites []envelope.Suite) *table {
	t := newTable("Suites", "", "suite", "#tests", "#fail", "#error", "#undecided", "#pass", "#skip", "#flaky", "#time", "#cost")
	for i := range suites {
		s := &suites[i]
		n := func(v int) string { return count(v) }
		t.row(name(s.Name, "no suite"), n(s.Tests), n(s.Fail), n(s.Error), n(s.Inconclusive), n(s.Pass), n(s.Skip), n(s.Flaky),
			s.DurationMS.Text("", duration), s.CostUSD.Text("", dollars))
	}
	return t
}

func policyPart(p *envelope.Effective) folded {
	out := folded{Title: "Policy", Note: "rule " + name(p.Rule, "of the default policy"), Facts: policyFacts(&p.Policy)}
	if len(p.Overrides) > 0 {
		out.Tables = append(out.Tables, overrideTable(p.Overrides))
	}
	return out
}

func sourcePart(h *envelope.RunHeader) folded {
	inputs := newTable("Inputs", "Inputs; trials as delivered, before duplicates are merged", "input", "format", "#trials")
	for _, s := range h.Sources {
		inputs.row(name(s.Input, "no name"), name(s.Format, ""), count(s.Trials))
	}
	out := folded{Title: "Sources", Note: plural(len(h.Sources), "input"), Tables: []*table{inputs}}
	if len(h.Headers) > 0 {
		out.Note += ", merged from " + plural(len(h.Headers), "run")
		out.Tables = append(out.Tables, headerTable(h.Headers))
	}
	return out
}

func headerTable(headers []envelope.Header) *table {
	t := newTable("Runs", "Runs that were merged", "name", "id", "commit", "started", "#planned", "labels")
	for i := range headers {
		h := &headers[i]
		t.row(name(h.Name, "no name"), name(h.ID, ""), name(h.Commit, ""), instant(h.StartedAt), h.PlannedTrials.Text("", count),
			labelWords(h.Labels))
	}
	return t
}

// The most bytes of a text in one line.
const (
	nameLimit = 600
	lineLimit = 2000
	leadLimit = 300
)

// name makes a name safe and short, or returns fallback if nothing is left.
func name(s, fallback string) string { return cmp.Or(text.CutLine(text.Line(s), nameLimit), fallback) }

const titleRunes = 60

func shorten(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

func line(s string) string { return text.CutLine(text.Line(s), lineLimit) }

func lead(s string) string {
	for l := range strings.Lines(s) {
		if l = text.Line(l); l != "" {
			if len(l) > leadLimit {
				l = words.AtWord(l, leadLimit) + "…"
			}
			return l
		}
	}
	return ""
}

// nbsp keeps a number and its unit in one line.
const nbsp = "\u00a0"

func count[T int | int32 | int64 | float64](n T) string { return words.Count(int64(n)) }

func wholePercent(n int) string { return count(n) + nbsp + "%" }

func plural[T int | int64](n T, word string) string { return words.Plural(int64(n), word, word+"s") }

func number(v float64) string {
	if math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		return words.Count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(round(v, 4), 'g', -1, 64)
}

func round(v float64, digits int) float64 {
	short, err := strconv.ParseFloat(string(strconv.AppendFloat(make([]byte, 0, 24), v, 'e', digits-1, 64)), 64)
	if err != nil {
		return v
	}
	return short
}

func percent(v float64) string { return tenths(v) + nbsp + "%" }

func tenths(v float64) string { return string(words.AppendTenths(nil, v)) }

// span formats an interval of fractions as percentages, or as one if both ends look the same.
func span(lo, hi float64) string {
	if from := tenths(lo); from != tenths(hi) {
		return from + " to " + percent(hi)
	}
	return percent(hi)
}

func duration(ms float64) string { return strings.Replace(words.Duration(ms), " ", nbsp, 1) }

func dollars(v float64) string { return words.Dollars(v) }

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
