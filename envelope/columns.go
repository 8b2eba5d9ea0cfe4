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

// Row returns the check of row i; Given is NotChecked if the trial lacks the check.
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

// Set puts a check into row n, which must lie behind the rows set before in its column.
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

// Columns are trials of one test or of several, one row a trial, while they are put
// together. Given has a cell for every row; the other columns may be shorter or nil.
type Columns struct {
	Given      []Given
	Attempt    Column[int32]
	Run        Words
	Source     Column[int32] // index into RunHeader.Sources, past its end into SharedSources
	Retry      Flags
	Truth      Truths
	RawStatus  Words
	ErrorClass Words
	Score      Column[float64]
	Category   Column[int32]
	DurationMS Column[float64]
	SetupMS    Column[float64]
	CostUSD    Column[float64]
	SetupCost  Column[float64]
	Tokens     Column[int64]
	ToolCalls  Column[int32]
	StartedAt  Column[int64] // nanoseconds since 1970, UTC
	// Digest is a number made of the labels of a trial, and of message and output of one that did not pass, without
	// their secrets, so that two trials that differ only there are not taken for one. So is what is
	// inside a trial: its checks, and all that was said and called.
	Digest Column[int64]
	Reason Column[int32] // index into Run.Reasons: why the trial did not pass
	Inside
}

// Inside is what is inside trials, in the order of their rows.
type Inside struct {
	Checks Checks
	Steps  Steps
	// StepsTotal is how many steps there were, of trials with more than MostSteps.
	StepsTotal Column[int32]
}

// Append appends a trial. Its words go to the dictionary, which must be that of the trials before.
func (c *Columns) Append(w *Row, d *Dictionary) {
	n := len(c.Given)
	c.Given = append(c.Given, w.Given)
	c.Attempt.Put(n, w.Attempt)
	c.Run.put(n, w.Run, d)
	c.Source.Put(n, Opt[int32]{V: w.Source, OK: w.Source != 0})
	c.Retry.put(n, w.Retry)
	c.Truth.put(n, w.Truth)
	c.RawStatus.put(n, w.RawStatus, d)
	c.ErrorClass.put(n, w.ErrorClass, d)
	c.Score.Put(n, w.Score)
	c.Category.Put(n, w.Category)
	c.DurationMS.Put(n, w.DurationMS)
	c.SetupMS.Put(n, w.SetupMS)
	c.CostUSD.Put(n, w.CostUSD)
	c.SetupCost.Put(n, w.SetupCost)
	c.Tokens.Put(n, w.Tokens)
	c.ToolCalls.Put(n, w.ToolCalls)
	c.StartedAt.Put(n, w.StartedAt)
	c.Digest.Put(n, w.Digest)
	c.Reason.Put(n, w.Reason)
}

// Extend appends the rows lo to hi of others. A column that begins here
// gets room for as many cells.
func (c *Columns) Extend(from *Columns, lo, hi, room int) {
	n := len(c.Given)
	c.Given = append(c.Given, from.Given[lo:hi]...)
	c.Attempt.extend(n, from.Attempt, lo, hi, room)
	c.Run.extend(n, from.Run, lo, hi, room)
	c.Source.extend(n, from.Source, lo, hi, room)
	extend((*[]bool)(&c.Retry), n, false, from.Retry, lo, hi, room)
	c.Truth.extend(n, from.Truth, lo, hi, room)
	c.RawStatus.extend(n, from.RawStatus, lo, hi, room)
	c.ErrorClass.extend(n, from.ErrorClass, lo, hi, room)
	c.Score.extend(n, from.Score, lo, hi, room)
	c.Category.extend(n, from.Category, lo, hi, room)
	c.DurationMS.extend(n, from.DurationMS, lo, hi, room)
	c.SetupMS.extend(n, from.SetupMS, lo, hi, room)
	c.CostUSD.extend(n, from.CostUSD, lo, hi, room)
	c.SetupCost.extend(n, from.SetupCost, lo, hi, room)
	c.Tokens.extend(n, from.Tokens, lo, hi, room)
	c.ToolCalls.extend(n, from.ToolCalls, lo, hi, room)
	c.StartedAt.extend(n, from.StartedAt, lo, hi, room)
	c.Digest.extend(n, from.Digest, lo, hi, room)
	c.Reason.extend(n, from.Reason, lo, hi, room)
	c.Checks.extend(n, from.Checks, lo, hi)
	c.Steps.extend(n, from.Steps, lo, hi)
	c.StepsTotal.extend(n, from.StepsTotal, lo, hi, room)
}

