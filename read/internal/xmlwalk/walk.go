// Package xmlwalk reads XML reports of any size, one element at a time. It knows no format.
//
// encoding/xml takes seven times as long and stops at characters that XML forbids. This package
// replaces them by U+FFFD and counts them, and cuts long texts. Tags must match, and the
// document must end. Memory is bounded by one tag and one text. Charsets are decoded, XML 1.1 is
// read as 1.0, and a document's own entities are never expanded.
package xmlwalk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/read/internal/noise"
)

// Doc is a document that is being read. Where it stops to be XML, what is asked of it
// further is empty.
type Doc struct {
	*source
	Comment    func(text []byte) // gets the comments, if set
	to         envelope.Sink
	stop       error      // why the reading ended before the document did
	open       []*Element // those around what comes next, the innermost last
	depth      int
	empty      bool              // the element that was opened last is closed by its own tag
	names      map[string]string // one string a name
	text       []byte            // the text that was read last
	repaired   int               // characters replaced
	repairedAt int               // the line of the first
	dropped    int               // bytes of texts over the limit
}

type fault struct {
	line, column int
	message      string
}

func (f *fault) Error() string { return f.message }

func (d *Doc) fault(format string, args ...any) error {
	line, column := d.place()
	return &fault{line, column, fmt.Sprintf(format, args...)}
}

const unknownEntity = "%s is not a known entity; a & in a text must be written as \"&amp;\""

const notXML = "the file has no XML element: it is empty, or has another format; leave out --from, and Tribunal detects it"

// Read reads one document by calling root for each of its root elements: several
// reports put behind each other are read as well. Where it stops to be XML the
// reading stops, which is a problem in the sink. The error is that of r.
func Read(r io.Reader, to envelope.Sink, root func(d *Doc, e *Element)) error {
	text, unknown := decoded(r)
	d := &Doc{source: &source{r: text, line: 1, col: 1}, to: to, names: map[string]string{}}
	if unknown != "" {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeField, Line: 1, Column: 1,
			Message: fmt.Sprintf("the charset %s is unknown, so the file is read as UTF-8", words.Quote(unknown, 60))})
	}
	some := false
	var around noise.Noise
	between := func(b []byte) { // around the root elements
		line, _ := d.place()
		for part := range bytes.Lines(b) {
			around.Look(bytes.TrimSpace(part), line)
			line++
		}
	}
	for {
		e, err := d.next(between)
		if err != nil {
			if d.stop = err; errors.Is(err, io.EOF) && !some {
				d.stop = d.fault(notXML)
			}
			break
		}
		some = true
		d.take(e, func(e *Element) bool { root(d, e); return true })
		if d.Cut() {
			break
		}
	}
	if d.failure() != nil {
		return d.failure()
	}
	around.ReportForeign(to)
	d.reportRepairs()
	if !errors.Is(d.stop, io.EOF) {
		d.reportStop()
	}
	return nil
}

// Cut reports whether the reading ended before the document did, in the middle of what was
// asked for last.
func (d *Doc) Cut() bool { return d.stop != nil }

// Refuse says that a root element is none of the format, what it should be, and which flag says that.
func (d *Doc) Refuse(e *Element, want, flag string) {
	d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: e.Line, Column: e.Column,
		Message: "the root element is " + words.Quote(e.Name, 60) + ", not " + want + "; check " + flag +
			", or write each report to its own file"})
}

// Children reads the rest of the element that was handed out last: the elements in it. What
// is not read of one is skipped.
func (d *Doc) Children() iter.Seq[*Element] { return d.Content(nil) }

// Named is Children for the elements of one name.
func (d *Doc) Named(name string) iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		for e := range d.Children() {
			if e.Name == name {
				yield(e)
			}
		}
	}
}

// Elements says how the elements in another are read, by their names; others are skipped:
//
//	*string          their text, as Text reads it
//	func(*Element)   reads one itself
//	Elements         reads those in it
type Elements map[string]any

// Inside reads the rest of an element.
func (d *Doc) Inside(limit int, elements Elements) {
	for e := range d.Children() {
		switch read := elements[e.Name].(type) {
		case *string:
			*read = d.Text(limit)
		case func(*Element):
			read(e)
		case Elements:
			d.Inside(limit, read)
		}
	}
}

