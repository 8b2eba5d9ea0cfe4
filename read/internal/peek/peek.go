// Package peek tells the first keys of a JSON text of which only the head is
// known.
//
// It exists so that formats that are JSON documents can be told apart by their
// keys before they are read. It does not check that the text is valid: the head
// may be cut anywhere, and a broken file is still a file of its format.
package peek

import (
	"bytes"
	"encoding/json"
)

// Object returns the keys of the first object in head: of the document, or of
// the first element when the document is an array. A key has its value when
// that is a string, and "" otherwise. It is nil when head does not start with
// an object.
func Object(head []byte) (keys map[string]string, inArray bool) {
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.UseNumber()
	token, _ := dec.Token()
	if inArray = token == json.Delim('['); inArray {
		token, _ = dec.Token()
	}
	if token != json.Delim('{') {
		return nil, inArray
	}
	keys = map[string]string{}
	for {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys, inArray
		}
		keys[name] = value(dec)
	}
}

// value passes over one value and returns it when it is a string.
func value(dec *json.Decoder) string {
	depth := 0
	for {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			text, _ := token.(string)
			return text
		}
	}
}
