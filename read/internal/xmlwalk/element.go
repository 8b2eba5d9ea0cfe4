package xmlwalk

import (
	"iter"
	"strconv"
	"strings"
)

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
	var names []string
	for _, a := range e.attributes[:min(len(e.attributes), most)] {
		names = append(names, a.name)
	}
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

// local is a name without its prefix.
func local(name string) string {
	if _, rest, ok := strings.Cut(name, ":"); ok && rest != "" {
		return rest
	}
	return name
}
