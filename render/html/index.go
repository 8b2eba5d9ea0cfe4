package html

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// index writes what the script filters, sorts and groups by: an object with a
// column for each property of a test, in the order of the page. It is written cell
// by cell, because a page of a million tests has no room for its columns.
type index struct {
	*listing
	w io.Writer
	b []byte
}

// writeTo writes the index. Nothing can fail: it is written to memory.
func (x index) writeTo(w io.Writer) {
	x.w = w
	x.head()
	x.words("suites", func(t *envelope.Test) string { suite, _ := suiteOf(t.Key); return suite })
	x.words("betweens", func(t *envelope.Test) string { _, between := suiteOf(t.Key); return between })
	x.words("formers", former)
	x.column("tests", func(b []byte, t *envelope.Test) []byte {
		quoted, _ := json.Marshal(name(t.Test, "no name"))
		return append(b, quoted...)
	})
	x.words("variants", func(t *envelope.Test) string { return name(t.Variant, "") })
	x.words("kinds", func(t *envelope.Test) string { return string(standing.KindIn(x.open.run, t)) })
	x.words("causes", x.causes())
	x.integers("flags", func(t *envelope.Test) int { _, bits := flags(t); return bits })
	x.labels()
	x.integers("passed", func(t *envelope.Test) int { return t.Trials.Passed })
	x.integers("counted", func(t *envelope.Test) int { return t.Trials.Counted })
	x.integers("total", func(t *envelope.Test) int { return t.Trials.Total })
	x.numbers("time", (*envelope.Test).MedianMS) // ms
	x.numbers("cost", func(t *envelope.Test) envelope.Opt[float64] { return t.CostUSD })
	_, _ = w.Write(append(x.b, '}'))
}

func former(t *envelope.Test) string {
	_, between := suiteOf(t.Key)
	return words.If(between != "/", name(t.Suite, ""))
}

// head says how the tests travel. The first ones, rows of them, are in the page; of what
// they open, only the part "more" is in an island, and nothing if the page is whole. The
// others are in islands altogether, linesPer and bodiesPer to each.
func (x *index) head() {
	x.b = append(x.b, `{"rows":`...)
	x.b = strconv.AppendInt(x.b, int64(x.rows), 10)
	x.field("linesPer", linesPer)
	x.field("bodiesPer", bodiesPer)
	x.field("groups", each.Of(x.groups, func(g section) indexGroup {
		return indexGroup{groupID(string(standing.Kinds[g.kind].Kind)), x.open.kinds[g.kind], g.from, g.to}
	}))
}

type indexGroup struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

func (x *index) begin(name string) { x.b = append(append(append(x.b, `,"`...), name...), `":`...) }

// field writes a value that is small. It holds text and numbers only, so nothing can be in it that JSON has not.
func (x *index) field(name string, value any) {
	x.begin(name)
	b, _ := json.Marshal(value)
	x.b = append(x.b, b...)
}

func (x *index) column(name string, cell func([]byte, *envelope.Test) []byte) {
	x.begin(name)
	x.cells(cell)
}

func (x *index) cells(cell func([]byte, *envelope.Test) []byte) {
	const most = 1 << 16
	x.b = append(x.b, '[')
	for place := range x.order {
		if place > 0 {
			x.b = append(x.b, ',')
		}
		if x.b = cell(x.b, x.at(place)); len(x.b) > most {
			_, _ = x.w.Write(x.b)
			x.b = x.b[:0]
		}
	}
	x.b = append(x.b, ']')
}

func (x *index) integers(name string, of func(*envelope.Test) int) {
	x.column(name, func(b []byte, t *envelope.Test) []byte { return strconv.AppendInt(b, int64(of(t)), 10) })
}

// numbers writes numbers to sort by: the digits that are shown are enough. What is absent is null, and so is what JSON has not.
func (x *index) numbers(name string, of func(*envelope.Test) envelope.Opt[float64]) {
	x.column(name, func(b []byte, t *envelope.Test) []byte {
		if v := of(t); v.OK && finite(v.V) {
			return strconv.AppendFloat(b, v.V, 'g', 4, 64)
		}
		return append(b, "null"...)
	})
}

func (x *index) words(name string, of func(*envelope.Test) string) {
	words, numbers := []string{}, map[string]int{}
	x.begin(name)
	x.b = append(x.b, `{"cells":`...)
	x.cells(func(b []byte, t *envelope.Test) []byte {
		word := of(t)
		n, ok := numbers[word]
		if !ok {
			n = len(words)
			numbers[word], words = n, append(words, word)
		}
		return strconv.AppendInt(b, int64(n), 10)
	})
	x.field("words", words)
	x.b = append(x.b, '}')
}

func (x *index) causes() func(*envelope.Test) string {
	named := each.Set(x.open.run.Summary.Causes, func(c envelope.Cause) string { return c.ID })
	return func(t *envelope.Test) string {
		ids := each.Of(t.Causes, func(c envelope.TestCause) string { return c.ID })
		return strings.Join(each.Where(ids, func(id string) bool { return named[id] }), ",")
	}
}

func (x *index) labels() {
	all, numbers := [][2]string{}, map[[2]string]int{}
	number := func(label [2]string) int {
		n, ok := numbers[label]
		if !ok {
			n = len(all)
			numbers[label], all = n, append(all, label)
		}
		return n
	}
	x.words("labelSets", func(t *envelope.Test) string { return labelSet(t.Labels, number) })
	x.field("labels", all)
}

