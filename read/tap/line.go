package tap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
	"tribunal/internal/regex"
	"tribunal/read/internal/trialfields"
)

// lineLimit is the most bytes of a line. The rest is dropped and reported once.
const lineLimit = 64 << 20

type lines struct {
	src     *bufio.Reader
	number  int
	dropped int
	ahead   []byte
	long    []byte // a line that is longer than the buffer of src, in memory of its own
	again   bool
	err     error // the first one is final
}

// next returns the next line without its end, valid until the next call. An error
// other than io.EOF is that of the stream.
func (l *lines) next() ([]byte, error) {
	if l.again {
		l.again = false
		l.number++
		return l.ahead, nil
	}
	l.long = nil
	var parts [][]byte // of a long line
	size := 0
	for l.err == nil {
		part, err := l.src.ReadSlice('\n')
		kept := part[:min(len(part), lineLimit-size)]
		l.dropped += len(part) - len(kept)
		size += len(kept)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			parts = append(parts, bytes.Clone(kept))
		case err == nil || errors.Is(err, io.EOF) && size > 0:
			if parts != nil {
				l.long = bytes.Join(append(parts, kept), nil)
				kept = l.long
			}
			l.number++
			if kept = bytes.TrimRight(kept, "\r\n"); !utf8.Valid(kept) {
				kept = bytes.ToValidUTF8(kept, []byte("\uFFFD"))
			}
			return kept, nil
		default:
			l.err = err
		}
	}
	return nil, l.err
}

func (l *lines) lastLine(line []byte) string {
	if l.long != nil { // nobody writes there again, and it may be large
		return jsontext.InPlace(line)
	}
	return string(line)
}

func (l *lines) back(line []byte) {
	l.ahead, l.again = line, true
	l.number--
}

// indentation is the number of blanks that indent a subtest.
const indentation = 4

// depthLimit is the deepest level of subtests. Deeper ones count as of this level.
const depthLimit = 100

func indent(line string) int {
	for i := range len(line) {
		if line[i] != ' ' {
			return i
		}
	}
	return len(line)
}

// heading is the comment above the points of a test of tape and similar runners. Their
// points are assertions, so those with the same description are not attempts at one test.
type heading struct {
	name string
	here bool           // the stream has headings
	seen map[string]int // descriptions below this one
}

// title makes a comment the heading of the points after it.
func (rd *reader) title(line string) {
	name, is := strings.CutPrefix(line, "# ")
	if !is || rd.levels[0].points > 0 && !rd.heading.here {
		return
	}
	if rd.heading.here {
		rd.at(0)
		rd.finish(0)
	}
	rd.heading.name, rd.heading.seen = firstLines(strings.TrimPrefix(name, "TODO ")), nil
}

// place makes the heading the suite of a point. Repeated descriptions are numbered.
func (h *heading) place(k *envelope.Key) {
	if !h.here {
		return
	}
	each.Put(&h.seen, k.Test, h.seen[k.Test]+1)
	if n := h.seen[k.Test]; n > 1 {
		k.Test += " (" + strconv.Itoa(n) + ")"
	}
	k.Suite = h.name
}

// numbers are the numbers of the points of a level. The end of the level reports the first
// error, for which prove and tap-parser fail a stream.
type numbers struct {
	upTo   int          // all numbers came up to this one
	beyond map[int]bool // higher numbers that came
	wrong  string
}

// take notes a number. Version 14 allows any order. In older versions prove requires ascending numbers.
func (n *numbers) take(number int, anyOrder bool) {
	switch {
	case number == n.upTo+1:
		for n.upTo = number; n.beyond[n.upTo+1]; delete(n.beyond, n.upTo) { // higher ones came before
			n.upTo++
		}
	case number <= n.upTo && number > 0 || n.beyond[number]:
		n.say("two tests have the number %d: did two programs write into one file?", number)
	case number < 1 || !anyOrder:
		n.say("test %d comes where number %d is expected: tests are missing, or not in order", number, n.upTo+1)
	default:
		each.Put(&n.beyond, number, true)
	}
}

func (n *numbers) say(format string, args ...any) {
	if n.wrong == "" {
		n.wrong = fmt.Sprintf(format, args...)
	}
}

// programs finds streams of different programs that share some test names. Repeats of one
// program have the same tests in every stream.
type programs struct {
	fresh  map[envelope.Key]bool // tests of the stream that none before it has; nil in the first
	shared envelope.Key          // one that another has, if any
}

func (p *programs) next() { p.fresh, p.shared = map[envelope.Key]bool{}, envelope.Key{} }

// add adds a trial of the stream, of a test that has had others or not.
func (p *programs) add(t *envelope.Trial, before *trialfields.Attempts) {
	switch {
	case p.fresh == nil || t.ErrorClass != "": // what became of the stream is no test of it
	case *before.Of(t.Key) == 0:
		p.fresh[kept(t.Key)] = true
	case p.shared.Test == "" && !p.fresh[t.Key]:
		p.shared = kept(t.Key)
	}
}

// kept returns a copy of a key that does not share memory with its line.
func kept(k envelope.Key) envelope.Key {
	return envelope.Key{Suite: strings.Clone(k.Suite), Test: strings.Clone(k.Test), Variant: strings.Clone(k.Variant)}
}

// checkPrograms warns at the end of a stream if it shares only some tests with others.
func (rd *reader) checkPrograms() {
	if p := &rd.programs; len(p.fresh) > 0 && p.shared.Test != "" {
		const codeShared = "ambiguous-streams" // marks tests of several streams with the same name
		rd.warn(codeShared, fmt.Sprintf("streams in this file share test names, such as %q, and count as trials of the same test; "+
			"if the streams are different programs, write a file for each", head(p.shared.String(), 60)))
	}
}

const byteOrderMark = "\uFEFF"

// firstLine matches the first line of a stream, with or without a version. A bare ok
// is not enough, because lines of go test start with it, too.
var firstLine = regex.Of(`^(?:K?TAP [Vv]ersion \d+|1\.\.\d+|(?:not )?ok(?: +\d+| +-| +#))(?:[\s#-]|$)`)

// Sniff reports whether the first line of head that is not a comment is TAP. It may be the indented line of a subtest.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		if indent := strings.TrimLeft(line, " "); indent == "" || strings.HasPrefix(indent, "# ") {
			continue
		} else if len(line)-len(indent) >= indentation {
			line = indent
		}
		return firstLine().MatchString(line)
	}
	return false
}

// ownHead matches the start of a report of render/tap: version, plan, first point.
// Other writers may start like this, too. Line ends may be those of Windows.
var ownHead = regex.Of(`^TAP version 1[34]\r?\n1\.\.\d+\r?\n(?:not )?ok 1(?: [-#] [^\r\n]*[^{\r\n])?\r?(?:\n|$)`)
