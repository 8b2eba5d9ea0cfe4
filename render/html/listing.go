package html

import "tribunal/envelope"

// DefaultStatic is how many tests are written as HTML when nobody says.
const DefaultStatic = 2000

// openStatic is how many of them open without scripts, on a page that is not
// whole: those that need looking at are read from the first on, and thousands of
// them would make a page that no browser likes.
const openStatic = 300

// listing says in which order the tests are shown and how each gets to the
// reader. The first ones, rows of them, need looking at: they are HTML that opens
// and shows what their trials said. The others are a plain line of HTML up to
// lines, for who reads without scripts. For the script,
// all beyond rows travels as data; on a page that is whole nothing does.
type listing struct {
	tests  []envelope.Test
	open   *opener
	order  []int // indexes into tests, as the page shows them
	groups []section
	rows   int
	lines  int
	looks  int   // tests that need looking at
	whole  bool  // everything is HTML that opens
	talks  []int // by place, of rows, how many conversations are HTML
}

// section is the group of a kind: order[from:to].
type section struct{ kind, from, to int }

// kind is one group: the tests it takes of those no kind before it took.
type kind struct {
	name  string // its status, if it has one of its own
	title string
	looks bool // whether somebody has to look at these tests
	takes func(*envelope.Test) bool
}

// kinds are the groups in the order of the page: what needs looking at first.
var kinds = []kind{
	{"fail", "Failing", true, has(envelope.Fail)},
	{"error", "Errors", true, has(envelope.Error)},
	{"inconclusive", "Inconclusive", true, has(envelope.Inconclusive)},
	{"other", "Other", true, func(t *envelope.Test) bool { return t.Status != envelope.Pass && t.Status != envelope.Skip }},
	{"flaky", "Flaky", true, func(t *envelope.Test) bool { return t.Flaky }},
	{"pass", "Passing", false, has(envelope.Pass)},
	{"skip", "Skipped", false, func(*envelope.Test) bool { return true }},
}

func has(s envelope.Status) func(*envelope.Test) bool {
	return func(t *envelope.Test) bool { return t.Status == s }
}

func kindOf(t *envelope.Test) int {
	for k := range kinds {
		if kinds[k].takes(t) {
			return k
		}
	}
	return len(kinds) - 1
}

// newListing orders the tests; static is how many of them are HTML if the tests
// that need looking at are not more.
func newListing(tests []envelope.Test, static int, open *opener) *listing {
	members := make([][]int, len(kinds))
	for i := range tests {
		k := kindOf(&tests[i])
		members[k] = append(members[k], i)
	}
	l := &listing{tests: tests, open: open}
	for k, indexes := range members {
		if kinds[k].looks {
			l.looks += len(indexes)
		}
	}
	l.whole = len(tests) <= static && (l.looks <= openStatic || static > DefaultStatic)
	for k, indexes := range members {
		from := len(l.order)
		if l.order = append(l.order, indexes...); len(indexes) > 0 {
			l.groups = append(l.groups, section{k, from, len(l.order)})
		}
		if kinds[k].looks || l.whole {
			l.rows = len(l.order)
		}
	}
	if !l.whole {
		l.rows = min(l.rows, openStatic)
	}
	l.dealTalks()
	l.lines = min(max(l.rows, static), len(tests))
	return l
}

// dealTalks gives the conversations that are HTML to the first tests that need
// looking at.
func (l *listing) dealTalks() {
	for place, left := 0, staticTalks; place < min(l.rows, l.looks) && left > 0; place++ {
		n := min(left, unpassed(l.at(place)))
		l.talks, left = append(l.talks, n), left-n
	}
}

func (l *listing) at(place int) *envelope.Test { return &l.tests[l.order[place]] }

// Pictures are the bulk of a test opened, and what they show is in words in any
// case. So from some number of tests on, a test whose trials were all alike has
// none, because its line says it all; and of the others in HTML, only the first.
const (
	picturesInHTML = 500
	picturesInData = 20_000
)

func (l *listing) pictures(place, limit int) bool {
	return len(l.order) <= limit || !alike(l.at(place))
}

// row is a test as HTML that opens.
func (l *listing) row(place int) row {
	t := l.at(place)
	r := newLine(l.open.run, t)
	talks := 0
	if place < len(l.talks) {
		talks = l.talks[place]
	}
	r.Detail = l.open.detail(t, talks)
	if l.whole {
		r.Detail.More = newMore(t, place < picturesInHTML && l.pictures(place, picturesInHTML), new(factMemory))
	}
	return r
}

// body is what of a test opened travels as data: all, or the rest of what is
// HTML.
func (l *listing) body(place int, facts *factMemory) (*detail, *more) {
	t := l.at(place)
	m := newMore(t, l.pictures(place, picturesInData), facts)
	if place < l.rows {
		return nil, m
	}
	d := l.open.detail(t, 0)
	d.More = m
	return d, nil
}
