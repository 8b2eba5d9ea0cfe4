package html

import (
	"fmt"
	"strings"
)

// A place is where in the HTML of a part a value is printed, as far as escaping
// depends on it: between the elements, or inside a quoted attribute.
//
// It is found by reading the text of the part, as html/template does for itself
// without telling. What is not needed to draw a test, such as a script or an
// attribute without quotes, is an error.
type place struct {
	inTag   bool
	address bool   // the attribute is an address
	quote   byte   // that ends the attribute; 0 outside one
	value   string // of the attribute so far
}

// addresses are the attributes that hold an address.
var addresses = []string{"href", "src"}

// after is the place behind a text.
func (p place) after(text string) (place, error) {
	for text != "" {
		switch {
		case p.quote != 0:
			value, rest, ended := strings.Cut(text, string(p.quote))
			if p.value += value; ended {
				p = place{inTag: true}
			}
			text = rest
		case p.inTag:
			end := strings.IndexAny(text, `"'>`)
			if end < 0 {
				return p, nil
			}
			if text[end] == '>' {
				p = place{}
			} else if p = attribute(text[:end], text[end]); p.quote == 0 {
				return p, fmt.Errorf("%q: an attribute is a name, = and a quoted value", text[:end+1])
			}
			text = text[end+1:]
		default:
			_, tag, found := strings.Cut(text, "<")
			if found && opensRaw(tag) {
				return p, fmt.Errorf("<%.10s: a test that is drawn by the script has no such element", tag)
			}
			p.inTag, text = found, tag
		}
	}
	return p, nil
}

// attribute is the place behind the quote that opens the value of an attribute.
func attribute(head string, quote byte) place {
	name, named := strings.CutSuffix(head, "=")
	name = name[strings.LastIndexAny(name, " \n\t")+1:]
	if !named || name == "" {
		return place{}
	}
	p := place{inTag: true, quote: quote}
	for _, a := range addresses {
		p.address = p.address || strings.EqualFold(name, a)
	}
	return p
}

// opensRaw reports that what follows < is a comment, or an element in which other
// rules hold.
func opensRaw(tag string) bool {
	for _, raw := range []string{"!", "script", "style", "textarea"} {
		if len(tag) >= len(raw) && strings.EqualFold(tag[:len(raw)], raw) {
			return true
		}
	}
	return false
}

// escaper is the way in which a value is escaped that is printed here.
func (p place) escaper() (int, error) {
	switch {
	case p.inTag && p.quote == 0:
		return 0, fmt.Errorf("a value is between the attributes of an element")
	case !p.address:
		return escapeHTML, nil
	case strings.ContainsAny(p.value, "?#"):
		return escapeQuery, nil
	case p.value == "":
		return escapeURL, nil
	case p.value == "data:image/":
		return escapeHTML, nil // base64, of which html/template escapes nothing more
	}
	return 0, fmt.Errorf("a value is in the middle of an address")
}

// like reports that values are escaped alike from here on.
func (p place) like(o place) bool {
	if p.address {
		return p == o
	}
	return p.inTag == o.inTag && p.quote == o.quote && p.address == o.address
}

// printed is the place behind a value.
func (p place) printed() place {
	if p.quote != 0 {
		p.value += "…"
	}
	return p
}
