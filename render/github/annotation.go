package github

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// kind is a kind of annotation, the worst first.
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
	for _, class := range classes {
		if class.kind == isError && e.Gate.Status == envelope.Pass { // the run alone is judged
			class.kind = isWarning
		}
		for i := range e.Tests {
			if t := &e.Tests[i]; class.has(t) {
				all[class.kind] = append(all[class.kind], annotation{t.File, t.Line, class.word + " " + t.Key.RunnerName(), annotationMessage(e, t)})
			}
		}
	}
	for i := range e.Gate.Gates {
		if g := &e.Gate.Gates[i]; g.Status == envelope.Fail || g.Status == envelope.Error {
			all[isError] = append(all[isError], annotation{title: "gate does not hold: " + g.Name, message: g.Expr + ", saw " + g.Saw})
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
	return all
}

// addProblems adds the problems of the input, and its errors as a kind.
func addProblems(all *[kinds][]annotation, problems []envelope.Problem, errors kind) {
	for _, p := range problems {
		switch p.Severity {
		case envelope.SeverityError:
			all[errors] = append(all[errors], annotation{title: "error in the input", message: p.String()})
		case envelope.SeverityWarning:
			all[isWarning] = append(all[isWarning], annotation{title: "warning on the input", message: p.String()})
		}
	}
}

// classes are the tests that are annotated, the worst first.
var classes = []struct {
	kind kind
	word string
	has  func(*envelope.Test) bool
}{
	{isError, "ERROR", func(t *envelope.Test) bool { return broken(t) && !t.Quarantined }},
	{isError, "FAIL", func(t *envelope.Test) bool { return t.Status == envelope.Fail && !t.Quarantined }},
	{isWarning, "QUARANTINED", func(t *envelope.Test) bool { return t.Quarantined && (broken(t) || t.Status == envelope.Fail) }},
	{isWarning, "FLAKY", func(t *envelope.Test) bool { return t.Status == envelope.Pass && t.Flaky }},
	{isNotice, "INCONC", func(t *envelope.Test) bool { return t.Status == envelope.Inconclusive }},
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
	line := fmt.Sprintf("tribunal: %s; exit %d", standing.HeadlineOf(e), e.Gate.ExitCode)
	line += words.Around(", ", standing.GateWords(e))
	return line
}

// summary is where a reader of the log finds the whole report.
type summary string

const (
	summaryWritten summary = ": see the step summary"
	summaryFull    summary = ", and the step summary is full"
	summaryMissing summary = ", and no file for a step summary is named"
)

// summary is what becomes of the summary of the step.
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

const mostWhys = 3 // reasons of a test

// annotationMessage is why the test has its verdict: how often what went wrong, the first in full.
func annotationMessage(e *envelope.Envelope, t *envelope.Test) string {
	var lines []string
	whys := standing.Spoken(e, t)
	for i, w := range whys[:min(len(whys), mostWhys)] {
		says := text.Line(w.Text())
		if whole := strings.Trim(text.Block(w.Whole()), " \t\n"); i == 0 && whole != "" {
			says = whole
		}
		if t.Trials.Total > 1 {
			says = fmt.Sprintf("%d× %s", w.Trials, says)
		}
		lines = append(lines, says)
	}
	if len(whys) == 0 || t.Status == envelope.Inconclusive {
		lines = append([]string{cmp.Or(text.Line(standing.Evidence(t)), "no reason was given")}, lines...)
	} else {
		lines = append(lines, words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials")+" passed")
	}
	for _, about := range words.Present(append(standing.Inside(t), standing.Owners(t))...) {
		lines = append(lines, text.Line(about))
	}
	return strings.Join(lines, "\n")
}

const pathLimit = 1000 // bytes

// found is the file as the runner finds it; "" when nothing of it is left, or too
// much. One that is rooted stays so: the runner makes it relative, and it alone
// knows where the workspace is.
func found(file string) string {
	if file = text.RootedPath(file); len(file) > pathLimit || file == "/" {
		return ""
	}
	return file
}
