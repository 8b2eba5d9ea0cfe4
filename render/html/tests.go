package html

import (
	"cmp"
	"iter"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type tests struct {
	Groups           []group
	Kinds, Flags     []filter
	Total            string
	HasTime, HasCost bool
	Widths           string    // classes for columns of another width than most runs need
	Ordinary         bool      // each test has one trial
	Signs            []letters // that need a legend
	Many             bool      // so many that a browser should draw only those in sight
	Islands          iter.Seq[island]
	Conversations    *conversationData // nil where there are no conversations
}

type filter struct{ Word, Value, Count string }

type group struct {
	ID, Title, Count string
	Rows             iter.Seq[row]
	Rest             *rest // nil when all of it is rows
}

// rest is what of a group is data: in words, and as a line a test as far as the budget goes.
type rest struct {
	Words string
	Any   bool // line
	Lines iter.Seq[row]
}

func newTests(e *envelope.Envelope, l *listing) tests {
	const drawnTests = 300
	out := tests{Ordinary: l.open.ordinary, Flags: flagFilters(e.Tests), Many: len(e.Tests) > drawnTests, Total: count(len(e.Tests)),
		Widths: widths(e.Tests)}
	all := standing.Where(e.Tests, func(*envelope.Test) bool { return true })
	out.Signs = each.Of(standing.Unusual(all), func(o standing.Outcome) letters {
		return letters{outcomeWords[o.Outcome].class, string(rune(o.Outcome)), o.Word}
	})
	for i := range e.Tests {
		t := &e.Tests[i]
		out.HasTime = out.HasTime || t.MedianMS().OK
		out.HasCost = out.HasCost || t.CostUSD.OK
	}
	const openFailures = 3
	open := e.Summary.Fail+e.Summary.Error <= openFailures
	for _, s := range l.groups {
		kind := filter{l.open.kinds[s.kind], string(standing.Kinds[s.kind].Kind), count(s.to - s.from)}
		out.Groups = append(out.Groups, group{groupID(kind.Value), kind.Word, kind.Count, l.opening(s, open), l.rest(s)})
		out.Kinds = append(out.Kinds, kind)
	}
	return out
}

// widths are the classes of columns that are wider or narrower than usual, so that
// numbers never touch their neighbours and names have the room that is free.
func widths(tests []envelope.Test) string {
	numbers, strip := 0, 0
	for i := range tests {
		numbers, strip = max(numbers, len(passedOf(&tests[i]))), max(strip, tests[i].Rows.Len())
	}
	var classes []string
	switch {
	case numbers > len("1,000/1,000"):
		classes = append(classes, "wider-kn")
	case numbers > len("100/100"):
		classes = append(classes, "wide-kn")
	}
	switch {
	case strip <= len("PPPPPPPPPP"):
		classes = append(classes, "short-strip")
	case strip <= 2*len("PPPPPPPPPP"):
		classes = append(classes, "middle-strip")
	}
	return words.Join(" ", append(classes, words.If(oneSuite(tests) != "", "one-suite"))...)
}

// oneSuite is the suite that all tests share, which the head says once; "" without one.
func oneSuite(tests []envelope.Test) (suite string) {
	for i := range tests {
		if tests[i].Suite != tests[0].Suite {
			return ""
		}
		suite, _ = suiteOf(tests[0].Key)
	}
	return suite
}

func groupID(kind string) string { return "tests-" + kind }

func (l *listing) opening(s section, open bool) iter.Seq[row] {
	return func(yield func(row) bool) {
		for place := s.from; place < min(s.to, l.rows); place++ {
			r := l.row(place)
			r.Open = open && standing.Kinds[s.kind].Kind.Red()
			if !yield(r) {
				return
			}
		}
	}
}

// rest is what of a section is not there to be opened without scripts.
func (l *listing) rest(s section) *rest {
	if s.to <= l.rows {
		return nil
	}
	from, to := max(s.from, l.rows), max(s.from, min(s.to, l.lines))
	noun := cmp.Or(words.If(to > s.from, "more test"), "test")
	return &rest{Words: l.restWords(to-from, s.to-to, noun), Any: to > from, Lines: l.plain(from, to)}
}

func (l *listing) restWords(lines, others int, noun string) string {
	says := plural(others, noun) + " of this group need" + words.If(others == 1, "s")
	if lines > 0 {
		says = "Of " + plural(lines, "test") + " below only the line is HTML: what is behind it"
		says += words.If(others > 0, ", and "+plural(others, "more test")+",")
		says += " needs"
	}
	all := len(l.tests)
	if l.looks > openStatic {
		all = max(all, DefaultStatic+1)
	}
	return says + " JavaScript to show. To have all tests as HTML, write the report with --html-static " + strconv.Itoa(all) + "."
}

func (l *listing) plain(from, to int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for place := from; place < to; place++ {
			if !yield(l.open.line(l.at(place))) {
				return
			}
		}
	}
}

