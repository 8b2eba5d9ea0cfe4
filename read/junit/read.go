package junit

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
)

// depthLimit is how deep elements may be nested.
const depthLimit = 1000

var errDepth = fmt.Errorf("elements are nested more than %d deep", depthLimit)

// Codes of the problems that only this reader has.
const (
	codeRepaired   = "repaired-text"
	codeAggregated = "aggregated"
	codeInferred   = "inferred-trials"
	codeRecorded   = "recorded-problem"
)

// source remembers the error that the input failed with.
type source struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// reader is the reading of one document.
type reader struct {
	dec      *xml.Decoder
	text     *repairer
	to       envelope.Sink
	depth    int
	root     *suite // what the open testsuites say
	header   envelope.Header
	runID    string // of a report of ours
	headed   bool   // the header is delivered
	attempts map[envelope.Key]int32
	unnamed  map[string]int  // testcases without a name, by the path of their suite
	said     map[string]bool // notes that are made once a document
}

// Read reads one document. Where it stops to be XML reading stops, with what
// came before counted. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	in := &source{r: r}
	text, unknown := decoded(in)
	rd := &reader{text: newRepairer(text), to: to, attempts: map[envelope.Key]int32{}, unnamed: map[string]int{}, said: map[string]bool{}}
	rd.dec = xml.NewDecoder(rd.text)
	rd.dec.Entity = xml.HTMLEntity
	if unknown != "" {
		rd.note(place{1, 1}, envelope.CodeField, fmt.Sprintf("the charset %.60q is unknown: read as UTF-8", unknown))
	}
	err := rd.document()
	rd.flushHeader()
	if in.err != nil {
		return in.err
	}
	rd.repairs()
	if err != nil {
		rd.stopped(err)
	}
	return nil
}

// document reads all root elements: several reports put behind each other are
// read as well.
func (rd *reader) document() error {
	roots := 0
	for {
		at := rd.place()
		token, err := rd.token()
		if errors.Is(err, io.EOF) && roots > 0 {
			return nil
		} else if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		roots++
		switch start.Name.Local {
		case "testsuites":
			err = rd.testsuites(start)
		case "testsuite":
			err = rd.testsuite(start, &suite{})
		default:
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: at.line, Column: at.column,
				Message: fmt.Sprintf("the root element is %.60q, not testsuites or testsuite", start.Name.Local)})
			err = rd.skip()
		}
		if err != nil {
			return err
		}
	}
}

func (rd *reader) testsuites(start xml.StartElement) error {
	rd.root = newSuite(start, &suite{})
	rd.header = rd.root.header()
	above := &suite{kind: rd.root.kind}
	return rd.suiteChildren(above)
}

// testsuite reads one testsuite, which may hold others.
func (rd *reader) testsuite(start xml.StartElement, parent *suite) error {
	s := newSuite(start, parent)
	err := rd.suiteChildren(s)
	rd.release(s) // what was read counts, wherever reading stopped
	return err
}

func (rd *reader) suiteChildren(s *suite) error {
	return rd.children(func(start xml.StartElement, at place) error {
		switch start.Name.Local {
		case "testsuite", "testsuites":
			return rd.testsuite(start, s)
		case "testcase":
			return rd.testcase(start, at, s)
		case "properties":
			properties, err := rd.properties()
			if err == nil {
				s.properties(properties)
				rd.recordedHeader(s, at)
			}
			return err
		}
		return rd.skip()
	})
}

// place is where something stands in the document, both 1-based.
type place struct{ line, column int }

func (rd *reader) place() place {
	line, column := rd.dec.InputPos()
	return place{line, column}
}

// token reads a token and follows the depth.
func (rd *reader) token() (xml.Token, error) {
	token, err := rd.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token.(type) {
	case xml.StartElement:
		if rd.depth++; rd.depth > depthLimit {
			return nil, errDepth
		}
	case xml.EndElement:
		rd.depth--
	}
	return token, nil
}

// children reads the rest of an element and calls child for every element in
// it; child must read it to its end.
func (rd *reader) children(child func(start xml.StartElement, at place) error) error {
	return rd.content(child, func([]byte) {})
}

// content is children and the text between them.
func (rd *reader) content(child func(start xml.StartElement, at place) error, text func([]byte)) error {
	for {
		at := rd.place()
		token, err := rd.token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.CharData:
			text(t)
		case xml.StartElement:
			if err := child(t, at); err != nil {
				return err
			}
		}
	}
}

// skip reads the rest of an element.
func (rd *reader) skip() error {
	for open := rd.depth; rd.depth >= open; {
		if _, err := rd.token(); err != nil {
			return err
		}
	}
	return nil
}

// note makes a warning once a document.
func (rd *reader) note(at place, code, message string) {
	if !rd.said[code+message] {
		rd.said[code+message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: at.line, Column: at.column, Message: message})
	}
}

// emit numbers trials of one test behind those before them and delivers them.
func (rd *reader) emit(trials []envelope.Trial) {
	rd.flushHeader()
	for i := range trials {
		t := &trials[i]
		n := rd.attempts[t.Key]
		rd.attempts[t.Key] = n + 1
		t.Attempt = envelope.Some(n)
		rd.to.Trial(t)
	}
}

func (rd *reader) flushHeader() {
	h := rd.header
	if rd.headed || h.Name == "" && h.ID == "" && h.StartedAt == "" {
		return
	}
	rd.headed = true
	rd.to.Header(h, nil)
}

func (rd *reader) repairs() {
	if n := rd.text.repaired; n > 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeRepaired, Line: 1, Column: 1, Count: n,
			Message: fmt.Sprintf("%d characters that XML does not allow were replaced by U+FFFD", n)})
	}
	if n := rd.text.dropped; n > 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeRepaired, Line: 1, Column: 1,
			Message: fmt.Sprintf("%d bytes of texts over %d MiB were left out", n, textLimit>>20)})
	}
}

// stopped says where the document stops to be one.
func (rd *reader) stopped(err error) {
	at := rd.place()
	what := err.Error()
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		what = "the file has no element"
	case errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		what = "the file ends in the middle"
	case errors.As(err, &syntax):
		what, at.line = syntax.Msg, syntax.Line
	}
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: max(at.line, 1), Column: max(at.column, 1),
		Message: "reading the report stopped here: " + what + "; what came before is counted; get a whole and valid copy of the file and run again"})
}
