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
	votes   Column[int32]
	passed  Column[int32] // of the votes
}

var checkFields = []codec.Member[checkForm]{
	codec.Always("outcome", outcomes, func(c *checkForm) *Outcomes { return &c.outcome }),
	codec.UnlessNone("given", givens, func(c *checkForm) *Outcomes { return &c.given }),
	codec.UnlessNone("score", columns[float64](), func(c *checkForm) *Column[float64] { return &c.score }),
	codec.UnlessNone("votes", columns[int32](), func(c *checkForm) *Column[int32] { return &c.votes }),
	codec.UnlessNone("votes_passed", columns[int32](), func(c *checkForm) *Column[int32] { return &c.passed }),
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
			if o != NotChecked && o != Skipped && !o.Counted() || given != o && given != Outcome(Undecided) || (given == NotChecked) != (o == NotChecked) {
				return fmt.Errorf("rows.checks.%s[%d]: %q is not one of P, F, E, S and %q", name, i, string(rune(o)), string(rune(NotChecked)))
			}
			column.Given = append(column.Given, Given(given))
			if votes, passed := column.Votes.Opt(i), column.VotesPassed.Opt(i); votes.OK != passed.OK || votes.V < 0 || passed.V < 0 || passed.V > votes.V {
				return fmt.Errorf("rows.checks.%s[%d]: %d of %d votes passed", name, i, passed.V, votes.V)
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
