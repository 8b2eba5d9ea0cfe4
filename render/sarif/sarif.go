// Package sarif writes an envelope as SARIF 2.1.0, the format of code scanning alerts: one result for every test that
// failed, errored or is inconclusive, and nothing for the rest.
//
//	fail          tribunal/fail           level error
//	error         tribunal/error          level error
//	inconclusive  tribunal/inconclusive   level note, kind left out
//
// It exists for teams that keep all findings in GitHub's security tab, and it keeps to the rules by which GitHub accepts an
// upload: a relative and encoded URI and a region for every result, no empty text, partialFingerprints by which an alert
// stays the same one over time, at most 25,000 results. When there are more, inconclusive tests are left out first, then
// errors, and a notification says how many.
//
// A run that is broken gets one result, tribunal/run, and one whose gate does not hold
// another, tribunal/gate: an empty report would close all alerts.
//
// The package leaves out trials, code flows and suppressions.
package sarif

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

const (
	schemaURI     = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	resultLimit   = 25000 // GitHub refuses a run with more
	noticeLimit   = 100   // problems listed
	messageLimit  = 1000  // bytes
	nameLimit     = 500
	categoryLimit = 200
)

// Write writes the envelope as one SARIF log with one run, a line per result. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := wire.NewWriter(w, true)
	out.Text(`{"$schema":"` + schemaURI + `","version":"2.1.0","runs":[{`)
	out.Field("\n\"tool\":{\"driver\":{\"name\":\"tribunal\",", "rules", ruleList())
	out.Field("}},\n", "automationDetails", map[string]string{"id": category(e)})
	out.Text(",\n" + `"columnKind":"utf16CodeUnits",` + "\n" + `"results":[`)
	left := results(out, e)
	out.Text("],\n" + `"invocations":`)
	out.Value([]invocation{{e.Gate.InputErrors == 0, notices(e, left)}})
	out.Text("}]}\n")
	return out.Close()
}

// ranks are the statuses that have results, those first that are kept when there are too many.
var ranks = []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive}

// results writes what fits and returns how many tests of each status are left out. The tests stay in their order.
func results(out *wire.Writer, e *envelope.Envelope) (left map[envelope.Status]int) {
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
		out.Item(n, "\n ", resultOf(e, t))
		n++
	}
	if says := standing.Broken(e); says != "" {
		out.Item(n, "\n ", runResult(runBroken, says))
		n++
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		out.Item(n, "\n ", runResult(gateUnheld, says))
	}
	return left
}

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

// category is how GitHub tells analyses of one commit apart: what stands before
// the last slash. What stands behind it is the run.
func category(e *envelope.Envelope) string {
	run := strings.ReplaceAll(text.Line(e.Run.ID), "/", "_")
	return "tribunal/" + text.CutLine(run, categoryLimit)
}

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

// notices are the results that were left out, what the gate says, the file of the policy and the problems of the input.
func notices(e *envelope.Envelope, left map[envelope.Status]int) []notice {
	var out []notice
	say := func(level, format string, args ...any) {
		out = append(out, notice{level, words(fmt.Sprintf(format, args...))})
	}
	for _, status := range ranks {
		if left[status] > 0 {
			say("warning", "tests not listed: %d with status %s; GitHub takes at most %d results", left[status], status, resultLimit)
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
			say("note", "problems not listed: %d", len(e.Problems)-i)
			break
		}
		say(levels[p.Severity], "%s", p.String())
	}
	return out
}

