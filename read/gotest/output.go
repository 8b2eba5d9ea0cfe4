package gotest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"tribunal/read/internal/failure"
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
var frames = [...]string{
	"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "=== ATTR ",
	"--- PASS: ", "--- FAIL: ", "--- SKIP: ", "--- BENCH: ",
}

func isFrame(text string) bool {
	text = strings.TrimLeft(text, " ")
	if len(text) < len("=== RUN ") || text[0] != '=' && text[0] != '-' {
		return false
	}
	for _, frame := range frames {
		if strings.HasPrefix(text, frame) {
			return true
		}
	}
	return false
}

// isCrash reports whether a process dies with a line that begins like this.
func isCrash(text string) bool {
	return strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")
}

func (c *capture) add(text string) {
	if isFrame(text) {
		return
	}
	if c.panicked == "" && isCrash(text) {
		c.panicked = failure.Reason(text[:min(len(text), kept)], 1)
		c.timedOut = strings.HasPrefix(c.panicked, "panic: test timed out after ")
	}
	if len(c.head) < kept {
		c.head = append(c.head, text...)
	} else {
		c.tail = append(c.tail, text...)
	}
	c.part()
}

// part moves to the tail what is too much for the head, and drops what is too
// much for both.
func (c *capture) part() {
	if len(c.head) > kept {
		c.tail = append(c.tail, c.head[kept:]...)
		c.head = c.head[:kept]
	}
	if extra := len(c.tail) - kept; extra > kept {
		c.dropped += extra
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
}

// has reports whether the head of the output has a word in it.
func (c *capture) has(word string) bool {
	return bytes.Contains(c.head, []byte(word))
}

// text is the whole output as far as it was kept. It changes when the capture
// does.
func (c *capture) text() string {
	text := unsafe.String(unsafe.SliceData(c.head), len(c.head))
	if len(c.tail) == 0 {
		return text // as it was said, in whole characters
	}
	if c.dropped > 0 {
		text += fmt.Sprintf("\n… %d bytes left out …\n", c.dropped)
	}
	return strings.ToValidUTF8(text+string(c.tail), "\uFFFD")
}

// reason is the short reason in the output of a test that did not pass, and the
// place it names.
type reason struct {
	text, file string
	line       int
}

// lines are how many lines make a reason.
const lines = 3

// reason finds why a test did not pass in its text: a panic, or else what it logged, from
// the first line on that names a place. A panic names one in its stack.
func (c *capture) reason(text string) reason {
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
		if r.file == "" && !c.timedOut { // at a timeout the stacks are those of all that runs
			r.file, r.line = stackPlace(text)
		}
	case logged != nil:
		r.text = failure.Reason(strings.Join(logged, "\n"), lines)
	default:
		r.text = failure.Reason(text, lines)
	}
	return r
}

// place splits a line like "    x_test.go:51: text"; Go 1.14 wrote the name of the
// test before it.
func place(line string) (file string, number int, rest string, ok bool) {
	trimmed := strings.TrimLeft(line, " ")
	before, after, ok := strings.Cut(trimmed, ".go:")
	name := strings.LastIndexByte(before, ' ') + 1
	if !ok || len(trimmed) == len(line) || name == len(before) {
		return "", 0, "", false
	}
	digits, rest, ok := strings.Cut(after, ": ")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 {
		return "", 0, "", false
	}
	return trimmed[name : len(before)+len(".go")], number, rest, true
}

// stackPlace is the place that the stack of a panic names: the first frame in a file of
// tests, without its folder, as what is logged names it.
func stackPlace(text string) (file string, line int) {
	for text := range strings.Lines(text) {
		at, isFrame := strings.CutPrefix(text, "\t")
		before, after, isTest := strings.Cut(at, "_test.go:")
		if !isFrame || !isTest {
			continue
		}
		digits, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		if line, err := strconv.Atoi(digits); err == nil && line > 0 {
			return before[strings.LastIndexAny(before, `/\`)+1:] + "_test.go", line
		}
	}
	return "", 0
}
