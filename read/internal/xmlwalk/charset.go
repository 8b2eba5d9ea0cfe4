package xmlwalk

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"tribunal/internal/regex"
)

// declarationRoom is how many bytes a byte order mark, blanks and the XML
// declaration may take together.
const declarationRoom = 1 << 10

var (
	declaration = regex.Of(`^(?:\x{FEFF}|\s)*<\?xml\s[^>]*\?>`)
	declared    = regex.Of(`\sencoding\s*=\s*["']([^"']*)["']`)
)

// decoded is the document in UTF-8 without byte order mark and declaration, which
// are obeyed here: encoding/xml takes neither XML 1.1 nor other charsets. The
// name is that of a charset nobody knows, read as if it were UTF-8.
func decoded(r io.Reader) (text io.Reader, unknown string) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, _ := in.Peek(declarationRoom) // an error comes back on reading
	charset := charsetOf(head)
	if charset != nil {
		in = bufio.NewReaderSize(charset.NewDecoder().Reader(in), 1<<16)
	} else {
		unknown = undecodable(head)
	}
	return withoutDeclaration(in), unknown
}

// charsetOf is the charset of a document; nil for UTF-8 and for unknown ones.
func charsetOf(head []byte) encoding.Encoding {
	name := ""
	switch {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		return nil
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		name = "utf-16le"
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		name = "utf-16be"
	default:
		if name = declaredCharset(head); strings.HasPrefix(strings.ToLower(name), "utf") {
			return nil // the declaration could be read, so it is no UTF-16
		}
	}
	charset, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return charset
}

func declaredCharset(head []byte) string {
	if m := declared().FindSubmatch(declaration().Find(head)); m != nil {
		return string(m[1])
	}
	return ""
}

// undecodable is the declared charset when there is no decoder for it.
func undecodable(head []byte) string {
	name := declaredCharset(head)
	if bytes.HasPrefix(head, []byte("\uFEFF")) {
		return ""
	}
	if _, err := htmlindex.Get(name); name == "" || err == nil || strings.HasPrefix(strings.ToLower(name), "utf") {
		return ""
	}
	return name
}

// withoutDeclaration blanks out what stands before the document, line ends
// excepted, so that lines and columns stay.
func withoutDeclaration(in *bufio.Reader) io.Reader {
	head, _ := in.Peek(declarationRoom)
	front := declaration().FindString(string(head))
	if front == "" {
		if !bytes.HasPrefix(head, []byte("\uFEFF")) {
			return in
		}
		front = "\uFEFF"
	}
	if _, err := in.Discard(len(front)); err != nil { // it was peeked at
		return in
	}
	blank := []byte(strings.TrimPrefix(front, "\uFEFF"))
	for i, c := range blank {
		if c != '\n' {
			blank[i] = ' '
		}
	}
	return io.MultiReader(bytes.NewReader(blank), in)
}
