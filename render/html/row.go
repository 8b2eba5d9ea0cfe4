package html

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/render/internal/standing"
)

// row is one test: its line, and behind it everything known of it.
type row struct {
	ID                   string
	Badge                badge
	Flaky, Open          bool
	Suite, Test, Variant string
	Flags                []string
	Passed               string
	Rate                 *rate
	Strip                []letters
	Time, Cost, Why      string
	Detail               *detail // nil where it travels as data
}

// newLine is the line of a test alone.
func newLine(t *envelope.Test) row {
	r := row{ID: testID(t.Key), Badge: newBadge(t.Status), Flaky: t.Flaky, Suite: name(t.Suite, ""), Test: name(t.Test, "no name"),
		Variant: name(t.Variant, ""), Flags: flags(t), Passed: passedOf(t), Time: optional(t.MedianMS(), duration), Cost: optional(t.CostUSD, dollars), Why: why(t)}
	if p := t.Rate.PerProtocol; p != nil {
		r.Rate = &rate{Value: percent(p.Value), Interval: span(p.Lo, p.Hi), Plot: wordlessPlot(p, t.Verdict.Threshold)} // the words stand beside it
	}
	r.Strip, _ = shortStrip(t.Rows.Outcome)
	return r
}

// Mixed reports a strip that says more than how many trials passed.
func (r row) Mixed() bool { return len(r.Strip) > 1 }

// testID is the place of a test in the page, the same in every run that has it:
// names can be of any length and hold anything, so it is made of a hash.
func testID(k envelope.Key) string {
	b := make([]byte, 0, 128) // most names fit
	for _, part := range [...]string{k.Suite, k.Test, k.Variant} {
		b = append(append(strconv.AppendInt(b, int64(len(part)), 10), ':'), part...)
	}
	sum := sha256.Sum256(b)
	return string(hex.AppendEncode([]byte("t-"), sum[:8]))
}

type flagKind struct {
	word string
	has  func(*envelope.Test) bool
}

// flagKinds are the flags beside a badge, by the bits of the index.
var flagKinds = []flagKind{
	{"FLAKY", func(t *envelope.Test) bool { return t.Flaky }},
	{"COST", func(t *envelope.Test) bool { return t.CostLimited }},
	{"QUARANTINED", func(t *envelope.Test) bool { return t.Quarantined }},
	inState(trend.Broken), inState(trend.NewFlaky), inState(trend.DriftingDown), inState(trend.DriftingUp), inState(trend.Fixed),
}

// inState is the flag of tests that the history says this of.
func inState(s trend.State) flagKind {
	return flagKind{string(s), func(t *envelope.Test) bool { return t.History != nil && t.History.State == string(s) }}
}

func flags(t *envelope.Test) []string {
	var out []string
	for _, f := range flagKinds {
		if f.has(t) {
			out = append(out, f.word)
		}
	}
	return out
}

func flagBits(t *envelope.Test) int {
	bits := 0
	for i, f := range flagKinds {
		if f.has(t) {
			bits |= 1 << i
		}
	}
	return bits
}

func passedOf(t *envelope.Test) string {
	return count(int64(t.Trials.Passed)) + "/" + count(int64(t.Trials.Counted))
}

// why is the shortest answer to why a test is not a plain pass: what the first
// kept trial said, or for an undecided test what is missing.
func why(t *envelope.Test) string {
	if t.Status == envelope.Inconclusive && t.Verdict.Reason != "" {
		return lead(t.Verdict.Reason)
	}
	parts := []string{firstMessage(t)}
	if t.Status != envelope.Pass {
		parts = append(parts, failingChecks(t), partingOf(t))
	}
	if said := told(parts); said != "" || t.Status == envelope.Pass {
		return said
	}
	return lead(t.Verdict.Reason)
}

// whyFirst is why for the top of the page, where there is room for little: what is
// known of all trials before what one of them said.
func whyFirst(t *envelope.Test) string {
	if t.Status == envelope.Inconclusive {
		return why(t)
	}
	return cmp.Or(told([]string{failingChecks(t), partingOf(t), firstMessage(t)}), why(t))
}

// told are the parts that say something.
func told(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// firstMessage is the beginning of the first message that was kept.
func firstMessage(t *envelope.Test) string {
	for i := range t.Details {
		if m := t.Details[i].Message; m != "" {
			return lead(m)
		}
	}
	return ""
}

// failingChecks are the checks that fail most, with how often they pass.
func failingChecks(t *envelope.Test) string {
	if failing := standing.FailingChecks(t); failing != "" {
		return "Checks that fail: " + line(failing)
	}
	return ""
}

func partingOf(t *envelope.Test) string {
	if t.Parting == nil {
		return ""
	}
	return partingWords(t.Parting)
}
