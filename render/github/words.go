package github

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// headline is what came of the run, without a word from a test.
func headline(e *envelope.Envelope) string {
	line := fmt.Sprintf("tribunal: %s; exit %d", standing.HeadlineOf(e), e.Gate.ExitCode)
	if says := standing.GateWords(e); says != "" {
		line += ", " + says
	}
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

// more is the line on what is left out; empty when nothing is.
func more(left [kinds]int, whole summary) string {
	var counts []string
	for kind, n := range left {
		if n > 0 {
			noun := "more " + commands[kind]
			counts = append(counts, words.Plural(n, noun, noun+"s"))
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return "tribunal: and " + strings.Join(counts, ", ") + ", not annotated" + string(whole) + "\n"
}

// told is why the test has its verdict, and what its first trial with something
// to say said.
func told(t *envelope.Test) string {
	s := fmt.Sprintf("%d of %s passed", t.Trials.Passed, words.Plural(t.Trials.Counted, "counted trial", "counted trials"))
	if reason := text.Line(t.Verdict.Reason); reason != "" {
		s += "\n" + reason
	}
	for _, about := range standing.Inside(t) {
		s += "\n" + text.Line(about)
	}
	for i := range t.Details {
		d := &t.Details[i]
		if said := text.Block(d.Message); strings.TrimSpace(said) != "" {
			return s + fmt.Sprintf("\ntrial %d: %s", d.Trial+1, said)
		}
	}
	return s
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
