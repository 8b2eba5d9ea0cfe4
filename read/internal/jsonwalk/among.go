package jsonwalk

import (
	"bytes"
	"io"

	"tribunal/envelope"
)

// Begin is where in head a document begins whose first member is called key, and in
// front of which a program may have printed something, with or without a line end; -1
// where none does. Is tells it from others.
func Begin(head []byte, key string, is func(head []byte) bool) int {
	const most = 20 // places that only look like it
	mark := []byte(`"` + key + `"`)
	for from, tried := 0, 0; tried < most; tried++ {
		n := bytes.Index(head[from:], mark)
		if n < 0 {
			return -1
		}
		before := bytes.TrimRight(head[:from+n], " \t\r\n")
		if len(before) > 0 && before[len(before)-1] == '{' && is(head[len(before)-1:]) {
			return len(before) - 1
		}
		from += n + len(mark)
	}
	return -1
}

// StrictAmong is Strict for documents that runners print among what tests print: what
// stands before and behind is noise.
func StrictAmong(r io.Reader, to envelope.Sink, begin func(head []byte) int, read func(*Text) error) error {
	head, rest := Head(r)
	noise := Noise{}
	if at := begin(head); at > 0 && len(bytes.TrimSpace(bytes.TrimPrefix(head[:at], []byte("\uFEFF")))) > 0 {
		blank := bytes.Clone(head[:at])
		for i, line := range bytes.Split(head[:at], []byte("\n")) {
			noise.Add(line, i+1)
		}
		for i, c := range blank {
			if c != '\n' {
				blank[i] = ' ' // so that places stay what they are
			}
		}
		rest = io.MultiReader(bytes.NewReader(blank), behind(rest, at))
	}
	t := &Text{s: newScanner(rest), to: to, name: "the document", noise: &noise}
	t.s.strict = true
	err := t.read(read)
	noise.Report(to)
	return err
}

// behind is a reader without its first bytes, which are there.
func behind(r io.Reader, n int) io.Reader {
	_, _ = io.CopyN(io.Discard, r, int64(n)) // they were just seen
	return r
}

// rest takes what stands behind the document as noise.
func (t *Text) rest() {
	const most = 200 // bytes of a line that are kept
	var line []byte
	at, _ := t.s.at()
	for {
		c, ok := t.s.peek()
		if ok {
			t.s.take(c)
		}
		if ok && c != '\n' {
			if len(line) < most {
				line = append(line, c)
			}
			continue
		}
		t.noise.Add(line, at)
		line = line[:0]
		if at, _ = t.s.at(); !ok {
			return
		}
	}
}
