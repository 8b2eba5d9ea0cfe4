package markdown

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// nouns are what the tests of a group are called.
var nouns = [standing.Groups]noun{
	{"failed test", "failed tests"}, {"errored test", "errored tests"}, {"inconclusive test", "inconclusive tests"},
	{"quarantined test", "quarantined tests"}, {"flaky test", "flaky tests"}, {"passed test", "passed tests"}, {"skipped test", "skipped tests"},
}

// sorted are the tests by group, and in the order of the envelope within each.
func sorted(tests []envelope.Test) (found [standing.Groups][]*envelope.Test) {
	for i := range tests {
		g := standing.GroupOf(&tests[i])
		found[g] = append(found[g], &tests[i])
	}
	return found
}

// between are the tests of the groups from first up to last.
func between(found [standing.Groups][]*envelope.Test, first, last standing.Group) []*envelope.Test {
	var all []*envelope.Test
	for g := first; g <= last; g++ {
		all = append(all, found[g]...)
	}
	return all
}

// attention is the table of the tests that did not simply pass.
func attention(e *envelope.Envelope, tests []*envelope.Test) *part {
	p := testTable(e, tests)
	p.rank = rankAttention
	return p
}

// folded is the table of the others, behind a click.
func folded(e *envelope.Envelope, found [standing.Groups][]*envelope.Test) *part {
	p := testTable(e, between(found, standing.Passed, standing.Skipped))
	p.rank = rankFolded
	var counts []string
	for _, g := range []standing.Group{standing.Passed, standing.Skipped} {
		if n := len(found[g]); n > 0 {
			counts = append(counts, words.Plural(n, nouns[g].one, nouns[g].many))
		}
	}
	p.open = "<details><summary>" + strings.Join(counts, ", ") + "</summary>\n\n" + p.open
	p.close += "</details>\n\n"
	return p
}

func testTable(e *envelope.Envelope, tests []*envelope.Test) *part {
	return &part{n: len(tests), close: "\n", open: table("Verdict", "Test", "Passed", "Rate", "Interval", "Trials", "Reason"),
		item: func(i int) string { return testRow(e, tests[i]) },
		noun: func(i int) noun { return nouns[standing.GroupOf(tests[i])] }}
}

func testRow(e *envelope.Envelope, t *envelope.Test) string {
	rate, between := "", ""
	if r := t.Rate.PerProtocol; r != nil {
		rate, between = percent(r.Value)+" %", interval(r.Lo, r.Hi)
	}
	return row(verdict(t), name(t), passedOf(t), rate, between, strip(t.Rows.Outcome), code(reason(e, t), lineLimit))
}

// verdict is the mark of the test and what else is to be known of it.
func verdict(t *envelope.Test) string {
	s := standing.Mark(t.Status)
	for _, flag := range []struct {
		on   bool
		word string
	}{{t.Flaky, "flaky"}, {t.CostLimited, "cost limit"}, {t.Quarantined, "quarantined"}} {
		if flag.on {
			s += ", " + flag.word
		}
	}
	return s
}

func name(t *envelope.Test) string { return codeOr(t.Key.RunnerName(), nameLimit, "(no name)") }

func passedOf(t *envelope.Test) string {
	return fmt.Sprintf("%d/%d", t.Trials.Passed, t.Trials.Counted)
}

// mostSigns is how many trials of a strip are shown.
const mostSigns = 40

// strip is the outcomes of the trials in their order, of many the first and last.
func strip(all envelope.Outcomes) string {
	if len(all) <= mostSigns {
		return code(all.String(), mostSigns)
	}
	return code(all[:mostSigns/2].String(), mostSigns) + " … " + code(all[len(all)-mostSigns/2:].String(), mostSigns)
}

// reason is the most frequent one of its failing trials, and for a test without a
// decision, or when none said anything, what the rule said.
func reason(e *envelope.Envelope, t *envelope.Test) string {
	if t.Status == envelope.Inconclusive || t.Status == envelope.Pass {
		return t.Verdict.Reason
	}
	whys := standing.Spoken(e, t)
	switch {
	case len(whys) == 0 || text.Line(whys[0].Text()) == "":
		return t.Verdict.Reason
	case t.Trials.Total == 1 || t.Status == envelope.Skip:
		return whys[0].Text()
	}
	return fmt.Sprintf("%d× %s", whys[0].Trials, whys[0].Text())
}
