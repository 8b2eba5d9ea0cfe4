package jsontext

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal that leaves <, > and & as they are: escaping for a page is the
// business of the renderer that makes the page.
func Marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
