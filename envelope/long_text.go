package envelope

import (
	"crypto/sha256"
	"encoding/json"
	"sync/atomic"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/jsontext"
)

// LeastShared is the length in bytes from which a text that stands more than once
// in the conversations of a run is kept once.
const LeastShared = 256

// TextSum identifies a long text.
type TextSum [16]byte

func sumOf(text string) TextSum {
	sum := sha256.Sum256(jsontext.Bytes(text))
	return TextSum(sum[:len(TextSum{})])
}

// long is a text that may be shared, and where it stands among the turns as JSON.
type long struct {
	*longText
	from, to uint32 // alike where it stands beside them
	ref      uint32 // which text of the run it is, as a ref
}

type longText struct {
	sum  TextSum
	said atomic.Pointer[string] // nil while it stands among the turns of one transcript
}

// text is what the text says; turns are those that it belongs to.
func (l *long) text(turns []byte) string {
	if said := l.said.Load(); said != nil {
		return *said
	}
	return textAt(turns[l.from:l.to])
}

// appendTo appends the text as JSON.
func (l *long) appendTo(to, turns []byte) []byte {
	if l.from < l.to {
		return append(to, turns[l.from:l.to]...)
	}
	return codec.AppendString(to, *l.said.Load())
}

// textAt is what a text says that was written as JSON here.
func textAt(quoted []byte) (text string) {
	p := codec.NewParser(quoted)
	if codec.Texts[string]().Read(p, &text); p.Odd {
		_ = json.Unmarshal(quoted, &text)
	}
	return text
}
