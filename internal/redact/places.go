package redact

import (
	"cmp"
	"strings"

	"tribunal/internal/regex"
)

// What follows finds credentials by the place they have in a text, where no
// expression could say it as shortly or would look at more than it has to. Each
// is given the place of its literal, and puts the secret into m.

// urlPassword finds user:password@ in front of the host of a URL, and tokens where the
// name of a user would stand: long and random. A password may hold what should have been
// encoded; a number behind the colon is a port.
func urlPassword(m *match, _ int) bool {
	s, from := m.text, m.literalEnd
	end, at, slash, colon := from, -1, -1, -1
	for ; end < len(s) && end < from+usualWindow && !endsURL[s[end]]; end++ {
		switch c := s[end]; {
		case alnum(c):
		case c == ':' && colon < 0:
			colon = end
		case has("/?#", c) && slash < 0:
			slash = end
		case c == '@' && end+1 < len(s) && (alnum(s[end+1]) || has("[_%$-", s[end+1])) && (slash < 0 || at < 0):
			at = end
		}
	}
	if at < 0 || colon > at {
		return false
	}
	if colon < 0 {
		colon = at
	}
	m.start, m.end = min(colon+1, at), at
	if slash >= 0 && slash < at && (slash < colon || only(s[colon+1:slash], digit)) ||
		colon < at && (colon+1 == at || placeholder(m.value())) {
		return false
	}
	user := s[from:colon]
	if len(user) >= 20 && lettersAndDigits(user) && only(user, func(c byte) bool { return alnum(c) || c == '_' || c == '-' }) {
		m.start = from
	}
	return m.start < at
}

// endsURL marks what no URL holds: blanks, controls, quotes and angle brackets.
var endsURL = tableOf(func(c byte) bool { return c <= ' ' || has("\"'`<>", c) })

// dsnPassword finds the password of user:password@tcp(host), as Go's driver for
// MySQL has it.
func dsnPassword(m *match, literal int) bool {
	s, start, colon := m.text, literal, -1
	for start > 0 && start > literal-longestValue/2 && s[start-1] > ' ' && !has("\"'`", s[start-1]) {
		start--
		if s[start] == ':' && !strings.HasPrefix(s[start:], "://") {
			colon = start
		}
	}
	if colon < 0 {
		return false
	}
	m.start, m.end = colon+1, literal
	return m.start < m.end && !placeholder(m.value())
}

// behindNumber finds the number of a bot or an application in front of the literal and a
// token behind it: from least to most digits, from short to long characters.
func behindNumber(least, most, short, long int) func(*match, int) bool {
	return func(m *match, literal int) bool {
		m.start, m.end = literal, m.literalEnd
		for m.start > 0 && literal-m.start <= most && digit(m.text[m.start-1]) {
			m.start--
		}
		if n := literal - m.start; n < least || n > most {
			return false
		}
		for m.end < len(m.text) && m.end-m.literalEnd <= long && (alnum(m.text[m.end]) || has("_-", m.text[m.end])) {
			m.end++
		}
		return m.end-m.literalEnd >= short && m.end-m.literalEnd <= long && lettersAndDigits(m.text[m.literalEnd:m.end])
	}
}

// userFlag finds user:password behind -u and --user of a command.
func userFlag(m *match, literal int) bool {
	s := m.text
	if literal == 0 || m.literalEnd == len(s) || !has(" \t\"'\\", s[literal-1]) {
		return false
	}
	a, ok := m.assignment(literal, "-=")
	if !ok {
		return false
	}
	user, password, pair := strings.Cut(m.value(), ":")
	m.start, m.end = a.start+len(user)+1, a.end
	if next := past(s, a.end, `\"'`, 4); password == "" && next < len(s) && s[next] == ':' { // "user":'password'
		m.start, m.end, _ = valueAt(s, next+1)
		password = m.value()
	} else if pair && password == "" { // a key in the place of the user
		m.start, m.end = a.start, a.start+len(user)
		return len(user) >= minSecret && lettersAndDigits(user) && !countedWord(user)
	}
	return len(password) >= minPassword && (lettersAndDigits(password) || !word(password) && !isNumeric(password)) &&
		!placeholder(password) && !filename(password)
}

// passwordFlags are the one-letter flags of commands that take a password.
var passwordFlags = map[byte][]string{'p': {"sshpass", "login", "mysql", "mariadb", "mongo"}, 'a': {"redis-cli"}}

// shortFlag finds the password of sshpass -p, docker login -p, mysql -pPASSWORD
// and redis-cli -a.
func shortFlag(m *match, literal int) bool {
	s := m.text
	if m.literalEnd == len(s) || s[literal+1] != '-' {
		return false
	}
	line := max(strings.LastIndexByte(s[:literal], '\n')+1, literal-160)
	command := s[line:literal]
	for _, c := range passwordFlags[s[m.literalEnd-1]] {
		if !strings.Contains(command, c) {
			continue
		}
		var quoted bool
		m.start, m.end, quoted = valueAt(s, pastBlanks(s, m.literalEnd))
		v := m.value()
		return len(v) >= minPassword && lettersAndDigits(v) && !placeholder(v) && !filename(v) && (quoted || !strings.Contains(v, ":"))
	}
	return false
}

