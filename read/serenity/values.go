package serenity

import (
	"fmt"
	"strings"
	"time"

	"tribunal/read/internal/jsonwalk"
)

// moment is when something began: milliseconds since 1970 in older versions, and a time
// with the name of its zone behind it since Java has such times.
type moment struct{ time.Time }

// Take implements jsonwalk.Loose.
func (m *moment) Take(v jsonwalk.Value) {
	m.Time = time.Time{}
	if v.IsNumber() {
		if ms := v.Count(); ms.OK {
			m.Time = time.UnixMilli(ms.V).UTC()
		}
		return
	}
	text, _, _ := strings.Cut(v.Text(), "[")
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		m.Time = at.UTC()
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, m) }

// cells are the values of a row, texts and numbers.
type cells string

// Take implements jsonwalk.Loose.
func (c *cells) Take(v jsonwalk.Value) {
	var texts []string
	for each := range v.Items() {
		texts = append(texts, each.String())
	}
	*c = cells(strings.Join(texts, ", "))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *cells) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, c) }

// cause is what was thrown.
type cause struct {
	ErrorType, Message string
	StackTrace         frames
}

func (c cause) isNone() bool { return c.ErrorType == "" && c.Message == "" }

type frames []struct {
	DeclaringClass, MethodName, FileName string
	LineNumber                           int
}

// text is a stack trace as Java prints it.
func (f frames) text() string {
	var b strings.Builder
	for _, each := range f {
		fmt.Fprintf(&b, "\tat %s.%s(%s:%d)\n", each.DeclaringClass, each.MethodName, each.FileName, each.LineNumber)
	}
	return b.String()
}
