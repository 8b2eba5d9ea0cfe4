package junit

import (
	"bytes"
	"io"
)

// selfCloser writes <a></a> as <a/>, which encoding/xml cannot: people and
// tools look for <skipped message="inconclusive"/> literally, and a large
// report gets a tenth smaller. It knows CDATA sections and leaves them alone;
// everywhere else < and > are markup, since encoding/xml escapes them in text
// and in attributes.
type selfCloser struct {
	w     io.Writer
	held  []byte // a start of pattern that may still become it
	state closerState
}

type closerState int

const (
	inMarkup closerState = iota
	inEndTag             // of an element closed already, up to its >
	inCDATA
)

const (
	emptyElement = "></"
	startCDATA   = "<![CDATA["
	endCDATA     = "]]>"
)

// Write passes p on, holding back what is undecided at its end.
func (c *selfCloser) Write(p []byte) (int, error) {
	data := append(c.held, p...)
	out := make([]byte, 0, len(data)+1)
	for len(data) > 0 {
		n, emit := c.next(data)
		if n == 0 {
			break
		}
		out = append(out, emit...)
		data = data[n:]
	}
	c.held = append([]byte(nil), data...)
	if _, err := c.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// next takes n bytes off the data and gives what to write for them; 0 when
// what follows must be known first.
func (c *selfCloser) next(data []byte) (n int, emit []byte) {
	switch {
	case c.state == inEndTag:
		if data[0] == '>' {
			c.state = inMarkup
		}
		return 1, nil
	case c.state == inCDATA:
		if n := until(data, "]"); n > 0 {
			return n, data[:n]
		}
		if got, more := match(data, endCDATA); more {
			return 0, nil
		} else if got {
			c.state = inMarkup
			return len(endCDATA), data[:len(endCDATA)]
		}
		return 1, data[:1]
	}
	if n := until(data, "<>"); n > 0 {
		return n, data[:n]
	}
	empty, moreEmpty := match(data, emptyElement)
	cdata, moreCDATA := match(data, startCDATA)
	switch {
	case moreEmpty || moreCDATA:
		return 0, nil
	case empty:
		c.state = inEndTag
		return len(emptyElement), []byte("/>")
	case cdata:
		c.state = inCDATA
		return len(startCDATA), data[:len(startCDATA)]
	}
	return 1, data[:1]
}

// until is how many bytes come before the first of the stops.
func until(data []byte, stops string) int {
	if n := bytes.IndexAny(data, stops); n >= 0 {
		return n
	}
	return len(data)
}

// match reports whether data starts with the pattern, and whether it may yet.
func match(data []byte, pattern string) (got, more bool) {
	n := min(len(data), len(pattern))
	if string(data[:n]) != pattern[:n] {
		return false, false
	}
	return n == len(pattern), n < len(pattern)
}

// flush writes what is held back at the end of the document.
func (c *selfCloser) flush() error {
	_, err := c.w.Write(c.held)
	c.held = nil
	return err
}
