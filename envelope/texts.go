package envelope

// Dictionary is where the strings of a column are, nil for a column without any.
func (w Words) Dictionary() *Dictionary { return w.dict }

// In is the column with its strings taken from another dictionary of the same
// numbering.
func (w Words) In(d *Dictionary) Words {
	w.dict = d
	return w
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
