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
	Newly               string
	Sides               []comparedSide
	Points, Interval, P string
	Forest              *forest
	Time, Cost, Why     string
	Facts               facts
	Took, Checks        *table
	First               string // where two trials part
}

type comparedSide struct {
	Word, Passed string
	Strip        strip
}

// How many rows a state gets: everything that changed, within reason; of the
// rest those nearest to a change.
const (
	mostChanged = 5000
	mostOthers  = 500
	openChanged = 3
	manyRows    = 200
)

func comparedGroups(c *compare.Comparison) (filters []filter, groups []comparedGroup, many bool) {
	total, byState := 0, map[compare.State]int{}
	states := append(append([]compare.State{}, compare.States...), "")
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		of := map[compare.State][]*compare.Test{}
		for _, t := range x.Ranked() {
			of[t.State] = append(of[t.State], t)
		}
		for _, state := range states {
			if tests := of[state]; len(tests) > 0 {
				groups = append(groups, newComparedGroup(c, x, i, state, tests))
				byState[state] += len(tests)
				total += len(tests)
			}
		}
	}
	for _, state := range states {
		if n := byState[state]; n > 0 {
			b := stateBadge(state)
			filters = append(filters, filter{Word: stateTitles[state], Value: b.Class, Count: count(n)})
		}
	}
	return filters, groups, total > manyRows
}

var stateTitles = map[compare.State]string{compare.Regressed: "Regressed", compare.Improved: "Improved",
	compare.Unresolved: "Unresolved", compare.Equivalent: "Equivalent", "": "Not run"}

func newComparedGroup(c *compare.Comparison, x *compare.Contrast, at int, state compare.State, tests []*compare.Test) comparedGroup {
	prefix := "c" + count(at+1) + "-"
	g := comparedGroup{ID: prefix + "tests-" + stateBadge(state).Class, Title: stateTitles[state], Count: count(len(tests))}
	if len(c.Contrasts) > 1 {
		g.Title = name(x.Candidate.Name, "candidate") + ": " + g.Title
	}
	most := mostOthers
	if state == compare.Regressed || state == compare.Improved {
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
	r := comparedRow{namedTest: namedOf(t.Key), ID: testID(t.Key), Key: name(t.Key.String(), ""), Badge: stateBadge(t.State),
		Sides:  []comparedSide{newComparedSide("base", t, &t.Base), newComparedSide("candidate", t, &t.Candidate)},
		Points: sure(t.Points()), P: t.DecidingP(), Forest: newForest(t.Difference, s.Margin),
		Time: sure(t.DurationMS.Relative()), Cost: sure(t.CostUSD.Relative()), Why: line(t.Reason),
		Facts: comparedFacts(t), Took: tookTable(t), Checks: comparedChecks(t)}
	if t.Newly != "" {
		r.Newly = "newly " + t.Newly
	}
	if t.Difference != nil {
		r.Interval = t.Difference.Interval()
	}
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
	for i := range t.Checks {
		c := &t.Checks[i]
		points, interval := "", ""
		if d := c.Difference; d != nil {
			points, interval = compare.Signed(d.Value), d.Interval()
		}
		out.row(name(c.Name, "no name"), c.Base.String(), c.Candidate.String(), points, interval,
			optional(c.PValue, pWords), optional(c.PAdjusted, pWords))
	}
	return out
}

func newComparedSide(word string, t *compare.Test, s *compare.SideOfTest) comparedSide {
	strip, _ := shortStrip(envelope.Outcomes(s.Outcomes))
	of := " passed"
	if t.ByScore() {
		of = " mean score"
	}
	return comparedSide{Word: word + of, Passed: t.Compared(s.Trials), Strip: strip}
}

func pWords(v float64) string { return number(round(v, 3)) }

// sure is a change that chance does not explain, and nothing for any other.
func sure(change string) string { return strings.TrimPrefix(change, "~") }

func comparedFacts(t *compare.Test) facts {
	var f facts
	f.add("base", sideWords(t, &t.Base))
	f.add("candidate", sideWords(t, &t.Candidate))
	if p := t.Pairs; p != nil {
		f.add("pairs", count(p.N()))
		f.add(map[bool]string{true: "scored the same", false: "both passed"}[t.ByScore()], count(p.Both))
		f.add("got worse", count(p.Base))
		f.add("got better", count(p.Candidate))
		if !t.ByScore() {
			f.add("neither passed", count(p.Neither))
		}
	}
	if d := t.Difference; d != nil {
		f.add("difference", d.Words()+", "+intervalWords(d.Method))
		f.add("worse by the margin", map[bool]string{true: "ruled out", false: "not ruled out"}[t.NonInferior])
	}
	f.add("score", line(t.ScoreWords()))
	f.add("test", t.MethodWords())
	f.add("p", optional(t.PValue, pWords))
	f.add("adjusted p", optional(t.PAdjusted, pWords))
	f.add("least p possible", optional(t.LeastP, pWords))
	if t.DecidedAfter > 0 {
		f.add("decided after", count(t.DecidedAfter)+" pairs")
	}
	return f
}

func sideWords(t *compare.Test, s *compare.SideOfTest) string {
	says := newBadge(s.Status).Word + ", " + t.Compared(s.Trials)
	if t.ByScore() {
		says += " of " + plural(s.N, "trial")
	} else if r := s.Rate; r != nil {
		says += " (" + percent(r.Value) + ", " + span(r.Lo, r.Hi) + ")"
	}
	says += words.If(s.Excluded > 0, ", "+count(s.Excluded)+" excluded")
	says += words.If(s.Retries > 0, ", "+plural(s.Retries, "retry trial")+" left out")
	return says
}

func tookTable(t *compare.Test) *table {
	out := newTable("What a trial took", "", "median of a trial", "#base", "#candidate", "#change", "#p", "#adjusted p")
	add := func(word string, m *compare.Measurement, unit func(float64) string) {
		if m == nil {
			return
		}
		between := func(lo, hi envelope.Opt[float64]) string {
			if !lo.OK || !hi.OK {
				return ""
			}
			return " (" + unit(lo.V) + " to " + unit(hi.V) + ")"
		}
		out.row(word, unit(m.Base)+between(m.BaseLo, m.BaseHi), unit(m.Candidate)+between(m.CandidateLo, m.CandidateHi),
			optional(m.Change, func(v float64) string { return compare.Signed(v) + nbsp + "%" }), optional(m.PValue, pWords), optional(m.PAdjusted,
				pWords))
	}
	add("time, without setup", t.DurationMS, duration)
	add("cost, without setup", t.CostUSD, dollars)
	if len(out.Rows) == 0 {
		return nil
	}
	return out
}
