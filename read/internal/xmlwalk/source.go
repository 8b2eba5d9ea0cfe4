package xmlwalk

import (
	"bytes"
	"errors"
	"io"
)

// source is the part of a document that is in memory, and where it stands.
type source struct {
	r    io.Reader
	buf  []byte
	at   int   // of the next byte in buf
	err  error // that r ended with
	line int   // 1-based, of the byte at told
	col  int   // 1-based, of the byte at told
	told int   // bytes of buf up to which lines are counted
}

func newSource(r io.Reader) *source { return &source{r: r, line: 1, col: 1} }

// rest is what is in memory and not yet taken.
func (s *source) rest() []byte { return s.buf[s.at:] }

// more reads on, and reports whether there was anything. What is in memory moves
// only when there is no room behind it, so that small reads cost little.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	s.makeRoom()
	before := len(s.buf)
	for len(s.buf) == before && s.err == nil {
		n := 0
		n, s.err = s.r.Read(s.buf[before:cap(s.buf)])
		s.buf = s.buf[:before+n]
	}
	return len(s.buf) > before
}

func (s *source) makeRoom() {
	const least = 4 << 10
	if cap(s.buf)-len(s.buf) >= least {
		return
	}
	s.count()
	rest := s.rest()
	if cap(s.buf) < 2*len(rest)+blockSize {
		s.buf = make([]byte, 0, 4*len(rest)+2*blockSize)
	}
	s.buf = append(s.buf[:0], rest...)
	s.told, s.at = 0, 0
}

// need reports whether n bytes are there.
func (s *source) need(n int) bool {
	for len(s.buf)-s.at < n {
		if !s.more() {
			return false
		}
	}
	return true
}

// follows reports whether a text comes next.
func (s *source) follows(text string) bool {
	return s.need(len(text)) && string(s.buf[s.at:s.at+len(text)]) == text
}

// count counts the lines of what was taken.
func (s *source) count() {
	taken := s.buf[s.told:s.at]
	if n := bytes.Count(taken, []byte("\n")); n > 0 {
		s.line += n
		s.col = len(taken) - bytes.LastIndexByte(taken, '\n')
	} else {
		s.col += len(taken)
	}
	s.told = s.at
}

// place is where the next byte stands.
func (s *source) place() (line, column int) {
	s.count()
	return s.line, s.col
}

// failure is the error of r, if it is one.
func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}
