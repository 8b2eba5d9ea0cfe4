package pretty

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/plan"
	"tribunal/verdict/rule"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 50

// onceTitle is over how many passes or failures in a row settle a test.
const onceTitle = "At once by"

func (r *report) settling(p *plan.Plan, s *plan.Settling) error {
	if s == nil {
		return nil
	}
	r.planPart("What would settle this run", words.Count(s.Inconclusive)+" of "+words.Plural(s.Total, "test is", "tests are")+" inconclusive")
	switch {
	case s.Total == 0:
		r.say("There is no test to settle.")
		return nil
	case s.Inconclusive == 0:
		r.say("Nothing: every test has a verdict.")
		return nil
	}
	var rows [][]string
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		u := &s.Tests[i]
		rows = append(rows, []string{r.name(&envelope.Test{Key: u.Key}).fit(70, r.sign.ellipsis).String(), words.Count(u.Passed) + "/" + words.Count(u.Trials),
			moreCell(u), number("", moreCost(u), words.Dollars), likely(u), inARow(u)})
	}
	shown, err := r.cells([]string{"Test", "Passed", "More trials", "Cost", "Then", onceTitle}, rows)
	if err != nil {
		return err
	}
	if n := len(s.Tests) - mostUnsettled; n > 0 {
		r.text("", "", r.sign.ellipsis+" and "+words.Plural(n, "more inconclusive test", "more inconclusive tests"), 2)
	}
	legend := "More trials: settle the test " + words.Level(p.Power) + " of the time if it goes on at the rate seen so far."
	if slices.Contains(shown, onceTitle) {
		legend += " " + onceTitle + ": that many in a row."
	}
	r.text("", "", r.ink.faint.Render(legend), 3)
	if !slices.Contains(shown, onceTitle) {
		r.onces(s)
	}
	r.whys(s)
	r.line("")
	sum := r.effort(s.Sum)
	if s.Unpriced > 0 {
		sum += "; the cost of " + words.Plural(s.Unpriced, "test", "tests") + " is not known"
	}
	if s.Never > 0 {
		sum += "; " + words.Plural(s.Never, "test is", "tests are") + " never settled by more trials"
	}
	if s.Unknown > 0 {
		sum += "; of " + words.Plural(s.Unknown, "test", "tests") + " nothing can be said"
	}
	r.say("In all: %s", sum)
	if s.Peeking {
		r.say("An interval holds its level for one look: adding trials because it was undecided is a second. Rules %s may be looked at after every trial.", strings.Join(rule.Sequential(), " and "))
	}
	return nil
}

// onces says below a table without room for it what would settle tests at once.
func (r *report) onces(s *plan.Settling) {
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		if u := &s.Tests[i]; inARow(u) != "" {
			r.text("  "+r.sign.dash+" ", "    ", r.field(u.Key.String())+": at once by "+inARow(u)+" in a row", 4)
		}
	}
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
	return words.Count(u.More.Trials)
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
		return "PASS " + words.Percent(u.Pass.V) + " %"
	}
	return "FAIL " + words.Percent(u.Fail.V) + " %"
}

func inARow(u *plan.Unsettled) string {
	s := ""
	if u.Passes.OK {
		s = words.Plural(u.Passes.V, "pass", "passes")
	}
	if u.Failures.OK {
		if s != "" {
			s += " or "
		}
		s += words.Plural(u.Failures.V, "failure", "failures")
	}
	return s
}
