package redact

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// detector is one row of the table: a shape only credentials have.
type detector struct {
	kind string
	// literals are cheap to look for, in lower case; one of them is in every
	// secret of this kind.
	literals []string
	// pattern is matched where a literal starts (back bytes before it). Its
	// first group that took part is the secret, or all of it without groups.
	pattern string
	back    int
	// alone asks that no letter or digit stands before the literal.
	alone bool
	// after lists the bytes that may follow the literal; "" is any.
	after string
	// secret says whether what matched is one, and may narrow it; nil is always.
	secret func(*match) bool
	// prefix marks literals that start a secret and nothing else, so that even
	// the head of a secret that was cut off is known by them.
	prefix bool
	window int // bytes the pattern may look at; 0 is usualWindow
	// run is how many bytes of a token follow the literal at least; it spares most
	// words the pattern. A token that is known by it is also found over the ends
	// of lines.
	run int
	// open marks tokens of any length, which may go on in the next line.
	open bool
	// find takes the place of a pattern.
	find func(m *match, literal int) bool

	compiled func() *regexp.Regexp
}

// usualWindow bounds what a pattern looks at behind a literal, and with it the
// time that hostile text can cost. A secret that goes on is followed to its end.
const usualWindow = 512

type match struct {
	text       string
	literalEnd int
	start, end int // of the secret
}

func (m *match) value() string { return m.text[m.start:m.end] }

