package position

import (
	"bytes"
	"errors"
	"io"
)

// Counter passes a stream on and knows where it stands, and no place before that, for
// which it needs no memory. Its first error is final: it comes back on every later
// Read.
type Counter struct {
	r            io.Reader
	lines, bytes int // ended; read behind the last end
	err          error
}

// NewCounter returns a Counter for r.
func NewCounter(r io.Reader) *Counter { return &Counter{r: r} }

// Read implements io.Reader.
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

// Err is the error the stream failed with, nil when it ended without one or has
// not ended yet.
func (c *Counter) Err() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}

// End is the line and column, both 1-based, of the byte after the last one read.
func (c *Counter) End() (line, column int) { return c.lines + 1, c.bytes + 1 }
