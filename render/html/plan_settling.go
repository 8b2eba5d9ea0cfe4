package html

import "tribunal/plan"

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 1000

func settlingPart(p *plan.Plan, s *plan.Settling) []planPart {
	if s == nil {
		return nil
	}
	part := &planPart{ID: "settling", Title: plan.SettlingTitle}
	part.say("%s.", s.Remark())
	if nothing := s.NothingWords(); nothing != "" {
		part.say("%s", nothing)
		return []planPart{*part}
	}
	part.say("%s.", s.SumWords())
	t := s.Table(p.Power, mostUnsettled)
	for _, row := range t.Rows {
		row[0], row[6] = name(row[0], "no name"), line(row[6])
	}
	part.table("Undecided tests", t)
	return []planPart{*part}
}
