package html

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
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
	x.words("kinds", func(t *envelope.Test) string { return string(t.KindOf()) })
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

// former is the suite that a test is found by too: that of other reports, where its
// runner prints another one.
func former(t *envelope.Test) string {
	if _, between := suiteOf(t.Key); between == "/" {
		return ""
	}
	return name(t.Suite, "")
}

// head says how the tests travel. The first ones, rows of them, are in the page; of what
// they open, only the part "more" is in an island, and nothing if the page is whole. The
// others are in islands altogether, linesPer and bodiesPer to each.
func (x *index) head() {
	x.b = append(x.b, `{"rows":`...)
	x.b = strconv.AppendInt(x.b, int64(x.rows), 10)
	x.field("linesPer", linesPer)
	x.field("bodiesPer", bodiesPer)
	var groups []indexGroup
	for _, g := range x.groups {
		groups = append(groups, indexGroup{groupID(string(standing.Kinds[g.kind].Kind)), x.open.kinds[g.kind], g.from, g.to})
	}
	x.field("groups", groups)
}

// indexGroup is the tests From, …, To-1 of the page.
type indexGroup struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

func (x *index) begin(name string) {
	x.b = append(append(append(x.b, `,"`...), name...), `":`...)
}

// field writes a value that is small. It holds text and numbers only, so nothing
// can be in it that JSON has not.
func (x *index) field(name string, value any) {
	x.begin(name)
	b, _ := json.Marshal(value)
	x.b = append(x.b, b...)
}

func (x *index) column(name string, cell func([]byte, *envelope.Test) []byte) {
	x.begin(name)
	x.cells(cell)
}

// cells writes a cell for each test.
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

// numbers writes numbers to sort by: the digits that are shown are enough. What is
// absent is null, and so is what JSON has not.
func (x *index) numbers(name string, of func(*envelope.Test) envelope.Opt[float64]) {
	x.column(name, func(b []byte, t *envelope.Test) []byte {
		if v := of(t); v.OK && finite(v.V) {
			return strconv.AppendFloat(b, v.V, 'g', 4, 64)
		}
		return append(b, "null"...)
	})
}

// words writes words that repeat, numbered as they come.
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

// causes lists the ids of the causes of a test that the run names, with commas between.
func (x *index) causes() func(*envelope.Test) string {
	named := map[string]bool{}
	for _, c := range x.open.run.Summary.Causes {
		named[c.ID] = true
	}
	return func(t *envelope.Test) string {
		var ids []string
		for _, c := range t.Causes {
			if named[c.ID] {
				ids = append(ids, c.ID)
			}
		}
		return strings.Join(ids, ",")
	}
}

// labels writes the labels of any test as name and value; a set of them is a list
// of their numbers with commas between.
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
