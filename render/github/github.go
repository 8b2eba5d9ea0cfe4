// Package github writes an envelope for a job of GitHub Actions: annotations on
// its log, and a summary on its page.
//
// GitHub silently keeps only the first ten annotations of each kind and step, and no summary of
// more than 1 MiB. So the worst come first, what is left out is counted, and the summary stays
// below the limit, together with what the file already has.
//
//	fail, error, gate that does not hold, error in the input    ::error; ::warning where the
//	                                                            gate passes all the same
//	inconclusive tests as a whole where they fail the build     ::error
//	flaky pass, quarantined test, warning                       ::warning
//	what the gate says beside its status                        ::warning, ::error of a broken run
//	inconclusive                                                ::notice
//	pass, skip                                                  nothing
//
// The runner executes commands in a log. Texts of tests never start a line here, and package text
// removes commands that work elsewhere in a line. Package markdown makes the page; the caller
// appends it to the file of the summary.
package github

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
	"tribunal/render/markdown"
)

// summaryBudget is how many bytes the file of the summary may come to hold. It
// stays well below GitHub's limit of 1 MiB, which counts what the runner makes
// of the file when it masks secrets.
const summaryBudget = 900 << 10

// Options of the format. The zero value is a step without a summary so far.
type Options struct {
	Existing  int64 // bytes that are in the file of the summary already
	NoSummary bool  // there is no file for one, so that the log must not point to it
	Commands  standing.Commands
}

// room is what the summary starts with and how many bytes may follow, 0 when
// the file is as good as full.
func (o Options) room() (start string, room int, err error) {
	if o.Existing < 0 {
		return "", 0, fmt.Errorf("github: Existing is %d: give 0 or more bytes", o.Existing)
	}
	if o.Existing > 0 {
		start = "\n\n" // ends a line, a table or an element of another program
	}
	room = int(max(summaryBudget-o.Existing-int64(len(start)), 0))
	const leastPage = 512 // fewer bytes than any page worth reading has
	if room < leastPage {
		room = 0
	}
	return start, room, nil
}

// WriteSummary writes what is to be appended to the file of the step's summary, nothing when
// there is no room left. The error is that of the writer, or says that Existing is negative.
func WriteSummary(w io.Writer, e *envelope.Envelope, o Options) error {
	return summarise(w, o, func(w io.Writer, page markdown.Options) error {
		page.Commands = o.Commands
		return markdown.Write(w, e, page)
	})
}

func summarise(w io.Writer, o Options, page func(io.Writer, markdown.Options) error) error {
	start, room, err := o.room()
	if err != nil || room == 0 {
		return err
	}
	out := bufio.NewWriter(w)
	out.WriteString(start)
	if err := page(out, markdown.Options{Limit: room, Bytes: true}); err != nil {
		return err
	}
	return out.Flush()
}

// Write writes a line on the run and its annotations, for the standard output of
// the step. The error is that of the writer, or says that Existing is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	if err := annotate(w, headline(e), annotations(e), o); err != nil {
		return err
	}
	_, err := io.WriteString(w, words.Around("tribunal: next: ", words.Join("; ", o.Commands.Next(e)...), "\n"))
	return err
}

func annotate(w io.Writer, headline string, found [kinds][]annotation, o Options) error {
	where, err := o.summary()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w) // keeps the first error for Flush
	out.WriteString(headline + "\n")
	left := [kinds]int{}
	for kind, all := range found {
		const mostAnnotations = 10
		shown := min(len(all), mostAnnotations)
		left[kind] = len(all) - shown
		for _, a := range all[:shown] {
			out.WriteString(a.command(commands[kind]) + "\n")
		}
	}
	out.WriteString(more(left, where))
	if where == summaryFull {
		out.WriteString("tribunal: the step summary is full; nothing was added to it\n")
	}
	return out.Flush()
}

// WriteComparisonSummary writes what is to be appended to the file of the step's
// summary, nothing when there is no room left.
func WriteComparisonSummary(w io.Writer, c *compare.Comparison, o Options) error {
	return summarise(w, o, func(w io.Writer, page markdown.Options) error { return markdown.WriteDocument(w, c.Document(), page) })
}

// WriteComparison writes a line on a comparison and its annotations:
//
//	regressed run or test, or whatever
//	else the build is to fail on         ::error
//	newly broken, newly flaky, new       ::warning
//	test that fails
//	gone                                 ::notice
//	anything else                        nothing
func WriteComparison(w io.Writer, c *compare.Comparison, o Options) error {
	headline := fmt.Sprintf("tribunal: %s; exit %d", text.Line(strings.Join(c.Answers(), "; ")), c.Gate.ExitCode)
	return annotate(w, headline, comparisonAnnotations(c), o)
}

