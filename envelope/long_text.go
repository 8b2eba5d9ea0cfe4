package envelope

import (
	"crypto/sha256"
	"encoding/json"
	"sync/atomic"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/jsontext"
)

// LeastShared is the length in bytes from which a repeated text of conversations is
// stored only once per run.
const LeastShared = 256

// TextSum is the digest that identifies a long text.
type TextSum [16]byte

func sumOf(text string) TextSum {
	sum := sha256.Sum256(jsontext.Bytes(text))
	return TextSum(sum[:len(TextSum{})])
}

// longSpan is one use of a long text, which is shared or in the JSON of the turns.
type longSpan struct {
	*longText
	from, to uint32 // its place in the JSON; equal if it is not there
	ref      uint32 // its place among the texts of the run, as a ref
}

type longText struct {
	sum     TextSum
	content atomic.Pointer[string] // nil while only the JSON of one transcript has it
}

func (l *longSpan) text(turns []byte) string {
	if content := l.content.Load(); content != nil {
		return *content
	}
	return textAt(turns[l.from:l.to])
}

func (l *longSpan) appendTo(to, turns []byte) []byte {
	if l.from < l.to {
		return append(to, turns[l.from:l.to]...)
	}
	return codec.AppendString(to, *l.content.Load())
}

// textAt decodes a JSON string that this package wrote.
func textAt(quoted []byte) (text string) {
	p := codec.NewParser(quoted)
	if codec.Texts[string]().Read(p, &text); p.Odd {
		_ = json.Unmarshal(quoted, &text)
	}
	return text
}
