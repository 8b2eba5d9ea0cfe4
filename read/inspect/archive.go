package inspect

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// The limits of an archive. Where it cannot be read anywhere it must be buffered, for its
// directory stands at its end, and its entries may unpack to anything.
const (
	maxArchive  = 256 << 20
	maxEntries  = 200_000
	maxEntry    = jsonwalk.MaxRecord + 1<<20
	maxUnpacked = 16 << 30
	maxWindow   = 128 << 20
	methodZstd  = 93
)

// The entries of an archive. A run that crashed has only the journal.
const (
	headerEntry    = "header.json"
	startEntry     = "_journal/start.json"
	summariesEntry = "summaries.json"
	journalEntries = "_journal/summaries/"
)

func isSample(name string) bool {
	return strings.HasPrefix(name, "samples/") && strings.HasSuffix(name, ".json")
}

func (l *log) archive(r io.Reader) error {
	passing := &counted{}
	at, err := l.whole(io.TeeReader(io.LimitReader(r, maxArchive+1), passing))
	if err != nil {
		return err
	}
	entries, err := open(at, passing)
	if err != nil {
		l.unreadable("", err)
		return nil
	}
	a := &archive{log: l, entries: entries, left: maxUnpacked}
	if a.entries[headerEntry] != nil {
		a.read(headerEntry, a.document())
	} else { // the run crashed, and the journal says what there is
		a.ended = "started"
		a.read(startEntry, a.document())
	}
	a.samples()
	l.finish()
	return nil
}

// whole reads an archive to its end, and returns what has all of it.
func (l *log) whole(r io.Reader) (io.ReaderAt, error) {
	head := make([]byte, len(zipMagic))
	if at := l.options.At; at != nil {
		if _, err := at.ReadAt(head, 0); err == nil && string(head) == zipMagic {
			_, err := io.Copy(io.Discard, r)
			return at, err
		}
	}
	text, err := io.ReadAll(r)
	return bytes.NewReader(text), err
}

// counted is how large an archive is, and how many entries it may have.
type counted struct {
	size    int64
	entries int
	text    []byte // of which the last bytes may begin an entry of the directory
}

func (c *counted) Write(p []byte) (int, error) {
	const entry = "PK\x01\x02"
	c.size += int64(len(p))
	c.text = append(c.text, p...)
	c.entries += bytes.Count(c.text, []byte(entry))
	c.text = append(c.text[:0], c.text[max(0, len(c.text)-len(entry)+1):]...)
	return len(p), nil
}

func open(at io.ReaderAt, c *counted) (map[string]*zip.File, error) {
	if c.size > maxArchive {
		return nil, fmt.Errorf("the archive is larger than %d MiB; use: inspect log convert LOG --to json --output-dir DIR", maxArchive>>20)
	}
	if c.entries > maxEntries {
		return nil, fmt.Errorf("the archive has more than %d entries; use: inspect log convert LOG --to json --output-dir DIR", maxEntries)
	}
	z, err := zip.NewReader(at, c.size)
	if err != nil {
		return nil, fmt.Errorf("the archive is cut off or damaged; get a whole copy")
	}
	z.RegisterDecompressor(methodZstd, unzstd)
	z.RegisterDecompressor(zip.Deflate, inflater())
	entries := map[string]*zip.File{}
	for _, f := range z.File {
		entries[f.Name] = f // the last of one name, as Python's zipfile has it
	}
	return entries, nil
}

// inflater unpacks one entry after the other, in less time than that of archive/zip.
func inflater() zip.Decompressor {
	packed := bufio.NewReaderSize(nil, 32<<10)
	in := flate.NewReader(packed)
	return func(r io.Reader) io.ReadCloser {
		packed.Reset(r)
		_ = in.(flate.Resetter).Reset(packed, nil) // the error of a dictionary, and there is none
		return io.NopCloser(in)
	}
}

func unzstd(r io.Reader) io.ReadCloser {
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return io.NopCloser(failing{err})
	}
	return dec.IOReadCloser()
}

// failing is a reader that could not be made.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (l *log) unreadable(entry string, err error) {
	runfailure.Unreadable(l.to, "%s%v", words.Around("", jsonwalk.Short(entry), " is not read: "), err)
}

type archive struct {
	*log
	entries map[string]*zip.File
	left    int64 // bytes that may still be unpacked
	walk    jsonwalk.Sequence
}

// samples reads the samples, or the summaries when samples were not logged.
func (a *archive) samples() {
	if names := a.names(isSample); len(names) > 0 {
		for _, name := range names {
			a.read(name, jsonwalk.Object(a.sample))
		}
		return
	}
	summaries := []string{summariesEntry}
	if a.entries[summariesEntry] == nil {
		summaries = a.names(func(name string) bool { return strings.HasPrefix(name, journalEntries) })
	}
	for _, name := range summaries {
		a.read(name, jsonwalk.Objects(a.sample))
	}
}

func (a *archive) names(wanted func(string) bool) []string {
	names := slices.Sorted(maps.Keys(a.entries))
	return slices.DeleteFunc(names, func(name string) bool { return !wanted(name) })
}

// read reads one entry. Lines and columns are those inside it.
func (a *archive) read(name string, document any) {
	f := a.entries[name]
	if f == nil {
		return
	}
	if f.UncompressedSize64 > maxEntry {
		a.unreadable(name, fmt.Errorf("it is larger than %d MiB", maxEntry>>20))
		return
	}
	content, err := f.Open()
	if err != nil {
		a.unreadable(name, err)
		return
	}
	defer content.Close() //nolint:errcheck // it was read to its end or told
	counted := &counter{r: content, left: min(a.left, maxEntry)}
	before, outer := counted.left, a.to
	a.to = runfailure.Part{Sink: outer, Name: jsonwalk.Short(name)}
	err = a.walk.Document(counted, a.to, func(t *jsonwalk.Text) error { return t.As(document) })
	a.to, a.left = outer, a.left-(before-counted.left)
	if err != nil {
		a.unreadable(name, err)
	}
}

var errTooMuch = fmt.Errorf("it unpacks to more than %d MiB, or the archive to more than %d GiB", maxEntry>>20, maxUnpacked>>30)

// counter reads at most so many bytes, and fails behind them.
type counter struct {
	r    io.Reader
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}
