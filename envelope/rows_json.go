package envelope

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"tribunal/envelope/internal/codec"
)

// status words of the wire's status column, for the rows whose outcome letter
// does not say what status they came with.
const statusNone = "none"

// rowsForm is the wire form of rows: what each came with follows from its outcome,
// and by a status where that is not enough.
type rowsForm struct {
	outcome Outcomes
	status  Words
	*Columns
}

var rowFields = []codec.Member[*rowsForm]{
	codec.Always("outcome", outcomes, func(r *rowsForm) *Outcomes { return &r.outcome }),
	codec.UnlessNone("status", wordColumns, func(r *rowsForm) *Words { return &r.status }),
	codec.UnlessNone("attempt", columns[int32](), func(r *rowsForm) *Column[int32] { return &r.Attempt }),
	codec.UnlessNone("run", wordColumns, func(r *rowsForm) *Words { return &r.Run }),
	codec.UnlessNone("source", sourceColumn, func(r *rowsForm) *Column[int32] { return &r.Source }),
	codec.UnlessNone("retry", flagColumn, func(r *rowsForm) *Flags { return &r.Retry }),
	codec.UnlessNone("truth", truthColumn, func(r *rowsForm) *Truths { return &r.Truth }),
	codec.UnlessNone("raw_status", wordColumns, func(r *rowsForm) *Words { return &r.RawStatus }),
	codec.UnlessNone("error_class", wordColumns, func(r *rowsForm) *Words { return &r.ErrorClass }),
	codec.UnlessNone("score", columns[float64](), func(r *rowsForm) *Column[float64] { return &r.Score }),
	codec.UnlessNone("category", columns[int32](), func(r *rowsForm) *Column[int32] { return &r.Category }),
	codec.UnlessNone("duration_ms", columns[float64](), func(r *rowsForm) *Column[float64] { return &r.DurationMS }),
	codec.UnlessNone("setup_ms", columns[float64](), func(r *rowsForm) *Column[float64] { return &r.SetupMS }),
	codec.UnlessNone("cost_usd", columns[float64](), func(r *rowsForm) *Column[float64] { return &r.CostUSD }),
	codec.UnlessNone("setup_cost_usd", columns[float64](), func(r *rowsForm) *Column[float64] { return &r.SetupCost }),
	codec.UnlessNone("tokens", columns[int64](), func(r *rowsForm) *Column[int64] { return &r.Tokens }),
	codec.UnlessNone("tool_calls", columns[int32](), func(r *rowsForm) *Column[int32] { return &r.ToolCalls }),
	codec.UnlessNone("started_at", timeColumn, func(r *rowsForm) *Column[int64] { return &r.StartedAt }),
	codec.UnlessNone("digest", columns[int64](), func(r *rowsForm) *Column[int64] { return &r.Digest }),
	codec.UnlessNone("reason", columns[int32](), func(r *rowsForm) *Column[int32] { return &r.Reason }),
	codec.UnlessNone("checks", checkColumns, func(r *rowsForm) *Checks { return &r.Checks }),
	codec.UnlessNone("steps", stepColumn, func(r *rowsForm) *Steps { return &r.Steps }),
	codec.UnlessNone("steps_total", columns[int32](), func(r *rowsForm) *Column[int32] { return &r.StepsTotal }),
}

// AppendJSON appends the rows as an object of columns; a column no trial uses is left out. Rows
// that are nil are rows of no trial. It is an error when the run was not judged: the outcomes give
// the number of trials. Reasons are left out, because they are places in a table of the run.
func (r *Rows) AppendJSON(to []byte) ([]byte, error) { return r.appendJSON(to, false) }

// AppendInRun is AppendJSON with the reasons, for a text that has the table of the run.
func (r *Rows) AppendInRun(to []byte) ([]byte, error) { return r.appendJSON(to, true) }

func (r *Rows) appendJSON(to []byte, reasons bool) ([]byte, error) {
	if r == nil {
		r = &Rows{}
	}
	form := forms.Get().(*writtenForm)
	defer form.done()
	form.all = r.Columns()
	if !reasons {
		form.all.Reason = nil
	}
	return form.append(to, r.Outcome, &form.all)
}