func comparisonAnnotations(c *compare.Comparison) (all [kinds][]annotation) {
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		of := words.If(c.By != "", " ("+c.Title(x.Candidate.Name)+")")
		if x.Run.State == compare.Regressed {
			all[isError] = append(all[isError], annotation{title: "REGRESSED: the run as a whole" + of, message: x.Run.Reason})
		}
		for _, t := range x.Ranked() {
			if w := t.Worse(); w != "" {
				kind := map[bool]kind{true: isError, false: isWarning}[w == compare.Regressed]
				all[kind] = append(all[kind], annotation{t.File, t.Line, w.Word() + " " + t.Key.RunnerName() + of, t.Explained()})
			}
		}
		for _, t := range x.Gone {
			all[isNotice] = append(all[isNotice], annotation{title: "GONE " + t.Key.RunnerName() + of, message: "only base has this test"})
		}
	}
	if says := c.FailsUnseen(); says != "" {
		all[isError] = append(all[isError], annotation{title: "the comparison fails", message: says})
	}
	addProblems(&all, c.Problems, isError)
	return all
}

type kind int

const (
	isError kind = iota
	isWarning
	isNotice
	kinds
)

var commands = [kinds]string{"error", "warning", "notice"}

type annotation struct {
	file           string // "" for one on the run
	line           int
	title, message string
}

// annotations are all there could be, the worst of each kind first, and in the
// order of the envelope among equals.
func annotations(e *envelope.Envelope) (all [kinds][]annotation) {
	further := standing.Further(e)
	for _, class := range classes {
		for _, t := range standing.WorstFirst(standing.Where(e.Tests, class.has)) {
			kind, word, mark := class.kind, class.word, standing.MarkOf(e, t)
			alone := word == "FAIL" && mark != word // only the run is judged
			if kind == isError && (e.Gate.Status == envelope.Pass || alone) {
				kind = isWarning
			}
			if alone {
				word = words.If(t.Flaky, "flaky, ") + mark + ", " + words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials") + " passed:"
			}
			all[kind] = append(all[kind], annotation{t.File, t.Line, word + " " + t.Key.RunnerName(), annotationMessage(e, t, further(t))})
		}
	}
	for i := range e.Gate.Gates {
		if g := &e.Gate.Gates[i]; g.Status == envelope.Fail || g.Status == envelope.Error {
			all[isError] = append(all[isError], annotation{title: "gate does not hold: " + g.Name, message: words.Join(": ", g.Expr, g.Saw)})
		}
	}
	for _, says := range standing.Treated(&e.Gate) {
		all[isError] = append(all[isError], annotation{title: "treated as failed", message: says})
	}
	notices := isWarning
	if e.Gate.Status == envelope.Error { // a strict policy takes what was judged for nothing
		notices = isError
	}
	for _, n := range e.Gate.Notices {
		all[notices] = append(all[notices], annotation{title: n.Says, message: n.Why})
	}
	errors := isError
	if e.Gate.Status == envelope.Pass { // a lenient policy forgives them
		errors = isWarning
	}
	addProblems(&all, e.Problems, errors)
	if e.Gate.Status == envelope.Error && len(all[isError]) == 0 {
		all[isError] = append(all[isError], annotation{title: "ERROR", message: standing.Broken(e)})
	}
	return all
}

func addProblems(all *[kinds][]annotation, problems []envelope.Problem, errors kind) {
	for _, p := range problems {
		switch p.Severity {
		case envelope.SeverityError:
			all[errors] = append(all[errors], annotation{title: "error in the input", message: p.Text()})
		case envelope.SeverityWarning:
			all[isWarning] = append(all[isWarning], annotation{title: "tribunal warning", message: p.Text()})
		}
	}
}

// classes are the tests that are annotated, the worst first.
var classes = []struct {
	kind kind
	word string
	has  func(*envelope.Test) bool
}{
	{isError, "ERROR", func(t *envelope.Test) bool { return broken(t) && !t.Quarantined && !t.NotRun() }},
	{isError, "FAIL", func(t *envelope.Test) bool { return t.Status == envelope.Fail && !t.Quarantined }},
	{isWarning, "QUARANTINED", func(t *envelope.Test) bool { return t.Quarantined && (broken(t) || t.Status == envelope.Fail) }},
	{isWarning, "NOT RUN", (*envelope.Test).NotRun},
	{isWarning, "FLAKY", func(t *envelope.Test) bool { return t.Status == envelope.Pass && t.Flaky }},
	{isNotice, "UNDECIDED", func(t *envelope.Test) bool { return t.Status == envelope.Inconclusive }},
}

