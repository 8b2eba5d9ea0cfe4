package parting

import (
	"slices"

	"tribunal/envelope"
)

// Table is the steps of a run, numbered as its trials name them.
type Table struct {
	steps   []envelope.Step
	names   []uint32 // of each step, the number of its name
	words   []string // by number
	ignored []bool   // by step
}

// NewTable numbers the names of steps. Steps of tools to ignore are passed over
// as if no trial had made them.
func NewTable(steps []envelope.Step, ignore []string) *Table {
	t := &Table{steps: steps, names: make([]uint32, len(steps)), ignored: make([]bool, len(steps))}
	numbers := map[string]uint32{}
	for i, s := range steps {
		n, seen := numbers[s.Name]
		if !seen {
			n = uint32(len(t.words))
			numbers[s.Name], t.words = n, append(t.words, s.Name)
		}
		t.names[i], t.ignored[i] = n, slices.Contains(ignore, s.Name)
	}
	return t
}

// Trial is what a counted trial did, and how it ended.
type Trial struct {
	Row    int      // in its test
	Steps  []uint32 // places in the table
	Cut    bool     // it made more steps, which are not known
	Passed bool
}

// Trial is a counted trial with the steps that are kept of it, without those to
// ignore. It made total steps, which may be more.
func (t *Table) Trial(row int, steps []uint32, total int, passed bool) Trial {
	return Trial{Row: row, Steps: t.kept(steps), Cut: total > len(steps), Passed: passed}
}

// kept are the steps without those to ignore; mostly all of them, as they are.
func (t *Table) kept(steps []uint32) []uint32 {
	ignored := func(place uint32) bool { return t.ignored[place] }
	if !slices.ContainsFunc(steps, ignored) {
		return steps
	}
	return slices.DeleteFunc(slices.Clone(steps), ignored)
}

// Steps are those at places of the table, without those to ignore.
func (t *Table) Steps(places []uint32) []envelope.Step {
	steps := make([]envelope.Step, 0, len(places))
	for _, place := range t.kept(places) {
		steps = append(steps, t.steps[place])
	}
	return steps
}

// Tools are the names of the steps at places of the table, each once, without those
// to ignore.
func (t *Table) Tools(places []uint32) []string {
	numbers := t.namesOf(Trial{Steps: t.kept(places)})
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = t.words[n]
	}
	return names
}

func passes(trials []Trial) (passed int) {
	for _, t := range trials {
		if t.Passed {
			passed++
		}
	}
	return passed
}
