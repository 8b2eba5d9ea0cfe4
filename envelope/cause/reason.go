package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tribunal/internal/regex"
)

// Key identifies a reason: how it was found, and the text, joined by NUL. "name" has the
// name of a check, "text" the masked line, "test" the test and the masked line of a
// comparison that says nothing by itself, "class" the class of an error without a message.
// The key of a message without a word is "".
type Key string

func key(parts ...string) Key { return Key(strings.Join(parts, "\x00")) }

// Named is the key of a failing check, or of another item that a reader has a name for.
func Named(name string) Key { return key("name", name) }

// Class is the key of a trial without a message.
func Class(class string) Key { return key("class", cmp.Or(class, "no message")) }

// Subtest is the key of a test that failed because a subtest did: the subtest has the cause.
const Subtest Key = "text\x00a subtest failed"

// Others is the key of reasons beyond those that are kept.
const Others Key = "class\x00other reasons"

// By is how a reason was found: name, text, test or class.
func (k Key) By() string {
	by, _, _ := strings.Cut(string(k), "\x00")
	return by
}

func (k Key) lastPart() string { return string(k[strings.LastIndexByte(string(k), 0)+1:]) }

const (
	headBytes  = 1000 // of a message that are looked at
	headLines  = 200
	lineBytes  = 300
	mask       = "\x01" // stands for a part that varies; reports show …
	rememberAt = 10_000 // reasons
)

// Finder finds the reasons of messages. It remembers those of messages that differ in
// numbers alone, which most do. It is for one goroutine.
type Finder struct {
	// Redact takes secrets out of the text that a key is made of. It is asked once for
	// messages that differ in words with digits alone.
	Redact func(string) string
	known  map[string]found
	head   []byte
}

// found is a reason; a comparison still needs its test.
type found struct {
	key   Key
	local bool
}

// Of is the reason in the message of a failing trial.
func (f *Finder) Of(test, text string) Key {
	f.head = collapse(f.head[:0], text)
	r, ok := f.known[string(f.head)]
	if !ok {
		if f.known == nil || len(f.known) >= rememberAt {
			f.known = map[string]found{}
		}
		head := string(f.head)
		r = reason(f.Redact(head))
		f.known[head] = r
	}
	if r.local {
		return key("test", base(test), string(r.key))
	}
	return r.key
}

func base(test string) string {
	if at := strings.IndexAny(test, "[("); at >= 0 {
		test = test[:at]
	}
	return strings.TrimSpace(test)
}

func reason(head string) found {
	line, _ := mainLine(head)
	if line == "" {
		return found{}
	}
	if line = form(line); generic(line) {
		return found{key: Key(maskQuoted(line, mask)), local: true}
	}
	return found{key: key("text", line)}
}

