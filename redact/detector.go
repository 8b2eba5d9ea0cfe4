package redact

import "regexp"

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

	compiled *regexp.Regexp
}

// usualWindow bounds what a pattern looks at behind a literal, and with it the
// time that hostile text can cost. A secret that goes on is followed to its end.
const usualWindow = 512

// match is what a pattern found.
type match struct {
	text       string
	literalEnd int
	start, end int // of the secret
}

func (m *match) value() string { return m.text[m.start:m.end] }

// before is the byte before the secret, 0 at the start of the text.
func (m *match) before() byte {
	if m.start == 0 {
		return 0
	}
	return m.text[m.start-1]
}

// compile makes a detector ready for use.
func (d detector) compile() (detector, error) {
	re, err := regexp.Compile(`\A(?:` + d.pattern + `)`)
	d.compiled = re
	if d.window == 0 {
		d.window = usualWindow
	}
	return d, err
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
	*m = match{text: s, literalEnd: behind}
	stop := min(len(s), from+d.window)
	groups := d.compiled.FindStringSubmatchIndex(s[from:stop])
	if groups == nil {
		return d.prefix && m.head(cut, literal), literal
	}
	m.start, m.end = secretOf(groups)
	m.start, m.end = m.start+from, m.end+from
	if m.end == stop {
		m.end = endOfWord(s, stop)
	}
	next = max(behind, m.end)
	return m.start < m.end && (d.secret == nil || d.secret(m)), next
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
	m.start, m.end = literal, m.literalEnd
	for m.end < len(m.text) && m.end < m.literalEnd+usualWindow && tokenByte(m.text[m.end]) {
		m.end++
	}
	return m.end > m.literalEnd && (cutAt(m.text, m.end) || cut && m.end == len(m.text))
}

// joined reports whether a letter or digit stands before i, other than that of
// an escape such as \n in quoted text.
func joined(s string, i int) bool {
	if i == 0 || !alnum(s[i-1]) {
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

func has(set string, c byte) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func alnum(c byte) bool { return digit(c) || letter(c) }

func tokenByte(c byte) bool { return alnum(c) || has("_-+/=.~", c) }
