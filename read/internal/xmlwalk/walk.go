package xmlwalk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"tribunal/envelope"
)

// Doc is a document that is being read. The errors of its methods are for
// passing up, they end the reading.
type Doc struct {
	*source
	to       envelope.Sink
	open     []*Element // those around what comes next, the innermost last
	depth    int
	empty    bool              // the element that was opened last is closed by its own tag
	names    map[string]string // one string a name
	text     []byte            // the text that was read last
	repaired int               // characters replaced
	dropped  int               // bytes of texts over the limit
}

// Element is the start of an element. It is valid until the next element at its
// depth begins; its attributes are strings of their own.
type Element struct {
	Name         string // without a prefix
	Line, Column int    // 1-based
	full         string // with a prefix
	attributes   []attribute
	pending      bool // nobody read what is in it
}

type attribute struct {
	name, value string
	full        string // with a prefix
	end         int    // of its value among those of its tag
}

// Attr is the value of an attribute, "" when there is none.
func (e *Element) Attr(name string) string {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			return e.attributes[i].value
		}
	}
	return ""
}

// Has reports whether there is an attribute.
func (e *Element) Has(name string) bool {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			return true
		}
	}
	return false
}

// Attributes are the attributes in their order.
func (e *Element) Attributes() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, a := range e.attributes {
			if !yield(a.name, a.value) {
				return
			}
		}
	}
}

// Names are the names of the attributes in their order, the first few.
func (e *Element) Names() string {
	const most = 20
	var names []string
	for _, a := range e.attributes[:min(len(e.attributes), most)] {
		names = append(names, a.name)
	}
	return strings.Join(names, " ")
}

// fault is why a document is not read to its end.
type fault struct {
	line, column int
	message      string
}

func (f *fault) Error() string { return f.message }

func (d *Doc) fault(format string, args ...any) error {
	line, column := d.place()
	return &fault{line, column, fmt.Sprintf(format, args...)}
}

// Read reads one document by calling root for each of its root elements: several
// reports put behind each other are read as well. Where it stops to be XML the
// reading stops, which is a problem in the sink. The error is that of r.
func Read(r io.Reader, to envelope.Sink, root func(d *Doc, e *Element) error) error {
	text, unknown := decoded(r)
	d := &Doc{source: newSource(text), to: to, names: map[string]string{}}
	if unknown != "" {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeField, Line: 1, Column: 1,
			Message: fmt.Sprintf("the charset %.60q is unknown: read as UTF-8", unknown)})
	}
	err := d.roots(root)
	if d.failure() != nil {
		return d.failure()
	}
	d.tellRepairs()
	if err != nil {
		d.stopped(err)
	}
	return nil
}

func (d *Doc) roots(root func(d *Doc, e *Element) error) error {
	some := false
	for {
		e, err := d.next(nil)
		switch {
		case errors.Is(err, io.EOF) && some:
			return nil
		case errors.Is(err, io.EOF):
			return d.fault("the file has no element")
		case err != nil:
			return err
		}
		some = true
		if err := d.taken(e, func() error { return root(d, e) }); err != nil {
			return err
		}
	}
}

// Refuse says that a root element is none of the format, and what it should be.
func (d *Doc) Refuse(e *Element, want string) {
	d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: e.Line, Column: e.Column,
		Message: fmt.Sprintf("the root element is %.60q, not %s", e.Name, want)})
}

// Children reads the rest of an element and calls child for every element in it.
// What child leaves of one is passed over.
func (d *Doc) Children(child func(e *Element) error) error { return d.Content(child, nil) }

// Content is Children with the text between them; text may keep nothing of what
// it is given.
func (d *Doc) Content(child func(e *Element) error, text func([]byte)) error {
	if d.depth > 0 {
		d.open[d.depth-1].pending = false
	}
	for {
		e, err := d.next(text)
		if err != nil || e == nil {
			if errors.Is(err, io.EOF) {
				err = d.cut()
			}
			return err
		}
		if child == nil {
			err = d.Skip()
		} else {
			err = d.taken(e, func() error { return child(e) })
		}
		if err != nil {
			return err
		}
	}
}

func (d *Doc) taken(e *Element, take func() error) error {
	e.pending = true
	depth := d.depth
	if err := take(); err != nil || !e.pending || d.depth < depth {
		return err
	}
	return d.Skip()
}