// Clear removes all rows and keeps the memory of the columns.
func (c *Columns) Clear() {
	*c = Columns{
		Given: c.Given[:0], Attempt: c.Attempt[:0], Run: c.Run.cleared(), Source: c.Source[:0], Retry: c.Retry[:0], Truth: c.Truth[:0],
		RawStatus: c.RawStatus.cleared(), ErrorClass: c.ErrorClass.cleared(), Score: c.Score[:0], Category: c.Category[:0],
		DurationMS: c.DurationMS[:0], SetupMS: c.SetupMS[:0], CostUSD: c.CostUSD[:0], SetupCost: c.SetupCost[:0],
		Tokens: c.Tokens[:0], ToolCalls: c.ToolCalls[:0], StartedAt: c.StartedAt[:0], Digest: c.Digest[:0], Reason: c.Reason[:0],
	}
}

// Pick returns the rows order[0], order[1], … as Columns of their own.
func (c *Columns) Pick(order []int) Columns {
	given := make([]Given, len(order))
	for i, from := range order {
		given[i] = c.Given[from]
	}
	return Columns{
		Given: given, Attempt: c.Attempt.pick(order), Run: c.Run.pick(order), Source: c.Source.pick(order), Retry: c.Retry.pick(order),
		Truth:     c.Truth.pick(order),
		RawStatus: c.RawStatus.pick(order), ErrorClass: c.ErrorClass.pick(order), Score: c.Score.pick(order), Category: c.Category.pick(order),
		DurationMS: c.DurationMS.pick(order), SetupMS: c.SetupMS.pick(order), CostUSD: c.CostUSD.pick(order), SetupCost: c.SetupCost.pick(order),
		Tokens: c.Tokens.pick(order), ToolCalls: c.ToolCalls.pick(order), StartedAt: c.StartedAt.pick(order), Digest: c.Digest.pick(order),
		Reason: c.Reason.pick(order),
		Inside: Inside{Checks: c.Checks.pick(order), Steps: c.Steps.pick(order), StepsTotal: c.StepsTotal.pick(order)},
	}
}

// Row gives row i without its checks and steps, which its digest stands for.
func (c *Columns) Row(i int) Row {
	source, _ := c.Source.At(i)
	return Row{
		Given: c.Given[i], Attempt: c.Attempt.Opt(i), Run: c.Run.At(i), Source: source, Retry: c.Retry.At(i), Truth: c.Truth.given(i),
		RawStatus: c.RawStatus.At(i), ErrorClass: c.ErrorClass.At(i), Score: c.Score.Opt(i), Category: c.Category.Opt(i),
		DurationMS: c.DurationMS.Opt(i), SetupMS: c.SetupMS.Opt(i), CostUSD: c.CostUSD.Opt(i), SetupCost: c.SetupCost.Opt(i),
		Tokens: c.Tokens.Opt(i), ToolCalls: c.ToolCalls.Opt(i), StartedAt: c.StartedAt.Opt(i), Digest: c.Digest.Opt(i), Reason: c.Reason.Opt(i),
	}
}

// Row is one trial of Rows by itself.
type Row struct {
	Given                 Given
	Attempt               Opt[int32]
	Run                   string
	Source                int32
	Retry                 bool
	Truth                 Given // 0 without a label
	RawStatus, ErrorClass string
	Score                 Opt[float64]
	Category              Opt[int32]
	DurationMS, SetupMS   Opt[float64]
	CostUSD, SetupCost    Opt[float64]
	Tokens                Opt[int64]
	ToolCalls             Opt[int32]
	StartedAt, Digest     Opt[int64]
	Reason                Opt[int32] // index into Run.Reasons
}

// Row returns the trial without its texts and without their digest, which count.Builder adds.
func (t *Trial) Row() Row {
	return Row{
		Given: GivenOf(t.Status), Attempt: t.Attempt, Run: t.Run, Retry: t.Retry, Truth: truthOf(t.Truth), RawStatus: t.RawStatus,
		ErrorClass: t.ErrorClass,
		Score:      t.Score, Category: t.Category, DurationMS: t.DurationMS, SetupMS: t.SetupMS, CostUSD: t.CostUSD, SetupCost: t.SetupCostUSD,
		Tokens: t.Tokens, ToolCalls: t.ToolCalls, StartedAt: instant(t.StartedAt),
	}
}

// Excluded reports whether the error class of the trial says that the test was not really tried.
func (w *Row) Excluded() bool {
	_, excluded := excludedClass(w.ErrorClass, w.ToolCalls)
	return excluded
}

func excludedClass(class string, calls Opt[int32]) (shown string, excluded bool) {
	switch class {
	case ClassInfrastructure, ClassPreValidation, ClassEmptyRun, ClassErrorRate:
		return class, true
	case ClassTimeout:
		return ClassIdleTimeout, calls.OK && calls.V == 0
	}
	return "", false
}
