package envelope

import "crypto/sha256"

// LeastShared is the length in bytes from which a text that stands more than once
// in the conversations of a run is kept once.
const LeastShared = 256

// TextSum tells long texts apart.
type TextSum [16]byte

func sumOf(text string) TextSum {
	sum := sha256.Sum256([]byte(text))
	return TextSum(sum[:len(TextSum{})])
}

// LongTexts are the sums of the texts of a transcript that may be shared, in their
// order. Texts are those of the run that it refers to.
func (t *Transcript) LongTexts(texts []string) []TextSum {
	var sums []TextSum
	turns := t.Turns(texts)
	for i := range turns {
		for _, s := range turns[i].said() {
			if len(*s.text) >= LeastShared {
				sums = append(sums, sumOf(*s.text))
			}
		}
	}
	return sums
}

// Share is the transcript with references in place of the texts that have a place.
// Found is called with each of these.
func (t *Transcript) Share(texts []string, place func(TextSum) (at int, shared bool), found func(at int, text string)) Transcript {
	turns, any := t.Turns(texts), false
	for i := range turns {
		for _, s := range turns[i].said() {
			if len(*s.text) < LeastShared {
				continue
			}
			if at, shared := place(sumOf(*s.text)); shared {
				found(at, *s.text)
				*s.text, *s.ref, any = "", ref(at+1), true
			}
		}
	}
	if !any && !t.refs {
		return *t
	}
	return NewTranscript(t.Trial, turns)
}
