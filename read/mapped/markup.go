package mapped

import (
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/read/internal/xmlwalk"
)

// markup reads XML: every element at the path of the records, or else every one in
// the root element, is a record. It becomes JSON, so that the same paths reach into
// it: attributes and elements are members by their names, an element that comes
// several times is a list, text beside them is the member text, and one of text
// alone is that text. The attributes of the element around a record are below ^.
func (s *session) markup(in io.Reader) error {
	names := strings.FieldsFunc(strings.ReplaceAll(s.m.Records, "[]", ""), func(r rune) bool { return r == '.' })
	if len(names) == 0 || s.m.loose {
		names = nil
	}
	return xmlwalk.Read(in, s.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) error {
		switch {
		case len(names) == 0:
			return doc.Children(func(child *xmlwalk.Element) error { return s.element(doc, child, e) })
		case e.Name != names[0]:
			doc.Refuse(e, names[0]+", with which the path of the records begins")
			return nil
		case len(names) == 1:
			return s.element(doc, e, nil)
		}
		return s.below(doc, e, names[1:])
	})
}

// below goes to the records in an element.
func (s *session) below(doc *xmlwalk.Doc, e *xmlwalk.Element, names []string) error {
	return doc.Children(func(child *xmlwalk.Element) error {
		switch {
		case child.Name != names[0]:
			return nil
		case len(names) == 1:
			return s.element(doc, child, e)
		}
		return s.below(doc, child, names[1:])
	})
}

// element reads a record.
func (s *session) element(doc *xmlwalk.Doc, e, around *xmlwalk.Element) error {
	line, column, room := e.Line, e.Column, MaxLine
	var outside xmlwalk.Object
	if around != nil {
		outside.Attributes(around)
	}
	var shape xmlwalk.Shape
	inside, err := shape.Object(doc, e, &room)
	if around != nil {
		inside.Add("^", outside.JSON())
	}
	if room < 0 {
		s.problem(envelope.SeverityError, envelope.CodeLineTooLong, line, column, "the element has more than %d bytes and is skipped whole", MaxLine)
		return err
	}
	s.json(gjson.Parse(inside.JSON()), line, column)
	return err
}
