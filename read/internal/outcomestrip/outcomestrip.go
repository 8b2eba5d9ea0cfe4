// Package outcomestrip makes trials of the strip of outcomes, a letter a trial, that
// our own reports in foreign formats keep of a test.
//
// It exists because JUnit XML and TAP keep the same two lines, the strip and the list of what was excluded, and a
// letter must become the same trial whichever of them it was read from. What else both say in the same words is here as
// well: names with variants, counts, problems of the input. It leaves out where the lines stand.
package outcomestrip

import (
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// Trials are the trials of a strip such as PPFXE, each like the base but for its outcome, given the list of excluded
// trials by class, such as "infrastructure 2, skip 1". The note, "" when there is nothing to say, tells what they had
// to be read as. It is not ok when the letters are no strip.
func Trials(base envelope.Trial, letters, excluded string) (trials []envelope.Trial, note string, ok bool) {
	if letters == "" || strings.Trim(letters, "PFEXS") != "" {
		return nil, "", false
	}
	classes, note := classesOf(letters, excluded)
	trials = make([]envelope.Trial, len(letters))
	for i := range trials {
		t := &trials[i]
		*t = base
		if letters[i] == byte(envelope.Excluded) {
			exclude(t, classes[0])
			classes = classes[1:]
			continue
		}
		t.Status = envelope.Given(letters[i]).Status()
	}
	return trials, note, true
}

// exclude makes a trial one that is excluded under the class again. After a cost limit nobody knows how it went, and it
// is no part of the coverage: it counts like one that was skipped.
func exclude(t *envelope.Trial, class string) {
	t.Status, t.ErrorClass = envelope.Error, class
	switch class {
	case envelope.ClassIdleTimeout:
		t.ErrorClass, t.ToolCalls = envelope.ClassTimeout, envelope.Some[int32](0)
	case envelope.ClassCostLimit:
		t.Status = envelope.Skip
	}
}

// The notes on what excluded trials are read as.
const (
	noteOpen  = "some excluded trials are here without their class: they are read as " + envelope.ClassInfrastructure
	noteLimit = "some trials after a cost limit are here without their cost: they are read as skipped"
)

// classesOf are the classes of the excluded trials of a strip in their order. Those after a cost limit are always the
// last; which of two other classes a trial has, the list leaves open.
func classesOf(letters, list string) (classes []string, note string) {
	var before []string
	limited := 0
	for part := range strings.SplitSeq(list, ", ") {
		class, number, _ := strings.Cut(part, " ")
		switch n, _ := strconv.Atoi(number); class {
		case envelope.ClassInfrastructure, envelope.ClassPreValidation, envelope.ClassEmptyRun, envelope.ClassIdleTimeout,
			envelope.ClassErrorRate:
			before = append(before, class)
		case envelope.ClassCostLimit:
			limited = max(n, 0)
		}
	}
	n := strings.Count(letters, string(rune(envelope.Excluded)))
	if limited > n || !strings.ContainsAny(letters, "PFE") {
		limited = 0 // where no trial counts, the test is to stay an error
	}
	class := envelope.ClassInfrastructure
	switch {
	case slices.Contains(before, envelope.ClassErrorRate): // one of these makes the test an error
		class = envelope.ClassErrorRate
		if len(before) > 1 {
			note = noteOpen
		}
	case limited < n && len(before) == 1:
		class = before[0]
	case limited < n:
		note = noteOpen
	}
	if limited > 0 && note == "" {
		note = noteLimit
	}
	return append(slices.Repeat([]string{class}, n-limited), slices.Repeat([]string{envelope.ClassCostLimit}, limited)...), note
}

// Identity parts the name of a test from its variant: test [variant].
func Identity(name string) (test, variant string) {
	if at := strings.LastIndex(name, " ["); at > 0 && strings.HasSuffix(name, "]") {
		return name[:at], name[at+2 : len(name)-1]
	}
	return name, ""
}

// Count is a number of trials in words of ours, absent where it is none.
func Count(text string) envelope.Opt[int64] {
	n, err := strconv.ParseInt(text, 10, 64)
	return envelope.Opt[int64]{V: n, OK: err == nil && n >= 0}
}

// CodeRecorded and CodeAggregated are the codes of problems that only reports of ours have.
const (
	CodeRecorded   = "recorded-problem"
	CodeAggregated = "aggregated"
)

// Aggregated is the label of a trial that stands for all trials of a test.
var Aggregated = envelope.Label{Name: CodeAggregated, Value: "true"}

// Recorded is a problem that a report was written with.
func Recorded(of envelope.Severity, line, column int, text string) envelope.Problem {
	return envelope.Problem{Severity: of, Code: CodeRecorded, Line: line, Column: column,
		Message: "the report says of its own input: " + text}
}

// SeverityIn is that of a problem in a report that has it in its text.
func SeverityIn(text string) envelope.Severity {
	if m := severity().FindStringSubmatch(text); m != nil {
		return envelope.Severity(m[1])
	}
	return envelope.SeverityWarning
}

var severity = regex.Of(`(?:^|: )(error|warning): `)
