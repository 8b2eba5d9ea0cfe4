package html

import "tribunal/plan"

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 1000

func settlingPart(p *plan.Plan, s *plan.Settling) *planPart {
	if s == nil {
		return nil
	}
	part := &planPart{ID: "settling", Title: plan.SettlingTitle}
	part.say("%s.", s.Remark())
	if nothing := s.NothingWords(); nothing != "" {
		part.say("%s", nothing)
		return part
	}
	part.say("%s.", s.SumWords())
	t := newTable("Undecided tests", "", "test", "#passed", "#more trials", "#cost", "then", "at once by", "why")
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		u := &s.Tests[i]
		t.row(name(u.Key.String(), "no name"), count(int64(u.Passed))+"/"+count(int64(u.Trials)), u.MoreCell(), u.CostCell(), u.Likely(), u.AtOnce(), line(u.Why))
	}
	part.Tables = append(part.Tables, t.compact())
	if n := len(s.Tests) - mostUnsettled; n > 0 {
		part.note("And %s more tests.", count(int64(n)))
	}
	part.note("More trials settle the test %s of the time if it goes on at the rate seen so far. At once by: that many in a row.", percent(p.Power))
	if s.Peeking {
		part.note("%s", plan.PeekingWords())
	}
	return part
}
