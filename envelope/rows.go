package envelope

// Rows are the trials of one test, one row a trial, kept as columns. Given has
// a cell for every row; the other columns may be shorter or nil.
type Rows struct {
	Outcome    Outcomes // set when the run is judged
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
	Checks Checks
	Steps  Steps
	// StepsTotal is how many steps there were, of trials with more than MostSteps.
	StepsTotal Column[int32]
}

// Len is the number of trials; nil has none.
func (r *Rows) Len() int {
	if r == nil {
		return 0
	}
	return len(r.Given)
}

// Flags is a column of booleans; nil when all are false.
type Flags []bool

// At returns the flag of row i.
func (f Flags) At(i int) bool { return i < len(f) && f[i] }

// Set raises the flag of row n, which must lie behind the rows set before.
func (f *Flags) Set(n int) {
	for len(*f) < n {
		*f = append(*f, false)
	}
	*f = append(*f, true)
}

func (f *Flags) put(n int, v bool) {
	if v {
		f.Set(n)
		return
	}
	for *f != nil && len(*f) <= n {
		*f = append(*f, false)
	}
}

func (f Flags) pick(order []int) Flags {
	out, any := make(Flags, len(order)), false
	for i, from := range order {
		out[i] = f.At(from)
		any = any || out[i]
	}
	if !any {
		return nil
	}
	return out
}

// Append appends a trial. Its words go to the dictionary, which must be that of
// the trials before.
func (r *Rows) Append(w *Row, d *Dictionary) {
	n := len(r.Given)
	r.Given = append(r.Given, w.Given)
	r.Attempt.Put(n, w.Attempt)
	r.Run.put(n, w.Run, d)
	r.Source.Put(n, Opt[int32]{V: w.Source, OK: w.Source != 0})
	r.Retry.put(n, w.Retry)
	r.Truth.put(n, w.Truth)
	r.RawStatus.put(n, w.RawStatus, d)
	r.ErrorClass.put(n, w.ErrorClass, d)
	r.Score.Put(n, w.Score)
	r.Category.Put(n, w.Category)
	r.DurationMS.Put(n, w.DurationMS)
	r.SetupMS.Put(n, w.SetupMS)
	r.CostUSD.Put(n, w.CostUSD)
	r.SetupCost.Put(n, w.SetupCost)
	r.Tokens.Put(n, w.Tokens)
	r.ToolCalls.Put(n, w.ToolCalls)
	r.StartedAt.Put(n, w.StartedAt)
	r.Digest.Put(n, w.Digest)
}

// Extend appends the rows lo to hi of another Rows. A column that begins here
// gets room for as many cells.
func (r *Rows) Extend(from *Rows, lo, hi, room int) {
	n := len(r.Given)
	r.Given = append(r.Given, from.Given[lo:hi]...)
	r.Attempt.extend(n, from.Attempt, lo, hi, room)
	r.Run.extend(n, from.Run, lo, hi, room)
	r.Source.extend(n, from.Source, lo, hi, room)
	extend((*[]bool)(&r.Retry), n, false, from.Retry, lo, hi, room)
	r.Truth.extend(n, from.Truth, lo, hi, room)
	r.RawStatus.extend(n, from.RawStatus, lo, hi, room)
	r.ErrorClass.extend(n, from.ErrorClass, lo, hi, room)
	r.Score.extend(n, from.Score, lo, hi, room)
	r.Category.extend(n, from.Category, lo, hi, room)
	r.DurationMS.extend(n, from.DurationMS, lo, hi, room)
	r.SetupMS.extend(n, from.SetupMS, lo, hi, room)
	r.CostUSD.extend(n, from.CostUSD, lo, hi, room)
	r.SetupCost.extend(n, from.SetupCost, lo, hi, room)
	r.Tokens.extend(n, from.Tokens, lo, hi, room)
	r.ToolCalls.extend(n, from.ToolCalls, lo, hi, room)
	r.StartedAt.extend(n, from.StartedAt, lo, hi, room)
	r.Digest.extend(n, from.Digest, lo, hi, room)
	r.Checks.extend(n, from.Checks, lo, hi)
	r.Steps.extend(n, &from.Steps, lo, hi)
	r.StepsTotal.extend(n, from.StepsTotal, lo, hi, room)
}

// Clear removes all rows and keeps the memory of the columns.
func (r *Rows) Clear() {
	*r = Rows{
		Given: r.Given[:0], Attempt: r.Attempt[:0], Run: r.Run.cleared(), Source: r.Source[:0], Retry: r.Retry[:0], Truth: r.Truth[:0],
		RawStatus: r.RawStatus.cleared(), ErrorClass: r.ErrorClass.cleared(), Score: r.Score[:0], Category: r.Category[:0],
		DurationMS: r.DurationMS[:0], SetupMS: r.SetupMS[:0], CostUSD: r.CostUSD[:0], SetupCost: r.SetupCost[:0],
		Tokens: r.Tokens[:0], ToolCalls: r.ToolCalls[:0], StartedAt: r.StartedAt[:0], Digest: r.Digest[:0],
	}
}

// Pick returns the rows order[0], order[1], … as Rows of their own.
func (r *Rows) Pick(order []int) Rows {
	given := make([]Given, len(order))
	for i, from := range order {
		given[i] = r.Given[from]
	}
	return Rows{
		Given: given, Attempt: r.Attempt.pick(order), Run: r.Run.pick(order), Source: r.Source.pick(order), Retry: r.Retry.pick(order), Truth: r.Truth.pick(order),
		RawStatus: r.RawStatus.pick(order), ErrorClass: r.ErrorClass.pick(order), Score: r.Score.pick(order), Category: r.Category.pick(order),
		DurationMS: r.DurationMS.pick(order), SetupMS: r.SetupMS.pick(order), CostUSD: r.CostUSD.pick(order), SetupCost: r.SetupCost.pick(order),
		Tokens: r.Tokens.pick(order), ToolCalls: r.ToolCalls.pick(order), StartedAt: r.StartedAt.pick(order), Digest: r.Digest.pick(order),
		Checks: r.Checks.pick(order), Steps: r.Steps.pick(order), StepsTotal: r.StepsTotal.pick(order),
	}
}

// Row gives row i without its checks and steps, which its digest tells apart.
func (r *Rows) Row(i int) Row {
	source, _ := r.Source.At(i)
	return Row{
		Given: r.Given[i], Attempt: r.Attempt.Opt(i), Run: r.Run.At(i), Source: source, Retry: r.Retry.At(i), Truth: r.Truth.given(i),
		RawStatus: r.RawStatus.At(i), ErrorClass: r.ErrorClass.At(i), Score: r.Score.Opt(i), Category: r.Category.Opt(i),
		DurationMS: r.DurationMS.Opt(i), SetupMS: r.SetupMS.Opt(i), CostUSD: r.CostUSD.Opt(i), SetupCost: r.SetupCost.Opt(i),
		Tokens: r.Tokens.Opt(i), ToolCalls: r.ToolCalls.Opt(i), StartedAt: r.StartedAt.Opt(i), Digest: r.Digest.Opt(i),
	}
}
