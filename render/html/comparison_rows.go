package html

import (
	"iter"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/words"
)

type comparedGroup struct {
	ID, Title, Count string
	Rows             iter.Seq[comparedRow]
	More             string
}

type comparedRow struct {
	namedTest
	ID, Key             string // Key is the name as other reports have it
	Badge               badge
	Open                bool
	Newly, Failure      string
	Sides               []comparedSide
	Points, Interval, P string
	Forest              *forest
	Time, Cost, Why     string
	Facts               facts
	Checks              *table
	First               string // where two trials part
}

type comparedSide struct {
	Word, Passed string
	Strip        strip
}

// How many rows a state gets: everything that changed, within reason; of the rest those nearest to a change.
const (
	mostChanged = 5000
	mostOthers  = 500
	openChanged = 3
	manyRows    = 200
)

func comparedGroups(c *compare.Comparison) (filters []filter, groups []comparedGroup, many bool) {
	total, byState := 0, map[compare.State]int{}
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		of := map[compare.State][]*compare.Test{}
		for _, t := range x.Ranked() {
			of[t.Group()] = append(of[t.Group()], t)
		}
		for _, state := range compare.Groups {
			if tests := of[state]; len(tests) > 0 {
				groups = append(groups, newComparedGroup(c, x, i, state, tests))
				byState[state] += len(tests)
				total += len(tests)
			}
		}
	}
	for _, state := range compare.Groups {
		if n := byState[state]; n > 0 {
			b := stateBadge(state)
			filters = append(filters, filter{Word: state.Title(), Value: b.Class, Count: count(n)})
		}
	}
	return filters, groups, total > manyRows
}

func newComparedGroup(c *compare.Comparison, x *compare.Contrast, at int, state compare.State, tests []*compare.Test) comparedGroup {
	prefix := "c" + count(at+1) + "-"
	g := comparedGroup{ID: prefix + "tests-" + stateBadge(state).Class, Count: count(len(tests)),
		Title: words.If(len(c.Contrasts) > 1, name(x.Candidate.Name, "candidate")+": ") + state.Title()}
	most := mostOthers
	if state != compare.Unresolved && state != compare.Equivalent && state != "" {
		most = mostChanged
	}
	if more := len(tests) - most; more > 0 {
		g.More = plural(more, "more test") + " of this state: the json report lists them."
		tests = tests[:most]
	}
	g.Rows = func(yield func(comparedRow) bool) {
		for i, t := range tests {
			row := newComparedRow(t, c.Settings)
			row.ID, row.Open = prefix+row.ID, state == compare.Regressed && i < openChanged
			if !yield(row) {
				return
			}
		}
	}
	return g
}

func newComparedRow(t *compare.Test, s compare.Settings) comparedRow {
	r := comparedRow{namedTest: namedOf(t.Key), ID: testID(t.Key), Key: name(t.Key.String(), ""), Badge: stateBadge(t.Group()),
		Newly: words.If(t.Group() != compare.NewlyBroken, words.Around("newly ", t.Newly)), Failure: line(t.FailureWords()),
		Sides:  []comparedSide{newComparedSide("base", t, &t.Base), newComparedSide("candidate", t, &t.Candidate)},
		Points: sure(t.Points()), Interval: t.Difference.Interval(), P: t.DecidingP(), Forest: newForest(t.Difference, s.Margin),
		Time: sure(t.DurationMS.Relative()), Cost: sure(t.CostUSD.Relative()), Why: line(t.Reason),
		Facts: comparedFacts(t), Checks: comparedChecks(t)}
	if d := t.FirstDifference; d != nil {
		r.First = line(d.Sentence())
	}
	return r
}

func comparedChecks(t *compare.Test) *table {
	if len(t.Checks) == 0 {
		return nil
	}
	out := newTable("Checks", "", "check", "#base", "#candidate", "#points", "interval", "#p", "#adjusted p")
	for _, c := range t.Checks {
		out.row(append([]string{name(c.Name, "no name"), c.Base.String(), c.Candidate.String()}, changeCells(&c.Change)...)...)
	}
	return out
}

func changeCells(c *compare.Change) []string {
	points := ""
	if d := c.Difference; d != nil {
		points = compare.Signed(d.Value)
	}
	return []string{points, c.Difference.Interval(), c.PValue.Text("", pWords), c.PAdjusted.Text("", pWords)}
}

func newComparedSide(word string, t *compare.Test, s *compare.SideOfTest) comparedSide {
	strip, _ := shortStrip(envelope.Outcomes(s.Outcomes))
	of := map[bool]string{true: " mean score", false: " passed"}[t.ByScore()]
	return comparedSide{Word: word + of, Passed: t.Compared(s), Strip: strip}
}

func pWords(v float64) string { return number(round(v, 3)) }

// sure is a change that chance does not explain, and nothing for any other.
func sure(change string) string { return strings.TrimPrefix(change, "~") }

func comparedFacts(t *compare.Test) facts {
	var f facts
	f.add("base", sideWords(t, &t.Base))
	f.add("candidate", sideWords(t, &t.Candidate))
	f.add("time", line(t.DurationMS.Typical("", words.Duration)))
	f.add("cost", line(t.CostUSD.Typical("", words.Dollars)))
	if d := t.Difference; d != nil {
		f.add("difference", d.Words()+", "+intervalWords(d.Method))
		f.add("worse by the margin", map[bool]string{true: "ruled out", false: "not ruled out"}[t.NonInferior])
	}
	f.add("score", line(t.ScoreWords()))
	f.add("test", t.MethodWords())
	f.add("least p possible", t.LeastP.Text("", pWords))
	if t.DecidedAfter > 0 {
		f.add("decided after", count(t.DecidedAfter)+" pairs")
	}
	return f
}

func sideWords(t *compare.Test, s *compare.SideOfTest) string {
	if s.Status == "" {
		return "does not have it"
	}
	of := kOfN(s.Trials)
	if t.ByScore() {
		of = t.Compared(s) + words.If(t.Pairs == nil, " of "+plural(s.N, "trial"))
	} else if r := s.Rate; r != nil {
		of += " (" + percent(r.Value) + ", " + span(r.Lo, r.Hi) + ")"
	}
	says := newBadge(s.Status).Word + ", " + of
	says += words.If(s.Excluded > 0, ", "+count(s.Excluded)+" excluded")
	says += words.If(s.Retries > 0, ", "+plural(s.Retries, "retry trial")+" left out")
	return says
}