// Content is Children with the text between them; text may keep nothing of what it is given.
// The loop over it runs to its end.
func (d *Doc) Content(text func([]byte)) iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		if d.depth > 0 {
			d.open[d.depth-1].pending = false
		}
		for !d.Cut() {
			e, err := d.next(text)
			if d.end(err); e == nil {
				return
			}
			d.take(e, yield)
		}
	}
}

// end notes the error that ends the reading, if it is one.
func (d *Doc) end(err error) {
	if d.stop = err; errors.Is(err, io.EOF) {
		d.stop = d.cut()
	}
}

// take hands out an element, and skips what nobody read of it.
func (d *Doc) take(e *Element, take func(e *Element) bool) {
	e.pending = true
	depth := d.depth
	if take(e); !d.Cut() && e.pending && d.depth >= depth {
		d.skip()
	}
}

// Text reads the rest of an element and returns the first bytes of its text,
// up to a limit. Elements in it are skipped.
func (d *Doc) Text(limit int) string {
	var b strings.Builder
	d.CharData(func(more []byte) { Keep(&b, more, limit) })
	return strings.ToValidUTF8(b.String(), "")
}

// CharData reads the rest of an element and hands out its text, without that of the elements in it.
func (d *Doc) CharData(text func([]byte)) {
	for range d.Content(text) {
	}
}

func (d *Doc) skip() {
	d.open[d.depth-1].pending = false
	for to := d.depth - 1; d.depth > to && !d.Cut(); {
		_, err := d.next(nil)
		d.end(err)
	}
}

func (d *Doc) cut() error { return d.fault(cutOff) }

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

var noName = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '=': true, '"': true, '\'': true, '/': true, '>': true, '<': true}

func (d *Doc) reportRepairs() {
	if d.repaired > 0 {
		d.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeRepaired, Line: d.repairedAt, Column: 1, Count: d.repaired,
			Message: words.Plural(d.repaired, "character", "characters") + " of this file that XML does not allow became U+FFFD"})
	}
	if d.dropped > 0 {
		d.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeRepaired, Line: 1, Column: 1,
			Message: fmt.Sprintf("%d bytes of this file, of texts over %d MiB, were left out", d.dropped, textLimit>>20)})
	}
}

// tellStop says where the document stops to be one.
func (d *Doc) reportStop() {
	f := d.stop.(*fault)
	const onlyPart = "; only the part before it is counted"
	message := "the XML is malformed: " + f.message + onlyPart + "; correct what writes the file"
	switch f.message {
	case notXML:
		message = notXML
	case cutOff:
		message = stoppedHere + cutOff + onlyPart + "; repeat this command with a complete file"
	case tooLong, tooDeep:
		message = stoppedHere + f.message + onlyPart
	}
	d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: max(f.line, 1),
		Column: max(f.column, 1), Message: message})
}

// Limits of one piece of a document, so that memory is bounded whatever comes.
const (
	textLimit  = 1 << 20 // bytes of one text; what follows is dropped
	tagLimit   = 1 << 20 // bytes of one tag, declaration or instruction; a longer one ends the reading
	depthLimit = 1000    // elements inside of each other
	blockSize  = 64 << 10
)

const (
	tooLong, tooDeep    = "a tag is longer than 1 MiB", "elements are nested more than 1000 deep"
	cutOff, stoppedHere = "the file ends in the middle", "reading the report stopped here: "
)

// codeRepaired is the code of the problem that tells what was replaced or cut.
const codeRepaired = "repaired-text"

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
	return slices.ContainsFunc(e.attributes, func(a attribute) bool { return a.name == name })
}

// Number is what an attribute counts, 0 where it counts nothing.
func (e *Element) Number(name string) int {
	n, _ := strconv.Atoi(e.Attr(name))
	return max(n, 0)
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
	names := each.Of(e.attributes[:min(len(e.attributes), most)], func(a attribute) string { return a.name })
	return strings.Join(names, " ")
}

// take parts the values of all attributes: one text a tag is one allocation.
func (e *Element) take(values string) {
	begin := 0
	for i := range e.attributes {
		a := &e.attributes[i]
		a.value, begin = values[begin:a.end], a.end
	}
}

func local(name string) string {
	if _, rest, ok := strings.Cut(name, ":"); ok && rest != "" {
		return rest
	}
	return name
}