func flagFilters(tests []envelope.Test) []filter {
	var out []filter
	for bit, f := range flagKinds {
		if n := len(standing.Where(tests, f.has)); n > 0 {
			out = append(out, filter{f.word, strconv.Itoa(1 << bit), count(n)})
		}
	}
	return out
}

// DefaultStatic is how many tests are written as HTML when nobody says.
const DefaultStatic = 2000

// openStatic is how many of them open without scripts, on a page that is not
// whole: those that need looking at are read from the first on, and thousands of
// them would make a page that no browser likes.
const openStatic = 300

// listing says in which order the tests are shown and how each gets to the reader. The first
// ones, rows of them, need looking at: they are HTML that opens and shows what their trials
// said. The others are a plain line of HTML up to lines, for who reads without scripts. For
// the script, all beyond rows travels as data; on a page that is whole nothing does.
type listing struct {
	tests         []envelope.Test
	open          *opener
	order         []int // indexes into tests, as the page shows them
	groups        []section
	rows          int
	lines         int
	looks         int   // tests that need looking at
	whole         bool  // everything is HTML that opens
	conversations []int // by place, of rows, how many conversations are HTML
}

type section struct{ kind, from, to int }

var kindPlaces = func() map[envelope.Kind]int {
	places := map[envelope.Kind]int{}
	for i, k := range standing.Kinds {
		places[k.Kind] = i
	}
	return places
}()

func looks(place int) bool {
	k := standing.Kinds[place].Kind
	return k != envelope.KindPassed && k != envelope.KindSkipped
}

func newListing(tests []envelope.Test, static int, open *opener) *listing {
	members := make([][]int, len(standing.Kinds))
	for i := range tests {
		k := kindPlaces[standing.KindIn(open.run, &tests[i])]
		members[k] = append(members[k], i)
	}
	l := &listing{tests: tests, open: open}
	for k, indexes := range members {
		if looks(k) {
			l.looks += len(indexes)
		}
	}
	l.whole = len(tests) <= static && (l.looks <= openStatic || static > DefaultStatic)
	for k, indexes := range members {
		from := len(l.order)
		if l.order = append(l.order, indexes...); len(indexes) > 0 {
			l.groups = append(l.groups, section{k, from, len(l.order)})
		}
		if looks(k) || l.whole {
			l.rows = len(l.order)
		}
	}
	if !l.whole {
		l.rows = min(l.rows, openStatic)
	}
	for place, left := 0, staticConversations; place < min(l.rows, l.looks) && left > 0; place++ {
		t := l.at(place)
		n := min(left, each.Count(t.Transcripts, func(tr envelope.Transcript) bool { return !passed(t, tr.Trial) }))
		l.conversations, left = append(l.conversations, n), left-n
	}
	l.lines = min(max(l.rows, static), len(tests))
	return l
}

func (l *listing) at(place int) *envelope.Test { return &l.tests[l.order[place]] }

// Pictures are the bulk of a test opened, and what they show is in words in any
// case. So from some number of tests on, a test whose trials were all alike has
// none, because its line says it all; and of the others in HTML, only the first.
const picturesInHTML, picturesInData = 500, 20_000

func (l *listing) pictures(place, limit int) bool {
	return len(l.order) <= limit || !alike(l.at(place))
}

func (l *listing) row(place int) row {
	t := l.at(place)
	r := l.open.line(t)
	conversations := 0
	if place < len(l.conversations) {
		conversations = l.conversations[place]
	}
	r.Detail = l.open.detail(t, conversations)
	if l.whole {
		r.Detail.More = newMore(t, place < picturesInHTML && l.pictures(place, picturesInHTML))
	}
	return r
}

func (l *listing) body(place int) (*detail, *more) {
	t := l.at(place)
	m := newMore(t, l.pictures(place, picturesInData))
	if place < l.rows {
		return nil, m
	}
	d := l.open.detail(t, 0)
	d.More = m
	return d, nil
}
