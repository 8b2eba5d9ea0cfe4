package html

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// top is the head of the page: what a reviewer knows after ten seconds.
type top struct {
	Name        string
	About       facts // commit, time, and what else identifies the run
	PolicyWords string
	Gate        gate
	Counts      counts
	Trials      trials
}

func newTop(e *envelope.Envelope, list *listing) top {
	return top{
		Name: name(e.Run.Name, "Test trials"), About: aboutRun(&e.Run), PolicyWords: policyWords(&e.Policy), Gate: newGate(e, list),
		Counts: newCounts(&e.Summary, list), Trials: newTrials(&e.Run.Header, &e.Summary),
	}
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

// gate is what the run does to the build.
type gate struct {
	Badge   badge
	Words   string
	Reasons []string
	Table   *table
	First   []testLink // the tests to look at first
	Others  string     // how many more there are
}

// testLink leads to a test.
type testLink struct {
	ID, Name, Passed string
	Why              string
	Badge            badge
}

// firstTests is how many tests the top names: what a reviewer reads at once.
const firstTests = 6

func newGate(e *envelope.Envelope, list *listing) gate {
	g := &e.Gate
	out := gate{Badge: newBadge(g.Status), Words: newBadge(g.Status).Word + ", exit code " + count(int64(g.ExitCode)) + "."}
	if says := standing.GateWords(e); says != "" {
		out.Words += " " + says + "."
	}
	for _, reason := range g.Words() {
		out.Reasons = append(out.Reasons, line(reason))
	}
	if len(g.Gates) > 0 {
		out.Table = gateTable(g.Gates)
	}
	undone := list.undone()
	for place := range min(undone, firstTests) {
		t := list.at(place)
		out.First = append(out.First, testLink{testID(t.Key), fullName(t), passedOf(t), whyFirst(t), newBadge(t.Status)})
	}
	if rest := undone - len(out.First); rest > 0 {
		out.Others = "and " + count(int64(rest)) + " more that did not pass, below"
	}
	return out
}

func fullName(t *envelope.Test) string {
	return envelope.Key{Suite: name(t.Suite, ""), Test: name(t.Test, "no name"), Variant: name(t.Variant, "")}.String()
}

func gateTable(gates []envelope.GateResult) *table {
	t := newTable("Gates", "", "gate", "holds", "expression", "saw")
	for _, g := range gates {
		t.row(name(g.Name, g.Expr), newBadge(g.Status).Word, line(g.Expr), line(g.Saw))
	}
	return t
}

// counts are the tests by verdict.
type counts struct {
	Words string
	Bar   *bar
	Rows  []verdictCount
	Flaky verdictCount // of these, and no further ones
}

type verdictCount struct {
	Badge   badge
	Meaning string
	Count   string
	Zero    bool
	Group   string // where these tests are in the page
}

// meanings say what a status tells of a test, for readers new to the words.
var meanings = map[envelope.Status]string{
	envelope.Pass: "the evidence says it holds", envelope.Fail: "the evidence says it does not",
	envelope.Inconclusive: "not enough evidence", envelope.Error: "nothing could be counted", envelope.Skip: "not tried",
}

func newCounts(s *envelope.Summary, list *listing) counts {
	out := counts{Words: countWords(s), Bar: newBar(s.Counts)}
	for _, status := range envelope.Statuses {
		n := s.Of(status)
		out.Rows = append(out.Rows, verdictCount{newBadge(status), meanings[status], count(int64(n)), n == 0, list.groupOf(string(status))})
	}
	out.Flaky = verdictCount{badge{"FLAKY", "flaky"}, "passed some trials, not all", count(int64(s.Flaky)), s.Flaky == 0, list.groupOf("flaky")}
	return out
}

func countWords(s *envelope.Summary) string {
	words := plural(int64(s.Tests), "test") + ": " + statusCounts(s.Counts)
	if s.Flaky > 0 {
		words += "; " + count(int64(s.Flaky)) + " of them flaky"
	}
	if quarantine := s.QuarantineWords(); quarantine != "" {
		words += ", " + quarantine
	}
	return words + "."
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