// broken takes a status that it does not know for an error.
func broken(t *envelope.Test) bool {
	switch t.Status {
	case envelope.Pass, envelope.Fail, envelope.Inconclusive, envelope.Skip:
		return false
	}
	return true
}

const (
	nameLimit    = 250  // bytes of a title
	messageLimit = 4096 // characters the runner keeps of a message
)

// command is the annotation as the runner reads it. Cutting comes before
// escaping: a cut must not part %0A.
func (a annotation) command(name string) string {
	var b strings.Builder
	b.WriteString("::" + name + " ")
	if file := found(a.file); file != "" {
		b.WriteString("file=" + property(file) + ",")
		if a.line > 0 {
			b.WriteString("line=" + strconv.Itoa(a.line) + ",")
		}
	}
	b.WriteString("title=" + property(text.CutLine(text.Line(a.title), nameLimit)))
	b.WriteString("::" + dataEscapes.Replace(cut(text.Block(a.message))))
	return b.String()
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func property(s string) string { return propertyEscapes.Replace(s) }

const cutMark = "\n[... cut ...]"

// cut keeps as much of a safe text as the runner does, in the units of UTF-16 in
// which it counts.
func cut(s string) string {
	room, border := messageLimit, 0 // border is where to cut if that must be
	for i, r := range s {
		if room >= len(cutMark) {
			border = i
		}
		if room--; r > 0xffff {
			room--
		}
		if room < 0 {
			return s[:border] + cutMark
		}
	}
	return s
}

func headline(e *envelope.Envelope) string {
	return fmt.Sprintf("tribunal: %s; exit %d", standing.HeadlineOf(e, text.Line), e.Gate.ExitCode) + words.Around(", ", standing.GateWords(e))
}

// summary is where a reader of the log finds the whole report.
type summary string

const (
	summaryWritten summary = ": see the step summary"
	summaryFull    summary = ", and the step summary is full"
	summaryMissing summary = ", and no file for a step summary is named"
)

func (o Options) summary() (summary, error) {
	_, room, err := o.room()
	switch {
	case err != nil:
		return "", err
	case o.NoSummary:
		return summaryMissing, nil
	case room == 0:
		return summaryFull, nil
	}
	return summaryWritten, nil
}

func more(left [kinds]int, whole summary) string {
	var counts []string
	for kind, n := range left {
		if n > 0 {
			noun := "more " + commands[kind]
			counts = append(counts, words.Plural(n, noun, noun+"s"))
		}
	}
	return words.If(len(counts) > 0, "tribunal: and "+strings.Join(counts, ", ")+", not annotated"+string(whole)+"\n")
}

// annotationMessage is why the test has its verdict: how often what went wrong, the first in full.
func annotationMessage(e *envelope.Envelope, t *envelope.Test, further string) string {
	var lines []string
	whys := why.Spoken(e, t)
	const mostWhys = 3 // reasons of a test
	for i, w := range whys[:min(len(whys), mostWhys)] {
		says := text.Line(w.Text())
		if whole := strings.Trim(text.Block(w.Whole()), " \t\n"); i == 0 && whole != "" {
			says = words.If(w.Varies, says+", such as:\n") + whole
		}
		if t.Trials.Total > 1 {
			says = fmt.Sprintf("%d× %s", w.Trials, says)
		}
		lines = append(lines, says)
	}
	if len(whys) == 0 || t.Status == envelope.Inconclusive {
		further = words.Around(words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials")+" passed: ", further)
		lines = append([]string{cmp.Or(text.Line(cmp.Or(further, standing.Evidence(t))), "no reason was given")}, lines...)
	} else {
		lines = append(lines, words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials")+" passed")
	}
	lines = append(lines, each.Of(words.Present(append(standing.Inside(t), standing.Owners(t))...), text.Line)...)
	return strings.Join(lines, "\n")
}

// found is the file as the runner finds it; "" when nothing of it is left, or too
// much. One that is rooted stays so: the runner makes it relative, and it alone
// knows where the workspace is.
func found(file string) string {
	file = text.RootedPath(file)
	const pathLimit = 1000 // bytes
	return words.If(len(file) <= pathLimit && file != "/", file)
}
