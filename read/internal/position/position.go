// Package position turns byte offsets of a stream into lines and columns.
//
// It exists because decoders such as encoding/json's tell offsets, people need lines, and the text is gone by the time
// an error shows. It knows nothing of any format. Readers that walk over lines themselves do not need it.
package position

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// remembered is how many line ends are kept at least. Decoders fail near what they read last, so forgetting older ones
// costs nothing, and a stream of line ends cannot fill the memory.
const remembered = 1 << 20

// Reader is a Counter that remembers where lines end.
type Reader struct {
	Counter
	read      int64   // bytes so far
	ends      []int64 // offsets of the last line ends
	forgotten int     // line ends before these
}

// NewReader returns a Reader for r.
func NewReader(r io.Reader) *Reader { return &Reader{Counter: Counter{r: r}} }

func (p *Reader) Read(b []byte) (int, error) {
	n, err := p.Counter.Read(b)
	p.note(b[:n])
	return n, err
}

func (p *Reader) note(b []byte) {
	start := p.read
	p.read += int64(len(b))
	for at := 0; ; at++ {
		next := bytes.IndexByte(b[at:], '\n')
		if next < 0 {
			break
		}
		at += next
		p.ends = append(p.ends, start+int64(at))
	}
	if extra := len(p.ends) - remembered; extra > remembered {
		p.forgotten += extra
		p.ends = append(p.ends[:0], p.ends[extra:]...)
	}
}

// At is the line and column, both 1-based, of the byte at the offset; the
// column counts bytes. Both are 0 when the line is too long ago to be known.
func (p *Reader) At(offset int64) (line, column int) {
	before, _ := slices.BinarySearch(p.ends, offset) // line ends before the offset
	if before == 0 && p.forgotten > 0 {
		return 0, 0
	}
	start := int64(0)
	if before > 0 {
		start = p.ends[before-1] + 1
	}
	return p.forgotten + before + 1, int(offset-start) + 1
}

// Error is the error of an input and the place where reading stopped, for readers that count lines themselves.
type Error struct {
	Line, Column int // 1-based, of the byte after the last one read
	Err          error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error of the input.
func (e *Error) Unwrap() error { return e.Err }

// Counter passes a stream on and knows where it stands, and no place before that, for which it needs no memory. Its
// first error is final: it comes back on every later Read.
type Counter struct {
	r            io.Reader
	lines, bytes int // ended; read behind the last end
	err          error
}

// NewCounter returns a Counter for r.
func NewCounter(r io.Reader) *Counter { return &Counter{r: r} }

func (c *Counter) Read(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(b)
	c.err = err
	if ends := bytes.Count(b[:n], []byte{'\n'}); ends > 0 { // counting is the quicker way to see that there is none
		c.lines += ends
		c.bytes = -bytes.LastIndexByte(b[:n], '\n') - 1
	}
	c.bytes += n
	return n, err
}

// Err is the error the stream failed with, nil when it ended without one or has not ended yet.
func (c *Counter) Err() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}

// End is the line and column, both 1-based, of the byte after the last one read.
func (c *Counter) End() (line, column int) { return c.lines + 1, c.bytes + 1 }
