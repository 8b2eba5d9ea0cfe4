package read

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"tribunal/internal/regex"
	"tribunal/read/internal/noise"
)

// windowLimit is the largest zstd window that is unpacked, the most the zstd
// tool itself takes without --long. It bounds the memory a file can ask for.
const windowLimit = 128 << 20

// Unpack returns the text of r: unpacked when it is gzip or zstd, otherwise as it
// is.
func Unpack(r io.Reader) (io.ReadCloser, error) {
	text, packing, err := unpack(r)
	if err != nil {
		return nil, fmt.Errorf("cannot unpack %s: %w", packing, err)
	}
	return text, nil
}

// unpack returns the text of r, and how that was packed, "" when it was not. UTF-16,
// which PowerShell writes behind a >, becomes UTF-8.
func unpack(r io.Reader) (text io.ReadCloser, packing string, err error) {
	in := buffered(&final{r: r})
	magic, _ := in.Peek(4) // its error comes again on reading
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		text, err = gzip.NewReader(in)
		return text, "gzip", err
	case isZstd(magic):
		text, err = newZstd(in)
		return text, "zstd", err
	case bytes.HasPrefix(magic, []byte("\xff\xfe")), bytes.HasPrefix(magic, []byte("\xfe\xff")):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM) // the mark says which it is
		return io.NopCloser(utf16.NewDecoder().Reader(in)), "", nil
	}
	return &plain{in}, "", nil
}

// buffers are readers of a head that are used again: a folder of small reports is opened
// three times, and their buffers took half of the time.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, headSize) }}

func buffered(r io.Reader) *bufio.Reader {
	in := buffers.Get().(*bufio.Reader)
	in.Reset(r)
	return in
}

func release(in *bufio.Reader) {
	in.Reset(nil)
	buffers.Put(in)
}

type plain struct{ in *bufio.Reader }

func (p *plain) Read(b []byte) (int, error) {
	if p.in == nil {
		return 0, os.ErrClosed
	}
	return p.in.Read(b)
}

// Close gives up the buffer, once.
func (p *plain) Close() error {
	if p.in != nil {
		release(p.in)
		p.in = nil
	}
	return nil
}

// isZstd recognises a frame and, as parallel packers write one first, a
// skippable frame (RFC 8878, sections 3.1.1 and 3.1.2).
func isZstd(magic []byte) bool {
	if len(magic) < 4 || !bytes.Equal(magic[2:], []byte{0x2f, 0xfd}) && !bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18}) {
		return false
	}
	return bytes.Equal(magic[:2], []byte{0x28, 0xb5}) || magic[0]&0xf0 == 0x50
}

// newZstd unpacks in the caller's goroutine: nothing is left running when an
// input is given up.
func newZstd(r io.Reader) (io.ReadCloser, error) {
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowLimit))
	if err != nil {
		return nil, err
	}
	return dec.IOReadCloser(), nil
}

// final is a reader whose first error is its last word. Peeking eats an error,
// and not every reader repeats it.
type final struct {
	r   io.Reader
	err error
}

func (f *final) Read(p []byte) (n int, err error) {
	if f.err == nil {
		n, f.err = f.r.Read(p)
	}
	return n, f.err
}

// banner is what npm, pnpm and Yarn print in front of what the script prints that they
// run; pnpm 11 and Bun print it to standard error.
var banner = regex.Of(`^\s*(?:> .+\n> .+\n|yarn run v\d.*\n\$ .+\n|\$ .+\n)`)

// bannerBegins is how a text starts that is a banner, or may become one.
var bannerBegins = regex.Of(`^\s*(?:\z|> |\$ |yarn run v)`)

// trailer is what they print behind it, on the same line where that has no end.
var trailer = regex.Of(`(?:[\s\x{2009}]*(?:Done in [\d.]+m?s\.|info Visit https://yarnpkg\.com/|error Command failed with |\[?ELIFECYCLE\b|npm (?:error|ERR!|notice)).*)+\s*\z`)

const trailerRoom = 2 << 10

// script is what a runner of scripts printed around a report.
type script struct {
	before int // lines
	noise  noise.Noise
}

// passBanner takes from in what a runner of scripts printed in front of a report: its
// banner, and what scripts printed that ran before. It takes nothing where no report
// follows a banner. The ends of the lines stay, so that places in the report do.
func passBanner(in *bufio.Reader, o Options) (s script) {
	at := 0
	look(in, 0, func(head []byte) bool {
		if !bannerBegins().Match(head) {
			return true
		}
		if start := banner().FindIndex(head); start != nil {
			at = reportBehind(head, start[1], o)
		}
		return at > 0
	})
	if at == 0 {
		return s
	}
	head, _ := in.Peek(at)
	for line := range bytes.Lines(head) {
		s.before++
		s.noise.Add(line, s.before)
	}
	_, _ = in.Discard(at - s.before) // it was just seen
	ends, _ := in.Peek(s.before)
	copy(ends, bytes.Repeat([]byte("\n"), s.before))
	return s
}

// reportBehind is where in head the first line from a place on begins that begins a
// report, 0 where none does.
func reportBehind(head []byte, from int, o Options) int {
	for line := range bytes.Lines(head[from:]) {
		if o.begins(line, head[from:]) {
			return from
		}
		from += len(line)
	}
	return 0
}

func (o Options) begins(line, text []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	if o.As != nil {
		return o.As.Sniff != nil && o.As.Sniff(text)
	}
	_, is := Detect(text)
	return is
}

// without is what is to be read without what the runner of scripts printed last.
func (s *script) without(r io.Reader) io.Reader {
	if s.before == 0 {
		return r
	}
	return &untrailed{r: r, script: s}
}

// untrailed holds the last bytes back until it is clear that they are no trailer.
type untrailed struct {
	*script
	r    io.Reader
	held []byte
	err  error
}

func (u *untrailed) Read(p []byte) (int, error) {
	for u.err == nil && len(u.held) <= trailerRoom {
		u.fill(len(p))
	}
	ready := len(u.held)
	if u.err == nil {
		ready -= trailerRoom
	}
	n := copy(p, u.held[:ready])
	u.held = u.held[n:]
	if n == 0 && len(p) > 0 {
		return 0, u.err
	}
	return n, nil
}

// fill reads some more; at the end it takes the trailer off.
func (u *untrailed) fill(most int) {
	u.held = slices.Grow(u.held, max(most, trailerRoom))
	n, err := u.r.Read(u.held[len(u.held):cap(u.held)])
	u.held, u.err = u.held[:len(u.held)+n], err
	if err == nil {
		return
	}
	if at := trailer().FindIndex(u.held); at != nil {
		for line := range bytes.Lines(u.held[at[0]:]) {
			u.noise.Add(line, 0)
		}
		u.held = u.held[:at[0]]
	}
}