type location struct {
	Physical physical  `json:"physicalLocation"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI string `json:"uri"`
}

// region has all four numbers: GitHub asks for them.
type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// locate is where the test is defined, or a made-up place: GitHub refuses a result without one.
func locate(t *envelope.Test) location {
	file, line := standing.Origin(t)
	where := place(relative(file), line)
	if where.Physical.Artifact.URI == "" {
		where = place(madeUp(t.Suite, t.Test), 1)
	}
	where.Logical = []logical{{name(t.Key), "function"}}
	return where
}

func place(uri string, line int) location {
	line = max(1, line)
	return location{Physical: physical{artifact{uri}, region{line, 1, line, 2}}}
}

// relative is the file below the root of the repository as a URI, "" when nothing of it is left.
func relative(file string) string {
	const pathLimit = 1000 // bytes, before they are encoded
	segments := strings.Split(text.CutLine(text.Path(file), pathLimit), "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	if strings.Contains(segments[0], ":") { // would be taken for a scheme
		segments[0] = strings.ReplaceAll(segments[0], ":", "%3A")
	}
	return strings.Join(segments, "/")
}

// madeUp is the URI of a test without a file: tribunal/<suite>/<test>. It depends on the names alone and leads nowhere.
func madeUp(suite, test string) string {
	p := "tribunal"
	for _, s := range []string{suite, test} {
		if s = text.CutLine(text.Line(s), nameLimit/2); s == "." || s == ".." {
			s = "_"
		}
		if s != "" {
			p += "/" + url.PathEscape(s)
		}
	}
	return p
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type message struct {
	Text string `json:"text"`
}

// words is a message, which must not be empty. SARIF makes links of [x](y) in
// plain messages too, so that pair of signs is parted.
func words(s string) message {
	s = strings.ReplaceAll(text.Line(s), "](", "] (")
	return message{cmp.Or(text.CutLine(s, messageLimit), "(nothing was said)")}
}

// resultOf is a note for a test that is excused: its alert stays, and stops no merge.
func resultOf(e *envelope.Envelope, t *envelope.Test) result {
	r := result{
		RuleID: rules[t.Status].id, RuleIndex: rules[t.Status].index, Level: rules[t.Status].level,
		Message: words(describe(t)), Locations: []location{locate(t)},
		Fingerprints: fingerprints(rules[t.Status].id, t.Suite, t.Test, t.Variant),
	}
	if standing.Spared(e, t) {
		r.Level = "note"
	}
	return r
}

func runResult(of envelope.Status, says string) result {
	r := rules[of]
	return result{RuleID: r.id, RuleIndex: r.index, Level: r.level, Message: words(says),
		Locations: []location{place(madeUp("", "run"), 1)}, Fingerprints: fingerprints(r.id)}
}

// describe is a test in one line: name, status, k of n, rate, reason, and what the first trial that did not pass said.
func describe(t *envelope.Test) string {
	s := fmt.Sprintf("%s: %s, %d/%d trials passed", name(t.Key), t.Status, t.Trials.Passed, t.Trials.Counted)
	if r := t.Rate.PerProtocol; r != nil {
		s += ", rate " + strconv.FormatFloat(r.Value, 'f', 3, 64)
	}
	if reason := text.CutLine(text.Line(t.Verdict.Reason), nameLimit); reason != "" {
		s += ": " + reason
	}
	for i := range t.Details {
		if said := text.Line(t.Details[i].Message); said != "" {
			return s + "; trial " + strconv.Itoa(t.Details[i].Trial+1) + ": " + said
		}
	}
	return s
}

func name(k envelope.Key) string {
	return cmp.Or(text.CutLine(text.Line(k.String()), nameLimit/2), "(unnamed)")
}

// fingerprints hold the only one GitHub looks at. Despite its name it is made of the key and the rule: an alert stays the
// same one when its test moves to another line or its rate changes, and a worse verdict is a new alert.
func fingerprints(words ...string) map[string]string {
	sum := standing.Digest(words...)
	return map[string]string{"primaryLocationLineHash": hex.EncodeToString(sum[:])}
}

// Keys of the rules for what is wrong beside the tests: a run that is broken, a gate that does not hold.
const runBroken, gateUnheld = envelope.Status("run"), envelope.Status("gate")

var rules = map[envelope.Status]struct {
	index                     int
	id, level                 string
	name, short, full, advice string
}{
	envelope.Fail: {0, "tribunal/fail", "error", "Fail", "A test failed.",
		"The trials of this test show that it does not meet its policy.",
		"Read the reason and the message of the first trial that did not pass; the other reports of the same run hold all trials."},
	envelope.Error: {1, "tribunal/error", "error", "Error", "A test could not be judged.",
		"No trial of this test counts: all of them were excluded, for instance because the infrastructure failed.",
		"Fix what kept the trials from running; the test itself may be sound."},
	envelope.Inconclusive: {2, "tribunal/inconclusive", "note", "Inconclusive", "The trials do not decide.",
		"The trials of this test do not show yet whether it meets its policy.",
		"Run more trials, or lower the confidence."},
	runBroken: {3, "tribunal/run", "error", "Run", "The run is broken.",
		"No test could be judged, or not all of the input could be read, so that tests and trials may be missing.",
		"Look at the problems of the input."},
	gateUnheld: {4, "tribunal/gate", "error", "Gate", "A gate does not hold.",
		"A condition of the policy, on the run or on each test, does not hold. It does not depend on the verdicts of the tests.",
		"Read the values that the gate saw, and compare them with its condition in the policy."},
}

// descriptor is a rule on the wire. GitHub wants all of its texts.
type descriptor struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Short   message           `json:"shortDescription"`
	Full    message           `json:"fullDescription"`
	Help    message           `json:"help"`
	Default map[string]string `json:"defaultConfiguration"`
}

// ruleList is every rule at its index, whether it is used or not: the tool is the same in every run.
func ruleList() []descriptor {
	list := make([]descriptor, len(rules))
	for _, r := range rules {
		list[r.index] = descriptor{ID: r.id, Name: r.name, Short: message{r.short}, Full: message{r.full},
			Help: message{r.advice}, Default: map[string]string{"level": r.level}}
	}
	return list
}
