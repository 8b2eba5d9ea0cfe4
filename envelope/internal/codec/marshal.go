package codec

import "encoding/json"

// Marshal is json.Marshal that leaves <, > and & as they are: escaping for a
// page is the business of the renderer that makes the page. What build servers
// obey in a job's log is escaped.
func Marshal(v any) ([]byte, error) {
	var buf growing
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return DisarmJSON(buf[:len(buf)-1]), nil // Encode ends with a newline
}

type growing []byte

func (g *growing) Write(p []byte) (int, error) {
	*g = append(*g, p...)
	return len(p), nil
}
