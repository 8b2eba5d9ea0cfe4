package redact

import (
	"strings"

	"tribunal/internal/regex"
)

// assigned is a detector of values that are given to names which say what they
// hold: in code, JSON, YAML, headers, query strings, tables, command lines.
func assigned(kind string, names ...string) detector {
	return detector{kind: kind, literals: names, after: " \t\"'\\]:=>?|", find: func(m *match, literal int) bool {
		a, ok := m.assignment(literal, "")
		return ok && isOf(kind, a.name) && a.secret(kind, m)
	}}
}

// minSecret is the length from which a value of a name of a secret is a secret;
// minPassword that of a password of letters and digits.
const minSecret, minPassword = 8, 6

const (
	longestName  = 64  // bytes of a name that are looked at
	longestValue = 512 // bytes of a value in which its end is looked for
	widestGap    = 32  // blanks around a sign
)

// The ways a value can stand behind its name, beside the signs = : > and |.
const (
	byFlag  = '-' // --password VALUE, ["--password", "VALUE"]
	byBlank = ' ' // PASSWORD 'VALUE'
	byType  = 't' // token: str = "VALUE", var token string = "VALUE"
	byCall  = ',' // setenv("TOKEN", "VALUE")
)

type assignment struct {
	name       string
	named      bool // the name is in quotes, as in JSON
	sign       byte
	quoted     bool // the value is in quotes
	start, end int  // of the value
}

// assignment reads the value of the name that ends with the literal, by one of the signs
// or, for "", any.
func (m *match) assignment(literal int, wanted string) (a assignment, ok bool) {
	s, behind := m.text, m.literalEnd
	m.start, m.end = behind, behind
	if behind == len(s) {
		return a, false
	}
	a.name = s[nameStart(s, literal):behind]
	a.named = has(`"'\]`, s[behind])
	at := past(s, behind, `"'\]`, 4)
	i := pastBlanks(s, at)
	if i == len(s) {
		return a, false
	}
	flag := a.name[0] == '-'
	sign, near := "", s[i:min(len(s), i+longestName)]
	if strings.IndexByte(near, '=') >= 0 { // in every sign; spares most prose the pattern
		sign = signs().FindString(near)
	}
	switch c := s[i]; {
	case sign != "" && has("=>", sign[len(sign)-1]):
		a.sign, i = '=', i+len(sign)
	case sign != "":
		a.sign, i = byType, i+len(sign)-1
	case c == '=' || c == ':' || c == '>' || c == '|':
		a.sign, i = c, i+1
	case c == ',' && a.named && flag:
		a.sign, i = byFlag, i+1
	case c == ',' && a.named && strings.HasSuffix(strings.TrimRight(s[max(0, behind-len(a.name)-4):behind-len(a.name)], `\"'`), "("):
		a.sign, i = byCall, i+1
	case flag && i > at && c != '-':
		a.sign = byFlag
	case i > at && !a.named:
		a.sign = byBlank
	default:
		return a, false
	}
	a.start, a.end, a.quoted = valueAt(s, pastWrapper(s, pastBlanks(s, i)))
	if a.sign == '>' && a.start == a.end { // an element over lines
		a.start, a.end, _ = valueAt(s, past(s, i, " \t\r\n", longestName))
		ok = strings.HasPrefix(s[past(s, a.end, " \t\r\n", longestName):], "</")
	} else {
		ok = wanted == "" || has(wanted, a.sign)
	}
	m.start, m.end = a.start, a.end
	return a, ok && a.start < a.end
}

// signs give a name its value, with a type and the quote of the value or without.
var signs = regex.Of(`\A(?:[:?.+|]{1,3}=|=>|(?::[ \t]*[\w.&\[\]<>?| ]{1,40}|\w{1,20})[ \t]+=[ \t]*[bfru]?["'\x60])`)

func nameStart(s string, i int) int {
	for n := 0; n < longestName && i > 0 && (alnum(s[i-1]) || has("_-.", s[i-1])); n++ {
		i--
	}
	return i
}

func pastBlanks(s string, i int) int { return past(s, i, " \t", widestGap) }

// past is behind the bytes of a set from i on, at most so many.
func past(s string, i int, set string, most int) int {
	for n := 0; n < most && i < len(s) && has(set, s[i]); n++ {
		i++
	}
	return i
}

// wrappers are what debuggers print in front of a quoted value: spew of Go, Swift, Rust.
var wrappers = regex.Of(`\A(?:\(string\) \(len=\d{1,9}\) |Optional\(|Some\()\\{0,4}["']`)

// pastWrapper is where the quote of a wrapped value stands, or i.
func pastWrapper(s string, i int) int {
	if i == len(s) || !has("(OS", s[i]) {
		return i
	}
	return i + len(strings.TrimRight(wrappers().FindString(s[i:min(len(s), i+40)]), `\"'`))
}

// valueAt reads a value: in quotes, which may be escaped, or up to what ends a
// word, and then without what closes an expression around it and without the
// next name=value of a list. A quote that is not closed on its line was cut off
// or is none.
func valueAt(s string, i int) (start, end int, quoted bool) {
	at := i
	if at+1 < len(s) && has("bfru", s[at]|0x20) && has(`"'`, s[at+1]) {
		at++ // a prefix that languages give to strings
	}
	at = past(s, at, `\`, 8)
	if at < len(s) && has("\"'`", s[at]) {
		if start, end, ok := quotedValue(s, at, at > i && s[at-1] == '\\'); ok {
			return start, end, true
		}
		at++
		end = at
		for end < len(s) && end < at+longestValue && s[end] > ' ' {
			end++
		}
		return at, endOfLong(s, at, end), true
	}
	if i == len(s) || s[i] <= ' ' || has("&;\\:=<>", s[i]) {
		return i, i, false
	}
	for end = i; end < len(s) && end < i+longestValue && inValue(s, end); end++ {
	}
	end = i + listEnd(s[i:end])
	end = i + len(strings.TrimRight(s[i:end], ",.:)]}>"))
	return i, endOfLong(s, i, end), false
}

