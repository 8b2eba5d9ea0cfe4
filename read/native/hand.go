package native

import "bytes"

// hand reads blocks. Everything in it is used again from block to block.
type hand struct {
	buf     []byte
	limit   int // of a line
	found   *found
	careful reader
	quick   *quick
	marked  marked
}

func newHand(f *found, limit int) *hand {
	return &hand{found: f, limit: limit, quick: newQuick()}
}

// read reads a block, quickly where that is possible.
func (h *hand) read(b block) {
	h.careful.to, h.careful.notes, h.careful.line = h.found, notes{}, 0
	whole := bytes.LastIndexByte(b.text, '\n') + 1
	h.marked.mark(b.text[:whole])
	at := 0
	for at < whole {
		if b.text[at] == '{' {
			if next, ok := h.quick.trial(&h.marked, at, h.limit, h.found.batch); ok {
				h.careful.line++
				at = next
				continue
			}
		}
		at += h.careful.first(b.text[at:], h.limit)
	}
	b.text = b.text[at:]
	h.careful.block(b, h.limit)
	h.found.lines, h.found.notes = h.careful.line, h.careful.notes
}
