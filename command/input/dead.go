package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/packing"
	"tribunal/read"
)

// mostChecked is how much of a file of no known format is looked at, headChecked how much
// of it for what it begins with.
const (
	mostChecked = 64 << 20
	headChecked = 4 << 10
)

// ending is that of a file once it is unpacked.
func ending(name string) string { return filepath.Ext(packing.Cut(name)) }

// tellDead reports files that runners left which died, of so many files in all. A lenient
// policy judges what else is read, where there is anything.
func tellDead(b *count.Builder, dead []string, all int, others bool) {
	if len(dead) == 0 {
		return
	}
	p := envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeNoTrials, Count: len(dead), Message: fmt.Sprintf(
		"%d of %d files are empty, cut off or not what their extension says: %s; did a runner die?", len(dead), all, listed(dead))}
	if others {
		p.Code = envelope.CodeTruncated
		p.Message += " --lenient judges the others"
	}
	b.Problem(p)
}

// deadBy says why a file of no known format may be what a runner left that died: it is
// empty, cut off, or nothing of what its ending says. It is "" for what others wrote whole.
func deadBy(name string) string {
	file, err := Open(name)
	if err != nil {
		return "" // reading it says what is wrong
	}
	defer file.Close()
	text, err := read.Unpack(file)
	if err != nil {
		return "cut off"
	}
	defer text.Close()
	most := &io.LimitedReader{R: text, N: mostChecked}
	in := bufio.NewReaderSize(most, headChecked)
	head, err := in.Peek(headChecked)
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	why := ""
	switch ending := strings.ToLower(ending(name)); {
	case err != nil && err != io.EOF:
		return "cut off"
	case len(head) == 0 && err != nil:
		return "empty"
	case len(head) == 0:
		return ""
	case ending == ".json", ending == ".jsonl", ending == ".ndjson":
		why = deadJSON(head, in)
	case ending == ".xml", ending == ".trx":
		why = deadXML(head, in)
	case ending == ".tap":
		return "no TAP"
	}
	if most.N == 0 {
		return "" // nobody looked at its end
	}
	return why
}

// deadJSON takes no offence at what is nearly JSON, such as settings with comments.
func deadJSON(head []byte, in *bufio.Reader) string {
	if bytes.HasPrefix(head, []byte("/")) || bytes.HasPrefix(head, []byte("#")) {
		return ""
	}
	skipMark(in)
	dec := json.NewDecoder(in)
	depth, object := 0, false
	for {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF && depth > 0:
			return "cut off"
		case err == io.EOF, err != nil && (object || bytes.Contains(head, []byte("//")) || bytes.Contains(head, []byte("/*"))):
			return ""
		case err != nil:
			return "no JSON"
		}
		switch token {
		case json.Delim('{'):
			depth, object = depth+1, true
		case json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func skipMark(in *bufio.Reader) {
	if mark, _ := in.Peek(3); string(mark) == "\uFEFF" {
		_, _ = in.Discard(3) // it is there: it was just seen
	}
}

func deadXML(head []byte, in io.Reader) string {
	if head[0] != '<' {
		return "no XML"
	}
	dec := xml.NewDecoder(in)
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth, elements := 0, 0
	for {
		token, err := dec.RawToken()
		syntax := (*xml.SyntaxError)(nil)
		switch {
		case err == nil:
		case err == io.EOF && (depth > 0 || elements == 0), errors.Is(err, io.ErrUnexpectedEOF),
			errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
			return "cut off"
		case elements == 0:
			return "no XML"
		default:
			return ""
		}
		switch token.(type) {
		case xml.StartElement:
			depth, elements = depth+1, elements+1
		case xml.EndElement:
			depth--
		}
	}
}
