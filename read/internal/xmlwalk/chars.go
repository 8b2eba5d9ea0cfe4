package xmlwalk

import (
	"bytes"
	"io"
	"strings"

	"tribunal/internal/redact"
	"tribunal/internal/words"
)

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

// upTo takes what stands before a mark, and reports whether the mark is there.
func (d *Doc) upTo(mark string, references bool, text func([]byte)) (found bool, err error) {
	seen, size := 0, 0 // bytes without the mark; bytes of the text so far
	for {
		if n := bytes.Index(d.rest()[seen:], []byte(mark)); n >= 0 {
			return true, d.pass(seen+n, text, references, &size)
		}
		seen = max(0, len(d.rest())-len(mark)+1)
		if seen > textLimit {
			whole := d.wholeUpTo(seen)
			if err := d.pass(whole, text, references, &size); err != nil {
				return false, err
			}
			seen -= whole
		}
		if !d.more() {
			return false, d.pass(len(d.rest()), text, references, &size)
		}
	}
}

// wholeUpTo is where to part a long text before n, at a byte that is a character
// of its own and in no reference, if there is any near.
func (d *Doc) wholeUpTo(n int) int {
	const near = 128
	for at := n; at > n-near; at-- {
		if plain[d.rest()[at-1]] && bytes.LastIndexByte(d.rest()[at-near/2:at], '&') < 0 {
			return at
		}
	}
	return n
}

// pass takes n bytes of text and hands them on as far as the limit goes.
func (d *Doc) pass(n int, text func([]byte), references bool, size *int) error {
	raw := d.rest()[:n]
	if room := textLimit - *size; len(raw) > room && text != nil {
		d.dropped += len(raw) - max(room, 0)
		raw = wholeOf(raw[:max(room, 0)])
	}
	*size += n
	if text != nil && len(raw) > 0 {
		var unknown int
		if d.text, unknown = d.decode(d.text[:0], raw, references); unknown >= 0 {
			d.at += unknown
			return d.fault("invalid character entity %s", head(d.rest()))
		}
		text(d.text)
	}
	d.at += n
	return nil
}

// wholeOf is a text that was cut, without the reference or character at its end
// that the cut may have parted.
func wholeOf(raw []byte) []byte {
	for n := 0; n < 64 && len(raw) > 0; n++ {
		if c := raw[len(raw)-1]; plain[c] && bytes.LastIndexByte(raw[max(0, len(raw)-40):], '&') < 0 {
			break
		}
		raw = raw[:len(raw)-1]
	}
	return raw
}

// head is the reference that a text begins with, or as much as a message shows.
func head(text []byte) string {
	if n := bytes.IndexByte(text[:min(len(text), 40)], ';'); n >= 0 {
		text = text[:n+1]
	}
	return words.Quote(bytes.ToValidUTF8(text[:min(len(text), 40+redact.Beyond)], []byte("\uFFFD")), 40)
}

// declaration reads a comment, a CDATA section or a document type.
func (d *Doc) declaration(text func([]byte)) error {
	switch {
	case d.follows("<!--"):
		d.at += len("<!--")
		return d.behind("-->", nil)
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

// behind passes over everything up to the end of a section, which is text where
// somebody wants it.
func (d *Doc) behind(end string, text func([]byte)) error {
	found, err := d.upTo(end, false, text)
	if err != nil {
		return err
	}
	if !found {
		return d.cut()
	}
	d.at += len(end)
	return nil
}

// doctype passes over a document type and the declarations in it.
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
