package envelope

import (
	"cmp"
	"slices"
)

// Rows are the trials of one test, one row a trial: a stretch of Columns, which tests share that
// were counted together. A test is a few words then, however many columns there are. Its cells are
// had by the methods of their names: nil while no trial of the test has one.
type Rows struct {
	Outcome Outcomes // set when the run is judged
	Given   []Given
	columns *Columns
	inside  *Inside // nil while nothing is inside of any trial
	from    uint32  // where the rows begin in the columns
	used    uint32  // the columns that a trial has a cell in, a bit each
}

// A bit for each column that tests may share.
const (
	usedAttempt = 1 << iota
	usedRun
	usedSource
	usedRetry
	usedTruth
	usedRawStatus
	usedErrorClass
	usedScore
	usedCategory
	usedDurationMS
	usedSetupMS
	usedCostUSD
	usedSetupCost
	usedTokens
	usedToolCalls
	usedStartedAt
	usedDigest
	usedReason
)

// Rows are the columns as the trials of one test, not judged. They share their cells.
func (c Columns) Rows() *Rows {
	own := &struct { // one allocation: there may be a million of them
		Rows
		Columns
	}{Columns: c}
	own.Rows = own.Columns.Stretch(0, len(c.Given))
	if c.Inside.any() {
		own.inside = &own.Columns.Inside
	}
	return &own.Rows
}

func (i *Inside) any() bool { return len(i.Checks) > 0 || i.Steps.Used() || i.StepsTotal != nil }

// Stretch is the rows lo to hi as the trials of one test, which has the columns that one
// of them has a cell in, and nothing inside.
func (c *Columns) Stretch(lo, hi int) Rows {
	r := Rows{Given: c.Given[lo:hi:hi], columns: c, from: uint32(lo)}
	find(&r, usedAttempt, c.Attempt, Absent[int32]())
	find(&r, usedRun, c.Run.IDs, 0)
	find(&r, usedSource, c.Source, Absent[int32]())
	find(&r, usedRetry, c.Retry, false)
	find(&r, usedTruth, c.Truth, 0)
	find(&r, usedRawStatus, c.RawStatus.IDs, 0)
	find(&r, usedErrorClass, c.ErrorClass.IDs, 0)
	find(&r, usedScore, c.Score, Absent[float64]())
	find(&r, usedCategory, c.Category, Absent[int32]())
	find(&r, usedDurationMS, c.DurationMS, Absent[float64]())
	find(&r, usedSetupMS, c.SetupMS, Absent[float64]())
	find(&r, usedCostUSD, c.CostUSD, Absent[float64]())
	find(&r, usedSetupCost, c.SetupCost, Absent[float64]())
	find(&r, usedTokens, c.Tokens, Absent[int64]())
	find(&r, usedToolCalls, c.ToolCalls, Absent[int32]())
	find(&r, usedStartedAt, c.StartedAt, Absent[int64]())
	find(&r, usedDigest, c.Digest, Absent[int64]())
	find(&r, usedReason, c.Reason, Absent[int32]())
	return r
}

// Block keeps the rows of tests with few trials side by side: columns of each test would
// take more memory than all cells of them.
type Block struct{ last *Columns }

// blockRows is how many rows a block has room for.
const blockRows = 256

// Add gives columns as the trials of one test. Their cells may go elsewhere, so the columns can be used again.
func (b *Block) Add(c *Columns) Rows {
	n := len(c.Given)
	if n > blockRows/8 {
		return *c.Rows()
	}
	if b.last == nil || len(b.last.Given)+n > blockRows ||
		!b.last.Run.sameDictionary(c.Run) || !b.last.RawStatus.sameDictionary(c.RawStatus) || !b.last.ErrorClass.sameDictionary(c.ErrorClass) {
		b.last = &Columns{Given: make([]Given, 0, blockRows)}
	}
	inside, from := c.Inside, len(b.last.Given)
	c.Inside = Inside{}
	b.last.Extend(c, 0, n, blockRows)
	r := b.last.Stretch(from, from+n)
	if inside.any() {
		r.SetInside(inside)
	}
	return r
}

// find marks a column as used where a row has a cell in it.
func find[T comparable](r *Rows, column uint32, cells []T, none T) {
	for _, v := range cells[min(int(r.from), len(cells)):min(int(r.from)+len(r.Given), len(cells))] {
		if v == v && v != none { // a number that is none is not a number
			r.used |= column
			return
		}
	}
}

// Len is the number of trials; nil has none.
func (r *Rows) Len() int {
	if r == nil {
		return 0
	}
	return len(r.Given)
}

// Columns are the rows as columns of their own. They share their cells.
func (r *Rows) Columns() Columns {
	return Columns{
		Given: r.Given, Attempt: r.Attempt(), Run: r.Run(), Source: r.Source(), Retry: r.Retry(), Truth: r.Truth(),
		RawStatus: r.RawStatus(), ErrorClass: r.ErrorClass(), Score: r.Score(), Category: r.Category(),
		DurationMS: r.DurationMS(), SetupMS: r.SetupMS(), CostUSD: r.CostUSD(), SetupCost: r.SetupCost(),
		Tokens: r.Tokens(), ToolCalls: r.ToolCalls(), StartedAt: r.StartedAt(), Digest: r.Digest(), Reason: r.Reason(), Inside: r.Inside(),
	}
}

