package pretty

import (
	"tribunal/envelope"
	"tribunal/plan"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 50

func (r *report) settling(p *plan.Plan, s *plan.Settling) error {
	if s == nil {
		return nil
	}
	r.planPart("What would settle this run", count(s.Inconclusive)+" of "+plural(s.Total, "test is", "tests are")+" inconclusive")
	if s.Inconclusive == 0 {
		r.say("Nothing: every test has a verdict.")
		return nil
	}
	var rows [][]string
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		u := &s.Tests[i]
		rows = append(rows, []string{testCell(r, &envelope.Test{Key: u.Key}, 70), count(u.Passed) + "/" + count(u.Trials),
			moreCell(u), number("", moreCost(u), dollars), likely(u), inARow(u)})
	}
	if err := r.cells([]string{"Test", "Passed", "More trials", "Cost", "Then", "At once by"}, rows); err != nil {
		return err
	}
	if n := len(s.Tests) - mostUnsettled; n > 0 {
		r.text("", "", r.sign.ellipsis+" and "+plural(n, "more inconclusive test", "more inconclusive tests"), 2)
	}
	r.text("", "", r.ink.faint.Render("More trials: settle the test "+level(p.Power)+" of the time if it goes on at the rate seen so far. At once by: that many in a row."), 3)
	r.whys(s)
	r.line("")
	sum := r.effort(s.Sum)
	if s.Unpriced > 0 {
		sum += "; the cost of " + plural(s.Unpriced, "test", "tests") + " is not known"
	}
	if s.Never > 0 {
		sum += "; " + plural(s.Never, "test is", "tests are") + " never settled by more trials"
	}
	if s.Unknown > 0 {
		sum += "; of " + plural(s.Unknown, "test", "tests") + " nothing can be said"
	}
	r.say("In all: %s", sum)
	if s.Peeking {
		r.say("An interval holds its level for one look: adding trials because it was undecided is a second. Rules sprt and anytime may be looked at after every trial.")
	}
	return nil
}

// whys says why tests have no estimate.
func (r *report) whys(s *plan.Settling) {
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		if u := &s.Tests[i]; u.Why != "" {
			r.text("  "+r.sign.dash+" ", "    ", r.field(u.Key.String())+": "+r.field(u.Why), 4)
		}
	}
}

func moreCell(u *plan.Unsettled) string {
	switch {
	case u.Never:
		return "never"
	case u.More == nil:
		return "?"
	}
	return count(u.More.Trials)
}

func moreCost(u *plan.Unsettled) envelope.Opt[float64] {
	if u.More == nil {
		return envelope.Opt[float64]{}
	}
	return u.More.CostUSD
}

// likely is the verdict that is the more probable one.
func likely(u *plan.Unsettled) string {
	if !u.Pass.OK || !u.Fail.OK {
		return ""
	}
	if u.Pass.V >= u.Fail.V {
		return "PASS " + percent(u.Pass.V) + " %"
	}
	return "FAIL " + percent(u.Fail.V) + " %"
}

func inARow(u *plan.Unsettled) string {
	s := ""
	if u.Passes.OK {
		s = plural(u.Passes.V, "pass", "passes")
	}
	if u.Failures.OK {
		if s != "" {
			s += " or "
		}
		s += plural(u.Failures.V, "failure", "failures")
	}
	return s
}
