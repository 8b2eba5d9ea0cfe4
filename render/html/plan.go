package html

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"tribunal/plan"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

// planPage is what plan.html shows.
type planPage struct {
	Frame        frame.Frame
	Title, About string
	Parts        []planPart
}

// planPart is one question that was asked.
type planPart struct {
	ID, Title string
	Lines     []string
	Tables    []*table
	Notes     []string
	Pictures  []picture
}

func (p *planPart) say(format string, args ...any) {
	p.Lines = append(p.Lines, fmt.Sprintf(format, args...))
}

func (p *planPart) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// table adds a table as every format shows it; all but its first column are numbers.
func (p *planPart) table(title string, of plan.Table) {
	headings := slices.Clone(of.Titles)
	for i := range headings[1:] {
		headings[i+1] = "#" + headings[i+1]
	}
	t := newTable(title, "", headings...)
	for _, row := range of.Rows {
		t.row(row...)
	}
	p.Tables = append(p.Tables, t.compact())
	if of.Legend != "" {
		p.note("%s", of.Legend)
	}
}

var planKind = sync.OnceValues(func() (*frame.Kind, error) { return frame.Load(templates.Plan) })

// WritePlan writes a plan as one HTML document. The error is that of the writer.
func WritePlan(w io.Writer, p *plan.Plan) error {
	if p == nil {
		return errors.New("html: no plan to write")
	}
	kind, err := planKind()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return writePage(w, kind, "plan", newPlanPage(p, kind))
}

func newPlanPage(p *plan.Plan, kind *frame.Kind) planPage {
	page := planPage{Frame: kind.Frame("Plan of trials"), Title: "How many trials it takes"}
	page.About = percent(p.Confidence) + " confidence, power " + percent(p.Power)
	if p.PriceUSD.OK {
		page.About += ", " + dollars(p.PriceUSD.V) + " per trial"
	}
	page.About += ". Trials are taken to be independent unless their correlation is given. Nothing here is simulated."
	add := func(id, title, remark, caption string, t plan.Table) {
		part := planPart{ID: id, Title: title, Lines: []string{remark + "."}}
		part.table(caption, t)
		page.Parts = append(page.Parts, part)
	}
	if x := p.Precision; x != nil {
		add("precision", x.Title("±"), x.Remark(), "Trials by pass rate", x.Table("±"))
	}
	page.Parts = append(append(page.Parts, decisionPart(p, p.Decision)...), differencePart(p.Difference)...)
	if x := p.Clustered; x != nil {
		add("clustered", plan.ClusteredTitle, x.Remark(), "What designs see", x.Table())
	}
	if x := p.Judge; x != nil {
		add("judge", plan.JudgeTitle, x.Remark(), "What labels buy", x.Table("±"))
	}
	page.Parts = append(page.Parts, settlingPart(p, p.Settling)...)
	return page
}

func differencePart(d *plan.Difference) []planPart {
	if d == nil {
		return nil
	}
	part := &planPart{ID: "difference", Title: d.Title()}
	part.say("%s.", d.Remark())
	part.table("Trials to tell the two rates apart", d.Table())
	part.addPower(plan.UnpairedPower, "trials a side", &d.Unpaired)
	if d.Sequential != nil {
		part.note("%s", d.Sequential.Words(d.Power))
	}
	if d.Paired == nil {
		part.note("%s", d.PairsWords())
	} else {
		part.addPower(plan.PairedPower, "pairs", &d.Paired.Detect)
	}
	return []planPart{*part}
}

// addPower says what the planned trials can find, and draws power by trials.
func (p *planPart) addPower(title, what string, d *plan.Detect) {
	if d.Planned != nil {
		p.say("With the %s %s planned: power %s.", count(int64(d.Planned.Trials)), what, percent(d.Planned.Power))
	}
	if len(d.Curve) < 2 {
		return
	}
	c := blank(title)
	x := scale{lo: 0, hi: float64(d.Curve[len(d.Curve)-1].Trials), from: pictureLeft, to: pictureRight}
	y := c.rateAxis()
	data := newTable(title, "", "#"+what, "#power")
	points := []spot{{x.at(0), y.at(0)}}
	for _, at := range d.Curve {
		points = append(points, spot{x.at(float64(at.Trials)), y.at(at.Power)})
		data.row(count(int64(at.Trials)), percent(at.Power))
	}
	for _, n := range every(tickStep(x.lo, x.hi, scatterTicks), x.lo, x.hi) {
		c.tick(x.at(n), count(int64(n)))
	}
	c.axisTitle(what)
	c.mark("line", "one", "", linePath(points))
	p.Pictures = append(p.Pictures, picture{Title: title, Note: "How surely the difference is found, by " + what + ".", Chart: c, Data: data})
}
