package html

import (
	"strings"

	"tribunal/envelope"
	"tribunal/plan"
	"tribunal/verdict/rule"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 1000

func settlingPart(p *plan.Plan, s *plan.Settling) *planPart {
	if s == nil {
		return nil
	}
	part := &planPart{ID: "settling", Title: "What would settle this run"}
	part.say("%s of %s inconclusive.", count(int64(s.Inconclusive)), plural(int64(s.Total), "test"))
	if s.Inconclusive == 0 {
		return part
	}
	words := "In all " + effort(&s.Sum) + " further trials"
	if s.Never > 0 {
		words += "; more trials never settle " + count(int64(s.Never))
	}
	if s.Unknown > 0 {
		words += "; of " + count(int64(s.Unknown)) + " nothing can be said"
	}
	if s.Unpriced > 0 {
		words += "; the cost of " + plural(int64(s.Unpriced), "test") + " is not known"
	}
	part.say("%s.", words)
	t := newTable("Inconclusive tests", "", "test", "#passed", "#more trials", "#cost", "then", "at once by", "why")
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		t.row(unsettledRow(&s.Tests[i])...)
	}
	part.Tables = append(part.Tables, t.compact())
	if n := len(s.Tests) - mostUnsettled; n > 0 {
		part.note("And %s more inconclusive tests.", count(int64(n)))
	}
	part.note("More trials settle the test %s of the time if it goes on at the rate seen so far. At once by: that many in a row.", percent(p.Power))
	if s.Peeking {
		part.note("An interval holds its level for one look: adding trials because it was undecided is a second. The rules %s may be looked at after every trial.", strings.Join(rule.Sequential(), " and "))
	}
	return part
}

func unsettledRow(u *plan.Unsettled) []string {
	more, cost := "?", ""
	switch {
	case u.Never:
		more = "never"
	case u.More != nil:
		more, cost = count(int64(u.More.Trials)), optional(u.More.CostUSD, dollars)
	}
	return []string{name(u.Key.String(), "no name"), count(int64(u.Passed)) + "/" + count(int64(u.Trials)), more, cost, likely(u), inARow(u), line(u.Why)}
}

// likely is the verdict that is the more probable one.
func likely(u *plan.Unsettled) string {
	switch {
	case !u.Pass.OK || !u.Fail.OK:
		return ""
	case u.Pass.V >= u.Fail.V:
		return badgeWords[envelope.Pass] + " " + percent(u.Pass.V)
	}
	return badgeWords[envelope.Fail] + " " + percent(u.Fail.V)
}

func inARow(u *plan.Unsettled) string {
	words := ""
	if u.Passes.OK {
		words = count(int64(u.Passes.V)) + " passed"
	}
	if u.Failures.OK {
		words = join(words, count(int64(u.Failures.V))+" failed")
	}
	return words
}
