package native

import (
	"bytes"
	"errors"
	"io"

	"tribunal/read/position"
)

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

const (
	// blockSize is how many bytes are asked for at once: few enough to stay in
	// the cache of a core until they are read.
	blockSize = 256 << 10
	// memoryKept is how much memory is kept from block to block: one huge line
	// is no reason to stay huge.
	memoryKept = 4 << 20
)

// block is some whole lines of the input. Its text lies in memory of whoever
// asked for it.
type block struct {
	text    []byte
	tooLong bool // a line over the limit, which was skipped, follows the text
	last    bool // nothing follows; the last line may lack its end
}

// blocks cuts the input into blocks. It hands out what is there as soon as that
// ends a line, so that a slow pipe is followed live.
type blocks struct {
	r     io.Reader
	size  int
	limit int    // of a line
	rest  []byte // what was read behind the last block
	open  int    // bytes of the last line, when it has no end
	err   error
}

// next returns the next block, in buf or, when that is too small, in memory of
// its own. Behind the last one come empty ones.
func (bs *blocks) next(buf []byte) block {
	buf = bs.begin(buf)
	searched := 0
	for {
		if end := bytes.LastIndexByte(buf[searched:], '\n') + 1; end > 0 {
			end += searched
			bs.rest = append(bs.rest, buf[end:]...)
			return block{text: buf[:end]}
		}
		if len(buf) > bs.limit {
			return bs.skip(buf)
		}
		if bs.err != nil {
			bs.open = len(buf) // there is no line end in it
			return block{text: buf, last: true}
		}
		searched = len(buf)
		buf = bs.read(buf)
	}
}

// begin puts the rest of the last block into buf.
func (bs *blocks) begin(buf []byte) []byte {
	if cap(buf) < bs.size || cap(buf) > memoryKept {
		buf = make([]byte, 0, bs.size)
	}
	buf = append(buf[:0], bs.rest...)
	if bs.rest = bs.rest[:0]; cap(bs.rest) > memoryKept {
		bs.rest = nil
	}
	return buf
}

// read waits for more of the input. Memory for it grows with what a line has.
func (bs *blocks) read(buf []byte) []byte {
	if len(buf) == cap(buf) {
		buf = append(make([]byte, 0, min(2*cap(buf), cap(buf)+bs.limit)), buf...)
	}
	n, err := bs.r.Read(buf[len(buf):cap(buf)])
	for tries := 1; n == 0 && err == nil; tries++ {
		if n, err = bs.r.Read(buf[len(buf):cap(buf)]); tries == 100 {
			err = io.ErrNoProgress
		}
	}
	bs.err = err
	return buf[:len(buf)+n]
}

// skip passes over the rest of a line that is too long.
func (bs *blocks) skip(buf []byte) block {
	for bs.open = len(buf); bs.err == nil; bs.open += len(buf) {
		buf = bs.read(buf[:0])
		if end := bytes.IndexByte(buf, '\n'); end >= 0 {
			bs.open, bs.rest = 0, append(bs.rest, buf[end+1:]...)
			return block{text: buf[:0], tooLong: true}
		}
	}
	return block{text: buf[:0], tooLong: true, last: true}
}

// failure is the error that ended the input behind so many lines, with its
// place; nil at the natural end.
func (bs *blocks) failure(lines int) error {
	if bs.err == nil || errors.Is(bs.err, io.EOF) {
		return nil
	}
	if bs.open > 0 { // the last of the lines has no end
		lines--
	}
	return &position.Error{Line: lines + 1, Column: bs.open + 1, Err: bs.err}
}
