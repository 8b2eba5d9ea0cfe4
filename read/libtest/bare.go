package libtest

import "bytes"

// codeBare marks events whose names are no JSON.
const codeBare = "bare-backslashes"

// nameMark begins the name of an event as libtest writes it, which prints its events word
// by word.
var nameMark = []byte(`"name": "`)

// escaped is an event with its name as JSON has it. libtest before Rust 1.49, and programs
// that print events as it does, write names as they are, and on Windows those of doc tests
// have the path of a file. Such a name is known by a backslash that no JSON has; then all
// of its backslashes are bare. Nothing else of an event is touched.
func escaped(event []byte) (repaired []byte, bare bool) {
	at := bytes.Index(event, nameMark)
	if at < 0 {
		return event, false
	}
	begin := at + len(nameMark)
	length := bytes.IndexByte(event[begin:], '"')
	if length < 0 || !hasBare(event[begin:begin+length]) {
		return event, false
	}
	end := begin + length
	name := bytes.ReplaceAll(event[begin:end], []byte(`\`), []byte(`\\`))
	return bytes.Join([][]byte{event[:begin], name, event[end:]}, nil), true
}

// hasBare reports whether a backslash in what stands between quotes begins no escape.
func hasBare(s []byte) bool {
	for {
		at := bytes.IndexByte(s, '\\')
		if at < 0 || at+1 == len(s) { // or what it escapes is the quote behind s
			return false
		}
		next, rest := s[at+1], s[at+2:]
		if next == 'u' && (len(rest) < 4 || !areHex(rest[:4])) || bytes.IndexByte([]byte(`u"\/bfnrt`), next) < 0 {
			return true
		}
		s = rest
	}
}

func areHex(digits []byte) bool {
	for _, c := range digits {
		if bytes.IndexByte([]byte("0123456789abcdefABCDEF"), c) < 0 {
			return false
		}
	}
	return true
}