func labelSet(labels map[string]string, number func([2]string) int) string {
	var set []byte
	for i, key := range slices.Sorted(maps.Keys(labels)) {
		if i > 0 {
			set = append(set, ',')
		}
		set = strconv.AppendInt(set, int64(number([2]string{name(key, "no name"), name(labels[key], "empty")})), 10)
	}
	return string(set)
}

// island is data in the page: gzipped, as a string of base64.
type island struct {
	ID   string
	Data template.JS // a JSON string without anything a test wrote, as base64 has no such letters
}

// How many tests an island holds. Lines are all wanted sooner or later, bodies one at a time.
const linesPer, bodiesPer = 1000, 200

func (l *listing) islands() iter.Seq[island] {
	lines, bodies := chunks(len(l.order)-l.rows, linesPer), chunks(len(l.order), bodiesPer)
	if l.whole {
		bodies = 0
	}
	return parallel.Seq(lines+bodies, func(i int) island {
		if i < lines {
			return pack("lines-"+strconv.Itoa(i), func(w io.Writer) { l.writeLines(w, i) })
		}
		return pack("bodies-"+strconv.Itoa(i-lines), func(w io.Writer) { l.writeBodies(w, i-lines) })
	})
}

func chunks(n, per int) int { return (n + per - 1) / per }

// end is behind each text of an island: HTML and safe texts have none.
const end = "\x00"

func (l *listing) writeLines(w io.Writer, chunk int) {
	from := l.rows + chunk*linesPer
	for place := from; place < min(from+linesPer, len(l.order)); place++ {
		r := l.open.line(l.at(place))
		_, _ = io.WriteString(w, r.ID+end+r.Why+end)
		put(w, r.write)
	}
}

func put(w io.Writer, write func(*markup)) { _, _ = io.WriteString(w, string(htmlOf(write))+end) }

func (l *listing) writeBodies(w io.Writer, chunk int) {
	from := chunk * bodiesPer
	for place := from; place < min(from+bodiesPer, len(l.order)); place++ {
		if whole, rest := l.body(place); whole != nil {
			put(w, whole.write)
		} else {
			put(w, rest.write)
		}
	}
}

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, 6) // a level that there is
	return z
}}

// pack compresses what is written into an island. Nothing can fail: it is written to memory.
func pack(id string, write func(io.Writer)) island {
	var text bytes.Buffer
	text.WriteByte('"')
	letters := base64.NewEncoder(base64.StdEncoding, &text)
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(letters)
	out := bufio.NewWriterSize(z, 1<<14)
	write(out)
	_, _, _ = out.Flush(), z.Close(), letters.Close()
	text.WriteByte('"')
	return island{id, template.JS(text.Bytes())}
}

// DefaultTranscripts is how many bytes of compressed conversations a page holds when nobody says.
const DefaultTranscripts = 20_000_000

// conversationData is the conversations that travel as data, an island a test, up to a
// number of bytes: those of the tests that need looking at first.
type conversationData struct {
	list   *listing
	budget int
	left   int // tests whose conversations are left out, once all are written
}

// Islands are the conversations, in the order of the page.
func (t *conversationData) Islands() iter.Seq[island] {
	places := each.Where(each.Index(len(t.list.order)), func(place int) bool { return len(t.list.at(place).Transcripts) > 0 })
	return func(yield func(island) bool) {
		spent, at := 0, 0
		for packed := range parallel.Seq(len(places), func(i int) island { return t.pack(places[i]) }) {
			const quotes, of64 = 2, 3 // base64 writes 3 bytes as 4
			if spent += (len(packed.Data) - quotes) / 4 * of64; spent > t.budget {
				t.left = len(places) - at
				return
			}
			if at++; !yield(packed) {
				return
			}
		}
	}
}

func (t *conversationData) pack(place int) island {
	test := t.list.at(place)
	return pack("talk-"+strconv.Itoa(place), func(w io.Writer) {
		for i := range test.Transcripts {
			draw(w, "conversation", t.list.open.newConversation(test, &test.Transcripts[i], 0))
			_, _ = io.WriteString(w, end)
		}
	})
}

// Left says what is left out, behind the islands.
func (t *conversationData) Left() string {
	return words.If(t.left != 0, "The conversations of "+plural(t.left, "test")+" are left out of this page, which holds "+
		strconv.FormatFloat(float64(t.budget)/1e6, 'g', 3, 64)+nbsp+"MB"+
		" of them compressed (--html-transcripts); the reports json and ndjson have them all.")
}

// CheckSize says what is wrong with a size.
func CheckSize(s string) error {
	_, err := size(s)
	return err
}

// Size is a size in bytes, at least 1; 0 where none is given. It was checked.
func Size(s string) int {
	if s == "" {
		return 0
	}
	n, _ := size(s)
	return max(1, n)
}

func size(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	number, factor := strings.ToLower(strings.TrimSpace(s)), 1.
	for _, unit := range []struct {
		word   string
		factor float64
	}{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"b", 1}} {
		if rest, ok := strings.CutSuffix(number, unit.word); ok {
			number, factor = strings.TrimSpace(rest), unit.factor
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0) || n*factor > math.MaxInt32 {
		return 0, fmt.Errorf("give a size of at most 2GB, such as 20MB or 500kB")
	}
	return int(n * factor), nil
}
