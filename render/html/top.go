package html

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// top is the head of the page: what came of the run, and why.
type top struct {
	Name        string
	Badge       badge
	Headline    string
	Below       string
	About       facts // commit, time, and what else identifies the run
	Gate        string
	Reasons     []string
	Gates       *table
	Causes      causes
	Bar         *bar
	PolicyWords string
	Trials      trials
}

// causes explain the failing tests, where they are fewer.
type causes struct {
	Title string
	First []causeLink
	More  string
}

// causeLink leads to the first test of a cause.
type causeLink struct{ ID, Tests, Label string }

func newTop(e *envelope.Envelope) top {
	h := standing.HeadlineOf(e)
	out := top{
		Name: name(standing.RunName(e), "Test report"), Badge: badge{h.Word, newBadge(e.Gate.Status).Class}, Headline: strings.Join(h.Facts, " · "), Below: h.Below(),
		About: aboutRun(&e.Run), Gate: "exit code " + count(int64(e.Gate.ExitCode)), Bar: newBar(e.Summary.Counts),
		PolicyWords: policyWords(&e.Policy), Trials: newTrials(&e.Run.Header, &e.Summary),
	}
	if says := standing.GateWords(e); says != "" {
		out.Gate += ", " + says
	}
	for _, reason := range standing.Reasons(&e.Gate) {
		out.Reasons = append(out.Reasons, line(reason))
	}
	if len(e.Gate.Gates) > 0 {
		out.Gates = gateTable(e.Gate.Gates)
	}
	title, first, more := standing.Causes(e)
	out.Causes.Title = title
	for _, c := range first {
		out.Causes.First = append(out.Causes.First, causeLink{testID(c.First.Key), plural(int64(c.Tests), "test"), line(c.Label)})
	}
	if more > 0 {
		out.Causes.More = "and " + plural(int64(more), "more cause")
	}
	return out
}

func aboutRun(h *envelope.RunHeader) facts {
	var f facts
	f.add("commit", name(h.Commit, ""))
	f.add("started", instant(h.StartedAt))
	f.add("id", name(h.ID, ""))
	for _, label := range slices.Sorted(maps.Keys(h.Labels)) {
		f.add(name(label, "label"), name(h.Labels[label], ""))
	}
	return f
}

// instant is an RFC 3339 time as people read it, or the text as it is.
func instant(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return name(s, "")
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func gateTable(gates []envelope.GateResult) *table {
	t := newTable("Gates", "", "gate", "holds", "expression", "saw")
	for _, g := range gates {
		t.row(name(g.Name, g.Expr), newBadge(g.Status).Word, line(g.Expr), line(g.Saw))
	}
	return t
}

// statusCounts lists the statuses that occur.
func statusCounts(c envelope.Counts) string {
	var words []string
	for _, status := range envelope.Statuses {
		if n := c.Of(status); n > 0 {
			words = append(words, count(int64(n))+" "+string(status))
		}
	}
	if len(words) == 0 {
		return "nothing to judge"
	}
	return strings.Join(words, ", ")
}
