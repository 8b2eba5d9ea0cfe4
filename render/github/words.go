package github

import (
	"cmp"
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

const mostWhys = 3 // reasons of a test

// told is why the test has its verdict: how often what went wrong, the first in full.
func told(e *envelope.Envelope, t *envelope.Test) string {
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
	for _, about := range append(standing.Inside(t), standing.Owners(t)) {
		if about != "" {
			lines = append(lines, text.Line(about))
		}
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
