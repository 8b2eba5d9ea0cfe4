package envelope

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
	// Digest is a number made of message, output and labels of a trial that did
	// not pass, without their secrets, so that two trials that differ only there
	// are not taken for one.
	// So is what is inside a trial: its checks, and all that was said and called.
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

// Append appends a trial. Its words go to the dictionary, which must be that of
// the trials before.
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
		Given: given, Attempt: c.Attempt.pick(order), Run: c.Run.pick(order), Source: c.Source.pick(order), Retry: c.Retry.pick(order), Truth: c.Truth.pick(order),
		RawStatus: c.RawStatus.pick(order), ErrorClass: c.ErrorClass.pick(order), Score: c.Score.pick(order), Category: c.Category.pick(order),
		DurationMS: c.DurationMS.pick(order), SetupMS: c.SetupMS.pick(order), CostUSD: c.CostUSD.pick(order), SetupCost: c.SetupCost.pick(order),
		Tokens: c.Tokens.pick(order), ToolCalls: c.ToolCalls.pick(order), StartedAt: c.StartedAt.pick(order), Digest: c.Digest.pick(order), Reason: c.Reason.pick(order),
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
