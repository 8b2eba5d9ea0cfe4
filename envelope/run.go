package envelope

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Source is one input and what was found in it.
type Source struct {
	Input  string `json:"input"`
	Format string `json:"format,omitempty"`
	Trials int    `json:"trials"` // trials delivered, before duplicates are put together
}

// RunHeader is the header of a counted run: what the processes that made it say
// of it, and where its trials came from.
type RunHeader struct {
	Header
	// Headers are the headers the run was merged from, when there are several.
	Headers []Header `json:"headers,omitempty"`
	Sources []Source `json:"sources"`
	// SharedSources are the sets of sources that delivered the same trial, as
	// indexes into Sources.
	SharedSources [][]int `json:"shared_sources,omitempty"`
}

// Detail is the text of one trial that did not pass.
type Detail struct {
	Trial      int               `json:"trial"` // its row, 0-based
	Attempt    Opt[int32]        `json:"attempt,omitzero"`
	Run        string            `json:"run,omitempty"`
	Status     Status            `json:"status"`
	ErrorClass string            `json:"error_class,omitempty"`
	Message    string            `json:"message,omitempty"`
	Output     string            `json:"output,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

// Tally is one test of a Run: its trials in canonical order.
type Tally struct {
	Key
	File   string
	Line   int
	Labels map[string]string // labels with the same value on every trial that has them
	Varies []string          // names of labels whose value varies over the trials
	Rows   *Rows
	// Details are the kept texts in the order of their rows.
	Details []Detail
	History *Past // what the envelope it was read from says
}

// Run is what was counted: trials in their canonical order, nothing judged.
// Only verdict.Seal makes an Envelope of it.
type Run struct {
	Header   RunHeader
	Policies []Policy // distinct policies that headers and envelopes carried
	Tests    []Tally  // by suite, test, variant
	Problems []Problem
}

// Trials is the number of trials of all tests.
func (r *Run) Trials() int {
	n := 0
	for i := range r.Tests {
		n += r.Tests[i].Rows.Len()
	}
	return n
}

// compareHeaders orders headers by everything they say.
func compareHeaders(a, b Header) int { return strings.Compare(textOf(a), textOf(b)) }

// distinctHeaders sorts headers by everything they say and drops repetitions.
func distinctHeaders(headers []Header) []Header {
	byText := map[string]Header{}
	for _, h := range headers {
		byText[textOf(h)] = h
	}
	out := make([]Header, 0, len(byText))
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		out = append(out, byText[text])
	}
	return out
}

// mergeHeaders makes one header of several: equal words stay, different ones
// are listed side by side, the earliest start counts, and planned trials add up
// (a header delivered twice counts once).
func mergeHeaders(headers []Header) RunHeader {
	headers = distinctHeaders(headers)
	switch len(headers) {
	case 0:
		return RunHeader{}
	case 1:
		return RunHeader{Header: headers[0]}
	}
	out := RunHeader{Headers: headers}
	var names, ids, commits []string
	labels := map[string][]string{}
	for _, h := range headers {
		names, ids, commits = append(names, h.Name), append(ids, h.ID), append(commits, h.Commit)
		if out.StartedAt == "" || h.StartedAt != "" && earlier(h.StartedAt, out.StartedAt) {
			out.StartedAt = h.StartedAt
		}
		if h.PlannedTrials.OK {
			out.PlannedTrials = Some(out.PlannedTrials.V + h.PlannedTrials.V)
		}
		for name, value := range h.Labels {
			labels[name] = append(labels[name], value)
		}
	}
	out.Name, out.ID, out.Commit = sideBySide(names), sideBySide(ids), sideBySide(commits)
	for name, values := range labels {
		if out.Labels == nil {
			out.Labels = map[string]string{}
		}
		out.Labels[name] = sideBySide(values)
	}
	return out
}

// earlier compares instants, which as texts of different precision would not
// come in order.
func earlier(a, b string) bool {
	x, xok := Instant(a)
	y, yok := Instant(b)
	if xok && yok {
		return x < y
	}
	return a < b
}

// wordsBeside is how many different words are listed side by side.
const wordsBeside = 10

func sideBySide(words []string) string {
	words = slices.Sorted(slices.Values(words))
	words = slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" })
	if more := len(words) - wordsBeside; more > 0 {
		words = append(words[:wordsBeside:wordsBeside], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}
