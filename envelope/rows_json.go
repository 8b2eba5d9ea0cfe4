package envelope

import (
	"encoding/json"
	"fmt"
)

// status words of the wire's status column, for the rows whose outcome letter
// does not tell what status they came with.
const statusNone = "none"

// MarshalJSON writes the rows as columns; a column no trial uses is left out.
func (r Rows) MarshalJSON() ([]byte, error) {
	n := r.Len()
	if len(r.Outcome) != n {
		return nil, fmt.Errorf("envelope: %d outcomes for %d trials: the run was not judged", len(r.Outcome), n)
	}
	b := append(make([]byte, 0, 32+16*n), `{"outcome":"`...)
	b = append(b, r.Outcome.bytes()...)
	b = append(b, '"')
	column := func(name string, used bool, cells func([]byte, int) []byte) {
		if used {
			b = append(append(append(b, `,"`...), name...), `":`...)
			b = cells(b, n)
		}
	}
	status := r.statusColumn()
	column("status", status.Used(), status.appendJSON)
	column("attempt", r.Attempt != nil, r.Attempt.appendJSON)
	column("run", r.Run.Used(), r.Run.appendJSON)
	column("source", r.Source != nil, r.appendSources)
	column("retry", r.Retry != nil, r.Retry.appendJSON)
	column("raw_status", r.RawStatus.Used(), r.RawStatus.appendJSON)
	column("error_class", r.ErrorClass.Used(), r.ErrorClass.appendJSON)
	column("score", r.Score != nil, r.Score.appendJSON)
	column("category", r.Category != nil, r.Category.appendJSON)
	column("duration_ms", r.DurationMS != nil, r.DurationMS.appendJSON)
	column("setup_ms", r.SetupMS != nil, r.SetupMS.appendJSON)
	column("cost_usd", r.CostUSD != nil, r.CostUSD.appendJSON)
	column("setup_cost_usd", r.SetupCost != nil, r.SetupCost.appendJSON)
	column("tokens", r.Tokens != nil, r.Tokens.appendJSON)
	column("tool_calls", r.ToolCalls != nil, r.ToolCalls.appendJSON)
	column("started_at", r.StartedAt != nil, r.appendTimes)
	column("digest", r.Digest != nil, r.Digest.appendJSON)
	return append(b, '}'), nil
}

func (f Flags) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if f.At(i) {
			b = append(b, "true"...)
		} else {
			b = append(b, "false"...)
		}
	}
	return append(b, ']')
}

// appendSources writes the first source as 0, although its cells are empty.
func (r *Rows) appendSources(b []byte, n int) []byte {
	full := make(Column[int32], n)
	for i := range full {
		full[i], _ = r.Source.At(i)
	}
	return full.appendJSON(b, n)
}

func (r *Rows) appendTimes(b []byte, n int) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if ns, ok := r.StartedAt.At(i); ok {
			b = appendTime(b, ns)
		} else {
			b = append(b, "null"...)
		}
	}
	return append(b, ']')
}

// implied is the status an outcome letter stands for when the status column
// says nothing.
func implied(o Outcome) Given {
	if o == Excluded {
		return Given(Errored)
	}
	return Given(o)
}

func (r *Rows) statusColumn() Words {
	var w Words
	d := newDictionary()
	for i, g := range r.Given {
		word := ""
		if g == Undecided {
			word = statusNone
		} else if g != implied(r.Outcome[i]) {
			word = string(g.Status())
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
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rows) UnmarshalJSON(b []byte) error {
	var w rowsWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	n := len(w.Outcome)
	*r = Rows{
		Attempt: w.Attempt, Run: w.Run, Source: w.Source, Retry: w.Retry, RawStatus: w.RawStatus, ErrorClass: w.ErrorClass,
		Score: w.Score, Category: w.Category, DurationMS: w.DurationMS, SetupMS: w.SetupMS, CostUSD: w.CostUSD, SetupCost: w.SetupCost,
		Tokens: w.Tokens, ToolCalls: w.ToolCalls, Digest: w.Digest,
	}
	for i, s := range w.StartedAt {
		ns, err := parseTime(s)
		if err != nil {
			return fmt.Errorf("rows.started_at[%d]: %w", i, err)
		}
		r.StartedAt.put(i, ns)
	}
	for _, l := range []int{len(w.Status.ids), len(w.Attempt), len(w.Run.ids), len(w.Source), len(w.Retry), len(w.RawStatus.ids), len(w.ErrorClass.ids),
		len(w.Score), len(w.Category), len(w.DurationMS), len(w.SetupMS), len(w.CostUSD), len(w.SetupCost), len(w.Tokens), len(w.ToolCalls), len(w.StartedAt), len(w.Digest)} {
		if l > n {
			return fmt.Errorf("rows: a column has %d cells for %d outcomes", l, n)
		}
	}
	return r.restoreGiven(w.Outcome, w.Status)
}

func (r *Rows) restoreGiven(outcome string, status Words) error {
	r.Outcome, r.Given = make(Outcomes, len(outcome)), make([]Given, len(outcome))
	for i := range len(outcome) {
		o := Outcome(outcome[i])
		if !o.Counted() && o != Excluded && o != Skipped {
			return fmt.Errorf("rows.outcome[%d]: %q is not one of P, F, E, X, S", i, outcome[i])
		}
		r.Outcome[i], r.Given[i] = o, implied(o)
		if word := status.At(i); word != "" {
			r.Given[i] = GivenOf(Status(word))
		}
	}
	return nil
}
