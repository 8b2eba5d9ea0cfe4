// Package sarif writes an envelope as SARIF 2.1.0, the format of code scanning
// alerts: one result for every test that failed, errored or is inconclusive,
// and nothing for the rest.
//
//	fail          tribunal/fail           level error
//	error         tribunal/error          level error
//	inconclusive  tribunal/inconclusive   level note, kind left out
//
// It exists for teams that keep all findings in GitHub's security tab, and it
// keeps to the rules by which GitHub accepts an upload: a relative and encoded
// URI and a region for every result, no empty text, partialFingerprints by
// which an alert stays the same one over time, at most 25,000 results. When
// there are more, inconclusive tests are left out first, then errors, and a
// notification says how many.
//
// A run that is broken gets one result, tribunal/run, and one whose gate does not hold
// another, tribunal/gate: an empty report would close all alerts.
//
// The package leaves out trials, code flows and suppressions.
package sarif

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// Options of the format; it has none.
type Options struct{}

const (
	schemaURI     = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	resultLimit   = 25000 // GitHub refuses a run with more
	noticeLimit   = 100   // problems listed
	messageLimit  = 1000  // bytes
	nameLimit     = 500
	categoryLimit = 200
)

// Write writes the envelope as one SARIF log with one run, a line per result.
// The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error for Flush
	out.WriteString(`{"$schema":"` + schemaURI + `","version":"2.1.0","runs":[{` + "\n")
	out.WriteString(`"tool":{"driver":{"name":"tribunal","rules":`)
	put(out, ruleList())
	out.WriteString("}},\n" + `"automationDetails":`)
	put(out, map[string]string{"id": category(e)})
	out.WriteString(",\n" + `"columnKind":"utf16CodeUnits",` + "\n" + `"results":[`)
	left := results(out, e)
	out.WriteString("],\n" + `"invocations":[`)
	put(out, invocation{e.Gate.InputErrors == 0, notices(e, left)})
	out.WriteString("]}]}\n")
	return out.Flush()
}

func put(out *bufio.Writer, v any) {
	b, err := json.Marshal(v)
	if err != nil { // strings and integers always marshal
		b = []byte("null")
	}
	out.Write(b)
}

// ranks are the statuses that have results, those first that are kept when
// there are too many.
var ranks = []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive}

// results writes what fits and returns how many tests of each status are left
// out. The tests stay in their order.
func results(out *bufio.Writer, e *envelope.Envelope) (left map[envelope.Status]int) {
	quota := quotas(e, resultLimit)
	left = map[envelope.Status]int{}
	n := 0
	for i := range e.Tests {
		t := &e.Tests[i]
		if _, listed := quota[t.Status]; !listed {
			continue
		}
		if quota[t.Status] == 0 {
			left[t.Status]++
			continue
		}
		quota[t.Status]--
		element(out, n, resultOf(t))
		n++
	}
	if says := standing.Broken(e); says != "" {
		element(out, n, runResult(runBroken, says))
		n++
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		element(out, n, runResult(gateUnheld, says))
	}
	return left
}

// quotas shares out the places, the first rank first.
func quotas(e *envelope.Envelope, places int) map[envelope.Status]int {
	var have envelope.Counts
	for i := range e.Tests {
		have.Add(e.Tests[i].Status)
	}
	quota := map[envelope.Status]int{}
	for _, status := range ranks {
		quota[status] = min(places, have.Of(status))
		places -= quota[status]
	}
	return quota
}

func element(out *bufio.Writer, n int, r result) {
	if n > 0 {
		out.WriteString(",")
	}
	out.WriteString("\n ")
	put(out, r)
}

// category is how GitHub tells analyses of one commit apart: what stands before
// the last slash. What stands behind it is the run.
func category(e *envelope.Envelope) string {
	run := strings.ReplaceAll(text.Line(e.Run.ID), "/", "_")
	return "tribunal/" + text.CutLine(run, categoryLimit)
}

// invocation says how the run went and what went wrong on the way.
type invocation struct {
	Successful bool     `json:"executionSuccessful"`
	Notices    []notice `json:"toolExecutionNotifications,omitempty"`
}

type notice struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

var levels = map[envelope.Severity]string{
	envelope.SeverityError: "error", envelope.SeverityWarning: "warning", envelope.SeverityInfo: "note",
}

// notices are the results that were left out, what the gate says, the file of the policy
// and the problems of the input.
func notices(e *envelope.Envelope, left map[envelope.Status]int) []notice {
	var out []notice
	say := func(level, format string, args ...any) {
		out = append(out, notice{level, words(fmt.Sprintf(format, args...))})
	}
	for _, status := range ranks {
		if left[status] > 0 {
			say("warning", "%d more tests are %s and not listed: GitHub takes at most %d results", left[status], status, resultLimit)
		}
	}
	for _, n := range e.Gate.Notices {
		say("warning", "gate: %s", n)
	}
	if file := standing.PolicyFile(e); file != "" {
		say("note", "%s", file)
	}
	for i, p := range e.Problems {
		if i == noticeLimit {
			say("note", "and %d more problems", len(e.Problems)-i)
			break
		}
		say(levels[p.Severity], "%s", p.String())
	}
	return out
}
