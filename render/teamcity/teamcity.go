// Package teamcity writes an envelope as service messages of TeamCity: a test
// each, in its suite, with its duration and pass rate.
//
//	fail, error    testFailed, with what was said and the evidence
//	inconclusive   testIgnored, its message begins with inconclusive
//	skip           testIgnored
//
// It exists because TeamCity reads tests from the log of a build, as they are
// printed. What the gate says beside the status is a status text of the build; a run
// that could not be judged is a build problem, and so is a gate that does not hold:
// without one a build in which no test failed is green. Rates stand in testMetadata, and as statistics of the build.
//
// Every text is one line without control characters, and the signs that mean
// something to TeamCity are escaped, so that no test can send a message of its own.
// The package leaves out single trials.
package teamcity

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Limits in bytes. TeamCity takes longer texts, and shows less of them.
const messageLimit, outputLimit = 4 << 10, 16 << 10

// Write writes the envelope as service messages. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := &messages{bufio.NewWriter(w)}
	suite := ""
	for i := range e.Tests {
		t := &e.Tests[i]
		if next := suiteName(t.Suite); next != suite {
			out.end(suite)
			if suite = next; suite != "" {
				out.say("testSuiteStarted", "name", suite)
			}
		}
		out.test(e, t)
	}
	out.end(suite)
	out.run(e)
	return out.w.Flush()
}

// suiteName is "" for tests without a suite, which stand in none.
func suiteName(s string) string { return words.If(s != "", standing.SuiteName(s, text.Line)) }

// messages writes service messages; its writer keeps the first error.
type messages struct{ w *bufio.Writer }

// say writes a message with attributes, names and values in turn; those without a
// value are left out.
func (m *messages) say(name string, attributes ...string) {
	fmt.Fprintf(m.w, "##teamcity[%s", name)
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			fmt.Fprintf(m.w, " %s='%s'", attributes[i], escaper.Replace(attributes[i+1]))
		}
	}
	m.w.WriteString("]\n")
}

func (m *messages) end(suite string) {
	if suite != "" {
		m.say("testSuiteFinished", "name", suite)
	}
}

func (m *messages) test(e *envelope.Envelope, t *envelope.Test) {
	name := standing.TestName(suiteName(t.Suite), t.Key, text.Line)
	m.say("testStarted", "name", name)
	message, output := standing.FirstDetails(t)
	said, evidence := text.CutLine(text.Line(message), messageLimit), text.CutLine(text.Line(standing.Evidence(t)), messageLimit)
	switch standing.Shown(e, t) {
	case envelope.Pass:
	case envelope.Inconclusive:
		m.say("testIgnored", "name", name, "message", standing.Unsettled(t)+": "+evidence)
	case envelope.Skip:
		m.say("testIgnored", "name", name, "message", cmp.Or(said, evidence))
	default:
		m.say("testFailed", "name", name, "message", cmp.Or(said, evidence), "details",
			evidence+standing.InsideBlock(t, messageLimit)+"\n"+text.Cut(text.Block(output), outputLimit))
	}
	if r := t.Rate.PerProtocol; r != nil {
		m.say("testMetadata", "testName", name, "name", "pass rate", "type", "number", "value", strconv.FormatFloat(r.Value, 'f', -1, 64))
	}
	m.say("testFinished", "name", name, "duration", duration(t))
}

func (m *messages) run(e *envelope.Envelope) {
	if says := standing.Broken(e); says != "" {
		m.say("buildProblem", "identity", "tribunal", "description", text.CutLine(text.Line(says), messageLimit))
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		m.say("buildProblem", "identity", "tribunal_gate", "description", text.CutLine(text.Line(says), messageLimit))
	}
	s := &e.Summary
	for _, n := range []struct {
		key   string
		value int
	}{{"inconclusive", s.Inconclusive}, {"flaky", s.Flaky}, {"trials", s.Trials.Counted}, {"trials.passed", s.Trials.Passed}} {
		m.say("buildStatisticValue", "key", "tribunal."+n.key, "value", strconv.Itoa(n.value))
	}
	if sum := e.TrialsSum().String(); sum != "" {
		m.say("setParameter", "name", "tribunal.trials.sum", "value", sum)
	}
	status := "{build.status.text}; " + standing.Counts(e) + words.Around("; ", standing.GateWords(e))
	m.say("buildStatus", "text", status)
}

// duration is that of all trials in whole milliseconds, "" when it is unknown.
func duration(t *envelope.Test) string {
	if t.DurationMS == nil || !(t.DurationMS.Total < math.MaxInt64/2) {
		return ""
	}
	return strconv.FormatInt(int64(math.Round(t.DurationMS.Total)), 10)
}

var escaper = strings.NewReplacer("|", "||", "'", "|'", "\n", "|n", "\r", "|r", "[", "|[", "]", "|]")
