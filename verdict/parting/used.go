package parting

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
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
	names := make([]uint32, len(trial.Steps))
	for i, place := range trial.Steps {
		names[i] = t.names[place]
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Found compares each tool within the tests, by the difference of Mantel and
// Haenszel and its exact conditional p, adjusted by Benjamini and Hochberg over
// the tools; the smallest p first. Tools of which no test says anything are left
// out.
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
