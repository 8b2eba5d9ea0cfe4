package envelope

import "slices"

// LongTexts are the sums of the texts of a transcript that may be shared, in their
// order. Texts are those of the run that it refers to.
func (t *Transcript) LongTexts(texts []string) []TextSum {
	own := t.Resolved(texts)
	sums := make([]TextSum, len(own.long))
	for i, l := range own.long {
		sums[i] = l.sum
	}
	return sums
}

// Share is the transcript with references in place of the texts that have a place.
// Found is called with the place of each of these, and returns where what it says is to
// be put, nil where nobody asks. Texts are those of the run that the transcript refers to.
func (t *Transcript) Share(texts []string, place func(TextSum) (at int, shared bool), found func(at int) *string) Transcript {
	own := t.Resolved(texts)
	own.long = slices.Clone(own.long)
	var turns []byte
	for i := range own.long {
		l := &own.long[i]
		at, shared := place(l.sum)
		if !shared {
			continue
		}
		l.ref = uint32(at + 1)
		own.refs = max(own.refs, ref(l.ref))
		if to := found(at); to != nil {
			if turns == nil && l.said.Load() == nil {
				turns = own.packed.AppendTo(nil)
			}
			*to = l.text(turns)
		}
	}
	return own
}
