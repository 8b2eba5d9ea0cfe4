package envelope

import "strings"

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

// Map is the dictionary with f applied to each of its strings once, under the
// same numbers: the strings of every column that uses it. It is d itself when f
// changes nothing.
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
