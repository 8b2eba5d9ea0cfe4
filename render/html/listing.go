package html

import (
	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

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

// kindPlaces are the places of the kinds among standing.Kinds.
var kindPlaces = func() map[envelope.Kind]int {
	places := map[envelope.Kind]int{}
	for i, k := range standing.Kinds {
		places[k.Kind] = i
	}
	return places
}()

// looks reports that somebody has to look at tests of the kind at this place.
func looks(place int) bool {
	k := standing.Kinds[place].Kind
	return k != envelope.KindPassed && k != envelope.KindSkipped
}

// newListing orders the tests; static is how many of them are HTML if the tests
// that need looking at are not more.
func newListing(tests []envelope.Test, static int, open *opener) *listing {
	members := make([][]int, len(standing.Kinds))
	for i := range tests {
		k := kindPlaces[tests[i].KindOf()]
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
	r := l.open.line(t)
	talks := 0
	if place < len(l.talks) {
		talks = l.talks[place]
	}
	r.Detail = l.open.detail(t, talks)
	if l.whole {
		r.Detail.More = newMore(t, place < picturesInHTML && l.pictures(place, picturesInHTML))
	}
	return r
}

// body is what of a test opened travels as data: all, or the rest of what is
// HTML.
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
