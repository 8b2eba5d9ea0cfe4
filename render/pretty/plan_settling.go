package pretty

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/plan"
)

// mostUnsettled is how many undecided tests are listed.
const mostUnsettled = 50

func (r *report) settling(p *plan.Plan, s *plan.Settling) error {
	if s == nil {
		return nil
	}
	r.planPart(plan.SettlingTitle, s.Remark())
	if nothing := s.NothingWords(); nothing != "" {
		r.say("%s", nothing)
		return nil
	}
	t := s.Table(p.Power, mostUnsettled)
	titles, rows := t.Titles[:6], t.Rows
	for i := range rows {
		rows[i] = rows[i][:6]
	}
	room := r.besides(titles, rows)
	for i := range rows {
		rows[i][0] = r.fit(r.name(&envelope.Test{Key: s.Tests[i].Key}), room).String()
	}
	shown, err := r.cells(titles, rows)
	if err != nil {
		return err
	}
	if !slices.Contains(shown, titles[5]) {
		t.Legend = strings.Replace(t.Legend, " "+titles[5]+": that many in a row.", "", 1)
	}
	r.text("", "", r.ink.faint.Render(t.Legend), 3)
	if !slices.Contains(shown, titles[5]) {
		r.onces(s)
	}
	r.whys(s)
	r.line("")
	r.say("%s", s.SumWords())
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
