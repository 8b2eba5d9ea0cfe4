package xmlwalk

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"unicode/utf8"

	"tribunal/internal/words"
)

func (d *Doc) close() error {
	tag, err := d.tag()
	if err != nil {
		return err
	}
	name := bytes.TrimRight(tag[2:len(tag)-1], " \t\r\n")
	switch {
	case d.depth == 0:
		return d.fault("</%s> closes nothing", words.Head(name, 60))
	case d.open[d.depth-1].full != string(name):
		d.at += len(tag)
		return d.fault("<%s> is closed by </%s>", words.Head(d.open[d.depth-1].full, 60), words.Head(name, 60))
	}
	d.at += len(tag)
	d.depth--
	return nil
}

// tag is the tag that comes next, whole, without taking it.
func (d *Doc) tag() ([]byte, error) {
	quote := byte(0)
	for at := 1; ; {
		rest := d.rest()
		for ; at < len(rest); at++ {
			switch c := rest[at]; {
			case quote != 0:
				n := bytes.IndexByte(rest[at:], quote)
				if n < 0 {
					at = len(rest) - 1
					continue
				}
				at, quote = at+n, 0
			case c == '"' || c == '\'':
				quote = c
			case c == '>' && at < tagLimit:
				return rest[:at+1], nil
			case c == '<':
				d.at += at
				return nil, d.fault("a < inside a tag")
			}
		}
		if at > tagLimit {
			return nil, d.fault(tooLong)
		}
		if !d.more() {
			d.at = len(d.buf)
			return nil, d.cut()
		}
	}
}

func (d *Doc) start() (*Element, error) {
	line, column := d.place()
	tag, err := d.tag()
	if err != nil {
		return nil, err
	}
	if d.depth == depthLimit {
		return nil, d.fault(tooDeep)
	}
	if d.depth == len(d.open) {
		d.open = append(d.open, &Element{})
	}
	e := d.open[d.depth]
	e.Line, e.Column = line, column
	inside := tag[1 : len(tag)-1]
	if d.empty = len(inside) > 0 && inside[len(inside)-1] == '/'; d.empty {
		inside = inside[:len(inside)-1]
	}
	if err := d.attributes(e, inside); err != nil {
		return nil, err
	}
	d.at += len(tag)
	d.depth++
	return e, nil
}

func (d *Doc) attributes(e *Element, tag []byte) error {
	n := nameEnd(tag)
	if n == 0 {
		return d.fault("a tag without a name")
	}
	if e.full != string(tag[:n]) {
		e.full = d.name(tag[:n])
		e.Name = local(e.full)
	}
	e.attributes, d.text = e.attributes[:0], d.text[:0]
	for at := n; ; {
		for at < len(tag) && blank(tag[at]) {
			at++
		}
		if at == len(tag) {
			e.take(string(d.text))
			return nil
		}
		n := nameEnd(tag[at:])
		name := tag[at : at+n]
		for at += n; at < len(tag) && blank(tag[at]); at++ {
		}
		if n == 0 || at == len(tag) || tag[at] != '=' {
			d.at += at + 1
			return d.fault("an attribute of <%s> without a value", words.Head(e.full, 60))
		}
		for at++; at < len(tag) && blank(tag[at]); at++ {
		}
		if at == len(tag) || tag[at] != '"' && tag[at] != '\'' {
			d.at += at + 1
			return d.fault("an attribute of <%s> without quotes", words.Head(e.full, 60))
		}
		end := bytes.IndexByte(tag[at+1:], tag[at]) // tag has no open quote
		value := tag[at+1 : at+1+end]
		if n := bytes.IndexByte(value, '<'); n >= 0 {
			d.at += at + 2 + n
			return d.fault(`a < inside an attribute must be written as "&lt;"`)
		}
		text, unknown := d.decode(d.text, value, true)
		if d.text = text; unknown >= 0 {
			d.at += at + 2 + unknown
			return d.fault(unknownEntity, head(value[unknown:]))
		}
		d.attribute(e, name)
		at += end + 2
	}
}

// attribute adds one, whose value was read last. Elements at a depth have the same ones in the same order, as a rule.
func (d *Doc) attribute(e *Element, name []byte) {
	n := len(e.attributes)
	if n == cap(e.attributes) {
		e.attributes = append(e.attributes, attribute{})
	}
	e.attributes = e.attributes[:n+1]
	a := &e.attributes[n]
	if a.full != string(name) {
		a.full = d.name(name)
		a.name = local(a.full)
	}
	a.end = len(d.text)
}

// name is one string for all elements and attributes of a name.
func (d *Doc) name(b []byte) string {
	if s, ok := d.names[string(b)]; ok {
		return s
	}
	const most = 10_000 // a document with more has made them up
	s := string(b)
	if len(d.names) < most {
		d.names[s] = s
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func nameEnd(tag []byte) int {
	for i, c := range tag {
		if noName[c] {
			return i
		}
	}
	return len(tag)
}

// plain are the bytes that are a character of their own, whatever stands around them.
var plain = func() (set [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		set[c] = c != '&'
	}
	set['\t'], set['\n'] = true, true
	return set
}()

func isPlain(text []byte) bool {
	for _, c := range text {
		if !plain[c] {
			return false
		}
	}
	return true
}

// decode appends a text as it is meant: references resolved where there are any, line ends as one, forbidden characters
// replaced. The offset is that of a reference nobody knows, -1 when all is well.
func (d *Doc) decode(to, text []byte, references bool) (out []byte, unknown int) {
	if isPlain(text) {
		return append(to, text...), -1
	}
	for at := 0; at < len(text); {
		n := at
		for n < len(text) && plain[text[n]] {
			n++
		}
		to = append(to, text[at:n]...)
		if at = n; at == len(text) {
			break
		}
		switch c := text[at]; {
		case c == '&' && references:
			var size int
			if to, size = d.reference(to, text[at:]); size == 0 {
				return to, at
			}
			at += size
		case c == '&':
			to = append(to, c)
			at++
		case c == '\r':
			if to = append(to, '\n'); at+1 < len(text) && text[at+1] == '\n' {
				at++
			}
			at++
		default:
			r, size := utf8.DecodeRune(text[at:])
			if r == utf8.RuneError && size == 1 || !legal(r) {
				r = d.repair()
			}
			to = utf8.AppendRune(to, r)
			at += size
		}
	}
	return to, -1
}

// reference appends the character that the text begins with a reference to. The size is 0 where nobody knows it.
func (d *Doc) reference(to, text []byte) (out []byte, size int) {
	const longest = 40
	end := bytes.IndexByte(text[:min(len(text), longest)], ';')
	if end < 2 {
		return to, 0
	}
	name := string(text[1:end])
	if name[0] != '#' {
		if c, ok := predefined[name]; ok {
			return append(to, c), end + 1
		}
		if c, ok := xml.HTMLEntity[name]; ok {
			return append(to, c...), end + 1
		}
		return to, 0
	}
	digits, base := name[1:], 10
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return to, 0
	}
	r := rune(min(code, 1<<30))
	if !legal(r) {
		r = d.repair()
	}
	return utf8.AppendRune(to, r), end + 1
}

func (d *Doc) repair() rune {
	if d.repaired++; d.repaired == 1 {
		d.repairedAt, _ = d.place()
	}
	return utf8.RuneError
}

var predefined = map[string]byte{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

func legal(c rune) bool {
	return c == '\t' || c == '\n' || c == '\r' ||
		c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 && c <= utf8.MaxRune
}
