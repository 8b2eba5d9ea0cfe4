package pretty

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/run/next"
)

// nextRows is how many tests are listed beside those of the batch.
const nextRows = 10

// WriteNext writes which trials to run next: the tests of the highest indices, and
// how many others there are in which state.
func WriteNext(w io.Writer, p *next.Plan, o Options) error {
	if p == nil {
		return errors.New("pretty: no trials to name")
	}
	r := newReport(&envelope.Envelope{}, o)
	aim := "a verdict for the least money"
	if p.For == next.ForFail {
		aim = "a fail for the least money"
	}
	title := "Nothing to run"
	if len(p.Trials) > 0 {
		title = fmt.Sprintf("%s to run next, as run %s", words.Plural(len(p.Trials), "trial", "trials"), text.Line(p.Run))
	}
	r.planPart(title, "rule "+p.Rule+", "+aim)
	open := slices.DeleteFunc(slices.Clone(p.Tests), func(t next.Test) bool { return t.State != next.StateOpen })
	slices.SortStableFunc(open, func(a, b next.Test) int { return cmp.Compare(b.Index.V, a.Index.V) })
	var rows [][]string
	more := 0
	for _, t := range open {
		if t.Batch == 0 && len(rows) >= nextRows {
			more++
			continue
		}
		batch := "~"
		if t.Batch > 0 {
			batch = words.Count(t.Batch)
		}
		rows = append(rows, []string{text.Line(t.Key.String()), fmt.Sprintf("%d/%d", t.Passed, t.Counted), strconv.FormatFloat(t.Index.V, 'f', 6, 64), words.Count(t.Near), batch})
	}
	if len(rows) > 0 {
		if _, err := r.cells([]string{"Test", "Passed", "Index", "Near", "Next"}, rows); err != nil {
			return err
		}
		if more > 0 {
			r.say("and %s.", words.Plural(more, "more undecided test", "more undecided tests"))
		}
		r.text("", "", r.ink.faint.Render("Index: verdicts per cost of a trial. Near: the fewest further trials that can decide."), 3)
	}
	r.line("")
	r.text("", "  ", standings(p), 4)
	for _, why := range refusals(p.Tests) {
		r.text("", "  ", why, 4)
	}
	_, err := r.out.WriteTo(w)
	return err
}

// standings counts the tests by their states.
func standings(p *next.Plan) string {
	counts := map[string]int{}
	for _, t := range p.Tests {
		counts[t.State]++
	}
	parts := []string{}
	for _, state := range next.States {
		if n := counts[state]; n > 0 {
			parts = append(parts, words.Count(n)+" "+stateInWords[state])
		}
	}
	line := words.Plural(len(p.Tests), "test", "tests")
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if p.SpentUSD.OK {
		line += "; " + words.Dollars(p.SpentUSD.V) + " spent"
	}
	if p.MaxCostUSD.OK {
		line += " of " + words.Dollars(p.MaxCostUSD.V)
	}
	return line
}

var stateInWords = map[string]string{
	next.StateOpen: "open", string(envelope.EndedDecided): "decided", string(envelope.EndedFull): "with all their trials",
	string(envelope.EndedCost): "stopped by cost", string(envelope.EndedInfrastructure): "broken by infrastructure",
	string(envelope.EndedCheck): "that cannot be tried", next.StateRefused: "refused",
}

// refusals are the reasons, each with the first test that it is true of.
func refusals(tests []next.Test) (lines []string) {
	first := map[string]string{}
	var order []string
	count := map[string]int{}
	for _, t := range tests {
		if t.Why == "" {
			continue
		}
		if count[t.Why]++; count[t.Why] == 1 {
			first[t.Why] = text.Line(t.Key.String())
			order = append(order, t.Why)
		}
	}
	for _, why := range order {
		line := first[why]
		if n := count[why] - 1; n > 0 {
			line += " and " + words.Plural(n, "more", "more")
		}
		lines = append(lines, line+": "+why)
	}
	return lines
}