var ansi = regex.Of(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])`)

// Head is the part of a message that is looked at.
func Head(text string) string { return cut(text, headBytes) }

// ReasonText is the text to look for a reason in.
func ReasonText(message, output string) string {
	if Repeats(output, message) {
		return output
	}
	return message
}

// Repeats reports whether the output begins with the message and says more, as JUnit of JVMs and
// nextest write it. It looks at the first lines only.
func Repeats(output, message string) bool {
	line, _, _ := strings.Cut(message, "\n")
	first, _, more := strings.Cut(output, "\n")
	if line == "" || !strings.HasSuffix(first, line) {
		return false
	}
	kind, ok := strings.CutSuffix(first[:len(first)-len(line)], ": ")
	return ok && kind != "" && !strings.ContainsAny(kind, " \t") || first == line && more && strings.HasSuffix(line, ":")
}

func head(text string) string {
	if len(text) > headBytes {
		text = cut(text, headBytes)
	}
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = ansi().ReplaceAllString(text, "")
	}
	return text
}

// cut is the beginning of a text of at most n bytes, without half a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// collapse appends the head of a message to dst, with 0 for each word that has a digit,
// but for a status code alone: messages that differ in such words have the same reason.
func collapse(dst []byte, text string) []byte {
	text = head(text)
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			dst = append(dst, text[i])
			i++
			continue
		}
		start, digits := i, 0
		for ; i < len(text) && isWord(text[i]); i++ {
			if isDigit(text[i]) {
				digits++
			}
		}
		word := text[start:i]
		if digits > 0 && !(digits == 3 && len(word) == 3 && '1' <= word[0] && word[0] <= '5') {
			word = "0"
		}
		dst = append(dst, word...)
	}
	return dst
}

// wraps are beginnings of a line that say nothing. Where one has a group, that is what
// stays of the line.
var wraps = []func() *regexp.Regexp{
	regex.Of(`^(?:[\w$./\\-]+[.:])?(?:\w*[Aa]ssertion\w*(?:Error|Exception|Failure)?|Error|Exception|Failed|Failure|FAILED|FAIL|E) ?:\s`),
	regex.Of(`^Uncaught\s`),
	regex.Of(`^the process died before the test ended:\s`),
	regex.Of(`^failed on (?:setup|teardown) with "(.*)"$`),
	regex.Of(`^(?:Parent )?(?:[Ss]uite )?(?:OneTime)?(?:[Ss]et ?[Uu]p|[Tt]ear ?[Dd]own)(?: failed)?:`),
	regex.Of(`^thread '[^']*' (?:\([0-9]+\) )?panicked at [^ ]+:`),
	regex.Of(`^(?:[A-Za-z]:)?[^\s:()"']*\.\w+(?::[0-9]+(?::[0-9]+)?|\([0-9]+(?:,[0-9]+)?\)):?(?:\s+(?:error|fatal error|failure):)?\s`),
}

var qualified = regex.Of(`^(?:[\w$]+\.)+([A-Z]\w* ?:\s)`)

// mainLine is the line of a message that says what went wrong, and the lines after it.
func mainLine(text string) (line string, after []string) {
	lines := linesWithText(text)
	if len(lines) == 0 {
		return "", nil
	}
	line, at := cut(singleSpaced(lines[0]), lineBytes)+" ", 1
	for range 8 {
		before := line
		for _, wrap := range wraps {
			rest, ok := unwrap(wrap(), line)
			if !ok {
				continue
			}
			if line = rest + " "; rest != "" {
				continue
			}
			if at == len(lines) {
				return strings.TrimSpace(before), nil
			}
			line, at = cut(singleSpaced(lines[at]), lineBytes)+" ", at+1
		}
		if line == before {
			break
		}
	}
	if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") && at < len(lines) {
		line, at = line+" "+singleSpaced(lines[at]), at+1
	}
	return cut(qualified().ReplaceAllString(line, "$1"), lineBytes), lines[at:min(at+4, len(lines))]
}

// unwrap is a line without a beginning that says nothing.
func unwrap(wrap *regexp.Regexp, line string) (rest string, ok bool) {
	if wrap.NumSubexp() > 0 {
		m := wrap.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return "", false
		}
		return strings.TrimSpace(m[1]), true
	}
	at := wrap.FindStringIndex(line)
	if at == nil {
		return "", false
	}
	return strings.TrimSpace(line[at[1]:]), true
}

func singleSpaced(line string) string { return strings.Join(strings.Fields(line), " ") }

