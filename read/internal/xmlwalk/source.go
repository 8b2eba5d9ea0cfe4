package xmlwalk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"tribunal/internal/redact"
	"tribunal/internal/regex"
	"tribunal/internal/words"
)

// source is the part of a document that is in memory, and where it stands.
type source struct {
	r       io.Reader
	buf     []byte
	at      int   // of the next byte in buf
	err     error // that r ended with
	line    int   // 1-based, of the byte at told
	col     int   // 1-based, of the byte at told
	counted int   // bytes of buf up to which lines are counted
}

func (s *source) rest() []byte { return s.buf[s.at:] }

// more reads on, and reports whether there was anything. What is in memory moves
// only when there is no room behind it, so that small reads cost little.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	s.makeRoom()
	before := len(s.buf)
	for len(s.buf) == before && s.err == nil {
		n := 0
		n, s.err = s.r.Read(s.buf[before:cap(s.buf)])
		s.buf = s.buf[:before+n]
	}
	return len(s.buf) > before
}

func (s *source) makeRoom() {
	const least = 4 << 10
	if cap(s.buf)-len(s.buf) >= least {
		return
	}
	s.count()
	rest := s.rest()
	if cap(s.buf) < 2*len(rest)+blockSize {
		s.buf = make([]byte, 0, 4*len(rest)+2*blockSize)
	}
	s.buf = append(s.buf[:0], rest...)
	s.counted, s.at = 0, 0
}

func (s *source) need(n int) bool {
	for len(s.buf)-s.at < n {
		if !s.more() {
			return false
		}
	}
	return true
}

func (s *source) follows(text string) bool {
	return s.need(len(text)) && string(s.buf[s.at:s.at+len(text)]) == text
}

func (s *source) count() {
	taken := s.buf[s.counted:s.at]
	if n := bytes.Count(taken, []byte("\n")); n > 0 {
		s.line += n
		s.col = len(taken) - bytes.LastIndexByte(taken, '\n')
	} else {
		s.col += len(taken)
	}
	s.counted = s.at
}

func (s *source) place() (line, column int) {
	s.count()
	return s.line, s.col
}

func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// Keep adds to a text as far as the limit goes.
func Keep(b *strings.Builder, more []byte, limit int) {
	room := max(0, limit-b.Len())
	if room > 0 && room < len(more) {
		room, _ = redact.Split(string(more[:min(len(more), room+redact.Beyond)]), room)
	}
	b.Write(more[:min(len(more), room)])
}

// chars reads the text up to the next <. The error is io.EOF where there is none.
func (d *Doc) chars(text func([]byte)) error {
	found, err := d.upTo("<", true, text)
	if err == nil && !found {
		err = io.EOF
	}
	return err
}

// upTo reads the text before a mark, and reports whether the mark was found.
func (d *Doc) upTo(mark string, references bool, text func([]byte)) (found bool, err error) {
	seen, size := 0, 0 // bytes without the mark; bytes of the text so far
	for {
		if n := bytes.Index(d.rest()[seen:], []byte(mark)); n >= 0 {
			return true, d.pass(seen+n, text, references, &size)
		}
		seen = max(0, len(d.rest())-len(mark)+1)
		if seen > textLimit {
			n := whole(d.rest()[:seen])
			if err := d.pass(n, text, references, &size); err != nil {
				return false, err
			}
			seen -= n
		}
		if !d.more() {
			return false, d.pass(len(d.rest()), text, references, &size)
		}
	}
}

// whole is where to end a text that is parted at its end: behind a byte that is a character
// of its own and in no reference, if there is any near.
func whole(text []byte) int {
	const near = 128
	for at := len(text); at > max(0, len(text)-near); at-- {
		if plain[text[at-1]] && bytes.LastIndexByte(text[max(0, at-near/2):at], '&') < 0 {
			return at
		}
	}
	return len(text)
}

// pass takes n bytes of text and hands them on as far as the limit goes.
func (d *Doc) pass(n int, text func([]byte), references bool, size *int) error {
	raw := d.rest()[:n]
	if room := textLimit - *size; len(raw) > room && text != nil {
		d.dropped += len(raw) - max(room, 0)
		raw = raw[:max(room, 0)]
		raw = raw[:whole(raw)]
	}
	*size += n
	if text != nil && len(raw) > 0 {
		var unknown int
		if d.text, unknown = d.decode(d.text[:0], raw, references); unknown >= 0 {
			d.at += unknown
			return d.fault(unknownEntity, head(d.rest()))
		}
		text(d.text)
	}
	d.at += n
	return nil
}

