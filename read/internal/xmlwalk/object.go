package xmlwalk

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/regex"
)

// Shape is what an element is as JSON: attributes and elements are members by their names, an element that comes
// several times is a list, text beside them is the member text, and an element of text alone is that text.
type Shape struct {
	// Leaf is a text as JSON, by the name of its element; nil is a string each.
	Leaf func(name, text string) string
	// List reports whether an element is a list where it comes once; nil is never.
	List func(name string) bool
}

// Object is what stands in an element, in the order in which it was met first.
type Object struct {
	shape  *Shape
	names  []string
	values map[string][]string // as JSON
}

// Add gives the object a member.
func (o *Object) Add(name, value string) {
	if o.values[name] == nil {
		o.names = append(o.names, name)
	}
	each.Put(&o.values, name, append(o.values[name], value))
}

// Attributes gives the object the attributes of an element.
func (o *Object) Attributes(e *Element) {
	for name, v := range e.Attributes() {
		o.Add(name, quote(v))
	}
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string always has JSON
	return string(b)
}

// JSON is the object as JSON.
func (o *Object) JSON() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(name))
		b.WriteByte(':')
		all := o.values[name]
		if len(all) == 1 && (o.shape == nil || o.shape.List == nil || !o.shape.List(name)) {
			b.WriteString(all[0])
		} else {
			b.WriteString("[" + strings.Join(all, ",") + "]")
		}
	}
	b.WriteByte('}')
	return b.String()
}

// Object reads the rest of an element, as far as there is room for its names and
// texts; where there was too little, room is below 0 behind it.
func (s *Shape) Object(doc *Doc, e *Element, room *int) Object {
	o, said := s.content(doc, e, room)
	if said != "" {
		o.Add("text", quote(said))
	}
	return o
}

// content is what stands in an element, and the text beside it.
func (s *Shape) content(doc *Doc, e *Element, room *int) (o Object, said string) {
	o.shape = s
	o.Attributes(e)
	var text strings.Builder
	inside := doc.Content(func(more []byte) {
		if *room -= len(more); *room >= 0 {
			text.Write(more)
		}
	})
	for child := range inside {
		name := child.Name
		value := s.value(doc, child, room)
		if *room -= len(name); *room >= 0 {
			o.Add(name, value)
		}
	}
	return o, strings.TrimSpace(text.String())
}

func (s *Shape) value(doc *Doc, e *Element, room *int) string {
	name := e.Name
	o, said := s.content(doc, e, room)
	switch {
	case len(o.names) == 0 && s.Leaf != nil:
		return s.Leaf(name, said)
	case len(o.names) == 0:
		return quote(said)
	case said != "":
		o.Add("text", quote(said))
	}
	return o.JSON()
}

var rootTag = regex.Of(`^<(?:[\w.-]+:)?([\w.-]+)[\s/>]`)

// Root is the name of the root element of an XML document that starts with head, without its prefix, and the text from
// it on; both are "" where there is none. The head may be cut anywhere.
func Root(head []byte) (name, text string) {
	if first := bytes.TrimLeft(head, "\uFEFF \t\r\n"); len(first) == 0 || first[0] == '{' || first[0] == '[' {
		return "", ""
	}
	text = string(head)
	if charset, _ := charsetOf(head); charset != nil {
		all, _ := decoded(bytes.NewReader(head))
		b, _ := io.ReadAll(all) // what could not be decoded is the cut end
		text = string(b)
	}
	text = root(strings.TrimPrefix(text, "\uFEFF"))
	m := rootTag().FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], text
}

// Starts reports whether head starts a document whose root element has one of the names.
func Starts(head []byte, names ...string) bool {
	name, _ := Root(head)
	return name != "" && slices.Contains(names, name)
}

// root is the text from the first tag on: behind comments, instructions and a document type.
func root(s string) string {
	for {
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "<!--"):
			_, s, _ = strings.Cut(s, "-->")
		case strings.HasPrefix(s, "<?"):
			_, s, _ = strings.Cut(s, "?>")
		case strings.HasPrefix(s, "<!"):
			s = behindDoctype(s)
		default:
			return s
		}
	}
}

// behindDoctype is what follows a document type and the declarations inside it.
func behindDoctype(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return s[i+1:]
			}
		}
	}
	return ""
}
