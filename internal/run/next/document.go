package next

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/words"
)

// Document is which trials to run next: the tests of the highest indices, and how many others in which state.
func (p *Plan) Document() *block.Document {
	title := "Nothing to run"
	if len(p.Trials) > 0 {
		title = fmt.Sprintf("%s to run next, as run %s", words.Plural(len(p.Trials), "trial", "trials"), p.Run)
	}
	part := block.Part{ID: "next", Title: title, Remark: "rule " + p.Rule + ", cheapest verdict first"}
	fixed := len(p.Trials) > 0 && !slices.ContainsFunc(p.Trials, func(t Trial) bool { return t.Adaptive })
	switch {
	case fixed:
		part.Remark = "rule " + p.Rule + ": every test gets all its trials, failed or not"
	case p.For == ForFail:
		part.Remark = "rule " + p.Rule + ", cheapest failure first"
	}
	if t := p.openTests(fixed); len(t.Rows) > 0 {
		part.Add(t)
	}
	part.Add(&block.List{Items: append([]block.Text{{Words: p.Standings()}}, refusals(p.Tests)...)})
	return &block.Document{Tab: title, Title: title, Parts: []block.Part{part}}
}

func (p *Plan) openTests(fixed bool) *block.Table {
	titles, legend := []string{"Test", "Passed", "Left", "Next"}, "Left: trials until it has all of them. Next: trials to run now."
	if !fixed {
		titles = []string{"Test", "Passed", "Priority", "Needs", "Next"}
		legend = "Priority: expected verdicts per unit of cost. Needs: the fewest trials that can still decide. Next: trials to run now."
	}
	t := &block.Table{Title: "Open tests", Columns: block.Columns(titles...),
		Noun: block.Noun{One: "open test", Many: "open tests"}, Legend: legend}
	t.Columns[0].Name, t.Columns[2].Keep, t.Columns[len(titles)-2].Keep = true, 1, 2
	open := slices.DeleteFunc(slices.Clone(p.Tests), func(t Test) bool { return t.State != StateOpen })
	slices.SortStableFunc(open, func(a, b Test) int { return cmp.Compare(b.Index.V, a.Index.V) })
	for _, of := range open {
		const mostOpen = 10 // how many tests are listed beside those of the batch
		if of.Batch == 0 && len(t.Rows) >= mostOpen {
			t.More++
			continue
		}
		t.Keys = append(t.Keys, of.Key)
		row := []string{of.Key.String(), fmt.Sprintf("%d/%d", of.Passed, of.Counted), words.Count(of.Near), words.Count(of.Batch)}
		if !fixed {
			row = slices.Insert(row, 2, strconv.FormatFloat(of.Index.V, 'g', 3, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Standings counts the tests by state.
func (p *Plan) Standings() string {
	counts := map[string]int{}
	for _, t := range p.Tests {
		counts[t.State]++
	}
	line := words.Plural(len(p.Tests), "test", "tests") + words.Around(": ", words.Some(States, func(state string) string {
		return words.If(counts[state] > 0, words.Count(counts[state])+" "+stateWords[state])
	}))
	line += words.If(p.SpentUSD.OK, "; "+words.Dollars(p.SpentUSD.V)+" spent")
	if p.MaxCostUSD.OK {
		line += map[bool]string{true: " of ", false: "; cost limit "}[p.SpentUSD.OK] + words.Dollars(p.MaxCostUSD.V)
	}
	return line
}

var stateWords = map[string]string{
	StateOpen: "open", string(envelope.EndedDecided): "decided", StateContradicted: "contradicted",
	string(envelope.EndedFull): "with all trials run",
	string(envelope.EndedCost): "stopped by cost", string(envelope.EndedInfrastructure): "broken by infrastructure",
	string(envelope.EndedCheck): "that cannot be tried", StateRefused: "refused",
}

func refusals(tests []Test) (all []block.Text) {
	at, count := map[string]int{}, map[string]int{}
	for _, t := range tests {
		if t.Why == "" {
			continue
		}
		if count[t.Why]++; count[t.Why] == 1 {
			at[t.Why] = len(all)
			all = append(all, block.Text{Name: t.Key.String(), Words: ": " + t.Why})
		}
	}
	for why, n := range count {
		if n > 1 {
			all[at[why]].Words = "and " + words.Plural(n-1, "more", "more") + ": " + why
		}
	}
	return all
}

// runPrefix begins the names of runs that are made here; next-2 stands before next-10.
const runPrefix = "next-"

// nextRunName is a name of a run that sorts behind those of all trials.
func nextRunName(run *envelope.Run) string {
	last := ""
	see := func(name string) {
		if envelope.CompareNames(name, last) > 0 {
			last = name
		}
	}
	for i := range run.Tests {
		rows := run.Tests[i].Rows
		if !rows.Run().Used() {
			continue
		}
		for row := range rows.Len() {
			see(rows.Run().At(row))
		}
	}
	at := strings.LastIndex(last, runPrefix)
	if at >= 0 {
		if n, err := strconv.Atoi(last[at+len(runPrefix):]); err == nil && n >= 0 {
			return last[:at+len(runPrefix)] + strconv.Itoa(n+1)
		}
	}
	name := runPrefix + "1"
	if last != "" && envelope.CompareNames(name, last) < 0 {
		return last + "+" + name
	}
	return name
}

func isPlan(run string) bool {
	at := strings.LastIndex(run, runPrefix)
	if at < 0 {
		return false
	}
	_, err := strconv.Atoi(run[at+len(runPrefix):])
	return err == nil
}