// AppendJSON appends the columns as the rows of a test with these outcomes.
func (c *Columns) AppendJSON(to []byte, outcome Outcomes) ([]byte, error) {
	form := forms.Get().(*writtenForm)
	defer form.done()
	return form.append(to, outcome, c)
}

// writtenForm is the memory of rows that are written. It is used again: what lets the
// fields be written one by one would ask for new memory for the columns of each test, and
// to collect half a gigabyte while a million tests are written.
type writtenForm struct {
	rowsForm
	all Columns // of rows that have them among those of other tests
}

var forms = sync.Pool{New: func() any { return new(writtenForm) }}

func (f *writtenForm) append(to []byte, outcome Outcomes, c *Columns) ([]byte, error) {
	n := len(c.Given)
	if len(outcome) != n {
		return to, fmt.Errorf("envelope: %d outcomes for %d trials: the run was not judged", len(outcome), n)
	}
	f.rowsForm = rowsForm{outcome, statusColumn(c.Given, outcome), c}
	w := codec.Writer{B: to, Rows: n}
	codec.WriteObject(&w, &f.rowsForm, rowFields)
	return w.B, w.Err
}

func (f *writtenForm) done() {
	*f = writtenForm{}
	forms.Put(f)
}

// ConsumeJSON reads the rows that a text begins with into empty ones, and gives
// where they end. What rows that are read at a stretch share is theirs to keep. It knows what
// AppendJSON writes; what it does not, it says by an end of
// -1 and leaves to UnmarshalJSON, which is slower and says what is wrong.
func (r *Rows) ConsumeJSON(text []byte, shared *DecodeState) (end int) {
	p := codec.NewParser(text)
	p.Shared = shared
	shared.read = Columns{}
	c := &shared.read
	form := rowsForm{outcome: Outcomes{}, Columns: c}
	codec.ReadObject(p, &form, rowFields)
	n := len(form.outcome)
	if p.Odd || max(c.longest(), len(form.status.IDs)) > n || c.restoreGiven(form.outcome, make([]Given, n), form.status) != nil {
		return -1
	}
	*r = shared.rows.Add(c)
	r.Outcome = form.outcome
	return p.At
}

func (c *Columns) longest() int {
	n := max(len(c.Attempt), len(c.Run.IDs), len(c.Source), len(c.Retry), len(c.Truth), len(c.RawStatus.IDs), len(c.ErrorClass.IDs),
		len(c.Score), len(c.Category), len(c.DurationMS), len(c.SetupMS), len(c.CostUSD), len(c.SetupCost), len(c.Tokens), len(c.ToolCalls),
		len(c.StartedAt), len(c.Digest), len(c.Reason), len(c.Steps.ends), len(c.StepsTotal))
	for i := range c.Checks {
		n = max(n, len(c.Checks[i].Given))
	}
	return n
}

// MarshalJSON writes the rows as columns.
func (r Rows) MarshalJSON() ([]byte, error) { return r.AppendJSON(make([]byte, 0, 32+16*r.Len())) }

// implied is the status an outcome letter stands for when the status column says nothing.
func implied(o Outcome) Given {
	if o == Excluded {
		return Given(Errored)
	}
	return Given(o)
}

func statusColumn(given []Given, outcome Outcomes) Words {
	var w Words
	var d *Dictionary
	for i, g := range given {
		word := ""
		if g == Undecided {
			word = statusNone
		} else if g != implied(outcome[i]) {
			word = string(g.Status())
		}
		if word != "" && d == nil {
			d = NewDictionary()
		}
		w.put(i, word, d)
	}
	return w
}

