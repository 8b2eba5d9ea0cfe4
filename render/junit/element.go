package junit

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/internal/regex"
	"tribunal/internal/text"
)

// elements appends XML to memory, as encoding/xml writes it: reports have
// hundreds of thousands of testcases, and reflection takes longer than all that
// is in them. Empty elements are written short.
type elements struct {
	b     []byte
	depth int          // of what is written next
	list  propertyList // memory for the properties of a testcase
}

// elementsPool has elements whose memory may be used again.
var elementsPool = sync.Pool{New: func() any { return new(elements) }}

func newElements(depth int) *elements {
	e := elementsPool.Get().(*elements)
	e.b, e.depth = e.b[:0], depth
	return e
}

func (e *elements) free() { elementsPool.Put(e) }

// testcase writes the element of a test. A test compares it with what
// encoding/xml makes of the same structure.
func (e *elements) testcase(x *caseXML) {
	e.start("testcase")
	e.attr("name", x.Name)
	e.attr("classname", x.Classname)
	e.attrIfAny("time", x.Time)
	e.attrIfAny("file", x.File)
	if x.Line != 0 {
		e.count("line", x.Line)
	}
	e.inside("testcase", func() {
		if x.Properties != nil {
			e.properties(*x.Properties)
		}
		for i := range x.Flaky {
			e.flaky(&x.Flaky[i])
		}
		e.result("skipped", x.Skipped)
		e.result("error", x.Error)
		e.result("failure", x.Failure)
		if x.SystemOut != nil {
			e.start("system-out")
			e.data("system-out", x.SystemOut.Data)
		}
	})
}

func (e *elements) properties(list []upstream.Property) {
	e.start("properties")
	e.inside("properties", func() {
		for i := range list {
			e.start("property")
			e.attr("name", list[i].Name)
			e.attr("value", list[i].Value)
			e.b = append(e.b, "/>"...)
		}
	})
}

func (e *elements) flaky(x *flakyXML) {
	e.start("flakyFailure")
	e.attr("message", x.Message)
	e.attr("type", x.Type)
	e.inside("flakyFailure", func() {
		e.start("stackTrace")
		if x.StackTrace == "" {
			e.b = append(e.b, "/>"...)
			return
		}
		e.b = appendEscaped(append(e.b, '>'), x.StackTrace)
		e.end("stackTrace")
	})
}

func (e *elements) result(name string, x *upstream.Result) {
	if x == nil {
		return
	}
	e.start(name)
	e.attr("message", x.Message)
	e.attrIfAny("type", x.Type)
	e.data(name, x.Data)
}

func (e *elements) start(name string) {
	e.line()
	e.b = append(append(e.b, '<'), name...)
}

func (e *elements) line() {
	e.b = append(e.b, '\n')
	for range e.depth {
		e.b = append(e.b, ' ')
	}
}

func (e *elements) attr(name, value string) {
	e.b = append(append(append(e.b, ' '), name...), `="`...)
	e.b = append(appendEscaped(e.b, value), '"')
}

func (e *elements) count(name string, n int) { e.attr(name, strconv.Itoa(n)) }

func (e *elements) attrIfAny(name, value string) {
	if value != "" {
		e.attr(name, value)
	}
}

// inside ends a tag and the element, with the elements that children writes between them.
func (e *elements) inside(name string, children func()) {
	tag := len(e.b)
	e.open()
	children()
	if len(e.b) == tag+1 {
		e.depth--
		e.b = append(e.b[:tag], "/>"...)
		return
	}
	e.close(name)
}

func (e *elements) open() {
	e.b = append(e.b, '>')
	e.depth++
}

func (e *elements) close(name string) {
	e.depth--
	e.line()
	e.end(name)
}

func (e *elements) end(name string) { e.b = append(append(append(e.b, "</"...), name...), '>') }

const endCDATA = "]]>"

func (e *elements) data(name, text string) {
	if text == "" {
		e.b = append(e.b, "/>"...)
		return
	}
	e.b = append(append(e.b, '>'), "<![CDATA["...)
	for {
		at := strings.Index(text, endCDATA)
		if at < 0 {
			break
		}
		e.b = append(append(e.b, text[:at]...), "]]]]><![CDATA[>"...)
		text = text[at+len(endCDATA):]
	}
	e.b = append(append(e.b, text...), endCDATA...)
	e.end(name)
}

var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = !strings.ContainsRune(`"'&<>`, c)
	}
	return t
}()

var escapes = map[byte]string{
	'"': "&#34;", '\'': "&#39;", '&': "&amp;",
	'<': "&lt;", '>': "&gt;", '\t': "&#x9;", '\n': "&#xA;", '\r': "&#xD;",
}

// appendEscaped appends a text for an attribute or an element. What XML has no
// character for becomes U+FFFD.
func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		if plainByte[s[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		escape := "\uFFFD"
		switch known, ok := escapes[s[i]]; {
		case ok:
			escape = known
		case r >= utf8.RuneSelf && inXML(r) && !(r == utf8.RuneError && size == 1):
			i += size
			continue
		}
		b = append(append(b, s[start:i]...), escape...)
		i += size
		start = i
	}
	return append(b, s[start:]...)
}

// inXML reports a character that XML 1.0 has, beyond ASCII.
func inXML(r rune) bool { return r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 }

const (
	nodeLimit = 64 << 10 // bytes of a text node before escaping; EnricoMi's parser gives up at 10,000,000
	lineLimit = 4 << 10  // bytes of an attribute
	nameLimit = 1000     // bytes of the name of a run
)

// attachment is how a testcase's output asks GitLab, Jenkins or Testmo to read
// a file or set a property. No test of ours is to ask for anything.
var attachment = regex.Of(`\[\[([A-Za-z]+\|)`)

func disarm(s string) string {
	if !strings.Contains(s, "[[") {
		return s
	}
	return attachment().ReplaceAllString(s, "[ [$1")
}

// safe is s as one line without anything to obey.
func safe(s string) string { return disarm(text.Line(s)) }

// line is s as the value of an attribute. It is cut here and escaped by the encoder.
func line(s string) string { return text.CutLine(safe(s), lineLimit) }

func node(s string) string { return text.Cut(disarm(text.Block(s)), nodeLimit) }