// Text reads the rest of an element and returns the first bytes of its text,
// up to a limit. Elements in it are passed over.
func (d *Doc) Text(limit int) (string, error) {
	var b strings.Builder
	err := d.Content(nil, func(more []byte) { Keep(&b, more, limit) })
	return strings.ToValidUTF8(b.String(), ""), err
}

// Keep adds to a text as far as the limit goes.
func Keep(b *strings.Builder, more []byte, limit int) {
	b.Write(more[:min(len(more), max(0, limit-b.Len()))])
}

// Skip passes over the rest of an element.
func (d *Doc) Skip() error {
	d.open[d.depth-1].pending = false
	for to := d.depth - 1; d.depth > to; {
		if _, err := d.next(nil); err != nil {
			if errors.Is(err, io.EOF) {
				err = d.cut()
			}
			return err
		}
	}
	return nil
}

func (d *Doc) cut() error { return d.fault("the file ends in the middle") }

// next reads to the next start of an element, or to the end of the open one,
// which is nil. Text on the way goes to text.
func (d *Doc) next(text func([]byte)) (*Element, error) {
	if d.empty {
		d.empty = false
		d.depth--
		return nil, nil
	}
	for {
		if err := d.chars(text); err != nil {
			return nil, err
		}
		if !d.need(2) {
			return nil, d.cut()
		}
		switch d.buf[d.at+1] {
		case '/':
			return nil, d.close()
		case '?':
			if err := d.behind("?>", nil); err != nil {
				return nil, err
			}
		case '!':
			if err := d.declaration(text); err != nil {
				return nil, err
			}
		default:
			return d.start()
		}
	}
}

// chars reads the text up to the next <. The error is io.EOF where there is none.
func (d *Doc) chars(text func([]byte)) error {
	found, err := d.upTo("<", true, text)
	if err == nil && !found {
		err = io.EOF
	}
	return err
}

// upTo takes what stands before a mark, and reports whether the mark is there.
func (d *Doc) upTo(mark string, references bool, text func([]byte)) (found bool, err error) {
	seen, size := 0, 0 // bytes without the mark; bytes of the text so far
	for {
		if n := bytes.Index(d.rest()[seen:], []byte(mark)); n >= 0 {
			return true, d.pass(seen+n, text, references, &size)
		}
		seen = max(0, len(d.rest())-len(mark)+1)
		if seen > textLimit {
			whole := d.wholeUpTo(seen)
			if err := d.pass(whole, text, references, &size); err != nil {
				return false, err
			}
			seen -= whole
		}
		if !d.more() {
			return false, d.pass(len(d.rest()), text, references, &size)
		}
	}
}

// wholeUpTo is where to part a long text before n, at a byte that is a character
// of its own and in no reference, if there is any near.
func (d *Doc) wholeUpTo(n int) int {
	const near = 128
	for at := n; at > n-near; at-- {
		if plain[d.rest()[at-1]] && bytes.LastIndexByte(d.rest()[at-near/2:at], '&') < 0 {
			return at
		}
	}
	return n
}

// pass takes n bytes of text and hands them on as far as the limit goes.
func (d *Doc) pass(n int, text func([]byte), references bool, size *int) error {
	raw := d.rest()[:n]
	if room := textLimit - *size; len(raw) > room && text != nil {
		d.dropped += len(raw) - max(room, 0)
		raw = wholeOf(raw[:max(room, 0)])
	}
	*size += n
	if text != nil && len(raw) > 0 {
		var unknown int
		if d.text, unknown = d.decode(d.text[:0], raw, references); unknown >= 0 {
			d.at += unknown
			return d.fault("invalid character entity %.40q", head(d.rest()))
		}
		text(d.text)
	}
	d.at += n
	return nil
}

// wholeOf is a text that was cut, without the reference or character at its end
// that the cut may have parted.
func wholeOf(raw []byte) []byte {
	for n := 0; n < 64 && len(raw) > 0; n++ {
		if c := raw[len(raw)-1]; plain[c] && bytes.LastIndexByte(raw[max(0, len(raw)-40):], '&') < 0 {
			break
		}
		raw = raw[:len(raw)-1]
	}
	return raw
}

