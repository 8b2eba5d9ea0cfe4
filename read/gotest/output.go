package gotest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"tribunal/read/gist"
)

// kept is how much of the head and of the tail of an output is kept.
const kept = 32 << 10

// capture is what a test printed, without frames: the head and the tail.
type capture struct {
	head, tail []byte
	dropped    int
	panicked   string // the first line of a panic
	timedOut   bool
}

// frames begin lines that test2json writes for what the events say.
var frames = [][]byte{
	[]byte("=== RUN "), []byte("=== PAUSE "), []byte("=== CONT "), []byte("=== NAME "), []byte("=== ATTR "),
	[]byte("--- PASS: "), []byte("--- FAIL: "), []byte("--- SKIP: "), []byte("--- BENCH: "),
}

func isFrame(text []byte) bool {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	if len(text) < len("=== RUN ") || text[0] != '=' && text[0] != '-' {
		return false
	}
	for _, frame := range frames {
		if bytes.HasPrefix(text, frame) {
			return true
		}
	}
	return false
}

// crashes begin the lines with which a process dies.
var crashes = [][]byte{[]byte("panic: "), []byte("fatal error: ")}

func (c *capture) add(text []byte) {
	if isFrame(text) {
		return
	}
	for _, crash := range crashes {
		if c.panicked == "" && bytes.HasPrefix(text, crash) {
			c.panicked = gist.Of(string(text[:min(len(text), kept)]), 1)
			c.timedOut = strings.HasPrefix(c.panicked, "panic: test timed out after ")
		}
	}
	room := min(max(kept-len(c.head), 0), len(text))
	c.head = append(c.head, text[:room]...)
	c.tail = append(c.tail, text[room:]...)
	if extra := len(c.tail) - kept; extra > kept {
		c.dropped += extra
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
}

// text is the whole output as far as it was kept.
func (c *capture) text() string {
	middle := ""
	if c.dropped > 0 {
		middle = fmt.Sprintf("\n… %d bytes left out …\n", c.dropped)
	}
	return strings.ToValidUTF8(string(c.head)+middle+string(c.tail), "\uFFFD")
}

// reason is the short reason in the output of a test that did not pass, and the
// place it names.
type reason struct {
	text, file string
	line       int
}

// lines are how many lines make a reason.
const lines = 3

// reason finds why a test did not pass: a panic, or else what it logged, from
// the first line on that names a place.
func (c *capture) reason() reason {
	text := c.text()
	r := reason{}
	var logged []string
	for line := range strings.Lines(text) {
		if file, at, rest, ok := place(line); ok {
			if r.file == "" {
				r.file, r.line = file, at
			}
			line = rest
		}
		if line = strings.TrimSpace(line); r.file == "" || line == "" || strings.HasPrefix(line, "Error Trace:") {
			continue
		}
		if logged = append(logged, line); len(logged) == lines {
			break
		}
	}
	switch {
	case c.panicked != "":
		r.text = c.panicked
	case logged != nil:
		r.text = gist.Of(strings.Join(logged, "\n"), lines)
	default:
		r.text = gist.Of(text, lines)
	}
	return r
}

// place splits a line like "    x_test.go:51: text"; Go 1.14 wrote the name of the
// test before it.
func place(line string) (file string, number int, rest string, ok bool) {
	trimmed := strings.TrimLeft(line, " ")
	before, after, ok := strings.Cut(trimmed, ".go:")
	before = before[strings.LastIndexByte(before, ' ')+1:]
	if !ok || len(trimmed) == len(line) || before == "" {
		return "", 0, "", false
	}
	digits, rest, ok := strings.Cut(after, ": ")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 {
		return "", 0, "", false
	}
	return before + ".go", number, rest, true
}
