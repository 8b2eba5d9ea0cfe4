package envelope

import (
	"slices"
	"strings"
)

// MostChecks is how many checks of a trial are kept.
const MostChecks = 200

// NotChecked stands in a column of checks for a trial that lacks the check.
const NotChecked Outcome = '.'

// Checks are the checks of the trials of a test, a column each, by name.
type Checks []CheckColumn

// CheckColumn is one check in the order of the rows. Rows behind its end lack it.
type CheckColumn struct {
	Name    string
	Outcome []Outcome // set when the run is judged: P, F, E, S, or NotChecked
	Given   []Given   // the status it came with, Undecided with a score only; NotChecked
	Score   Column[float64]
	// Votes are how many judgements of the check there were in a trial that was judged
	// several times or once by a vote, and VotesPassed how many of them passed. Those
	// that were skipped are in neither.
	Votes, VotesPassed Column[int32]
}

// Checked is what is kept of one check of a trial.
type Checked struct {
	Given              Given
	Score              Opt[float64]
	Votes, VotesPassed Opt[int32]
}

// Row gives what the check was in row i; Given is NotChecked where the trial lacks it.
func (c *CheckColumn) Row(i int) Checked {
	return Checked{Given: c.GivenAt(i), Score: c.Score.Opt(i), Votes: c.Votes.Opt(i), VotesPassed: c.VotesPassed.Opt(i)}
}

// At is the outcome of the check in row i, NotChecked where the trial lacks it.
func (c *CheckColumn) At(i int) Outcome {
	if i >= len(c.Outcome) {
		return NotChecked
	}
	return c.Outcome[i]
}

// GivenAt is the status that the check came with in row i.
func (c *CheckColumn) GivenAt(i int) Given {
	if i >= len(c.Given) {
		return Given(NotChecked)
	}
	return c.Given[i]
}

// Compare orders columns by name.
func (c CheckColumn) Compare(o CheckColumn) int { return strings.Compare(c.Name, o.Name) }

// Of is the column of a check, nil when no trial has it.
func (c Checks) Of(name string) *CheckColumn {
	at, ok := slices.BinarySearchFunc(c, name, func(c CheckColumn, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	return &c[at]
}

// Set puts a check into row n, which must lie behind the rows set before in its
// column.
func (c *Checks) Set(n int, name string, is Checked) {
	at, ok := slices.BinarySearchFunc(*c, name, func(c CheckColumn, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		*c = slices.Insert(*c, at, CheckColumn{Name: name})
	}
	column := &(*c)[at]
	for len(column.Given) < n {
		column.Given = append(column.Given, Given(NotChecked))
	}
	column.Given = append(column.Given, is.Given)
	column.Score.Put(n, is.Score)
	column.Votes.Put(n, is.Votes)
	column.VotesPassed.Put(n, is.VotesPassed)
}

func (c *Checks) extend(n int, from Checks, lo, hi int) {
	for i := range from {
		column := &from[i]
		for row := lo; row < min(hi, len(column.Given)); row++ {
			if column.Given[row] != Given(NotChecked) {
				c.Set(n+row-lo, column.Name, column.Row(row))
			}
		}
	}
}

func (c Checks) pick(order []int) Checks {
	var out Checks
	for i := range c {
		for row, from := range order {
			if c[i].GivenAt(from) != Given(NotChecked) {
				out.Set(row, c[i].Name, c[i].Row(from))
			}
		}
	}
	return out
}

// Any reports whether a row has a check.
func (c Checks) Any(row int) bool {
	return slices.ContainsFunc(c, func(c CheckColumn) bool { return c.GivenAt(row) != Given(NotChecked) })
}