// loginValue finds the base64 of user:password behind auth, as Docker's settings
// have it, and any made up value behind _auth, as npm's have it.
func loginValue(m *match, literal int) bool {
	a, ok := m.assignment(literal, "=:")
	v := m.value()
	return ok && len(v) >= minSecret && !placeholder(v) && (encodesLogin(v) || a.sign == '=' && lettersAndDigits(v) && !countedWord(v) &&
		strings.HasSuffix(asciiLower(a.name), "_auth"))
}

// encodedValue finds the value of a name such as PASSWORD_BASE64.
func encodedValue(m *match, literal int) bool {
	a, ok := m.assignment(literal, "")
	name := a.name[:len(a.name)-min(len(a.name), m.literalEnd-literal)]
	kind := kindOfName(name)
	return ok && (kind != "" || strings.HasSuffix(asciiLower(name), "_key")) && a.secret(cmp.Or(kind, "secret"), m)
}

// pairValue finds the value of a pair of a name and a value that stand apart:
// {"name":"x-api-key","value":"..."}, as in archives of HTTP, name: and value: on
// two lines, as in settings of containers, key="..." value="..." in XML.
func pairValue(m *match, literal int) bool {
	name, ok := pairName(m.text, literal)
	if !ok {
		return false
	}
	a, ok := m.assignment(literal, "=:")
	if !ok {
		return false
	}
	kind := kindOfName(name)
	a.name, a.sign, a.named = name, ':', true
	switch lower := strings.ToLower(name); {
	case kind != "":
		return a.secret(kind, m)
	case strings.HasSuffix(lower, "authorization"):
		return len(m.value()) >= minSecret && !placeholder(m.value()) && !word(m.value())
	case lower == "cookie" || lower == "set-cookie":
		return cookieValues(m, a.start, a.end, lower[0] == 's')
	case sessionName(lower):
		return len(m.value()) >= minSecret && lettersAndDigits(m.value())
	}
	return false
}

// pairName reads back what is called name or key in front of i.
func pairName(s string, i int) (name string, ok bool) {
	back := func(set string, most int) {
		for n := 0; n < most && i > 0 && has(set, s[i-1]); n++ {
			i--
		}
	}
	back("\"'\\", 4)
	back(" \t\r\n,", 48)
	back("\"'\\", 4)
	end := i
	i = nameStart(s, i)
	start := i
	back("\"'\\", 4)
	back(" \t", 8)
	if i == 0 || s[i-1] != ':' && s[i-1] != '=' || start == end {
		return "", false
	}
	i--
	back(" \t", 8)
	back("\"'\\", 4)
	word := asciiLower(s[max(0, i-4):i])
	return s[start:end], word == "name" || strings.HasSuffix(word, "key")
}

func sessionName(lower string) bool {
	return strings.HasSuffix(lower, "sessionid") || strings.HasSuffix(lower, "session_id") || strings.HasSuffix(lower, "sessid") ||
		strings.HasSuffix(lower, "_session") || lower == "session" || lower == "sid" || strings.HasSuffix(lower, ".sid") ||
		strings.HasSuffix(lower, "aspxauth") || kindOfName(lower) != ""
}

// cookieHeader finds what is secret in the headers Cookie and Set-Cookie.
func cookieHeader(m *match, literal int) bool {
	s := m.text
	a, ok := m.assignment(literal, "=:")
	if !ok {
		return false
	}
	end := a.end
	if !a.quoted { // other cookies may follow
		for end = a.start; end < len(s) && end < a.start+4*longestValue && s[end] >= ' ' && !has("\"'`<\\", s[end]); end++ {
		}
	}
	return cookieValues(m, a.start, end, strings.HasPrefix(asciiLower(a.name), "set"))
}

// cookieValues covers the values in a list of cookies from the first one that is
// secret to the last: those of sessions, and long random ones.
func cookieValues(m *match, from, to int, first bool) bool {
	m.start, m.end = -1, -1
	for at := from; at < to; {
		end := to
		if i := strings.IndexByte(m.text[at:to], ';'); i >= 0 {
			end = at + i
		}
		name, value, ok := strings.Cut(m.text[at:end], "=")
		value = strings.TrimRight(value, " \t")
		random := len(value) >= minSecret && lettersAndDigits(value) && !countedWord(value) && !placeholder(value)
		if ok && random && (len(value) >= 20 || sessionName(asciiLower(strings.TrimSpace(name)))) {
			if m.start < 0 {
				m.start = at + len(name) + 1
			}
			m.end = at + len(name) + 1 + len(value)
		}
		if at = end + 1; first {
			break
		}
	}
	return m.start >= 0
}

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
