package tap

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// lineLimit is how much of a line is kept; the rest is dropped and told once.
const lineLimit = 64 << 20

// lines reads a stream line by line, whatever their length.
type lines struct {
	src     *bufio.Reader
	number  int
	dropped int
	ahead   string
	again   bool
	err     error // the first one is final
}

// next is the next line without its end. An error other than io.EOF is that of
// the stream.
func (l *lines) next() (string, error) {
	if l.again {
		l.again = false
		l.number++
		return l.ahead, nil
	}
	var parts []string // of a line that is longer than the buffer
	size := 0
	for l.err == nil {
		part, err := l.src.ReadSlice('\n')
		kept := part[:min(len(part), lineLimit-size)]
		size += len(kept)
		l.dropped += len(part) - len(kept)
		if len(kept) > 0 {
			parts = append(parts, string(kept))
		}
		switch {
		case err == nil || errors.Is(err, io.EOF) && size > 0:
			l.number++
			return strings.ToValidUTF8(strings.TrimRight(strings.Join(parts, ""), "\r\n"), "\uFFFD"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			l.err = err
		}
	}
	return "", l.err
}

// back puts a line back: it comes again.
func (l *lines) back(line string) {
	l.ahead, l.again = line, true
	l.number--
}

// indentation is by how many blanks a subtest is indented.
const indentation = 4

// depthLimit is how deep subtests are told apart; deeper ones are put into the
// deepest.
const depthLimit = 100

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