// head is the reference that a text begins with, or as much as a message shows.
func head(text []byte) string {
	if n := bytes.IndexAny(text[:min(len(text), 40)], ";< \t\r\n"); n >= 0 {
		text = bytes.TrimRight(text[:n+1], "< \t\r\n")
	}
	return words.Quote(bytes.ToValidUTF8(text[:min(len(text), 40+redact.Beyond)], []byte("\uFFFD")), 40)
}

// declaration reads a comment, a CDATA section or a document type.
func (d *Doc) declaration(text func([]byte)) error {
	switch {
	case d.follows("<!--"):
		d.at += len("<!--")
		return d.behind("-->", d.Comment)
	case d.follows("<![CDATA["):
		d.at += len("<![CDATA[")
		return d.behind("]]>", text)
	}
	if d.need(3) {
		if c := d.buf[d.at+2] | 0x20; c < 'a' || c > 'z' {
			return d.fault("<! must begin a comment, CDATA or a declaration")
		}
	}
	return d.doctype()
}

// behind skips to the end of a section. If text is not nil, it gets the content.
func (d *Doc) behind(end string, text func([]byte)) error {
	found, err := d.upTo(end, false, text)
	if err == nil && !found {
		err = d.cut()
	}
	if err == nil {
		d.at += len(end)
	}
	return err
}

// doctype skips a document type and the declarations in it.
func (d *Doc) doctype() error {
	depth, quote := 0, byte(0)
	for at := 0; ; at++ {
		if at > tagLimit {
			return d.fault(tooLong)
		}
		if !d.need(at + 1) {
			return d.cut()
		}
		switch c := d.buf[d.at+at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				d.at += at + 1
				return nil
			}
		}
	}
}

// declarationRoom is how many bytes a byte order mark, blanks and the XML declaration may take together.
const declarationRoom = 1 << 10

var (
	declaration = regex.Of(`^(?:\x{FEFF}|\s)*<\?xml\s[^>]*\?>`)
	declared    = regex.Of(`\sencoding\s*=\s*["']([^"']*)["']`)
)

// decoded is the document in UTF-8 without byte order mark and declaration, which are obeyed here: encoding/xml takes
// neither XML 1.1 nor other charsets. The name is that of a charset nobody knows, read as if it were UTF-8.
func decoded(r io.Reader) (text io.Reader, unknown string) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, _ := in.Peek(declarationRoom) // an error comes back on reading
	charset, unknown := charsetOf(head)
	if charset != nil {
		in = bufio.NewReaderSize(charset.NewDecoder().Reader(in), 1<<16)
	}
	return withoutDeclaration(in), unknown
}

// charsetOf is the charset of a document, nil for UTF-8 and for one that nobody knows, whose name it returns.
func charsetOf(head []byte) (charset encoding.Encoding, unknown string) {
	name := ""
	switch {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		name = "utf-16le"
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		name = "utf-16be"
	default:
		m := declared().FindSubmatch(declaration().Find(head))
		if m != nil && !bytes.HasPrefix(bytes.ToLower(m[1]), []byte("utf")) { // a declaration that could be read is no UTF-16
			name = string(m[1])
		}
	}
	if name == "" {
		return nil, ""
	}
	charset, err := htmlindex.Get(name)
	if err != nil {
		return nil, name
	}
	return charset, ""
}

// withoutDeclaration replaces the text before the document by blanks, but keeps line ends, so that lines and columns stay.
func withoutDeclaration(in *bufio.Reader) io.Reader {
	head, _ := in.Peek(declarationRoom)
	front := declaration().FindString(string(head))
	if front == "" && bytes.HasPrefix(head, []byte("\uFEFF")) {
		front = "\uFEFF"
	}
	_, _ = in.Discard(len(front)) // it was peeked at
	blank := []byte(strings.TrimPrefix(front, "\uFEFF"))
	for i, c := range blank {
		if c != '\n' {
			blank[i] = ' '
		}
	}
	return io.MultiReader(bytes.NewReader(blank), in)
}
