package envelope

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tribunal/envelope/internal/codec"
)

// checkForm is the wire form of a column of checks.
type checkForm struct {
	outcome Outcomes
	given   Outcomes // where that is not the outcome
	score   Column[float64]
}

var checkFields = []codec.Member[checkForm]{
	codec.Always("outcome", outcomes, func(c *checkForm) *Outcomes { return &c.outcome }),
	codec.UnlessNone("given", givens, func(c *checkForm) *Outcomes { return &c.given }),
	codec.UnlessNone("score", columns[float64](), func(c *checkForm) *Column[float64] { return &c.score }),
}

var givens = codec.Kind[Outcomes]{Write: outcomes.Write, Read: outcomes.Read, None: func(o *Outcomes) bool { return len(*o) == 0 }}

// checkColumns are an object with a member a check.
var checkColumns = codec.Kind[Checks]{
	Write: func(w *codec.Writer, c *Checks) {
		w.B = append(w.B, '{')
		for i := range *c {
			if i > 0 {
				w.B = append(w.B, ',')
			}
			column := &(*c)[i]
			w.B = append(codec.AppendString(w.B, column.Name), ':')
			form := column.form(w.Rows)
			codec.WriteObject(w, &form, checkFields)
		}
		w.B = append(w.B, '}')
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
	f := checkForm{outcome: make(Outcomes, rows), score: c.Score}
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
		column := CheckColumn{Name: name, Outcome: f.outcome, Score: f.score}
		if len(f.given) > 0 && len(f.given) != len(f.outcome) || len(f.score) > len(f.outcome) {
			return fmt.Errorf("rows.checks.%s: columns of different lengths", name)
		}
		for i, o := range f.outcome {
			given := o
			if len(f.given) > 0 {
				given = f.given[i]
			}
			if o != NotChecked && o != Skipped && !o.Counted() || given != o && given != Outcome(Undecided) || (given == NotChecked) != (o == NotChecked) {
				return fmt.Errorf("rows.checks.%s[%d]: %q is not one of P, F, E, S and %q", name, i, string(rune(o)), string(rune(NotChecked)))
			}
			column.Given = append(column.Given, Given(given))
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
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	forms := map[string]checkForm{}
	for name, w := range wire {
		forms[name] = checkForm{outcome: Outcomes(w.Outcome), given: Outcomes(w.Given), score: w.Score}
	}
	*c = nil
	return c.restore(forms)
}
