package native

import (
	"bytes"
	"io"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/lineblocks"
)

// batcher is a sink that takes trials by the batch (see count.Batch), unless it
// gives none.
type batcher interface {
	envelope.Journal
	Batch() *count.Batch
	Count(*count.Batch)
}

// readSideBySide reads the input in blocks with at most so many workers.
func readSideBySide(r io.Reader, to batcher, folder Folder, workers, size, limit int) error {
	all := &notes{}
	err := lineblocks.SideBySide(lineblocks.Cut(r, size, limit), workers, lineblocks.Work[*found]{
		Empty:  func() *found { return &found{batch: to.Batch()} },
		Worker: func() func(lineblocks.Block, *found) { return newWorker(limit, folder).read },
		Deliver: func(f *found, before int) int {
			f.deliver(to, before, all)
			lines := f.lines
			f.reset()
			return lines
		},
	})
	all.settle(to)
	all.report(to)
	return err
}

// worker reads blocks. Everything in it is used again from block to block.
type worker struct {
	limit   int // of a line
	careful reader
	quick   *quick
	marked  jsontext.Text
}

func newWorker(limit int, folder Folder) *worker {
	h := &worker{limit: limit, careful: reader{folder: folder}, quick: newQuick()}
	h.careful.marks = &h.marked
	return h
}

// read reads a block, quickly where that is possible.
func (h *worker) read(b lineblocks.Block, found *found) {
	h.careful.to, h.careful.notes, h.careful.line = found, notes{}, 0
	whole := bytes.LastIndexByte(b.Text, '\n') + 1
	h.marked.Mark(b.Text[:whole])
	at := 0
	for at < whole {
		if b.Text[at] == '{' {
			if next, ok := h.quick.trial(&h.marked, at, h.limit, found.batch); ok {
				h.careful.line++
				at = next
				continue
			}
		}
		at += h.careful.first(b.Text[at:], h.limit)
	}
	b.Text = b.Text[at:]
	h.careful.block(b, h.limit)
	found.lines, found.notes = h.careful.line, h.careful.notes
}
