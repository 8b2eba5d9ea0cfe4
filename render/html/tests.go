package html

import (
	"iter"

	"tribunal/envelope"
)

// openFailures is how many failing tests are few enough to show them opened.
const openFailures = 3

// drawnTests is how many tests a browser draws at once without being slow.
const drawnTests = 300

// tests is the list of tests with what filters it.
type tests struct {
	Groups           []group
	Filters          []filter
	HasTime, HasCost bool
	Many             bool // so many that a browser should draw only those in sight
}

// filter is a button that shows the tests of one kind.
type filter struct{ Word, Class, Count string }

// group is tests that a reviewer looks at together. Its rows are made while
// the page is written.
type group struct {
	ID, Title, Count string
	Rows             iter.Seq[row]
}

// kind is one group: the tests it takes of those no kind before it took.
type kind struct {
	name  string // its status, if it has one of its own
	title string
	takes func(*envelope.Test) bool
}

// kinds are the groups in the order of the page: what needs looking at first.
var kinds = []kind{
	{"fail", "Failing", has(envelope.Fail)},
	{"error", "Errors", has(envelope.Error)},
	{"inconclusive", "Inconclusive", has(envelope.Inconclusive)},
	{"flaky", "Flaky", func(t *envelope.Test) bool { return t.Flaky }},
	{"pass", "Passing", has(envelope.Pass)},
	{"skip", "Skipped", has(envelope.Skip)},
	{"other", "Other", func(*envelope.Test) bool { return true }},
}

func has(s envelope.Status) func(*envelope.Test) bool {
	return func(t *envelope.Test) bool { return t.Status == s }
}

func newTests(e *envelope.Envelope, o *opener) tests {
	out := tests{Filters: filters(&e.Summary), Many: len(e.Tests) > drawnTests}
	members := make([][]int, len(kinds))
	for i := range e.Tests {
		t := &e.Tests[i]
		k := kindOf(t)
		members[k] = append(members[k], i)
		out.HasTime = out.HasTime || t.DurationMS != nil
		out.HasCost = out.HasCost || t.CostUSD.OK
	}
	open := e.Summary.Fail+e.Summary.Error <= openFailures
	for k, indexes := range members {
		if len(indexes) > 0 {
			out.Groups = append(out.Groups, group{groupID(kinds[k].name), kinds[k].title, count(int64(len(indexes))), rows(e.Tests, indexes, open, o)})
		}
	}
	return out
}

func groupID(kind string) string { return "tests-" + kind }

// groupOf is the place of the group of a kind, "" when it has no tests.
func groupOf(groups []group, kind string) string {
	for _, g := range groups {
		if g.ID == groupID(kind) {
			return g.ID
		}
	}
	return ""
}

func kindOf(t *envelope.Test) int {
	for k := range kinds {
		if kinds[k].takes(t) {
			return k
		}
	}
	return len(kinds) - 1
}

// rows yields the lines of some tests; open opens those that failed.
func rows(all []envelope.Test, indexes []int, open bool, o *opener) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, i := range indexes {
			t := &all[i]
			r := newRow(t, o)
			r.Open = open && (t.Status == envelope.Fail || t.Status == envelope.Error)
			if !yield(r) {
				return
			}
		}
	}
}

func filters(s *envelope.Summary) []filter {
	var out []filter
	for _, status := range barOrder {
		if n := s.Of(status); n > 0 {
			b := newBadge(status)
			out = append(out, filter{b.Word, b.Class, count(int64(n))})
		}
	}
	if s.Flaky > 0 {
		out = append(out, filter{"FLAKY", "flaky", count(int64(s.Flaky))})
	}
	return out
}