// Changed are the rows with other columns. The rows themselves stay as they are.
func (r *Rows) Changed(change func(*Columns)) *Rows {
	c := r.Columns()
	change(&c)
	out := c.Rows()
	out.Outcome = r.Outcome
	return out
}

// Row gives row i without its checks and steps, which its digest stands for.
func (r *Rows) Row(i int) Row {
	if r.columns == nil {
		return Row{Given: r.Given[i]}
	}
	return r.columns.Row(int(r.from) + i)
}

// PutSources gives the trials other sources where their columns lie, which nobody else
// may have yet but tests that were counted with this one.
func (r *Rows) PutSources(cells Column[int32]) {
	if r.columns == nil {
		r.columns = &Columns{Given: r.Given}
	}
	all := r.columns.Source.padded(len(r.columns.Given))
	r.columns.Source = all
	for i := range r.Given {
		all[int(r.from)+i] = Absent[int32]()
	}
	copy(all[r.from:], cells)
	if r.used |= usedSource; cells == nil {
		r.used &^= usedSource
	}
}

// Inside is what is inside the trials.
func (r *Rows) Inside() Inside {
	if r.inside == nil {
		return Inside{}
	}
	return *r.inside
}

// SetInside puts something inside the trials, of these rows alone.
func (r *Rows) SetInside(is Inside) { r.inside = &is }

// WithoutInside are the rows without their checks, steps and digests, for formats other
// than JSON. Their reader makes digests of the texts.
func (r *Rows) WithoutInside() *Rows {
	out := *r
	out.SetInside(Inside{})
	out.used &^= usedDigest
	return &out
}

// Checks are the checks of the trials.
func (r *Rows) Checks() Checks { return r.Inside().Checks }

// Steps are what the trials called.
func (r *Rows) Steps() Steps { return r.Inside().Steps }

// StepsTotal is how many steps there were, of trials with more than MostSteps.
func (r *Rows) StepsTotal() Column[int32] { return r.Inside().StepsTotal }

// cells are the part of a column that the rows are, where a trial has a cell in it.
func cells[C ~[]T, T any](r *Rows, used uint32, column C) C {
	if r.used&used == 0 {
		return nil
	}
	return part(column, r.from, len(r.Given))
}

func (r *Rows) words(used uint32, column Words) Words {
	if r.used&used == 0 {
		return Words{}
	}
	return Words{column.dict, part(column.IDs, r.from, len(r.Given))}
}

func (r *Rows) all() *Columns { return cmp.Or(r.columns, &noColumns) }

var noColumns Columns

// Attempt is the number of each trial in its run.
func (r *Rows) Attempt() Column[int32] { return cells(r, usedAttempt, r.all().Attempt) }

// Run is the run that each trial is of.
func (r *Rows) Run() Words { return r.words(usedRun, r.all().Run) }

// Source is an index into RunHeader.Sources, past its end into SharedSources.
func (r *Rows) Source() Column[int32] { return cells(r, usedSource, r.all().Source) }

// Retry is true of trials that ran because the one before them failed.
func (r *Rows) Retry() Flags { return cells(r, usedRetry, r.all().Retry) }

// Truth is people's labels.
func (r *Rows) Truth() Truths { return cells(r, usedTruth, r.all().Truth) }

// RawStatus is the runner's own word where that says more than the status.
func (r *Rows) RawStatus() Words { return r.words(usedRawStatus, r.all().RawStatus) }

// ErrorClass is why trials did not pass, as far as they say it.
func (r *Rows) ErrorClass() Words { return r.words(usedErrorClass, r.all().ErrorClass) }

// Score is the score of each trial.
func (r *Rows) Score() Column[float64] { return cells(r, usedScore, r.all().Score) }

// Category is the category of each trial; from 1 on it passed.
func (r *Rows) Category() Column[int32] { return cells(r, usedCategory, r.all().Category) }

// JudgedCategory is the category of trial i: without one 1 where it passed, else 0.
func (r *Rows) JudgedCategory(i int) int32 {
	category := int32(0)
	if r.Outcome[i] == Passed {
		category = 1
	}
	return r.Category().Opt(i).Or(category)
}

// DurationMS is how long each trial took.
func (r *Rows) DurationMS() Column[float64] { return cells(r, usedDurationMS, r.all().DurationMS) }

// SetupMS is how long it took to set each up.
func (r *Rows) SetupMS() Column[float64] { return cells(r, usedSetupMS, r.all().SetupMS) }

// CostUSD is what each trial cost.
func (r *Rows) CostUSD() Column[float64] { return cells(r, usedCostUSD, r.all().CostUSD) }

// SetupCost is what it cost to set each up, in dollars.
func (r *Rows) SetupCost() Column[float64] { return cells(r, usedSetupCost, r.all().SetupCost) }