// linesWithText are the first lines of a text that have a letter or a number.
func linesWithText(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r < ' ' && r != '\n' || r == 0x7f:
			return ' '
		}
		return r
	}, ansi().ReplaceAllString(text, ""))
	var lines []string
	for n, line := range strings.Split(text, "\n") {
		if n == headLines {
			break
		}
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	code  = regex.Of(`(?i)\b(?:status|code|http|error)\b[^0-9A-Za-z\x01]{1,3}(?:(?:code|of)\b[^0-9A-Za-z\x01]{1,3})?([1-5][0-9][0-9])\b`)
	masks = []struct {
		of   string // one of these bytes is in every such part
		part func() *regexp.Regexp
		with string
	}{
		{":", regex.Of(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>)\]]+`), mask}, // URL
		{"@", regex.Of(`[\w.+-]+@[\w-]+\.[\w.-]+`), mask},                  // e-mail
		{"@", regex.Of(`\b[\w.$]+@[0-9a-f]+\b`), mask},                     // an object of Java
		{`/\`, regex.Of(`(?:\b[A-Za-z]:)?(?:[/\\]|\.{1,2}[/\\]|~[/\\]|[\w.@+-]+[/\\][\w.@+-]+[/\\])(?:[\w.@+~-]*[/\\])*([\w.@+-]*)`), "$1"},
		{`/\`, regex.Of(`[\w.@+-]+[/\\]([\w@+-]+(?:\.\w+)+)`), "$1"}, // paths: the name of the file
	}
	varying = regex.Of(`[-+]?\w+(?:[-.:]\w+|,[0-9]\w*)*%?`) // where it has a digit
	unit    = regex.Of(`\x01 ?(?:[nuµm]?s|secs?|seconds?|mins?|minutes?|h|hours?|days?|milliseconds?|[KMGT]i?B|kB|bytes?|B)\b`)
	joined  = regex.Of(`\x01(?:[\s,.:;/|=+*x%-]*\x01)+`)
)

// form is a line with a mask for each part that varies.
func form(line string) string {
	const digits = "0123456789"
	numbered := strings.ContainsAny(line, digits)
	if numbered { // the code is the point: letters are not masked
		line = code().ReplaceAllStringFunc(line, func(s string) string {
			b := []byte(s)
			for i := len(b) - 3; i < len(b); i++ {
				b[i] += 'a' - '0'
			}
			return string(b)
		})
	}
	for _, m := range masks {
		if strings.ContainsAny(line, m.of) {
			line = m.part().ReplaceAllString(line, m.with)
		}
	}
	if numbered {
		line = varying().ReplaceAllStringFunc(line, func(s string) string {
			if strings.ContainsAny(s, digits) {
				return mask
			}
			return s
		})
	}
	if strings.Contains(line, mask) {
		line = joined().ReplaceAllString(unit().ReplaceAllString(line, mask), mask)
	}
	return singleSpaced(line)
}

var (
	matcher = regex.Of(`^expect\(.*\)\.(?:\w+\.)*to\w+\(`)
	words   = regex.Of(`[A-Z]?[a-z]+|[A-Z]+`)
	common  = sync.OnceValue(commonWords)
)

func commonWords() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(`an the to be been is are was were not no of in on by at as it and or but with for from
		than that this there expected actual expect expects expecting received got get have has had want wanted instead should
		must value values result assert asserts assertion error errors fail failed failure true false none null nil undefined
		nan equal equals equality eq ne lt gt le ge close greater less more least most same strictly loosely strict deep deeply
		object check checks condition test case boolean bool bytes len length contain contains include includes line file`) {
		all[word] = true
	}
	return all
}

// generic reports whether a form says only that two values differ.
func generic(form string) bool {
	if matcher().MatchString(form) {
		return true
	}
	return !slices.ContainsFunc(words().FindAllString(maskQuoted(form, " "), -1), func(word string) bool {
		return len(word) > 1 && !common()[strings.ToLower(word)]
	})
}

// quotations are where quoted words begin and end. An apostrophe inside a word is none.
func quotations(s string) [][2]int {
	inWord := func(at int) bool { return at >= 0 && at < len(s) && isWord(s[at]) }
	ends := func(open byte, at int) bool {
		return s[at] == open && !(open == '\'' && inWord(at+1)) || open == '`' && s[at] == '\''
	}
	var all [][2]int
	for i := 0; i < len(s); i++ {
		open := s[i]
		if open != '"' && open != '\'' && open != '`' || open == '\'' && inWord(i-1) {
			continue
		}
		end := i + 1
		for end < len(s) && !ends(open, end) {
			if s[end] == '\\' && open == '"' {
				end++
			}
			end++
		}
		if end < len(s) {
			all = append(all, [2]int{i, end + 1})
			i = end
		}
	}
	return all
}

func maskQuoted(s, with string) string {
	var b strings.Builder
	at := 0
	for _, q := range quotations(s) {
		b.WriteString(s[at:q[0]] + with)
		at = q[1]
	}
	return b.String() + s[at:]
}
