package native

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

// memoryKept is how much memory is kept from line to line: one huge line is no
// reason to stay huge.
const memoryKept = 4 << 20

// line is one line of the input. Its text has no line end and lies in memory
// that the next line reuses.
type line struct {
	text    []byte
	number  int  // 1-based
	ended   bool // by a line end; only the last line may lack it
	tooLong bool // the text was skipped
}

// lines cuts the input into lines. It hands out a line as soon as it is there,
// so that a slow pipe is followed live.
type lines struct {
	r      *bufio.Reader
	limit  int
	number int
	long   []byte // a line that does not fit the buffer of r
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 1<<16), limit: limit}
}

// next returns the next line. With an error, io.EOF at the end of the input,
// comes what was read of the last line, nothing when its text is empty.
func (ls *lines) next() (line, error) {
	if ls.number++; cap(ls.long) > memoryKept {
		ls.long = nil
	}
	text, err := ls.r.ReadSlice('\n')
	l := line{text: text, number: ls.number}
	if errors.Is(err, bufio.ErrBufferFull) {
		l.text, l.tooLong, err = ls.collect(text)
	}
	if n := len(l.text); n > 0 && l.text[n-1] == '\n' {
		l.text, l.ended = l.text[:n-1], true
	}
	if len(l.text) > ls.limit {
		l.text, l.tooLong = nil, true
	}
	return l, err
}

// collect puts together a line of which the head is already read.
func (ls *lines) collect(head []byte) (text []byte, tooLong bool, err error) {
	ls.long = append(ls.long[:0], head...)
	for {
		part, err := ls.r.ReadSlice('\n')
		if len(ls.long)+len(part) > ls.limit+1 { // the line end is not counted
			tooLong, ls.long = true, ls.long[:0]
		}
		if !tooLong {
			ls.long = append(ls.long, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return ls.long, tooLong, err
		}
	}
}
