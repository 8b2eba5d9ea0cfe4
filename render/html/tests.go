package html

import (
	"iter"
	"strconv"

	"tribunal/envelope"
)

// openFailures is how many failing tests are few enough to show them opened.
const openFailures = 3

// drawnTests is how many tests a browser draws at once without being slow.
const drawnTests = 300

// tests is the list of tests with what filters it.
type tests struct {
	Groups           []group
	Verdicts, Flags  []filter
	Total            string
	HasTime, HasCost bool
	Many             bool // so many that a browser should draw only those in sight
	Islands          iter.Seq[island]
}

// filter is a button that shows the tests of one kind.
type filter struct{ Word, Value, Count string }

// group is tests that a reviewer looks at together. Its rows are made while
// the page is written.
type group struct {
	ID, Title, Count string
	Rows             iter.Seq[row]
	Rest             string // how many more there are as data, and how to get them
}

func newTests(e *envelope.Envelope, l *listing) tests {
	out := tests{Verdicts: verdictFilters(&e.Summary), Flags: flagFilters(e.Tests), Many: len(e.Tests) > drawnTests, Total: count(int64(len(e.Tests)))}
	for i := range e.Tests {
		t := &e.Tests[i]
		out.HasTime = out.HasTime || t.DurationMS != nil
		out.HasCost = out.HasCost || t.CostUSD.OK
	}
	open := e.Summary.Fail+e.Summary.Error <= openFailures
	for _, s := range l.groups {
		k := kinds[s.kind]
		out.Groups = append(out.Groups, group{groupID(k.name), k.title, count(int64(s.to - s.from)), l.rows(s.from, min(s.to, l.lines), open), l.rest(s)})
	}
	return out
}

func groupID(kind string) string { return "tests-" + kind }

// groupOf is the place of the group of a kind, "" when it has no tests.
func (l *listing) groupOf(kind string) string {
	for _, s := range l.groups {
		if kinds[s.kind].name == kind {
			return groupID(kind)
		}
	}
	return ""
}

// rows yields the tests from, …, to-1; open opens those that failed.
func (l *listing) rows(from, to int, open bool) iter.Seq[row] {
	return func(yield func(row) bool) {
		for place := from; place < to; place++ {
			r := l.row(place)
			r.Open = open && (r.Badge.Class == string(envelope.Fail) || r.Badge.Class == string(envelope.Error))
			if !yield(r) {
				return
			}
		}
	}
}

// rest says what of a group is not there to be read without scripts.
func (l *listing) rest(s section) string {
	n := s.to - max(s.from, l.lines)
	if n <= 0 {
		return ""
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return plural(int64(n), "more test") + " of this group " + verb + " in this page as data only, which takes JavaScript to show. " +
		"To have all of them as HTML, write the report with --html-static " + strconv.Itoa(len(l.tests)) + "."
}

func verdictFilters(s *envelope.Summary) []filter {
	var out []filter
	for _, status := range barOrder {
		if n := s.Of(status); n > 0 {
			b := newBadge(status)
			out = append(out, filter{b.Word, b.Class, count(int64(n))})
		}
	}
	return out
}

// flagFilters count the flags that any test has.
func flagFilters(tests []envelope.Test) []filter {
	var out []filter
	for bit, f := range flagKinds {
		n := 0
		for i := range tests {
			if f.has(&tests[i]) {
				n++
			}
		}
		if n > 0 {
			out = append(out, filter{f.word, strconv.Itoa(1 << bit), count(int64(n))})
		}
	}
	return out
}
