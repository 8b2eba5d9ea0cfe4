package parting

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/stats"
)

// Uses collects of each tool how the trials that called it ended and how those
// that did not, test by test.
type Uses struct {
	table  *Table
	strata [][]stats.Table // by number of the name
}

// NewUses collects nothing yet.
func NewUses(t *Table) *Uses { return &Uses{table: t, strata: make([][]stats.Table, len(t.words))} }

// tally counts trials by how they ended.
type tally struct{ passed, n int }

func (t *tally) add(passed bool) {
	t.n++
	if passed {
		t.passed++
	}
}

// Add adds the trials of one test that count. A tool is compared where some called
// it and some did not, and some passed and some did not. Of a trial of which later
// steps are not known it is not known that it did not call a tool.
func (u *Uses) Add(trials []Trial) {
	var whole tally                  // trials of which all steps are known
	called := map[uint32]*[2]tally{} // by name: of these, and of those that are cut
	for _, trial := range trials {
		if !trial.Cut {
			whole.add(trial.Passed)
		}
		for _, name := range u.table.namesOf(trial) {
			if called[name] == nil {
				called[name] = &[2]tally{}
			}
			called[name][cut(trial)].add(trial.Passed)
		}
	}
	for name, c := range called {
		with := tally{passed: c[0].passed + c[1].passed, n: c[0].n + c[1].n}
		without := tally{passed: whole.passed - c[0].passed, n: whole.n - c[0].n}
		if passed := with.passed + without.passed; without.n > 0 && passed > 0 && passed < with.n+without.n {
			u.strata[name] = append(u.strata[name], stats.Table{Passed1: with.passed, N1: with.n, Passed2: without.passed, N2: without.n})
		}
	}
}

func cut(t Trial) int {
	if t.Cut {
		return 1
	}
	return 0
}

// namesOf are the tools that a trial called, each once.
func (t *Table) namesOf(trial Trial) []uint32 {
	names := each.Of(trial.Steps, func(place uint32) uint32 { return t.names[place] })
	slices.Sort(names)
	return slices.Compact(names)
}

// Found compares each tool within the tests, by the difference of Mantel and Haenszel and its exact
// conditional p, adjusted by Benjamini and Hochberg over the tools; the smallest p first. Tools of
// which no test says anything are left out.
func (u *Uses) Found() (uses []envelope.StepUse) {
	var p []float64
	for name, strata := range u.strata {
		if len(strata) == 0 {
			continue
		}
		const noInterval = 0 // few tests are too few for one
		m := stats.NewMantelHaenszel(strata, noInterval)
		use := envelope.StepUse{Name: u.table.words[name], Tests: m.Informative, Difference: m.Difference, P: m.P, Method: envelope.PExact}
		if !m.Exact {
			use.Method = envelope.PChi2
		}
		uses, p = append(uses, use), append(p, m.P)
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		uses[i].Adjusted = adjusted
	}
	slices.SortFunc(uses, func(a, b envelope.StepUse) int { return cmp.Or(cmp.Compare(a.P, b.P), strings.Compare(a.Name, b.Name)) })
	return uses
}

// ArgumentsOf looks the arguments of a step up in the conversations of a test that
// were kept. Calls of tools to ignore are no steps.
func ArgumentsOf(env *envelope.Envelope, t *envelope.Test, ignore []string) Arguments {
	return func(trial Trial, step int) (text string, ok bool) {
		turns, _ := env.Transcript(t, trial.Row)
		for i := range turns {
			if turns[i].LeftOut > 0 {
				break // from here on calls are missing
			}
			for _, call := range turns[i].ToolCalls {
				switch {
				case slices.Contains(ignore, call.Name):
				case step == 0:
					return call.Arguments, true
				default:
					step--
				}
			}
		}
		return "", false
	}
}

// Differing is of two calls of one tool, by the JSON texts of their arguments, what
// distinguishes them, in short.
func Differing(first, second string) (string, string) {
	calls := []values{valuesOf(first), valuesOf(second)}
	keys := differing(calls)
	return calls[0].show(keys), calls[1].show(keys)
}

// Table is the steps of a run, numbered as its trials name them.
type Table struct {
	steps   []envelope.Step
	names   []uint32 // of each step, the number of its name
	words   []string // by number
	ignored []bool   // by step
}

// NewTable numbers the names of steps. It skips steps of ignored tools.
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
	return each.Of(t.kept(places), func(place uint32) envelope.Step { return t.steps[place] })
}

// Tools are the names of the steps at places of the table, each once, without those to ignore.
func (t *Table) Tools(places []uint32) []string {
	numbers := t.namesOf(Trial{Steps: t.kept(places)})
	return each.Of(numbers, func(n uint32) string { return t.words[n] })
}
