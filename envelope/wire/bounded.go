package wire

import (
	"bytes"
	"fmt"
	"io"
)

// longestText is how long a text of an envelope may be, as long as a line of any
// other input. Ours are cut to some KiB when they are written; without a bound, a
// small packed file asks for any amount of memory.
const longestText = 64 << 20

// longestRows is how far lists of numbers may go without any text, such as the
// durations of a hundred million trials.
const longestRows = 16 * longestText

// bounded ends an input in which a text is too long. It looks for quotes and no
// more: between two of them is a text, or what stands between texts, which are
// numbers and brackets.
type bounded struct {
	r       io.Reader
	since   int64 // bytes behind the last quote
	escape  bool  // the last byte was a backslash that escapes the next
	letters bool  // among the bytes behind the last quote is one that no number has
	err     error
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.see(p[:n])
	if most := b.most(); b.since > most {
		b.err = fmt.Errorf("a text is longer than %d MiB", most>>20)
		return n, b.err
	}
	return n, err
}

func (b *bounded) most() int64 {
	if b.letters {
		return longestText
	}
	return longestRows
}

// see looks at what was read: from its end, where the next quote is near.
func (b *bounded) see(p []byte) {
	if len(p) == 0 {
		return
	}
	rest := p
	if last := b.lastQuote(p); last >= 0 {
		rest = p[last+1:]
		b.since, b.letters = 0, false
	}
	b.since += int64(len(rest))
	b.letters = b.letters || len(bytes.Trim(rest, numberBytes)) > 0
	slashes := len(p) - len(bytes.TrimRight(p, `\`))
	b.escape = (slashes%2 == 1) != (b.escape && slashes == len(p))
}

// numberBytes are those of numbers, of what is around them, and of true, false and
// null.
const numberBytes = "0123456789+-.eE,:[]{} \t\r\ntruefalsn"

// lastQuote is where the last quote stands that is not escaped.
func (b *bounded) lastQuote(p []byte) int {
	for end := len(p); ; {
		at := bytes.LastIndexByte(p[:end], '"')
		if at < 0 {
			return -1
		}
		slashes := at - len(bytes.TrimRight(p[:at], `\`))
		if escaped := (slashes%2 == 1) != (b.escape && slashes == at); !escaped {
			return at
		}
		end = at
	}
}
