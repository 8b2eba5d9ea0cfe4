package envelope

import (
	"slices"
	"strings"
)

// Dictionary numbers the strings that the columns of one run share, so that a
// cell costs four bytes however long its string is. Number 0 is "".
type Dictionary struct {
	words []string
	ids   map[string]uint32
}

// NewDictionary is a Dictionary of "" alone.
func NewDictionary() *Dictionary {
	return &Dictionary{words: []string{""}, ids: map[string]uint32{"": 0}}
}

// Word is the string as a cell of Words.
func (d *Dictionary) Word(s string) Word { return Word{dict: d, id: d.ID(s)} }

// ID is the number of a string. A string that is new is copied.
func (d *Dictionary) ID(word string) uint32 {
	if word == "" {
		return 0
	}
	if id, ok := d.ids[word]; ok {
		return id
	}
	id := uint32(len(d.words))
	word = strings.Clone(word)
	d.words = append(d.words, word)
	d.ids[word] = id
	return id
}

// Map is the dictionary with f applied to each of its strings once, under the same numbers: the
// strings of every column that uses it. It is d itself when f changes nothing.
func (d *Dictionary) Map(f func(string) string) *Dictionary {
	var out *Dictionary
	for id, word := range d.words {
		changed := f(word)
		if changed == word {
			continue
		}
		if out == nil {
			out = &Dictionary{words: append([]string{}, d.words...)}
		}
		out.words[id] = changed
	}
	if out == nil {
		return d
	}
	out.ids = make(map[string]uint32, len(out.words))
	for id, word := range out.words {
		out.ids[word] = uint32(id)
	}
	return out
}

// Word is a string of a Dictionary. The zero Word is none.
type Word struct {
	dict *Dictionary
	id   uint32
}

// Words is a column of strings, in the order of the rows; "" is absent. It has no
// cells while no trial has the field.
type Words struct {
	dict *Dictionary
	IDs  []uint32 // by row, the number of the string in the dictionary
}

// Used reports whether any row has a string.
func (w Words) Used() bool { return w.IDs != nil }

// At returns the string of row i, "" when it has none.
func (w Words) At(i int) string {
	if i >= len(w.IDs) {
		return ""
	}
	return w.dict.words[w.IDs[i]]
}

// ID is the number of the string of row i in the dictionary, 0 when it has none.
func (w Words) ID(i int) uint32 {
	if i >= len(w.IDs) {
		return 0
	}
	return w.IDs[i]
}

func (w *Words) put(n int, word string, d *Dictionary) {
	if word == "" && w.IDs == nil {
		return
	}
	w.dict = d
	for len(w.IDs) < n {
		w.IDs = append(w.IDs, 0)
	}
	w.IDs = append(w.IDs, d.ID(word))
}

// Set puts a word into row n, which must lie behind the rows set before.
func (w *Words) Set(n int, word Word) {
	for len(w.IDs) < n {
		w.IDs = append(w.IDs, 0)
	}
	w.dict, w.IDs = word.dict, append(w.IDs, word.id)
}

func (w *Words) extend(n int, from Words, lo, hi, room int) {
	if lo < len(from.IDs) {
		w.dict = from.dict
		extend(&w.IDs, n, 0, from.IDs, lo, hi, room)
	}
}

func (w Words) sameDictionary(o Words) bool { return w.dict == o.dict || !w.Used() || !o.Used() }

func (w Words) cleared() Words { return Words{dict: w.dict, IDs: w.IDs[:0]} }

func (w Words) pick(order []int) Words {
	out := Words{dict: w.dict}
	if w.IDs == nil {
		return Words{}
	}
	ids, any := make([]uint32, len(order)), false
	for i, from := range order {
		if from < len(w.IDs) {
			ids[i] = w.IDs[from]
			any = any || ids[i] != 0
		}
	}
	if !any {
		return Words{}
	}
	out.IDs = ids
	return out
}

// Dictionary is where the strings of a column are, nil for a column without any.
func (w Words) Dictionary() *Dictionary { return w.dict }

// In is the column with its strings taken from another dictionary of the same numbering.
func (w Words) In(d *Dictionary) Words {
	w.dict = d
	return w
}

// LongTexts returns the digests of the long texts of a transcript, in order. Texts are
// those of its run.
func (t *Transcript) LongTexts(texts []string) []TextSum {
	own := t.Resolved(texts)
	sums := make([]TextSum, len(own.spans))
	for i, l := range own.spans {
		sums[i] = l.sum
	}
	return sums
}

// Share returns the transcript with references in place of shared texts, which place
// looks up. For each, found returns where to store the text, or nil. Texts are those of
// the run of the transcript.
func (t *Transcript) Share(texts []string, place func(TextSum) (at int, shared bool), found func(at int) *string) Transcript {
	own := t.Resolved(texts)
	own.spans = slices.Clone(own.spans)
	var turns []byte
	for i := range own.spans {
		l := &own.spans[i]
		at, shared := place(l.sum)
		if !shared {
			continue
		}
		l.ref = uint32(at + 1)
		own.refs = max(own.refs, ref(l.ref))
		if to := found(at); to != nil {
			if turns == nil && l.content.Load() == nil {
				turns = own.compressed.AppendTo(nil)
			}
			*to = l.text(turns)
		}
	}
	return own
}
