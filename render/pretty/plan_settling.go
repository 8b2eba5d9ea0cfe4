package pretty

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/plan"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 50

// onceTitle is over how many passes or failures in a row settle a test.
const onceTitle = "At once by"

func (r *report) settling(p *plan.Plan, s *plan.Settling) error {
	if s == nil {
		return nil
	}
	r.planPart(plan.SettlingTitle, s.Remark())
	if nothing := s.NothingWords(); nothing != "" {
		r.say("%s", nothing)
		return nil
	}
	titles := []string{"Test", "Passed", "More trials", "Cost", "Then", onceTitle}
	var rows [][]string
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		u := &s.Tests[i]
		rows = append(rows, []string{"", words.Count(u.Passed) + "/" + words.Count(u.Trials), u.MoreCell(), u.CostCell(), u.Likely(), u.AtOnce()})
	}
	room := r.besides(titles, rows)
	for i := range rows {
		rows[i][0] = r.fit(r.name(&envelope.Test{Key: s.Tests[i].Key}), room).String()
	}
	shown, err := r.cells(titles, rows)
	if err != nil {
		return err
	}
	if n := len(s.Tests) - mostUnsettled; n > 0 {
		r.text("", "", r.sign.ellipsis+" and "+words.Plural(n, "more test", "more tests"), 2)
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
	r.say("%s", s.SumWords())
	if s.Peeking {
		r.say("%s", plan.PeekingWords())
	}
	return nil
}

// besides is the room that a terminal has for the first column beside all others, and
// where that is little, as it has without some of them.
func (r *report) besides(titles []string, rows [][]string) int {
	whole := max(r.width, r.limit)
	room := whole
	for i := range titles[1:] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, width(row[i+1]))
		}
		if widest > 0 {
			room -= gap + max(widest, width(titles[i+1]))
		}
	}
	if room < minWidth {
		return whole
	}
	return room
}

// onces says below a table without room for it what would settle tests at once.
func (r *report) onces(s *plan.Settling) {
	for i := range s.Tests[:min(len(s.Tests), mostUnsettled)] {
		if u := &s.Tests[i]; u.AtOnce() != "" {
			r.text("  "+r.sign.dash+" ", "    ", r.field(u.Key.String())+": at once by "+u.AtOnce()+" in a row", 4)
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
