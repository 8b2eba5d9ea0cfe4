package redact

import (
	"strings"

	"tribunal/internal/regex"
)

const (
	pemDashes  = "-----"
	longestKey = 1 << 16
	keyLine    = 40 // base64 characters of a line that is surely one of a key
)

var (
	// keyHeader is the first line of a private key.
	keyHeader = regex.Of(`\A-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	keyFooter = regex.Of(`\A-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	// keyRest is the body of a key that has no end: long runs of base64, also
	// with escaped line breaks, and what is left of one more.
	keyRest = regex.Of(`\A(?:(?:\s|\\+[nrt]|[\w-]+: [^\n\\]{1,80})*[A-Za-z0-9+/=]{16,})*(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{1,64})?`)
)

// privateKey finds a private key from its first line to its last or, where that
// is missing, as far as lines look like its own, whatever stands in front of
// each: a logger's time, a quotation's mark.
func privateKey(m *match, literal int) bool {
	s := m.text[:min(len(m.text), literal+longestKey)]
	header := keyHeader().FindString(s[literal:min(len(s), literal+len("-----BEGIN PRIVATE KEY BLOCK-----")+40)])
	if header == "" {
		return false
	}
	body := literal + len(header)
	m.start, m.end = literal, body
	if i := strings.Index(s[body:], pemDashes); i >= 0 {
		rest := s[body+i:]
		if footer := keyFooter().FindString(rest[:min(len(rest), usualWindow)]); footer != "" {
			m.end = body + i + len(footer)
			return true
		}
		s = s[:body+i]
	}
	m.end = max(body+len(keyRest().FindString(s[body:])), prefixedLines(s, literal, body))
	return true
}

// keyEnd finds the last line of a private key whose first was cut off, and what is left of
// the others.
func keyEnd(m *match, literal int) bool {
	footer := keyFooter().FindString(m.text[literal:min(len(m.text), literal+usualWindow)])
	m.start, m.end = literal, literal+len(footer)
	for footer != "" && m.start > 0 && (alnum(m.text[m.start-1]) || has("+/=\\ \t\r\n", m.text[m.start-1])) {
		m.start--
	}
	return footer != ""
}

// prefixedLines is the end of the lines of a key behind its first, each with
// something in front.
func prefixedLines(s string, header, body int) (end int) {
	prefix := header - (strings.LastIndexByte(s[:header], '\n') + 1)
	end = body
	for line, full := nextLine(s, body), false; line < len(s); line = nextLine(s, line) {
		stop := nextByte(s, line, '\n')
		last := line + len(strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s[line:stop], " \t\r\",'+;)"), `\n`), `\`))
		start := last
		for start > line && (alnum(s[start-1]) || has("+/=", s[start-1])) {
			start--
		}
		switch n := last - start; {
		case n >= keyLine && start-line <= 120:
			end, full = last, true
		case full && n > 0 && start-line == prefix:
			return last
		case full || !(n == 0 || strings.Contains(s[line:stop], ": ")):
			return end
		}
	}
	return end
}

// nextLine is the start of the line behind the one at i, or the end of s.
func nextLine(s string, i int) int { return min(nextByte(s, i, '\n')+1, len(s)) }
