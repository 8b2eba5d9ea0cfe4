package junit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// Limits of one piece of a document, so that memory is bounded whatever comes.
const (
	textLimit = 1 << 20 // bytes of one text; what follows is dropped, line ends excepted
	lineLimit = 16 << 20
	tagLimit  = 1 << 20 // bytes of one tag, declaration or instruction; a longer one ends the reading
)

var errTag = errors.New("a tag is longer than 1 MiB")

// repairer passes a document on as encoding/xml can read it: characters that XML
// forbids, written out or as references, become U+FFFD, and texts are cut to the
// limit. It follows the markup only as far as this needs.
type repairer struct {
	src      *bufio.Reader
	out      []byte // not yet read
	state    repairState
	quote    byte // the one that is open in a tag
	depth    int  // of < in a tag: a DOCTYPE may hold others
	size     int  // bytes of the piece so far
	repaired int  // characters replaced
	dropped  int  // bytes of texts over the limit
	err      error
}

type repairState int

const (
	inText repairState = iota
	inTag              // and in declarations and instructions
	inCDATA
	inComment
)

var sectionEnds = map[repairState]string{inCDATA: "]]>", inComment: "-->"}

func newRepairer(r io.Reader) *repairer { return &repairer{src: bufio.NewReaderSize(r, 1<<16)} }

// Read implements io.Reader. Its first error is final.
func (p *repairer) Read(b []byte) (int, error) {
	const enough = 4 << 10
	for len(p.out) < enough && p.err == nil {
		p.err = p.step()
	}
	if len(p.out) == 0 && p.err != nil {
		return 0, p.err
	}
	n := copy(b, p.out)
	p.out = append(p.out[:0], p.out[n:]...)
	return n, nil
}

// step passes on one character, or a run of them that nothing is to be done about.
func (p *repairer) step() error {
	if p.plain() == 0 {
		c, size, err := p.src.ReadRune()
		if err != nil {
			return err
		}
		if c == utf8.RuneError && size == 1 || !legal(c) {
			p.replace()
		} else {
			p.character(c)
		}
	}
	if p.state == inTag && p.size > tagLimit {
		return errTag
	}
	return nil
}

func (p *repairer) character(c rune) {
	switch p.state {
	case inText:
		p.text(c)
	case inTag:
		p.tag(c)
	default:
		p.section(c)
	}
}

// plain passes on the characters that mean nothing in any state.
func (p *repairer) plain() int {
	const most = 4 << 10
	next, _ := p.src.Peek(min(p.src.Buffered(), most))
	n := 0
	for n < len(next) && ordinary[next[n]] {
		n++
	}
	p.keep(next[:n])
	_, _ = p.src.Discard(n) // it was peeked at
	return n
}

// ordinary are the bytes that are a character of their own and no markup.
var ordinary = func() (set [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		set[c] = bytes.IndexByte([]byte(`<>&]-"'`), c) < 0
	}
	return set
}()

// keep passes bytes on as far as the piece may grow.
func (p *repairer) keep(b []byte) {
	if p.state != inTag && p.size+len(b) > textLimit {
		p.drop(b)
		return
	}
	p.size += len(b)
	p.out = append(p.out, b...)
}

// drop keeps nothing but line ends, and of these no more than the line limit.
func (p *repairer) drop(b []byte) {
	for _, c := range b {
		if c == '\n' && p.size < lineLimit {
			p.size++
			p.out = append(p.out, c)
			continue
		}
		p.dropped++
	}
}

func (p *repairer) rune(c rune) {
	var b [utf8.UTFMax]byte
	p.keep(utf8.AppendRune(b[:0], c))
}

func (p *repairer) replace() {
	p.repaired++
	p.rune(utf8.RuneError)
}

func (p *repairer) enter(s repairState, opening string) {
	p.state, p.size, p.quote, p.depth = s, 0, 0, 0
	p.out = append(p.out, opening...)
	_, _ = p.src.Discard(len(opening) - 1) // it was peeked at
}

func (p *repairer) text(c rune) {
	switch {
	case c == '<' && p.follows("![CDATA["):
		p.enter(inCDATA, "<![CDATA[")
	case c == '<' && p.follows("!--"):
		p.enter(inComment, "<!--")
	case c == '<':
		p.enter(inTag, "<")
	case c == '&':
		p.reference()
	default:
		p.rune(c)
	}
}

func (p *repairer) tag(c rune) {
	switch {
	case p.quote != 0 && c == rune(p.quote):
		p.quote = 0
	case p.quote != 0:
	case c == '"' || c == '\'':
		p.quote = byte(c)
	case c == '<':
		p.depth++
	case c == '>' && p.depth > 0:
		p.depth--
	case c == '>':
		p.enter(inText, ">")
		return
	}
	if c == '&' {
		p.reference()
		return
	}
	p.rune(c)
}

// section passes on what a CDATA section or a comment holds. Its end is passed
// on however much was dropped before it.
func (p *repairer) section(c rune) {
	end := sectionEnds[p.state]
	if c == rune(end[0]) && p.follows(end[1:]) {
		p.enter(inText, end)
		return
	}
	p.rune(c)
}

func (p *repairer) follows(s string) bool {
	next, _ := p.src.Peek(len(s))
	return string(next) == s
}

// reference passes on a character reference if the character may be there.
func (p *repairer) reference() {
	const longest = 12 // &#x0010FFFF; with some zeros
	next, _ := p.src.Peek(longest)
	end := bytes.IndexByte(next, ';')
	if end < 2 || next[0] != '#' {
		p.rune('&')
		return
	}
	digits, base := string(next[1:end]), 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || legal(rune(min(code, 1<<30))) {
		p.rune('&')
		return
	}
	_, _ = p.src.Discard(end + 1) // it was peeked at
	p.replace()
}

// legal reports whether XML 1.0 has the character.
func legal(c rune) bool {
	return c == '\t' || c == '\n' || c == '\r' ||
		c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 && c <= utf8.MaxRune
}
