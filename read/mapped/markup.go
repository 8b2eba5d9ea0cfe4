package mapped

import (
	"fmt"
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
	names := strings.FieldsFunc(s.m.Records, func(r rune) bool { return r == '.' })
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
	var outside members
	if around != nil {
		outside.attributes(around)
	}
	inside, err := content(doc, e, &room)
	if around != nil {
		inside.add("^", outside.json())
	}
	if room < 0 {
		s.problem(envelope.SeverityError, envelope.CodeLineTooLong, line, column, "the element has more than %d bytes and is skipped whole", MaxLine)
		return err
	}
	s.json([]byte(inside.json()), line, column)
	return err
}

// members are what stands in an element, in the order in which it was met first.
type members struct {
	names  []string
	values map[string][]string // as JSON
}

func (m *members) add(name, json string) {
	if m.values == nil {
		m.values = map[string][]string{}
	}
	if m.values[name] == nil {
		m.names = append(m.names, name)
	}
	m.values[name] = append(m.values[name], json)
}

func (m *members) attributes(e *xmlwalk.Element) {
	for name, v := range e.Attributes() {
		m.add(name, quote(v))
	}
}

func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// json is the members as an object.
func (m *members) json() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range m.names {
		if i > 0 {
			b.WriteByte(',')
		}
		all := m.values[name]
		if len(all) == 1 {
			fmt.Fprintf(&b, "%s:%s", quote(name), all[0])
		} else {
			fmt.Fprintf(&b, "%s:[%s]", quote(name), strings.Join(all, ","))
		}
	}
	b.WriteByte('}')
	return b.String()
}

// content reads what stands in an element, as far as there is room.
func content(doc *xmlwalk.Doc, e *xmlwalk.Element, room *int) (members, error) {
	var m members
	m.attributes(e)
	var text strings.Builder
	err := doc.Content(func(child *xmlwalk.Element) error {
		name := child.Name
		inside, err := content(doc, child, room)
		if *room -= len(name); *room >= 0 {
			m.add(name, inside.value())
		}
		return err
	}, func(more []byte) {
		if *room -= len(more); *room >= 0 {
			text.Write(more)
		}
	})
	if said := strings.TrimSpace(text.String()); said != "" {
		m.add("text", quote(said))
	}
	return m, err
}

// value is an element in another: its text where it has nothing else.
func (m *members) value() string {
	if len(m.names) == 0 {
		return `""`
	}
	if text := m.values["text"]; len(m.names) == 1 && len(text) == 1 {
		return text[0]
	}
	return m.json()
}
