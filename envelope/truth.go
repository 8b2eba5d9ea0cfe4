package envelope

import (
	"fmt"
	"slices"

	"tribunal/envelope/internal/codec"
)

// ParseTruth maps the word of a person's label to pass or fail, or to a category from 2 to
// 9: category 1 is a pass and 0 a fail. It takes the words of a status; one that is neither
// pass nor fail is no label.
func ParseTruth(word string) (Status, bool) {
	switch {
	case word == "0":
		return Fail, true
	case word == "1":
		return Pass, true
	case len(word) == 1 && isCategory(Given(word[0])):
		return Status(word), true
	}
	s, ok := ParseStatus(word)
	return s, ok && (s == Pass || s == Fail)
}

// isCategory reports a label beyond pass and fail.
func isCategory(g Given) bool { return '2' <= g && g <= '9' }

// Truths is the column of labels: the letters of Passed and Failed, the digit of another
// category, 0 for a trial that nobody labelled. Rows behind its end have none; it is nil when all have none.
type Truths []Given

// unlabelled stands on the wire for a trial without a label.
const unlabelled = '.'

// truthOf is the letter of a label.
func truthOf(s Status) Given {
	switch {
	case s == Pass || s == Fail:
		return GivenOf(s)
	case len(s) == 1 && isCategory(Given(s[0])):
		return Given(s[0])
	}
	return 0
}

// At is the label of row i: pass, fail, the digit of a category, or "" for none.
func (t Truths) At(i int) Status {
	if g := t.given(i); isCategory(g) {
		return Status(rune(g))
	}
	return t.given(i).Status()
}

// Category is the label of row i as a category: 1 for pass and 0 for fail.
func (t Truths) Category(i int) (category int, labelled bool) {
	switch g := t.given(i); {
	case isCategory(g):
		return int(g - '0'), true
	case g == Given(Passed):
		return 1, true
	default:
		return 0, g != 0
	}
}

// Categories reports labels beyond pass and fail.
func (t Truths) Categories() bool { return slices.ContainsFunc(t, isCategory) }

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
		switch {
		case given == unlabelled:
			given = 0
		case given == Given(Passed), given == Given(Failed), isCategory(given):
			labelled = true
		default:
			return fmt.Errorf("rows.truth[%d]: %q is not one of P, F, 2 to 9 and %q", i, letters[i], string(rune(unlabelled)))
		}
		*t = append(*t, given)
	}
	if !labelled {
		*t = nil
	}
	return nil
}