// ready is the detector with its pattern, which is compiled at its first literal.
func (d detector) ready() detector {
	d.compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:` + d.pattern + `)`) })
	d.window = cmp.Or(d.window, usualWindow)
	return d
}

// at matches the detector against the literal of the given size that ends at
// behind, and puts what it finds into m. next is where to go on looking for
// this detector. cut says that the text was cut off at its end.
func (d *detector) at(m *match, s string, cut bool, size, behind int) (ok bool, next int) {
	literal := behind - size
	from := literal - d.back
	if from < 0 || d.after != "" && (behind == len(s) || !has(d.after, s[behind])) || d.alone && joined(s, literal) {
		return false, literal
	}
	m.text, m.literalEnd = s, behind
	if d.find != nil {
		ok = d.find(m, literal)
	} else {
		ok = d.matches(m, from, literal, behind) || d.run > 0 && d.wrapped(m, s, literal, behind) || d.prefix && m.head(cut, literal)
	}
	if !ok {
		return false, literal
	}
	return true, max(behind, m.end)
}

func (d *detector) matches(m *match, from, literal, behind int) bool {
	s := m.text
	if d.run > 0 && !runs(s, behind, d.run) {
		return false
	}
	stop := min(len(s), from+d.window)
	groups := d.compiled().FindStringSubmatchIndex(s[from:stop])
	if groups == nil {
		return false
	}
	m.start, m.end = secretOf(groups)
	m.start, m.end = m.start+from, m.end+from
	if m.end == stop {
		m.end = endOfWord(s, stop)
	}
	if m.start >= m.end || d.secret != nil && !d.secret(m) {
		return false
	}
	if d.open || d.prefix {
		m.end = further(s, m.start, m.end)
	}
	return true
}

func runs(s string, i, n int) bool {
	return i+n <= len(s) && tokenByte(s[i+n-1]) && only(s[i:i+n], tokenByte)
}

// secretOf is the first group that took part, or the whole match.
func secretOf(groups []int) (start, end int) {
	for i := 2; i < len(groups); i += 2 {
		if groups[i] >= 0 {
			return groups[i], groups[i+1]
		}
	}
	return groups[0], groups[1]
}

// head finds the head of a secret whose rest was cut off: a literal that only
// secrets start with, and token characters up to the cut.
func (m *match) head(cut bool, literal int) bool {
	m.start, m.end = literal, wordEnd(m.text, m.literalEnd)
	return m.end > m.literalEnd && (cutAt(m.text, m.end) || cut && m.end == len(m.text))
}

// joined reports whether a letter or digit stands before i, other than that of
// an escape such as \n in quoted text.
func joined(s string, i int) bool {
	if i == 0 {
		return false
	}
	if s[i-1] == '+' || s[i-1] == '/' {
		const long = 48 // a run of base64 of this length goes on at i
		return i >= long && only(s[i-long:i], func(c byte) bool { return alnum(c) || c == '+' || c == '/' })
	}
	if !alnum(s[i-1]) {
		return false
	}
	return !(i > 1 && s[i-2] == '\\' && has("nrtbf", s[i-1]))
}

// endOfWord is the end of the text without blanks and quotes that goes on at i.
func endOfWord(s string, i int) int {
	for i < len(s) && s[i] > ' ' && s[i] != '"' && s[i] != '\'' {
		i++
	}
	return i
}

func has(set string, c byte) bool { return strings.IndexByte(set, c) >= 0 }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func alnum(c byte) bool { return digit(c) || letter(c) }

func tableOf(is func(c byte) bool) (t [256]bool) {
	for c := range t {
		t[c] = is(byte(c))
	}
	return t
}

var tokenBytes = tableOf(func(c byte) bool { return alnum(c) || has("_-+/=.~$", c) })

func tokenByte(c byte) bool { return tokenBytes[c] }

// A terminal, a mailer or a pretty printer breaks a token that does not fit its
// line. The parts are looked at as one.

const (
	wrappedLines = 6  // a token may go on over
	wrapColumn   = 60 // from which on a line may have been broken
	wrapIndent   = 12 // blanks in front of what goes on
)

// continued is where the text goes on in the next line that breaks off at i, and
// where the word there ends.
func continued(s string, i int) (start, end int, ok bool) {
	if i < len(s) && s[i] == '\\' {
		i++
	}
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if i >= len(s) || s[i] != '\n' {
		return 0, 0, false
	}
	for i++; i < len(s) && start < wrapIndent && (s[i] == ' ' || s[i] == '\t'); i++ {
		start++
	}
	start, end = i, wordEnd(s, i)
	return start, end, end > start && (end == len(s) || !has(":(", s[end]))
}

func wordEnd(s string, i int) int {
	for from := i; i < len(s) && i < from+usualWindow && tokenByte(s[i]); i++ {
	}
	return i
}

// wrapped matches a detector against a literal whose token is broken by the ends
// of lines.
func (d *detector) wrapped(m *match, s string, literal, behind int) bool {
	if behind == len(s) || !alnum(s[behind]) {
		return false
	}
	end := wordEnd(s, behind)
	start, next, ok := continued(s, end)
	if !ok {
		return false
	}
	joined := append([]byte{}, s[literal:end]...)
	for range wrappedLines {
		part := len(joined)
		joined = append(joined, s[start:next]...)
		if groups := d.compiled().FindSubmatchIndex(joined); groups != nil {
			from, to := secretOf(groups)
			if from > part || to <= part {
				return false
			}
			m.start, m.end = literal+from, start+to-part
			return d.secret == nil || d.secret(&match{text: string(joined), literalEnd: behind - literal, start: from, end: to})
		}
		if start, next, ok = continued(s, next); !ok {
			return false
		}
	}
	return false
}

// further follows a token of any length that fills its line into the next ones.
func further(s string, start, end int) int {
	for range wrappedLines {
		line := end
		for line > 0 && end-line < wrapColumn && s[line-1] != '\n' {
			line--
		}
		from, next, ok := continued(s, end)
		if end-line < wrapColumn || !ok || next-from < minSecret || !lettersAndDigits(s[from:next]) || only(s[from:next], hexByte) {
			return end
		}
		end = next
	}
	return end
}

// hexByte reports what hashes, UUIDs and times are written with.
func hexByte(c byte) bool { return nibble(c) < 16 || has("-.TZ", c) }
