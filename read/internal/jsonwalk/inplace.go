package jsonwalk

import (
	"bytes"
	"tribunal/internal/jsontext"
)

// mostInPlace is how long a value may be to be looked at where it lies. Conversations
// have some 20 kB; to look for their end byte by byte, keep them and look again whether
// they are JSON took a fifth of the time of reading them.
const mostInPlace = 256 << 10

// inPlace takes the object or array that comes next where it lies; nil when it is no
// JSON, or longer than mostInPlace, and nothing is taken then.
func (s *scanner) inPlace() []byte {
	if c := s.buf[s.pos]; c != '{' && c != '[' {
		return nil
	}
	s.marked.Reset()
	for {
		if n := s.sizeInPlace(true); n > 0 {
			raw := s.buf[s.pos : s.pos+n]
			s.pass(raw)
			return raw
		}
		if !s.more() {
			return nil
		}
	}
}

// decodeInPlace decodes the object, array or string that comes next where it lies, and
// reports whether it did; nothing is taken when not.
func (s *scanner) decodeInPlace(k *memory, v any) bool {
	if c := s.buf[s.pos]; c != '{' && c != '[' && c != '"' {
		return false
	}
	for {
		if n := k.decode(s.inMarks().B, &s.marked, v); n > 0 {
			s.pass(s.buf[s.pos : s.pos+n])
			return true
		}
		if s.sizeInPlace(false) > 0 || !s.more() {
			return false
		}
	}
}

// skipInPlace passes over the value that comes next and reports whether it did: it is
// JSON and all there.
func (s *scanner) skipInPlace() bool {
	if c, ok := s.space(); !ok || c != '{' && c != '[' && c != '"' {
		return false
	}
	n := s.sizeInPlace(false)
	if n > 0 {
		s.pass(s.buf[s.pos : s.pos+n])
	}
	return n > 0
}

// inMarks is what is there of what was not taken yet, marked.
func (s *scanner) inMarks() jsontext.Part {
	if s.marked.Bytes == nil {
		s.marked.Mark(s.buf[s.pos:s.end])
	}
	return jsontext.PartOf(s.buf[s.pos:s.end], &s.marked)
}

// sizeInPlace is how long the value is that comes next, -1 where that is no JSON or not
// all there. Noted says that it is about to be gone through.
func (s *scanner) sizeInPlace(noted bool) int {
	rest := s.inMarks()
	if rest.Marks.Torn() {
		return -1
	}
	rest.Noted = noted
	return rest.Valid(0)
}

// pass passes over bytes that are there.
func (s *scanner) pass(b []byte) {
	if ends := bytes.Count(b, []byte("\n")); ends > 0 { // counting is the quicker way to see that there is none
		s.line += ends
		s.lineStart = s.base + int64(s.pos+bytes.LastIndexByte(b, '\n')+1)
	}
	s.pos += len(b)
}

// more reads on behind what is there and not yet taken, at least as much again, and reports
// whether more came.
func (s *scanner) more() bool {
	left := s.end - s.pos
	if s.err != nil || left >= mostInPlace {
		return false
	}
	want := min(2*left, mostInPlace)
	if s.pos+want > len(s.buf) {
		s.moveTo(want)
	}
	s.marked.Bytes = nil
	for s.end < s.pos+want && s.err == nil {
		var n int
		n, s.err = s.r.Read(s.buf[s.end:])
		s.end += n
	}
	return s.end-s.pos > left
}

// moveTo moves what is not yet taken to the begin of memory that has so much room.
func (s *scanner) moveTo(room int) {
	left, to := s.buf[s.pos:s.end], s.buf
	if room > len(to) {
		to = make([]byte, mostInPlace)
	}
	copy(to, left)
	s.base += int64(s.pos)
	s.buf, s.pos, s.end = to, 0, len(left)
}
