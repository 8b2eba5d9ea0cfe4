// Package agent writes an envelope as compact text for a language model: the
// verdict, then what failed and why, then what is undecided, then what is flaky,
// within a budget of bytes.
//
// It exists because a model that is to mend something pays for every byte and
// reads all of them. So the most telling comes first, what is left out is
// counted, and the last line is a command that shows more. Passed and skipped
// tests are numbers in the first line, and notes on the input are left out.
//
// A model obeys what it reads. Every text of a test, of an agent or of an input
// is a string in quotes on one line that begins with a word of ours, so that
// none can pass for a line of the report, and the report says what quotes mean.
// The package cannot keep a model from believing what is inside them.
//
//	verdict: FAIL  3 of 9 tests fail: 1 never passes, 2 flaky · …; exit 1
//	also: on similar tests 74 % [52–88]
//	note: …
//	gate: "2 errors in the input"
//	FAIL "weather/fails" 1/5 passed, rate 0.200 (0.036 to 0.624), trials FPFEF, at "tests/weather_test.py:42"
//	  reason: "…"
//	  trial 1 said: "expected rain, got <sun>"
//	  trial 1 output: "step 1\nstep 2"
//	UNDECIDED …
//	FLAKY …
//	problem warning: "…"
//	left out: 3 failed tests, 5 outputs
//	more: tribunal report RUN.json --explain 'weather/fails'
package agent

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// DefaultBudget is how many bytes the text may have when nothing else is said.
const DefaultBudget = 8192

// Options of the format. The zero value is the default budget.
type Options struct {
	Budget int    // the most bytes; 0 is DefaultBudget
	Report string // the words behind tribunal report that give the same run again; "" for unknown
}

// Write writes the envelope as lines of text. The error is that of the writer, or says that the budget is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	if o.Budget < 0 {
		return fmt.Errorf("agent budget %d: give 0 or more bytes", o.Budget)
	}
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	_, err := io.WriteString(w, compose(e, o))
	return err
}

// compose writes as much as the budget allows, and if that is not all, a line on what is missing.
func compose(e *envelope.Envelope, o Options) string {
	const share = 16 // of the budget, the most that the command has
	tests, budget := ranked(e.Tests), o.Budget
	if len(o.Report) > budget/share {
		o.Report = ""
	}
	all, hint := items(e, tests), more(o.Report, tests)
	if taken, whole := choose(all, budget-len(hint)); whole {
		return join(all, taken) + hint
	}
	rest := len(missing(all, make([]bool, len(all)))) // the longest that line can be
	if taken, _ := choose(all, budget-len(hint)-rest); taken[0] {
		return join(all, taken) + missing(all, taken) + hint
	}
	short := fmt.Sprintf("%s, exit %d\n", standing.Word(e), e.Gate.ExitCode)
	for _, s := range []string{all[0].text() + "left out: everything else\n", "verdict: " + short, short} {
		if len(s) <= budget {
			return s
		}
	}
	return ""
}

// item is one or more lines that are written together or not at all. Items stand in the order
// in which they are written; their rank says in which they are chosen.
type item struct {
	rank  int
	below int    // the item it belongs to, -1 for none
	noun  string // what it is when it is left out
	make  func() string
	made  string
}

func (it *item) text() string {
	if it.made == "" {
		it.made = it.make()
	}
	return it.made
}

// choose takes items by rank as long as they fit, and no more of a rank after the first that
// does not: what is left out is the end of a list, never its middle.
func choose(all []*item, room int) (taken []bool, whole bool) {
	order := each.Index(len(all))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].rank, all[b].rank) })
	taken, whole = make([]bool, len(all)), true
	full := -1 // the rank that has no room for more
	for _, i := range order {
		it := all[i]
		if it.rank == full || it.below >= 0 && !taken[it.below] {
			whole = false
			continue
		}
		if n := len(it.text()); n <= room {
			taken[i], room = true, room-n
			continue
		}
		full, whole = it.rank, false
		if it.rank == rankVerdict {
			break
		}
	}
	return taken, whole
}

func join(all []*item, taken []bool) string {
	var b strings.Builder
	for i, it := range all {
		if taken[i] {
			b.WriteString(it.text())
		}
	}
	return b.String()
}

func missing(all []*item, taken []bool) string {
	var order []string
	number := map[string]int{}
	for i, it := range all {
		if taken[i] {
			continue
		}
		if number[it.noun] == 0 {
			order = append(order, it.noun)
		}
		number[it.noun]++
	}
	return "left out: " + words.List(order, func(noun string) string { return words.Plural(number[noun], noun, noun+"s") }) + "\n"
}

// nouns are what the tests of a group are called; those of later groups are not listed.
var nouns = [standing.Passed]string{"failed test", "errored test", "undecided test", "quarantined test", "flaky test"}

// ranked are the tests that are listed: by group, in it those that said something first, then
// those that passed least often, then in the order of the envelope.
func ranked(tests []envelope.Test) []*envelope.Test {
	out := standing.Where(tests, func(t *envelope.Test) bool { return standing.GroupOf(t) < standing.Passed })
	slices.SortStableFunc(out, func(a, b *envelope.Test) int {
		return cmp.Or(cmp.Compare(standing.GroupOf(a), standing.GroupOf(b)), cmp.Compare(silent(a), silent(b)), cmp.Compare(rate(a), rate(b)))
	})
	return out
}

func silent(t *envelope.Test) int {
	if slices.ContainsFunc(t.Details, func(d envelope.Detail) bool { return d.Message != "" || d.Output != "" }) {
		return 0
	}
	return 1
}

func rate(t *envelope.Test) float64 {
	if t.Rate.PerProtocol == nil {
		return 0
	}
	return t.Rate.PerProtocol.Value
}
