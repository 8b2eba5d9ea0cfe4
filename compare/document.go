package compare

import (
	"cmp"
	"fmt"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/words"
)

// How many tests are listed: all that changed up to a bound that nobody reads, and of
// those that only might have changed the nearest ones.
const (
	mostChanged = 500
	mostMaybe   = 15
)

// Document is the comparison as titles, facts and tables: of each candidate the tests
// with what matters first, and the run as a whole.
func (c *Comparison) Document() *block.Document {
	if c == nil {
		return nil
	}
	d := &block.Document{Named: true, Problems: c.Problems, Gate: &block.Gate{Status: c.Gate.Status, Exit: c.Gate.ExitCode, Reasons: c.Gate.Reasons}}
	var names []string
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		names = append(names, cmp.Or(x.Candidate.Name, "candidate"))
		part := block.Part{Title: c.titleOf(names[i]), About: []block.Fact{c.Base.fact("base", x.ByScore()), x.Candidate.fact("candidate", x.ByScore()), {Words: c.Settings.Words()}}}
		shown, hidden := x.Shown(mostChanged, mostMaybe)
		part.Blocks = x.blocks(c, shown, hidden)
		part.Summary = x.facts()
		d.Parts = append(d.Parts, part)
	}
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	d.Title = c.titleOf(strings.Join(names, ", "))
	return d
}

func (c *Comparison) titleOf(candidates string) string {
	return strings.TrimPrefix(c.By+" "+candidates+" against "+cmp.Or(c.Base.Name, "base"), " ")
}

// fact is a run in numbers; what passed of scores depends on where they are cut.
func (s *Side) fact(word string, byScore bool) block.Fact {
	numbers := words.Plural(s.Tests, "test", "tests") + ", " + words.Plural(s.Trials.Counted, "counted trial", "counted trials")
	if rate := s.Rate.PerProtocol; rate != nil && !byScore {
		numbers += ", " + words.Percent(rate.Value) + " % passed"
	}
	commit := s.Run.Commit
	if commit != "" {
		commit = "commit " + words.Commit(commit)
	}
	return block.Fact{Label: word, Names: []string{cmp.Or(s.Run.Name, s.Run.ID), commit}, Words: numbers}
}

// blocks are the tests of a candidate.
func (c *Contrast) blocks(of *Comparison, shown []*Test, hidden map[State]int) (all []block.Block) {
	if len(shown) > 0 {
		all = append(all, changeTable(of.Settings, shown))
	}
	if stands := c.StandsWords(); stands != "" {
		all = append(all, block.Text{Words: stands, Aside: true})
	}
	inside := &block.List{Title: "Inside their trials", Noun: block.Noun{One: "test from inside", Many: "tests from inside"}}
	for _, t := range shown {
		if lines := t.InsideWords(); len(lines) > 0 {
			inside.Items = append(inside.Items, block.Text{Name: t.Key.RunnerName(), Under: lines})
		}
	}
	if rest := hiddenWords(hidden); rest != "" {
		all = append(all, block.Text{Words: "Not listed: " + rest, Aside: true})
	}
	return append(all, inside, singles("Gone", c.Gone), singles("New", c.New))
}

// singles are tests that only one side has.
func singles(title string, tests []Single) *block.List {
	noun := strings.ToLower(title) + " test"
	l := &block.List{Title: title, Noun: block.Noun{One: noun, Many: noun + "s"}}
	for i := range tests {
		t := &tests[i]
		l.Items = append(l.Items, block.Text{Mark: t.Status, Words: words.Count(t.Passed) + "/" + words.Count(t.N), Others: []string{cmp.Or(t.Key.RunnerName(), "(no name)")}})
	}
	return l
}

var tones = map[State]block.Tone{Regressed: block.Bad, Improved: block.Good, Unresolved: block.Open}

// changeTable is tests on both sides.
func changeTable(s Settings, tests []*Test) *block.Table {
	t := &block.Table{Title: "Tests on both sides", Noun: block.Noun{One: "test", Many: "tests"}, Legend: strings.Join(legend(tests), " · "),
		Columns: []block.Column{{Title: "State", Left: true}, {Title: "Test", Left: true, Name: true}, {Title: "Base", Keep: 7}, {Title: "Cand", Keep: 8}, {Title: "Points", Keep: 6},
			{Title: words.Level(s.Confidence) + " interval", Left: true, Keep: 4}, {Title: "p", Keep: 5, Legend: outsideLegend(tests, s)}, {Title: "Newly", Left: true, Keep: 3},
			{Title: "Score", Keep: 2}, {Title: "Time", Keep: 2}, {Title: "Cost", Keep: 1}}}
	for _, of := range tests {
		interval := ""
		if of.Difference != nil {
			interval = of.Difference.Interval()
		}
		t.Keys, t.Tones = append(t.Keys, of.Key), append(t.Tones, tones[of.State])
		t.Rows = append(t.Rows, []string{of.State.Word(), of.Key.RunnerName(), of.Compared(of.Base.Trials), of.Compared(of.Candidate.Trials), of.Points(),
			interval, of.DecidingP(), of.Newly, of.ScorePoints(), of.DurationMS.Relative(), of.CostUSD.Relative()})
	}
	return t
}

// facts are the tests by state and the run as one.
func (c *Contrast) facts() []block.Fact {
	run := &c.Run
	all := []block.Fact{{Words: words.Plural(c.Summary.Tests, "test", "tests") + ": " + c.Summary.Tally()}}
	if run.Difference == nil {
		return append(all, block.Fact{Label: "Run", Words: run.Reason})
	}
	all = append(all, block.Fact{Label: "Run", Tone: tones[run.State], Mark: strings.ToUpper(string(run.State)), Words: run.Sentence()}, block.Fact{Label: "Score", Words: run.ScoreWords()},
		block.Fact{Label: "Time", Words: run.DurationMS.typical(c.SureWords(Took), words.Duration)}, block.Fact{Label: "Cost", Words: run.CostUSD.typical(c.SureWords(Paid), words.Dollars)})
	for _, line := range c.InsideWords() {
		all = append(all, block.Fact{Label: "Inside", Words: line})
	}
	return all
}

// typical is what a trial took before and now; ~ where chance explains it.
func (m *Measurement) typical(single string, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	p := "?"
	if m.PValue.OK {
		p = words.Probability(m.PValue.V)
	}
	return fmt.Sprintf("typically %s before, %s now: %s (p %s)%s", unit(m.Base), unit(m.Candidate), m.Relative(), p, m.ApartFrom()+single)
}
