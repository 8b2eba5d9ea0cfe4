package envelope

import (
	"encoding/json"
	"time"
)

func parseTime(s Opt[string]) (Opt[int64], error) {
	if !s.OK {
		return Opt[int64]{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s.V)
	if err != nil {
		return Opt[int64]{}, err
	}
	return instant(t), nil
}

// Instant reads an RFC 3339 time as nanoseconds since 1970.
func Instant(s string) (ns int64, ok bool) {
	v, err := parseTime(Some(s))
	return v.V, err == nil && v.OK
}

// instant is the time in nanoseconds since 1970, absent for the zero time and
// for years that do not fit (before 1678 and after 2261).
func instant(t time.Time) Opt[int64] {
	if y := t.Year(); t.IsZero() || y < 1678 || y > 2261 {
		return Opt[int64]{}
	}
	return Some(t.UnixNano())
}

// marshal is json.Marshal that leaves <, > and & as they are: escaping for a
// page is the business of the renderer that makes the page. What build servers
// obey in a job's log is escaped.
func marshal(v any) ([]byte, error) {
	var buf growing
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return DisarmJSON(buf[:len(buf)-1]), nil // Encode ends with a newline
}

// textOf is the JSON of plain data, to compare by.
func textOf(v any) string {
	text, err := marshal(v)
	if err != nil {
		panic("envelope: plain data that does not marshal: " + err.Error())
	}
	return string(text)
}

type growing []byte

func (g *growing) Write(p []byte) (int, error) {
	*g = append(*g, p...)
	return len(p), nil
}
