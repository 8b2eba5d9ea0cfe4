// Package hashchain ties each line of a journal to all lines before it, so that one which
// somebody changes, adds or removes afterwards shows.
//
// A line is an object of JSON whose last field is the hash. The hash of a line is that of
// the one before and of the line without it. It finds edits, and does not prove who wrote.
package hashchain

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// Field is the field that holds the hash of a line.
const Field = "hash"

const (
	journal = `{"type":"run"` // begins one
	typed   = `{"type":"`     // begins the second line of one, too
	before  = `,"` + Field + `":"`
	digits  = 16
)

// Chain is what the next hash depends on. It begins as zeros.
type Chain [sha256.Size]byte

// Link is a line, which ends with "}\n", with its hash.
func (c *Chain) Link(line []byte) []byte {
	*c = sha256.Sum256(append(c[:], line...))
	return fmt.Appendf(nil, "%s%s%x\"}\n", line[:len(line)-len("}\n")], before, c[:digits/2])
}

// Check checks what is written to it. Lines of a stream that does not begin as a journal
// with hashes are not looked at.
type Check struct {
	Chain   Chain
	Linked  bool // the lines have hashes
	Changed int  // the first line that is not as it was written, from 1; 0 where all are

	line []byte // what there is of the next one
	n    int
	over bool
}

// Write implements io.Writer. It never fails.
func (c *Check) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && !c.over; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		c.line, rest = append(c.line, rest[:end]...), rest[end:]
		if c.n == 0 && !bytes.HasPrefix(c.line, []byte(typed)[:min(len(typed), len(c.line))]) {
			c.over = true
		} else if c.line[len(c.line)-1] == '\n' {
			c.check()
		}
	}
	return len(p), nil
}

func (c *Check) check() {
	c.n++
	at := max(0, len(c.line)-len(before)-digits-len("\"}\n"))
	linked := bytes.HasPrefix(c.line[at:], []byte(before))
	if bytes.HasPrefix(c.line, []byte(journal)) { // also behind the end of another
		c.Chain, c.Linked = Chain{}, linked
	} else if c.n == 1 { // with a hash, its first line is missing
		c.Linked, c.over = linked, !linked
	}
	if c.Linked && (!linked || !bytes.Equal(c.Chain.Link(append(c.line[:at:at], "}\n"...)), c.line)) {
		c.Changed, c.over = c.n, true
	}
	c.line = c.line[:0]
}
