package input

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/run/journal"
	"tribunal/internal/words"
	"tribunal/read"
)

// Copies are the inputs that hold the very bytes of others, of whatever format: results/
// latest.json beside results/2026-01-01.json, or a folder with its copy.
//
// One is skipped where it is sure that it is a copy: it is the very file, or so much of its trials was measured by a
// clock that no second run measures the same. All others count. A runner that writes no times writes every run that
// passes with the same bytes; of evals, whose answers differ, it is odd, and warned of.
type Copies struct {
	files                []File
	first                map[int]original // by the place of each
	held                 map[int]held     // by originals
	again, passed, alike []string
	odd                  bool // some of those that count are of evals
}

// original is the file that a copy is of: by its place, and whether it is the very file.
type original struct {
	at   int
	same bool
}

// CopiesAmong finds the copies among inputs. It reads no more of them than it takes to tell those of one size apart.
func CopiesAmong(files []File) *Copies {
	c := &Copies{files: files, first: map[int]original{}, held: map[int]held{}}
	bySize := map[int64][]int{}
	for i, f := range files {
		if size := f.size(); size > 0 {
			bySize[size] = append(bySize[size], i)
		}
	}
	for size, alike := range bySize {
		if len(alike) > 1 {
			const stretch = 64 << 10 // how much of the beginnings of files is compared
			c.find(alike, make([]byte, min(size, stretch)))
		}
	}
	return c
}

// find finds the copies among files of one size, of which so much is looked at first as there is room for.
func (c *Copies) find(alike []int, room []byte) {
	firsts := map[[sha256.Size]byte][]int{} // by how they begin
	for _, i := range alike {
		head, err := c.files[i].head(room)
		if err != nil {
			continue // reading it says what is wrong
		}
		at := slices.IndexFunc(firsts[head], func(first int) bool {
			return c.files[first].Side == c.files[i].Side && holdTheSame(c.files[first], c.files[i])
		})
		if at < 0 {
			firsts[head] = append(firsts[head], i)
			continue
		}
		first := firsts[head][at]
		c.first[i] = original{first, isSame(c.files[first], c.files[i])}
	}
}

// Cover reports whether the input at a place is a copy that is to be skipped.
func (c *Copies) Cover(i int, names Names, o read.Options) bool {
	first, is := c.first[i]
	if !is {
		return false
	}
	text := names.Of(c.files[i].Name) + " (as " + names.Of(c.files[first.at].Name) + ")"
	switch h := c.holds(first.at, o); {
	case h.format.Name == read.Envelope || h.trials == 0: // merging an envelope with itself changes nothing
		return false
	case first.same:
		c.again = append(c.again, names.Of(c.files[i].Name))
	case h.digits >= envelope.CertainDigits:
		c.passed = append(c.passed, text)
	case h.format.Copies: // its trials are compared, in whatever file they stand
		return false
	default:
		c.alike = append(c.alike, text)
		c.odd = c.odd || h.format.Family == read.Evals
		return false
	}
	return true
}

// AddProblems notes which copies were skipped, and which were not.
func (c *Copies) AddProblems(b *count.Builder) {
	for _, name := range c.again {
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name,
			Message: "this is the same file or folder as another input: its trials count once"})
	}
	passOver(b, envelope.SeverityInfo, c.passed, len(c.files), "copies of others")
	if n := len(c.alike); n > 0 {
		why := map[bool]string{true: "has the same content as another; if it is a copy, remove it",
			false: "have the same content as others; if they are copies, remove them"}[n == 1]
		p := envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeSameBytes, Count: n,
			Message: fmt.Sprintf("%d of %d inputs %s: %s", n, len(c.files), why, listed(c.alike))}
		if c.odd {
			p.Severity, p.Code = envelope.SeverityWarning, envelope.CodeSameInput
		}
		b.Problem(p)
	}
}

type held struct {
	format read.Format
	trials int
	digits int // by which clocks tell it from other runs
}

// holds is what is in the input at a place.
func (c *Copies) holds(at int, o read.Options) held {
	h, known := c.held[at]
	if !known {
		h = c.files[at].holds(o)
		c.held[at] = h
	}
	return h
}

// longID is how long ids of evals are of which no second run has the same. Those of other
// reports are often what somebody set for a suite, or for all shards of a pipeline.
const longID = 16

// holds is what is in an input alone: what lies beside a copy may differ.
func (f File) holds(o read.Options) (h held) {
	text, err := f.Open()
	if err != nil {
		return h
	}
	defer text.Close()
	o.At, _ = text.(io.ReaderAt)
	b := count.NewBuilder(0, 0)
	h.format, _ = read.ByName(read.StreamAs(b, f.Name, text, o)) // that of a mapping has no name
	run := b.Run(envelope.ConflictExtend, 0)
	h.trials, h.digits = run.Trials(), run.MeasuredDigits()
	if run.Header.StartedAt == "" { // which is the stamp, counted already
		h.digits += f.stamp()
	}
	if h.format.Family == read.Evals && len(run.Header.ID) >= longID {
		h.digits += envelope.CertainDigits
	}
	return h
}

// stamp is how many digits say when a report was made whose trials do not.
func (f File) stamp() int {
	text, err := f.Open()
	if err != nil {
		return 0
	}
	defer text.Close()
	return read.Stamp(text)
}

// isSame reports that two names are of one file, or of one folder whose files are one input.
func isSame(a, b File) bool {
	one, err := os.Stat(a.Name)
	other, failed := os.Stat(b.Name)
	return err == nil && failed == nil && os.SameFile(one, other)
}

// size is how many bytes an input has, 0 where it can be read only once.
func (f File) size() (size int64) {
	for _, name := range f.names() {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		size += info.Size()
	}
	return size
}

func (f File) names() []string {
	if f.parts != nil {
		return f.parts
	}
	return []string{f.Name}
}

func (f File) head(room []byte) (sum [sha256.Size]byte, err error) {
	text, err := f.Open()
	if err != nil {
		return sum, err
	}
	defer text.Close()
	n, err := io.ReadFull(text, room)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return sha256.Sum256(room[:n]), err
}

func holdTheSame(a, b File) bool {
	one, err := a.Open()
	if err != nil {
		return false
	}
	defer one.Close()
	other, err := b.Open()
	if err != nil {
		return false
	}
	defer other.Close()
	return journal.SameBytes(one, other)
}

// listed are the first of some names, and how many more there are.
func listed(names []string) string { return words.First(names, namedFiles, strings.Clone) }