// rowsWire is the wire form of Rows as encoding/json reads it.
type rowsWire struct {
	Outcome    string          `json:"outcome"`
	Status     Words           `json:"status"`
	Attempt    Column[int32]   `json:"attempt"`
	Run        Words           `json:"run"`
	Source     Column[int32]   `json:"source"`
	Retry      Flags           `json:"retry"`
	Truth      string          `json:"truth"`
	RawStatus  Words           `json:"raw_status"`
	ErrorClass Words           `json:"error_class"`
	Score      Column[float64] `json:"score"`
	Category   Column[int32]   `json:"category"`
	DurationMS Column[float64] `json:"duration_ms"`
	SetupMS    Column[float64] `json:"setup_ms"`
	CostUSD    Column[float64] `json:"cost_usd"`
	SetupCost  Column[float64] `json:"setup_cost_usd"`
	Tokens     Column[int64]   `json:"tokens"`
	ToolCalls  Column[int32]   `json:"tool_calls"`
	StartedAt  []Opt[string]   `json:"started_at"`
	Digest     Column[int64]   `json:"digest"`
	Reason     Column[int32]   `json:"reason"`
	Checks     Checks          `json:"checks"`
	Steps      Steps           `json:"steps"`
	StepsTotal Column[int32]   `json:"steps_total"`
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rows) UnmarshalJSON(b []byte) error {
	var w rowsWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	n := len(w.Outcome)
	c := Columns{
		Attempt: w.Attempt, Run: w.Run, Source: w.Source, Retry: w.Retry, RawStatus: w.RawStatus, ErrorClass: w.ErrorClass,
		Score: w.Score, Category: w.Category, DurationMS: w.DurationMS, SetupMS: w.SetupMS, CostUSD: w.CostUSD, SetupCost: w.SetupCost,
		Tokens: w.Tokens, ToolCalls: w.ToolCalls, Digest: w.Digest, Reason: w.Reason,
		Inside: Inside{w.Checks, w.Steps, w.StepsTotal},
	}
	if err := c.Truth.restore(w.Truth); err != nil {
		return err
	}
	for i, s := range w.StartedAt {
		ns, err := parseTime(s)
		if err != nil {
			return fmt.Errorf("rows.started_at[%d]: %w", i, err)
		}
		c.StartedAt.Put(i, ns)
	}
	if l := max(c.longest(), len(w.Status.IDs), len(w.StartedAt)); l > n {
		return fmt.Errorf("rows: a column has %d cells for %d outcomes", l, n)
	}
	if err := c.restoreGiven(Outcomes(w.Outcome), make([]Given, n), w.Status); err != nil {
		return err
	}
	*r = *c.Rows()
	r.Outcome = Outcomes(w.Outcome)
	return nil
}

// restoreGiven says what the trials came with, in memory for as many.
func (c *Columns) restoreGiven(outcome Outcomes, given []Given, status Words) error {
	c.Given = given
	for i, o := range outcome {
		if !o.Counted() && o != Excluded && o != Skipped {
			return fmt.Errorf("rows.outcome[%d]: %q is not one of P, F, E, X, S", i, byte(o))
		}
		c.Given[i] = implied(o)
		if word := status.At(i); word != "" {
			c.Given[i] = GivenOf(Status(word))
		}
	}
	return nil
}

// OrderTies counts the trials that share run and attempt with others and do not
// all say when they began. Their order is canonical and has no meaning: one more
// such trial may come to stand before those that were there.
func (r *Rows) OrderTies() (n int) {
	for at := 0; at < len(r.Attempt()); {
		end, timed := at, true
		for end == at || end < len(r.Attempt()) && r.SamePosition(at, end) {
			_, ok := r.StartedAt().At(end)
			timed = timed && ok
			end++
		}
		if end > at+1 && !timed {
			n += end - at
		}
		at = end
	}
	return n
}

// SamePosition reports whether two trials have the same run and attempt.
func (r *Rows) SamePosition(i, j int) bool {
	a, aok := r.Attempt().At(i)
	b, bok := r.Attempt().At(j)
	return aok && bok && a == b && r.Run().At(i) == r.Run().At(j)
}

type checkForm struct {
	outcome Outcomes
	given   Outcomes // where that is not the outcome
	score   Column[float64]
	votes   Column[int32]
	passed  Column[int32] // of the votes
}

