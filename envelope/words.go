package envelope

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

// In is the column with its strings taken from another dictionary of the same
// numbering.
func (w Words) In(d *Dictionary) Words {
	w.dict = d
	return w
}

// part are the words of n rows from one on.
func (w Words) part(from uint32, n int) Words { return Words{w.dict, part(w.IDs, from, n)} }
