package tap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
	"unsafe"
)

// lineLimit is how much of a line is kept; the rest is dropped and told once.
const lineLimit = 64 << 20

// lines reads a stream line by line, whatever their length.
type lines struct {
	src     *bufio.Reader
	number  int
	dropped int
	ahead   []byte
	long    []byte // a line that is longer than the buffer of src, in memory of its own
	again   bool
	err     error // the first one is final
}

// next is the next line without its end, until the one behind it is read. An error
// other than io.EOF is that of the stream.
func (l *lines) next() ([]byte, error) {
	if l.again {
		l.again = false
		l.number++
		return l.ahead, nil
	}
	l.long = nil
	var parts [][]byte // of a long line
	size := 0
	for l.err == nil {
		part, err := l.src.ReadSlice('\n')
		kept := part[:min(len(part), lineLimit-size)]
		l.dropped += len(part) - len(kept)
		size += len(kept)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			parts = append(parts, bytes.Clone(kept))
		case err == nil || errors.Is(err, io.EOF) && size > 0:
			if parts != nil {
				l.long = bytes.Join(append(parts, kept), nil)
				kept = l.long
			}
			l.number++
			return valid(bytes.TrimRight(kept, "\r\n")), nil
		default:
			l.err = err
		}
	}
	return nil, l.err
}

// text is the line that was read last, for good.
func (l *lines) text(line []byte) string {
	if l.long != nil { // nobody writes there again, and it may be large
		return unsafe.String(unsafe.SliceData(line), len(line))
	}
	return string(line)
}

func valid(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}

// back puts a line back: it comes again.
func (l *lines) back(line []byte) {
	l.ahead, l.again = line, true
	l.number--
}

// indentation is by how many blanks a subtest is indented.
const indentation = 4

// depthLimit is how deep subtests are told apart; deeper ones are put into the
// deepest.
const depthLimit = 100

func indent(line string) int {
	for i := range len(line) {
		if line[i] != ' ' {
			return i
		}
	}
	return len(line)
}
