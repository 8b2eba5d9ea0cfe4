package envelope

import (
	"fmt"

	"tribunal/envelope/internal/codec"
)

// ParseTruth maps the word of a person's label to pass or fail. It takes the words
// of a status; one that is neither of both is no label.
func ParseTruth(word string) (Status, bool) {
	s, ok := ParseStatus(word)
	return s, ok && (s == Pass || s == Fail)
}

// Truths is the column of labels: the letters of Passed and Failed, 0 for a trial
// that nobody labelled. Rows behind its end have none; it is nil when all have none.
type Truths []Given

// unlabelled stands on the wire for a trial without a label.
const unlabelled = '.'

// truthOf is the letter of a label.
func truthOf(s Status) Given {
	if s == Pass || s == Fail {
		return GivenOf(s)
	}
	return 0
}

// At is the label of row i: pass, fail, or "" for none.
func (t Truths) At(i int) Status {
	if i >= len(t) {
		return ""
	}
	return t[i].Status()
}

func (t Truths) given(i int) Given {
	if i >= len(t) {
		return 0
	}
	return t[i]
}

// Set puts the label of row n, which must lie behind the rows set before.
func (t *Truths) Set(n int, label Status) { t.put(n, truthOf(label)) }

func (t *Truths) put(n int, label Given) {
	if label == 0 && *t == nil {
		return
	}
	for len(*t) < n {
		*t = append(*t, 0)
	}
	*t = append(*t, label)
}

func (t *Truths) extend(n int, from Truths, lo, hi, room int) {
	extend((*[]Given)(t), n, 0, from, lo, hi, room)
}

func (t Truths) pick(order []int) Truths {
	var out Truths
	for i, from := range order {
		if label := t.given(from); label != 0 {
			out.put(i, label)
		}
	}
	return out
}

// truthColumn is a string with a letter a row, as the outcomes are.
var truthColumn = codec.Kind[Truths]{
	Write: func(w *codec.Writer, t *Truths) {
		w.B = append(w.B, '"')
		for i := range w.Rows {
			letter := t.given(i)
			if letter == 0 {
				letter = unlabelled
			}
			w.B = append(w.B, byte(letter))
		}
		w.B = append(w.B, '"')
	},
	Read: func(p *codec.Parser, t *Truths) {
		raw, plain := p.Quoted()
		p.Odd = p.Odd || !plain || t.restore(string(raw)) != nil || *t == nil
	},
	None: func(t *Truths) bool { return *t == nil },
}

// restore reads what the column is on the wire. One without any label is none.
func (t *Truths) restore(letters string) error {
	*t = nil
	labelled := false
	for i := range len(letters) {
		given := Given(letters[i])
		switch given {
		case unlabelled:
			given = 0
		case Given(Passed), Given(Failed):
			labelled = true
		default:
			return fmt.Errorf("rows.truth[%d]: %q is not one of P, F and %q", i, letters[i], string(rune(unlabelled)))
		}
		*t = append(*t, given)
	}
	if !labelled {
		*t = nil
	}
	return nil
}
