package native

import "tribunal/internal/jsontext"

// nested passes over the object or array at the current byte. Where that is no JSON, or
// deep, it looks for what is wrong.
func (s *scanner) nested() {
	if s.depth == 1 {
		if end := (&jsontext.Part{B: s.line}).Valid(s.pos); end >= 0 {
			s.pos = end
			return
		}
	}
	if s.line[s.pos] == '{' {
		s.members(func(string, int) { s.value() })
		return
	}
	s.list(func() { s.value() })
}

// list calls each for every member or element of the object or array at the current byte.
// It must read that.
func (s *scanner) list(each func()) {
	closing := s.line[s.pos] + 2 // { and }, [ and ] are two apart
	if s.depth++; s.depth > maxDepth {
		s.fail(s.pos, "values are nested more than 10000 deep")
		return
	}
	s.pos++
	for first := true; !s.failed; first = false {
		if s.space() == closing {
			s.pos++
			s.depth--
			return
		}
		if !first {
			s.comma(closing)
		}
		if !s.failed {
			each()
		}
	}
}

// comma passes over the comma behind an element.
func (s *scanner) comma(closing byte) {
	if s.space() != ',' {
		s.expected("a comma or " + string(rune(closing)))
		return
	}
	s.pos++
	if s.space() == closing {
		s.fail(s.pos, "a comma before "+string(rune(closing))+" has nothing to separate")
	}
}

// members calls each for every member of the object at the current byte, which must be an
// opening brace, behind the colon. It must read the value.
func (s *scanner) members(each func(key string, at int)) {
	s.list(func() {
		s.space()
		at := s.pos
		if key := s.key(); !s.failed {
			each(key, at)
		}
	})
}

// key reads a key and its colon.
func (s *scanner) key() string {
	if s.space() != '"' {
		s.expected("a key in double quotes")
		return ""
	}
	name := s.str()
	if s.failed {
		return ""
	}
	if s.space() != ':' {
		s.expected("a colon behind the key")
		return ""
	}
	s.pos++
	return name
}