// head is the reference that a text begins with, or as much as a message shows.
func head(text []byte) string {
	text = text[:min(len(text), 40)]
	if n := bytes.IndexByte(text, ';'); n >= 0 {
		text = text[:n+1]
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// declaration reads a comment, a CDATA section or a document type.
func (d *Doc) declaration(text func([]byte)) error {
	switch {
	case d.follows("<!--"):
		d.at += len("<!--")
		return d.behind("-->", nil)
	case d.follows("<![CDATA["):
		d.at += len("<![CDATA[")
		return d.behind("]]>", text)
	}
	return d.doctype()
}

// behind passes over everything up to the end of a section, which is text where
// somebody wants it.
func (d *Doc) behind(end string, text func([]byte)) error {
	found, err := d.upTo(end, false, text)
	if err != nil {
		return err
	}
	if !found {
		return d.cut()
	}
	d.at += len(end)
	return nil
}

// doctype passes over a document type and the declarations in it.
func (d *Doc) doctype() error {
	depth, quote := 0, byte(0)
	for at := 0; ; at++ {
		if at > tagLimit {
			return d.fault(tooLong)
		}
		if !d.need(at + 1) {
			return d.cut()
		}
		switch c := d.buf[d.at+at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				d.at += at + 1
				return nil
			}
		}
	}
}

// close reads an end tag.
func (d *Doc) close() error {
	tag, err := d.tag()
	if err != nil {
		return err
	}
	name := bytes.TrimRight(tag[2:len(tag)-1], " \t\r\n")
	switch {
	case d.depth == 0:
		return d.fault("unexpected end element </%.60s>", name)
	case d.open[d.depth-1].full != string(name):
		d.at += len(tag)
		return d.fault("element <%.60s> closed by </%.60s>", d.open[d.depth-1].full, name)
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
				return nil, d.fault("a < inside of a tag")
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

// start reads a start tag.
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

// attributes reads what is in a start tag.
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
			return d.fault("an attribute of <%.60s> without a value", e.full)
		}
		for at++; at < len(tag) && blank(tag[at]); at++ {
		}
		if at == len(tag) || tag[at] != '"' && tag[at] != '\'' {
			d.at += at + 1
			return d.fault("an attribute of <%.60s> without quotes", e.full)
		}
		end := bytes.IndexByte(tag[at+1:], tag[at]) // tag has no open quote
		value := tag[at+1 : at+1+end]
		if n := bytes.IndexByte(value, '<'); n >= 0 {
			d.at += at + 2 + n
			return d.fault("a < inside of an attribute")
		}
		text, unknown := d.decode(d.text, value, true)
		if d.text = text; unknown >= 0 {
			d.at += at + 2 + unknown
			return d.fault("invalid character entity %.40q", head(value[unknown:]))
		}
		d.attribute(e, name)
		at += end + 2
	}
}

// attribute adds one, whose value was read last. Elements at a depth have the same
// ones in the same order, as a rule.
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

// take parts the values of all attributes: one text a tag is one allocation.
func (e *Element) take(values string) {
	begin := 0
	for i := range e.attributes {
		a := &e.attributes[i]
		a.value, begin = values[begin:a.end], a.end
	}
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

// local is a name without its prefix.
func local(name string) string {
	if _, rest, ok := strings.Cut(name, ":"); ok && rest != "" {
		return rest
	}
	return name
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// noName are the bytes that end a name.
var noName = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '=': true, '"': true, '\'': true, '/': true, '>': true, '<': true}

// nameEnd is how many bytes of a tag are its name.
func nameEnd(tag []byte) int {
	for i, c := range tag {
		if noName[c] {
			return i
		}
	}
	return len(tag)
}

func (d *Doc) tellRepairs() {
	if d.repaired > 0 {
		d.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeRepaired, Line: 1, Column: 1, Count: d.repaired,
			Message: fmt.Sprintf("%d characters that XML does not allow were replaced by U+FFFD", d.repaired)})
	}
	if d.dropped > 0 {
		d.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeRepaired, Line: 1, Column: 1,
			Message: fmt.Sprintf("%d bytes of texts over %d MiB were left out", d.dropped, textLimit>>20)})
	}
}

// stopped says where the document stops to be one.
func (d *Doc) stopped(err error) {
	f := (*fault)(nil)
	if !errors.As(err, &f) {
		f = d.fault("%v", err).(*fault)
	}
	d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: max(f.line, 1), Column: max(f.column, 1),
		Message: "reading the report stopped here: " + f.message + "; what came before is counted; get a whole and valid copy of the file and run again"})
}
