package html

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
)

// openProblems is how many problems are shown without a click.
const openProblems = 12

// problemParts are what is wrong with the input, where that is grave or not, as asked for:
// mere information stands behind the tests.
func problemParts(ps []envelope.Problem, grave bool) []folded {
	worse := func(p envelope.Problem) bool { return p.Severity != envelope.SeverityInfo }
	if len(ps) == 0 || slices.ContainsFunc(ps, worse) != grave {
		return nil
	}
	return []folded{problemPart(ps)}
}

// laterParts are what was measured, and where the numbers come from.
func laterParts(e *envelope.Envelope) []folded {
	out := problemParts(e.Problems, false)
	if len(e.Metrics) > 0 {
		out = append(out, folded{Title: "Metrics", Note: count(int64(len(e.Metrics))), Tables: []*table{metricTable(e.Metrics)}})
	}
	if len(e.Summary.StepsUsed) > 0 {
		out = append(out, usedPart(e.Summary.StepsUsed))
	}
	return append(out, policyPart(&e.Policy), sourcePart(&e.Run))
}

func problemPart(ps []envelope.Problem) folded {
	t := newTable("Problems", "", "severity", "position", "problem", "code", "#times")
	bySeverity := map[envelope.Severity]int{}
	for _, p := range ps {
		bySeverity[p.Severity]++
		t.row(strings.ToUpper(name(string(p.Severity), "unknown")), line(p.Position()), line(p.Message), name(p.Code, ""), count(int64(max(p.Count, 1))))
	}
	var note []string
	for _, s := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning, envelope.SeverityInfo} {
		if n := bySeverity[s]; n > 0 {
			note = append(note, severityCount(int64(n), s))
		}
	}
	grave := bySeverity[envelope.SeverityError] > 0
	return folded{Title: "Problems", Note: strings.Join(note, ", "), Open: grave && len(ps) <= openProblems, Tables: []*table{t.compact()}}
}

func severityCount(n int64, s envelope.Severity) string {
	if s == envelope.SeverityInfo {
		return count(n) + " for information"
	}
	return plural(n, string(s))
}

func metricTable(metrics []envelope.Metric) *table {
	t := newTable("Metrics", "Mean, sigma and interval are those of the posterior", "metric", "parameters", "variant", "#value", "#mean", "#sigma", "#interval", "#tests", "note")
	for i := range metrics {
		m := &metrics[i]
		interval := ""
		if m.Lo.OK && m.Hi.OK {
			interval = number(m.Lo.V) + " to " + number(m.Hi.V)
		}
		used := count(int64(m.TestsUsed)) + " of " + count(int64(m.TestsTotal))
		t.row(name(m.Name, "no name"), paramWords(m.Params), name(m.Variant, ""), optional(m.Value, number),
			optional(m.Mu, number), optional(m.Sigma, number), interval, used, line(m.Note))
	}
	return t.compact()
}

func paramWords(params map[string]any) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(params)) {
		words = append(words, name(key, "")+" = "+paramValue(params[key]))
	}
	return strings.Join(words, ", ")
}

func paramValue(v any) string {
	switch v := v.(type) {
	case float64:
		return number(v)
	case string:
		return name(v, "")
	}
	text, err := json.Marshal(v)
	if err != nil { // no JSON value, so not from a wire form
		return name(fmt.Sprintf("%T", v), "")
	}
	return name(string(text), "")
}

func suiteTable(suites []envelope.Suite) *table {
	t := newTable("Suites", "", "suite", "#tests", "#fail", "#error", "#inconclusive", "#pass", "#skip", "#flaky", "#time", "#cost")
	for i := range suites {
		s := &suites[i]
		n := func(v int) string { return count(int64(v)) }
		t.row(name(s.Name, "no suite"), n(s.Tests), n(s.Fail), n(s.Error), n(s.Inconclusive), n(s.Pass), n(s.Skip), n(s.Flaky),
			optional(s.DurationMS, duration), optional(s.CostUSD, dollars))
	}
	return t
}

func policyPart(p *envelope.Effective) folded {
	out := folded{Title: "Policy", Note: "rule " + name(p.Rule, "of the default policy"), Facts: policyFacts(&p.Policy)}
	if len(p.Overrides) > 0 {
		out.Tables = append(out.Tables, overrideTable(p.Overrides))
	}
	return out
}

// sourcePart says where the trials came from: inputs, and the runs they are of
// when several were merged.
func sourcePart(h *envelope.RunHeader) folded {
	inputs := newTable("Inputs", "Inputs; trials as delivered, before duplicates are put together", "input", "format", "#trials")
	for _, s := range h.Sources {
		inputs.row(name(s.Input, "no name"), name(s.Format, ""), count(int64(s.Trials)))
	}
	out := folded{Title: "Sources", Note: plural(int64(len(h.Sources)), "input"), Tables: []*table{inputs}}
	if len(h.Headers) > 0 {
		out.Note += ", merged from " + plural(int64(len(h.Headers)), "run")
		out.Tables = append(out.Tables, headerTable(h.Headers))
	}
	return out
}

func headerTable(headers []envelope.Header) *table {
	t := newTable("Runs", "Runs that were merged", "name", "id", "commit", "started", "#planned", "labels")
	for i := range headers {
		h := &headers[i]
		t.row(name(h.Name, "no name"), name(h.ID, ""), name(h.Commit, ""), instant(h.StartedAt), optional(h.PlannedTrials, count), labelWords(h.Labels))
	}
	return t
}