var checkFields = []codec.Member[*checkForm]{
	codec.Always("outcome", outcomes, func(c *checkForm) *Outcomes { return &c.outcome }),
	codec.UnlessNone("given", givens, func(c *checkForm) *Outcomes { return &c.given }),
	codec.UnlessNone("score", columns[float64](), func(c *checkForm) *Column[float64] { return &c.score }),
	codec.UnlessNone("votes", columns[int32](), func(c *checkForm) *Column[int32] { return &c.votes }),
	codec.UnlessNone("votes_passed", columns[int32](), func(c *checkForm) *Column[int32] { return &c.passed }),
}

var givens = codec.Kind[Outcomes]{Write: outcomes.Write, Read: outcomes.Read, None: func(o *Outcomes) bool { return len(*o) == 0 }}

var checkColumns = codec.Kind[Checks]{
	Write: func(w *codec.Writer, c *Checks) {
		w.List('{', len(*c), func(i int) {
			column := &(*c)[i]
			w.B = append(codec.AppendString(w.B, column.Name), ':')
			form := column.form(w.Rows)
			codec.WriteObject(w, &form, checkFields)
		})
	},
	Read: func(p *codec.Parser, c *Checks) {
		var forms map[string]checkForm
		codec.MapsOf(codec.Object(checkFields)).Read(p, &forms)
		if !p.Odd {
			p.Odd = c.restore(forms) != nil || len(*c) == 0
		}
	},
	None: func(c *Checks) bool { return len(*c) == 0 },
}

func (c *CheckColumn) form(rows int) checkForm {
	f := checkForm{outcome: make(Outcomes, rows), score: c.Score, votes: c.Votes, passed: c.VotesPassed}
	differs := false
	for i := range rows {
		f.outcome[i] = c.At(i)
		differs = differs || c.GivenAt(i) == Undecided
	}
	if differs {
		f.given = make(Outcomes, rows)
		for i := range rows {
			f.given[i] = Outcome(c.GivenAt(i))
		}
	}
	return f
}

func (c *Checks) restore(forms map[string]checkForm) error {
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		f := forms[name]
		column := CheckColumn{Name: name, Outcome: f.outcome, Score: f.score, Votes: f.votes, VotesPassed: f.passed}
		if len(f.given) > 0 && len(f.given) != len(f.outcome) || max(len(f.score), len(f.votes), len(f.passed)) > len(f.outcome) {
			return fmt.Errorf("rows.checks.%s: columns of different lengths", name)
		}
		for i, o := range f.outcome {
			given := o
			if len(f.given) > 0 {
				given = f.given[i]
			}
			if o != NotChecked && o != Skipped && !o.Counted() || given != o && given != Outcome(Undecided) ||
				(given == NotChecked) != (o == NotChecked) {
				return fmt.Errorf("rows.checks.%s[%d]: outcome %c, given %c: use one of P, F, E, S and . for both, or ? for given", name, i, o, given)
			}
			column.Given = append(column.Given, Given(given))
			if votes, passed := column.Votes.Opt(i), column.VotesPassed.Opt(i); votes.OK != passed.OK || votes.V < 0 || passed.V < 0 ||
				passed.V > votes.V {
				return fmt.Errorf("rows.checks.%s[%d]: votes and votes_passed need each other, and votes_passed is from 0 to votes", name, i)
			}
		}
		*c = append(*c, column)
	}
	return nil
}

// UnmarshalJSON reads what a report writes.
func (c *Checks) UnmarshalJSON(b []byte) error {
	var wire map[string]struct {
		Outcome string          `json:"outcome"`
		Given   string          `json:"given"`
		Score   Column[float64] `json:"score"`
		Votes   Column[int32]   `json:"votes"`
		Passed  Column[int32]   `json:"votes_passed"`
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	forms := map[string]checkForm{}
	for name, w := range wire {
		forms[name] = checkForm{outcome: Outcomes(w.Outcome), given: Outcomes(w.Given), score: w.Score, votes: w.Votes, passed: w.Passed}
	}
	*c = nil
	return c.restore(forms)
}
