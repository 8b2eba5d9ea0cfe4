package lineblocks

import (
	"bytes"
	"errors"
	"io"

	"tribunal/read/internal/position"
)

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

const (
	// Size is how many bytes are best asked for at once: few enough to stay in
	// the cache of a core until they are read.
	Size = 256 << 10
	// memoryKept is how much memory is kept from block to block: one huge line
	// is no reason to stay huge.
	memoryKept = 4 << 20
)

// Block is some whole lines of the input. Its text lies in memory of whoever
// asked for it.
type Block struct {
	Text    []byte
	TooLong bool // a line over the limit, which was skipped, follows the text
	Last    bool // nothing follows; the last line may lack its end
}

// Cutter cuts an input into blocks. It hands out what is there as soon as that
// ends a line, so that a slow pipe is followed live.
type Cutter struct {
	r     io.Reader
	size  int
	limit int    // of a line
	rest  []byte // what was read behind the last block
	open  int    // bytes of the last line, when it has no end
	err   error
}

// Cut cuts r into blocks of about size bytes. A line may have limit bytes.
func Cut(r io.Reader, size, limit int) *Cutter { return &Cutter{r: r, size: size, limit: limit} }

// Next returns the next block, in buf or, when that is too small, in memory of
// its own. Behind the last one come empty ones.
func (c *Cutter) Next(buf []byte) Block {
	buf = c.begin(buf)
	searched := 0
	for {
		if end := bytes.LastIndexByte(buf[searched:], '\n') + 1; end > 0 {
			end += searched
			c.rest = append(c.rest, buf[end:]...)
			return Block{Text: buf[:end]}
		}
		if len(buf) > c.limit {
			return c.skip(buf)
		}
		if c.err != nil {
			c.open = len(buf) // there is no line end in it
			return Block{Text: buf, Last: true}
		}
		searched = len(buf)
		buf = c.read(buf)
	}
}

// begin puts the rest of the last block into buf.
func (c *Cutter) begin(buf []byte) []byte {
	if cap(buf) < c.size || cap(buf) > memoryKept {
		buf = make([]byte, 0, c.size)
	}
	buf = append(buf[:0], c.rest...)
	if c.rest = c.rest[:0]; cap(c.rest) > memoryKept {
		c.rest = nil
	}
	return buf
}

// read waits for more of the input. Memory for it grows with what a line has.
func (c *Cutter) read(buf []byte) []byte {
	if len(buf) == cap(buf) {
		buf = append(make([]byte, 0, min(2*cap(buf), cap(buf)+c.limit)), buf...)
	}
	n, err := c.r.Read(buf[len(buf):cap(buf)])
	for tries := 1; n == 0 && err == nil; tries++ {
		if n, err = c.r.Read(buf[len(buf):cap(buf)]); tries == 100 {
			err = io.ErrNoProgress
		}
	}
	c.err = err
	return buf[:len(buf)+n]
}

// skip passes over the rest of a line that is too long.
func (c *Cutter) skip(buf []byte) Block {
	for c.open = len(buf); c.err == nil; c.open += len(buf) {
		buf = c.read(buf[:0])
		if end := bytes.IndexByte(buf, '\n'); end >= 0 {
			c.open, c.rest = 0, append(c.rest, buf[end+1:]...)
			return Block{Text: buf[:0], TooLong: true}
		}
	}
	return Block{Text: buf[:0], TooLong: true, Last: true}
}

// Failure is the error that ended the input behind so many lines, with its
// place as a *position.Error; nil at the natural end.
func (c *Cutter) Failure(lines int) error {
	if c.err == nil || errors.Is(c.err, io.EOF) {
		return nil
	}
	if c.open > 0 { // the last of the lines has no end
		lines--
	}
	return &position.Error{Line: lines + 1, Column: c.open + 1, Err: c.err}
}
