// Package read is the door for everything that comes in: a table of input
// formats, sniffing, and decompression.
//
// It exists so that a new format is one folder and one row: help, errors,
// --from and tests are made from the table. A reader knows its format and
// envelope.Sink and nothing else. It leaves out files, globs and progress,
// which belong to package command, and what trials mean, which belongs to
// package envelope.
package read

import (
	"bytes"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/agentv"
	"tribunal/read/ctrf"
	"tribunal/read/cucumber"
	"tribunal/read/cucumberjson"
	"tribunal/read/deepeval"
	envelopejson "tribunal/read/envelope"
	"tribunal/read/gotest"
	"tribunal/read/harbor"
	"tribunal/read/inspect"
	"tribunal/read/jest"
	"tribunal/read/junit"
	"tribunal/read/libtest"
	"tribunal/read/lmeval"
	"tribunal/read/mapped"
	"tribunal/read/mcptest"
	"tribunal/read/native"
	"tribunal/read/oaieval"
	"tribunal/read/playwright"
	"tribunal/read/promptfoo"
	"tribunal/read/pytestjson"
	"tribunal/read/reportlog"
	"tribunal/read/swebench"
	"tribunal/read/tap"
	"tribunal/read/tau2"
	"tribunal/read/taubench"
	"tribunal/read/terminalbench"
	"tribunal/suggest"
)

// Format is one input format.
type Format struct {
	Name string // for --from
	Doc  string // one line for people
	// Sniff reports whether an input that starts with head is of this format. Head
	// may be cut anywhere.
	Sniff func(head []byte) bool
	// Read puts what it finds into the sink, problems with their places
	// included. Its error is that of r and nothing else.
	Read func(r io.Reader, to envelope.Sink) error
	// NamesRuns says that the format has runs of its own. An input of any other
	// format is one run, named after the input.
	NamesRuns bool
	// With is Read under options, for a format that has any.
	With func(Options) func(r io.Reader, to envelope.Sink) error
}

// Envelope is the format of our own reports. Its inputs may be named twice:
// merging an envelope with itself changes nothing.
const Envelope = "envelope"

// trialStream is what an input without anything in it is read as.
var trialStream = Format{Name: "native", Doc: "trial stream, one JSON object a line (" + envelope.TrialSchema + ")", Sniff: native.Sniff, Read: native.Read, NamesRuns: true}

// Formats are the input formats in the order they are sniffed: what is told by
// a word nobody else uses comes before what is told by its shape. An envelope
// comes before a trial stream, for the lines of its tests look like trials.
var Formats = []Format{
	{Name: Envelope, Doc: "report of tribunal itself, json or ndjson (" + envelope.Schema + ")", Sniff: envelopejson.Sniff, Read: envelopejson.Read, NamesRuns: true},
	trialStream,
	{Name: "junit", Doc: "JUnit XML of any runner, with the reruns of Surefire, nextest, pytest, Playwright, Vitest, gotestsum", Sniff: junit.Sniff, Read: junit.Read},
	{Name: "go-test", Doc: "go test -json, with -count and the reruns of gotestsum", Sniff: gotest.Sniff, Read: gotest.Read},
	{Name: "promptfoo", Doc: "promptfoo results, JSON or JSONL, with --repeat", Sniff: promptfoo.Sniff, Read: promptfoo.Read},
	{Name: "inspect", Doc: "Inspect logs, .eval or .json, with epochs", Sniff: inspect.Sniff, Read: inspect.Read, With: inspectWith},
	{Name: "tau-bench", Doc: "tau-bench results, a JSON array", Sniff: taubench.Sniff, Read: taubench.Read},
	{Name: "tau2-bench", Doc: "tau2-bench results", Sniff: tau2.Sniff, Read: tau2.Read},
	{Name: "terminal-bench", Doc: "Terminal-Bench results.json of a run or a trial", Sniff: terminalbench.Sniff, Read: terminalbench.Read},
	{Name: "harbor", Doc: "Harbor result.json of a trial or a job", Sniff: harbor.Sniff, Read: harbor.Read},
	{Name: "agentv", Doc: "AgentV index.jsonl and summary.json", Sniff: agentv.Sniff, Read: agentv.Read},
	{Name: "playwright", Doc: "Playwright JSON, with retries and projects", Sniff: playwright.Sniff, Read: playwright.Read},
	{Name: "cucumber", Doc: "Cucumber Messages, with retries", Sniff: cucumber.Sniff, Read: cucumber.Read},
	{Name: "cucumber-json", Doc: "Cucumber's older JSON; retries are lost", Sniff: cucumberjson.Sniff, Read: cucumberjson.Read},
	{Name: "pytest-reportlog", Doc: "pytest-reportlog, with reruns", Sniff: reportlog.Sniff, Read: reportlog.Read},
	{Name: "pytest-json-report", Doc: "pytest-json-report; reruns are lost", Sniff: pytestjson.Sniff, Read: pytestjson.Read},
	{Name: "ctrf", Doc: "Common Test Report Format, with retries", Sniff: ctrf.Sniff, Read: ctrf.Read},
	{Name: "libtest", Doc: "libtest JSON of Rust, and nextest's", Sniff: libtest.Sniff, Read: libtest.Read},
	{Name: "jest", Doc: "Jest and Vitest JSON", Sniff: jest.Sniff, Read: jest.Read},
	{Name: "lm-eval", Doc: "lm-eval samples", Sniff: lmeval.Sniff, Read: lmeval.Read},
	{Name: "openai-evals", Doc: "event log of OpenAI evals", Sniff: oaieval.Sniff, Read: oaieval.Read},
	{Name: "deepeval", Doc: "DeepEval test run", Sniff: deepeval.Sniff, Read: deepeval.Read},
	{Name: "swe-bench", Doc: "SWE-bench run report", Sniff: swebench.Sniff, Read: swebench.Read},
	{Name: "mcptest", Doc: "mcptest rows named `name #k`", Sniff: mcptest.Sniff, Read: mcptest.Read},
	{Name: "tap", Doc: "Test Anything Protocol 13 and 14", Sniff: tap.Sniff, Read: tap.Read},
}

// Options are choices for the formats that have any.
type Options struct {
	As     *Format // the format to read as; nil tells it by the content
	Others *Format // the format of everything but our own envelopes; nil tells it by the content
	Scorer string  // which of several scores decides
}

func inspectWith(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		return inspect.ReadWith(r, to, inspect.Options{Scorer: o.Scorer})
	}
}

// Mapped is the format of records that the user's mapping reads (see package
// read/mapped). It is in no table, for nothing tells it but the mapping.
func Mapped(spec, records string) (Format, error) {
	m, err := mapped.Parse(spec, records)
	return Format{Name: "mapped", Doc: "records read by a mapping", Read: m.Read}, err
}

// byteOrderMark may stand before any text in UTF-8.
const byteOrderMark = "\uFEFF"

// Detect finds the format of an input by its first bytes. Blanks and an empty
// input are a trial stream without trials.
func Detect(head []byte) (Format, bool) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if len(bytes.TrimSpace(head)) == 0 {
		return trialStream, true
	}
	for _, f := range Formats {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}

// ByName finds a format by its name. The error names the near ones, or all.
func ByName(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, suggest.Unknown("input format", shorten(name), Names())
}

// Names are the names of the formats in the order of the table.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// shorten keeps the head of a text that is quoted in a message.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
