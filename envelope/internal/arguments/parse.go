package arguments

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// node is a JSON value.
type node struct {
	kind  byte   // { [ " 0 for a number, t for true, false and null
	key   string // of a member of an object
	text  string // of a string what it says, of anything else how it is written
	items []node // members or elements
}

// deepest is how deep arguments may be nested to be taken for an object.
const deepest = 200

// parse reads a text that is a JSON object.
func parse(text string) (n node, ok bool) {
	p := parser{text: strings.TrimSpace(text)}
	if !strings.HasPrefix(p.text, "{") {
		return n, false
	}
	n = p.value(0)
	return n, !p.bad && p.at == len(p.text)
}

// parser reads one text; what is no JSON makes it bad.
type parser struct {
	text string
	at   int
	bad  bool
}

func (p *parser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) take(c byte) {
	if p.bad = p.bad || p.peek() != c; !p.bad {
		p.at++
	}
}

func (p *parser) value(depth int) (n node) {
	switch c := p.peek(); {
	case depth == deepest:
		p.bad = true
	case c == '{' || c == '[':
		n.kind = c
		n.items = p.items(c, depth)
	case c == '"':
		n.kind, n.text = c, p.str()
	case c == '-' || '0' <= c && c <= '9':
		n.kind, n.text = '0', p.word()
		p.bad = p.bad || !json.Valid([]byte(n.text))
	default:
		n.kind, n.text = 't', p.word()
		p.bad = p.bad || n.text != "true" && n.text != "false" && n.text != "null"
	}
	return n
}

// items reads members or elements. Of a key given twice the last value counts.
func (p *parser) items(open byte, depth int) (items []node) {
	p.take(open)
	if p.peek() == open+2 {
		p.at++
		return nil
	}
	var keys map[string]int
	if open == '{' {
		keys = map[string]int{}
	}
	for !p.bad {
		key := ""
		if open == '{' {
			p.peek()
			key = p.str()
			p.take(':')
		}
		n := p.value(depth + 1)
		n.key = key
		if at, twice := keys[key]; twice {
			items[at] = n
		} else {
			if keys != nil {
				keys[key] = len(items)
			}
			items = append(items, n)
		}
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	p.take(open + 2)
	return items
}

// word reads a number or a literal.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}:\"", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) str() string {
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		p.bad = true
		return ""
	}
	start, plain := p.at, true
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			if plain {
				return p.text[start+1 : p.at-1]
			}
			return p.unquote(p.text[start:p.at])
		case c == '\\':
			plain = false
			p.at++
		case c < ' ' || c >= utf8.RuneSelf:
			plain = false
		}
	}
	p.bad = true
	return ""
}

func (p *parser) unquote(quoted string) (s string) {
	p.bad = json.Unmarshal([]byte(quoted), &s) != nil || p.bad
	return s
}