// inValue reports that a value without quotes goes on at i.
func inValue(s string, i int) bool {
	c := s[i]
	if c == '\\' {
		return i+1 < len(s) && s[i+1] > ' ' && !has(`nrt"'\`, s[i+1])
	}
	return c > ' ' && !has("\"'`&;<", c)
}

// quotedValue returns the value between the quote at i and the closing quote.
func quotedValue(s string, i int, escaped bool) (start, end int, ok bool) {
	quote := s[i]
	start = i + 1
	if strings.HasPrefix(s[start:], s[i:i+1]+s[i:i+1]) {
		start += 2
	}
	for end = start; end < len(s) && end < start+longestValue; end++ {
		switch c := s[end]; {
		case c == '\n' || c == '\r':
			return 0, 0, false
		case c == '\\' && !escaped:
			for end+1 < len(s) && s[end] == '\\' {
				end++
			}
		case c == quote, escaped && has(`"'`, c):
			return start, start + len(strings.TrimRight(s[start:end], `\`)), true
		}
	}
	return 0, 0, false
}

// endOfLong follows a value that goes on behind what was looked at.
func endOfLong(s string, start, end int) int {
	if end-start < longestValue {
		return end
	}
	return endOfWord(s, end)
}

// listEnd is where a value ends in front of the next name of a list.
func listEnd(v string) int {
	for i := 0; i+2 < len(v); i++ {
		if !has(",)|", v[i]) || !letter(v[i+1]) && v[i+1] != '_' {
			continue
		}
		for j := i + 2; j < len(v); j++ {
			if v[j] == '=' || v[j] == ':' {
				return i
			}
			if !alnum(v[j]) && !has("_.-", v[j]) {
				break
			}
		}
	}
	return len(v)
}

// secret judges a value by its name and by how it is written.
func (a *assignment) secret(kind string, m *match) bool {
	v, password := m.text[a.start:a.end], kind == kindPassword
	if placeholder(v) || filename(v) || !a.quoted && code(m.text[a.start:past(m.text, a.end, ",.:)]}>", 8)]) {
		return false
	}
	if strings.EqualFold(a.name, "pass") && !a.quoted && countedWord(v) { // what passed
		return false
	}
	long := len(v) >= minSecret
	enough := long || password && len(v) >= minPassword && (lettersAndDigits(v) || isNumeric(v))
	blanks := strings.ContainsAny(v, " \t")
	switch {
	case a.sign == byFlag:
		return (long || len(v) >= minPassword && lettersAndDigits(v)) && v[0] != '-' && !word(v) && !isNumeric(v)
	case a.sign == byBlank:
		return password && lettersAndDigits(v) && enough && !blanks && (a.quoted || behindLogin(m.text, a.start))
	case a.sign == '|', a.sign == byType, a.sign == byCall:
		return long && (a.quoted || a.sign != byCall) && lettersAndDigits(v) && !blanks && !countedWord(v)
	case a.sign == '=':
		return enough && (password || !blanks) && !(kind == kindToken && a.named && word(v))
	case a.sign == ':' && a.named:
		return enough && (password || !blanks && !(kind == kindToken && word(v)))
	case a.sign == ':' && a.quoted:
		return long && (password || !blanks && !word(v))
	}
	// after a colon or a bracket: prose, unless it looks made up
	return long && !word(v) && (password && a.sign == ':' || !isNumeric(v))
}

// behindLogin reports that a password stands in a line of .netrc: login NAME
// password VALUE.
func behindLogin(s string, value int) bool {
	words := strings.Fields(s[max(0, value-160):value])
	return len(words) >= 3 && words[len(words)-3] == "login"
}

// noSecrets are words before "token" in names that are no secrets, such as next_page_token and
// max_tokens.
var noSecrets = []string{"next", "page", "nextpage", "continuation", "cursor", "pagination", "sync", "start", "stop", "end", "eos",
	"bos", "pad", "padding", "unk", "sep", "cls", "mask",
	"special", "max", "min", "num", "per", "first", "last", "prev", "previous", "resume", "position"}

// isOf reports that a name which ends as those of its kind do is one of them.
func isOf(kind, name string) bool {
	switch kind {
	case kindToken:
		before := strings.TrimRight(name[:len(name)-len(kindToken)], "_-.")
		for _, w := range noSecrets {
			at := len(before) - len(w)
			if at >= 0 && strings.EqualFold(before[at:], w) && (at == 0 || !letter(before[at-1]) || before[at] < 'a') {
				return false
			}
		}
	case kindPassword:
		if at := len(name) - len("pass"); at > 0 && strings.EqualFold(name[at:], "pass") && letter(name[at-1]) {
			return name[at] == 'P' && name[at-1] >= 'a' // dbPass, and not compass
		}
	}
	return true
}

func kindOfName(name string) string {
	lower := asciiLower(name)
	for _, d := range assignments {
		for _, w := range d.literals {
			if strings.HasSuffix(lower, w) && isOf(d.kind, name) {
				return d.kind
			}
		}
	}
	return ""
}
