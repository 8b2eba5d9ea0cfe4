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
	"tribunal/internal/jsontext"
	"tribunal/internal/regex"
	"tribunal/read/internal/trialfields"
)

// lineLimit is how much of a line is kept; the rest is dropped and told once.
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

// next is the next line without its end, until the one behind it is read. An error
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

// text is the line that was read last, for good.
func (l *lines) text(line []byte) string {
	if l.long != nil { // nobody writes there again, and it may be large
		return jsontext.InPlace(line)
	}
	return string(line)
}

// back puts a line back: it comes again.
func (l *lines) back(line []byte) {
	l.ahead, l.again = line, true
	l.number--
}

// indentation is by how many blanks a subtest is indented.
const indentation = 4

// depthLimit is how deep subtests are told apart; deeper ones are put into the
// deepest.
const depthLimit = 100

func indent(line string) int {
	for i := range len(line) {
		if line[i] != ' ' {
			return i
		}
	}
	return len(line)
}

// heading is the comment over the points of a test of tape, and of runners that write like
// it: their points are assertions, of which several in a test, and many in a stream, have
// the same description and are no attempts at one test.
type heading struct {
	name string
	here bool           // the stream has headings
	seen map[string]int // descriptions below this one
}

// title takes a comment for the heading of the points behind it.
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

// place puts a point below its heading. What has a description again there is numbered.
func (h *heading) place(k *envelope.Key) {
	if !h.here {
		return
	}
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	h.seen[k.Test]++
	if n := h.seen[k.Test]; n > 1 {
		k.Test += " (" + strconv.Itoa(n) + ")"
	}
	k.Suite = h.name
}

// numbers are those of the points of a level. What is wrong with them first is told at
// the end of the level, as prove and tap-parser fail a stream for it.
type numbers struct {
	upTo   int          // all numbers came up to this one
	beyond map[int]bool // those that came and are higher
	wrong  string
}

// take notes a number. Version 14 allows any order of them, and prove none but theirs in
// older ones.
func (n *numbers) take(number int, anyOrder bool) {
	switch {
	case number == n.upTo+1:
		for n.upTo = number; n.beyond[n.upTo+1]; delete(n.beyond, n.upTo) { // higher ones came before
			n.upTo++
		}
	case number <= n.upTo && number > 0 || n.beyond[number]:
		n.say("there are two tests of number %d", number)
	case number < 1 || !anyOrder:
		n.say("test %d came where number %d was expected", number, n.upTo+1)
	default:
		if n.beyond == nil {
			n.beyond = map[int]bool{}
		}
		n.beyond[number] = true
	}
}

func (n *numbers) say(format string, args ...any) {
	if n.wrong == "" {
		n.wrong = fmt.Sprintf(format, args...)
	}
}

// codeShared marks tests of several streams that have one name.
const codeShared = "ambiguous-streams"

// programs tells streams of several programs, of which some tests happen to be called
// alike, from repeats of one program, which have no others.
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

// kept is a key that outlives the line it was read from.
func kept(k envelope.Key) envelope.Key {
	return envelope.Key{Suite: strings.Clone(k.Suite), Test: strings.Clone(k.Test), Variant: strings.Clone(k.Variant)}
}

// checkPrograms looks at a stream that ended.
func (rd *reader) checkPrograms() {
	if p := &rd.programs; len(p.fresh) > 0 && p.shared.Test != "" {
		rd.warn(codeShared, "streams in this file have tests of one name, such as "+p.shared.String()+", and tests that only one stream has; tests of one name count as trials of one test; if these are several programs, write a file for each")
	}
}

const byteOrderMark = "\uFEFF"

// firstLine is a line that a stream without a version may start with. The bare
// word ok is not enough: go test starts lines with it as well.
var firstLine = regex.Of(`^(?:K?TAP [Vv]ersion \d+|1\.\.\d+|(?:not )?ok(?: +\d+| +-| +#))(?:[\s#-]|$)`)

// Sniff reports whether the first line of head that is no comment is one of TAP.
// Lines of subtests may come before it.
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

// ownHead is how render/tap starts: the plan second, then flat points. Others
// start so as well. Line ends may have become those of Windows on the way.
var ownHead = regex.Of(`^TAP version 1[34]\r?\n1\.\.\d+\r?\n(?:not )?ok 1(?: [-#] [^\r\n]*[^{\r\n])?\r?(?:\n|$)`)
