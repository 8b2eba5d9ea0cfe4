package count

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

func compareHeaders(a, b envelope.Header) int { return strings.Compare(textOf(a), textOf(b)) }

// distinctHeaders sorts headers by everything they say and drops repetitions.
func distinctHeaders(headers []envelope.Header) []envelope.Header {
	byText := map[string]envelope.Header{}
	for _, h := range headers {
		byText[textOf(h)] = h
	}
	return each.Of(slices.Sorted(maps.Keys(byText)), func(text string) envelope.Header { return byText[text] })
}

// mergeHeaders makes one header of several: equal words stay, different ones are listed side by side, the earliest
// start counts, and planned trials and what setting up took add up (a header delivered twice counts once).
func mergeHeaders(headers []envelope.Header) envelope.RunHeader {
	headers = distinctHeaders(headers)
	if len(headers) < 2 {
		return envelope.RunHeader{Header: append(headers, envelope.Header{})[0]}
	}
	out := envelope.RunHeader{Headers: headers}
	var names, ids, commits []string
	labels := map[string][]string{}
	for _, h := range headers {
		names, ids, commits = append(names, h.Name), append(ids, h.ID), append(commits, h.Commit)
		if out.StartedAt == "" || h.StartedAt != "" && earlier(h.StartedAt, out.StartedAt) {
			out.StartedAt = h.StartedAt
		}
		if h.PlannedTrials.OK {
			out.PlannedTrials = envelope.Some(out.PlannedTrials.V + h.PlannedTrials.V)
		}
		out.SetupMS, out.SetupCostUSD = added(out.SetupMS, h.SetupMS), added(out.SetupCostUSD, h.SetupCostUSD)
		for name, value := range h.Labels {
			labels[name] = append(labels[name], value)
		}
	}
	out.Name, out.ID, out.Commit = sideBySide(names), sideBySide(ids), sideBySide(commits)
	for name, values := range labels {
		each.Put(&out.Labels, name, sideBySide(values))
	}
	return out
}

// checkPlans reports missing trials that only seem replaced: by trials beyond the plan of another input, or by those of
// an input with the same header. Trials delivered twice are beyond no plan.
func (b *Builder) checkPlans(run *envelope.Run) {
	found, again, beyond, short := int64(run.Trials()-envelope.Retries(run.Tests)), int64(b.trials-run.Trials()), int64(0), int64(0)
	var of []string
	for i, n := range b.beyond {
		if beyond, short = beyond+max(0, n-again), short+max(0, -n); n < 0 {
			of = append(of, b.planner[i])
		}
	}
	planned := run.Header.PlannedTrials.V
	if found <= planned {
		short = planned - found + beyond
	}
	if planned <= found && short > 0 {
		b.problems.add(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePlanned, Message: fmt.Sprintf(
			"%s missing: inputs have fewer trials than they plan%s; other inputs do not replace these; did a runner crash? --lenient accepts this",
			words.Plural(short, "trial is", "trials are"), words.Around(" (", sideBySide(of), ")"))})
	}
}

// headersOf returns the headers that a run was merged from, or its own.
func headersOf(h *envelope.RunHeader) []envelope.Header {
	if len(h.Headers) > 0 || compareHeaders(h.Header, envelope.Header{}) == 0 {
		return h.Headers
	}
	return []envelope.Header{h.Header}
}

// shareHeader gives the latest header to a part that has all trials of the input.
func (in *Input) shareHeader(door *Input) {
	if in.part != "" && in.header > 0 {
		door.b.headers = append(door.b.headers, in.b.headers[in.header-1])
		door.header, in.b.split.headed = len(door.b.headers), true
	}
}

// added is a sum of amounts as far as they are known. One beyond all numbers is the largest of them.
func added(a, b envelope.Opt[float64]) envelope.Opt[float64] {
	return envelope.Opt[float64]{V: min(a.V+b.V, math.MaxFloat64), OK: a.OK || b.OK}
}

// earlier compares instants, which as texts of different precision would not come in order.
func earlier(a, b string) bool {
	x, xok := envelope.Instant(a)
	y, yok := envelope.Instant(b)
	if xok && yok {
		return x < y
	}
	return a < b
}

// wordsBeside is how many different words are listed side by side.
const wordsBeside = 10

func sideBySide(all []string) string {
	all = slices.Compact(slices.Sorted(slices.Values(all)))
	return words.First(words.Present(all...), wordsBeside, strings.Clone)
}

// ResumeHeader says of the run what holds whatever its inputs say: words that are not
// empty stand in place of theirs, labels beside or in place of theirs.
func (b *Builder) ResumeHeader(h envelope.Header) { b.resumedHeader = h }

func resumeHeader(h envelope.RunHeader, said envelope.Header) envelope.RunHeader {
	h.Name, h.ID = cmp.Or(valid(said.Name), h.Name), cmp.Or(valid(said.ID), h.ID)
	h.Commit = cmp.Or(valid(said.Commit), h.Commit)
	h.StartedAt = cmp.Or(normalTime(said.StartedAt), h.StartedAt)
	if said.PlannedTrials.OK {
		h.PlannedTrials = said.PlannedTrials
	}
	if len(said.Labels) > 0 {
		labels := maps.Clone(h.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		for name, value := range said.Labels {
			labels[valid(name)] = valid(value)
		}
		h.Labels = labels
	}
	return h
}

// restore sets the owners that envelopes have, and the history of a test that has no trials
// but those of its envelope.
func (b *Builder) restore(run *envelope.Run) {
	known := map[envelope.Key]*envelope.Test{}
	for _, r := range b.recorded {
		for i := range r.Run.Tests {
			if t := &r.Run.Tests[i]; t.Owners != nil || t.History != nil {
				known[t.Key] = t
			}
		}
	}
	for i := range run.Tests {
		t := &run.Tests[i]
		if said := known[t.Key]; said != nil {
			t.Owners = said.Owners
			if slices.Equal(t.Rows.Given, said.Rows.Given) {
				t.History = said.History
			}
		}
	}
}
