// Package render is the table of output formats.
//
// It exists so that help, errors, flags, goldens and documentation are made
// from one list: a new format is a folder with a Write function and a row here.
// A renderer takes a judged envelope and writes bytes; it decides nothing,
// recomputes nothing and changes nothing.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/render/gitlab"
	"tribunal/render/html"
	"tribunal/render/junit"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
	"tribunal/render/tap"
	"tribunal/suggest"
)

// Default is the format of standard output when none is asked for.
const Default = "pretty"

// Format is one row of the table.
type Format struct {
	Name     string
	Doc      string // one line
	Lossless bool   // can be read back as it was
	Options  []Option
	Write    func(w io.Writer, e *envelope.Envelope, s Settings) error
}

// Option is a choice that belongs to one format and becomes a flag.
type Option struct {
	Name   string // of the flag
	Doc    string
	Values []string // the first is the default
}

// Settings is what a writer is told beside the envelope.
type Settings struct {
	Terminal Terminal
	Options  map[string]string // by name, each one of its Values
}

// Terminal describes where standard output goes, for formats made for people.
type Terminal struct {
	Color bool
	Width int // columns; 0 when it is no terminal
	ASCII bool
}

// Formats is the table.
var Formats = []Format{
	{Name: "pretty", Doc: "the terminal report: failures first, a row per test, the summary last", Write: writePretty},
	{Name: "json", Doc: "the whole envelope as one JSON document", Lossless: true, Write: plain(ndjson.WriteJSON)},
	{Name: "ndjson", Doc: "the same envelope, a line per test", Lossless: true, Write: plain(ndjson.Write)},
	{Name: "junit", Doc: "JUnit XML for GitLab, Jenkins and GitHub; a testcase per test", Options: junitOptions, Write: writeJUnit},
	{Name: "tap", Doc: "Test Anything Protocol, a point per test", Options: tapOptions, Write: writeTAP},
	{Name: "gitlab", Doc: "GitLab Code Quality: an entry for every test that did not simply pass", Options: gitlabOptions, Write: writeGitLab},
	{Name: "html", Doc: "one offline page for reviewers", Write: writeHTML},
}

var junitOptions = []Option{
	{Name: "junit-profile", Doc: "whose JUnit XML to write", Values: []string{"default", "gitlab", "jenkins", "strict", "surefire"}},
	{Name: "junit-flaky", Doc: "mark flaky passes with flakyFailure elements", Values: []string{"off", "on"}},
}

var tapOptions = []Option{
	{Name: "tap-version", Doc: "version of the protocol", Values: []string{"13", "14"}},
	{Name: "tap-inconclusive", Doc: "how an inconclusive test is written", Values: []string{"todo", "todo-not-ok", "skip"}},
}

var gitlabOptions = []Option{
	{Name: "gitlab-inconclusive", Doc: "whether inconclusive tests are listed as info or left out", Values: []string{"info", "omit"}},
}

func plain(write func(io.Writer, *envelope.Envelope) error) func(io.Writer, *envelope.Envelope, Settings) error {
	return func(w io.Writer, e *envelope.Envelope, _ Settings) error { return write(w, e) }
}

func writePretty(w io.Writer, e *envelope.Envelope, s Settings) error {
	return pretty.Write(w, e, pretty.Options{Color: s.Terminal.Color, Width: s.Terminal.Width, ASCII: s.Terminal.ASCII})
}

func writeJUnit(w io.Writer, e *envelope.Envelope, s Settings) error {
	return junit.Write(w, e, junit.Options{Profile: s.Options["junit-profile"], Flaky: s.Options["junit-flaky"] == "on"})
}

func writeTAP(w io.Writer, e *envelope.Envelope, s Settings) error {
	version := 13
	if s.Options["tap-version"] == "14" {
		version = 14
	}
	return tap.Write(w, e, tap.Options{Version: version, Inconclusive: s.Options["tap-inconclusive"]})
}

func writeGitLab(w io.Writer, e *envelope.Envelope, s Settings) error {
	return gitlab.Write(w, e, gitlab.Options{Inconclusive: s.Options["gitlab-inconclusive"]})
}

func writeHTML(w io.Writer, e *envelope.Envelope, _ Settings) error {
	return html.Write(w, e, html.Options{})
}

// ByName finds a format. The error lists near names, or all.
func ByName(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, suggest.Unknown("output format", name, Names())
}

// Names lists the names of the formats in the order of the table.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// Check accepts one of the option's values.
func (o Option) Check(value string) error {
	if slices.Contains(o.Values, value) {
		return nil
	}
	return fmt.Errorf("%s %q: known are %s", o.Name, value, strings.Join(o.Values, ", "))
}
