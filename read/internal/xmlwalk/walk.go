package xmlwalk

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
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
			Message: fmt.Sprintf("the charset %s is unknown: read as UTF-8", words.Quote(unknown, 60))})
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
		Message: fmt.Sprintf("the root element is %s, not %s", words.Quote(e.Name, 60), want)})
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

// noName are the bytes that end a name.
var noName = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '=': true, '"': true, '\'': true, '/': true, '>': true, '<': true}

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
