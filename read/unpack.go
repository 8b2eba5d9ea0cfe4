package read

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
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

// plain is a text that is as it was.
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