// Tokens is how many tokens each trial used.
func (r *Rows) Tokens() Column[int64] { return cells(r, usedTokens, r.all().Tokens) }

// ToolCalls is how often each called a tool.
func (r *Rows) ToolCalls() Column[int32] { return cells(r, usedToolCalls, r.all().ToolCalls) }

// StartedAt is when each began, in nanoseconds since 1970, UTC.
func (r *Rows) StartedAt() Column[int64] { return cells(r, usedStartedAt, r.all().StartedAt) }

// Digest distinguishes trials that differ in what no other column has; see Columns.
func (r *Rows) Digest() Column[int64] { return cells(r, usedDigest, r.all().Digest) }

// Reason is why trials did not pass: indexes into Run.Reasons.
func (r *Rows) Reason() Column[int32] { return cells(r, usedReason, r.all().Reason) }

// PutReasons changes the reasons of the trials where their columns are, which other
// tests that were counted together share.
func (r *Rows) PutReasons(number func(int32) int32) {
	for i, id := range r.Reason() {
		if !isAbsent(id) {
			r.columns.Reason[int(r.from)+i] = number(id)
		}
	}
}

// CountingRules are the parts of a policy that decide what one trial counts as.
type CountingRules struct {
	ScoreThreshold  float64 // lowest score at which a trial without a status passes
	DetectEmptyRuns bool    // a non-pass with 0 tool calls and no class is an empty run
}

// Classify says what row i counts as, and for an excluded or skipped trial the
// class it is excluded under.
//
//	pass, whatever its class                        counted, passed
//	fail; error with no class or the user's own     counted, not passed
//	timeout with tool calls, or unknown ones        counted, not passed
//	timeout with 0 tool calls (idle-timeout),
//	infrastructure, pre-validation, empty-run,
//	max-error-rate                                  excluded
//	skip                                            excluded from both denominators
func (r *Rows) Classify(i int, rules CountingRules) (Outcome, string) {
	return classified(r.decide(i, rules), r.ErrorClass().At(i), r.ToolCalls().Opt(i), rules)
}

// Classify says what a trial counts as that stands in no rows yet, as Rows.Classify does.
func (t *Trial) Classify(rules CountingRules) (Outcome, string) {
	status := t.Status
	if status == "" {
		status = scored(t.Score, t.Category, rules)
	}
	return classified(status, t.ErrorClass, t.ToolCalls, rules)
}

func classified(status Status, class string, calls Opt[int32], rules CountingRules) (Outcome, string) {
	switch status {
	case Pass:
		return Passed, ""
	case Skip:
		return Skipped, string(Skip)
	}
	if rules.DetectEmptyRuns && class == "" && calls.OK && calls.V == 0 {
		return Excluded, ClassEmptyRun
	}
	if shown, excluded := excludedClass(class, calls); excluded {
		return Excluded, shown
	}
	if status == Error {
		return Errored, ""
	}
	return Failed, ""
}

// decide gives a status to a trial that came with a score, a category or checks only.
func (r *Rows) decide(i int, rules CountingRules) Status {
	if r.Given[i] != Undecided {
		return r.Given[i].Status()
	}
	score, category := r.Score().Opt(i), r.Category().Opt(i)
	if !score.OK && !category.OK && slices.ContainsFunc(r.Checks(), func(c CheckColumn) bool { return c.GivenAt(i) != Given(NotChecked) }) {
		return r.Checks().status(i, rules)
	}
	return scored(score, category, rules)
}

// scored is the status of a trial that came with a score or a category only. A
// category passes from 1: 0 is the category of failure.
func scored(score Opt[float64], category Opt[int32], rules CountingRules) Status {
	if score.OK && score.V >= rules.ScoreThreshold || !score.OK && category.OK && category.V >= 1 {
		return Pass
	}
	return Fail
}

// ClassifyChecks says how each check of each row ended. A score without a status
// passes from the threshold on.
func (r *Rows) ClassifyChecks(rules CountingRules) {
	is := r.Inside()
	is.Checks = slices.Clone(is.Checks) // rows that share them keep their outcomes
	r.SetInside(is)
	for i := range is.Checks {
		c := &is.Checks[i]
		c.Outcome = make([]Outcome, len(c.Given))
		for row, given := range c.Given {
			c.Outcome[row] = c.decided(row, given, rules)
		}
	}
}

func (c *CheckColumn) decided(row int, given Given, rules CountingRules) Outcome {
	if given != Undecided {
		return Outcome(given)
	}
	if scored(c.Score.Opt(row), Opt[int32]{}, rules) == Pass {
		return Passed
	}
	return Failed
}

// status is that of a trial that came with checks alone: it passes when all pass
// that are not skipped, and is a skip where there are none such.
func (c Checks) status(row int, rules CountingRules) Status {
	status := Skip
	for i := range c {
		given := c[i].GivenAt(row)
		if given == Given(NotChecked) {
			continue
		}
		switch c[i].decided(row, given, rules) {
		case Skipped:
		case Passed:
			status = Pass
		default:
			return Fail
		}
	}
	return status
}
