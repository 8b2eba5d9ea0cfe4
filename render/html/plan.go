package html

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/words"
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
	for _, part := range []*planPart{precisionPart(p.Precision), decisionPart(p, p.Decision), differencePart(p.Difference), clusteredPart(p.Clustered), judgePart(p.Judge), settlingPart(p, p.Settling)} {
		if part != nil {
			page.Parts = append(page.Parts, *part)
		}
	}
	return page
}

// effort is a number of trials and what they cost.
func effort(e *plan.Effort) string {
	if e == nil {
		return "never"
	}
	words := count(int64(e.Trials))
	if e.CostUSD.OK {
		words += " (" + dollars(e.CostUSD.V) + ")"
	}
	return words
}

func precisionPart(p *plan.Precision) *planPart {
	if p == nil {
		return nil
	}
	part := &planPart{ID: "precision", Title: "Trials for an interval of the pass rate"}
	needed := newTable("Trials by pass rate", "Trials after which the interval is ±"+number(p.HalfWidth.V), "pass rate", "#planning formula", "#Wilson", "#exact")
	reached := newTable("Half-widths by pass rate", "Half-width after the planned trials", "pass rate", "#trials", "#planning formula", "#Wilson", "#exact")
	for _, w := range p.Rates {
		rate := number(w.Rate)
		if w.Worst {
			rate += " (worst case)"
		}
		if n := w.Needed; n != nil {
			needed.row(rate, effort(&n.Formula), effort(&n.Wilson), effort(&n.Exact))
		}
		if h := w.Reached; h != nil {
			reached.row(rate, effort(&h.Effort), halfWidth(h.Formula), halfWidth(h.Wilson), halfWidth(h.Exact))
		}
	}
	for _, t := range []*table{needed, reached} {
		if len(t.Rows) > 0 {
			part.Tables = append(part.Tables, t)
		}
	}
	part.note("The planning formula is z² p (1-p) / h² of the normal interval, z = %s. The others are half the length of that interval when this rate is seen.", number(p.Z))
	return part
}

func halfWidth(v float64) string { return "±" + number(round(v, 4)) }

func differencePart(d *plan.Difference) *planPart {
	if d == nil {
		return nil
	}
	part := &planPart{ID: "difference", Title: "Telling " + number(d.From) + " from " + number(d.To)}
	t := newTable("Trials to tell the two rates apart", "Trials with which a two-sided test finds the difference "+percent(d.Power)+" of the time", "design", "test", "#planning formula", "#exact")
	t.row(detectRow("trials a side", "Fisher", &d.Unpaired)...)
	part.Tables = append(part.Tables, t)
	part.addPower("Power of Fisher's exact test", "trials a side", &d.Unpaired)
	if d.Sequential != nil {
		part.note("%s", d.Sequential.Words(d.Power))
	}
	if d.Paired == nil {
		part.note("Pairs of trials of the same task may need fewer: --discordant is the share of pairs that differ, at least %s, and %s if they had nothing in common.", number(d.PairedFrom), number(d.Independent))
		return part
	}
	t.row(detectRow("pairs, "+number(d.Paired.Discordant)+" of them discordant", "McNemar", &d.Paired.Detect)...)
	part.addPower("Power of McNemar's exact test", "pairs", &d.Paired.Detect)
	return part
}

// clusteredPart is a table of designs of runs of many tests.
func clusteredPart(c *plan.Clustered) *planPart {
	if c == nil {
		return nil
	}
	part := &planPart{ID: "clustered", Title: "Comparing two runs of many tests"}
	part.say("From a pass rate of %s, where trials of a test correlate by %s. Smallest fall: seen %s of the time.", number(c.Rate), number(c.ICC), percent(c.Power))
	titles := []string{"#tests", "#trials of each", "#both sides", "#smallest fall, same tests", "#smallest fall, other tests"}
	if c.To.OK {
		titles = append(titles, "#power to "+number(c.To.V)+", same tests", "#other tests")
	}
	t := newTable("What designs see", "The planned design first, others of as many trials below", titles...)
	for _, d := range c.Designs {
		row := []string{count(int64(d.Tests)), count(int64(d.Trials)), effort(&d.Effort), optional(d.Same.Detectable, percent), optional(d.Other.Detectable, percent)}
		if c.To.OK {
			row = append(row, optional(d.Same.Power, percent), optional(d.Other.Power, percent))
		}
		t.row(row...)
	}
	part.Tables = append(part.Tables, t)
	part.note("Normal approximation. Same tests: the difference of each, where all moved alike. Other tests: each side has its own.")
	return part
}

// judgePart is a table of how many trials are labelled.
func judgePart(j *plan.Judge) *planPart {
	if j == nil {
		return nil
	}
	part := &planPart{ID: "judge", Title: "Labels for a judge that errs"}
	part.say("Sensitivity %s, specificity %s: of a true pass rate of %s it sees %s.", number(j.Sensitivity), number(j.Specificity), number(j.Rate), number(j.Seen))
	t := newTable("What labels buy", "The planned labels first, then none, more of them, and more trials", "#labels", "#trials", "#Rogan-Gladen", "#prediction-powered", "#labels alone", "#the judge's own")
	half := func(v envelope.Opt[float64]) string {
		if !v.OK {
			return "none"
		}
		return halfWidth(v.V)
	}
	for _, d := range j.Designs {
		t.row(count(int64(d.Labels)), effort(&d.Effort), half(d.RoganGladen), half(d.Powered), half(d.LabelsAlone), halfWidth(d.Own))
	}
	part.Tables = append(part.Tables, t)
	part.note("Half the length of each interval when labels, a random part of the trials, come out as expected. The judge's own rate is off by %s points, whatever the trials; the others allow for it.", words.Tenths(j.Off()))
	return part
}

func detectRow(design, test string, d *plan.Detect) []string {
	exact := "as the formula"
	if d.Exact != nil {
		exact = effort(d.Exact)
	}
	return []string{design, test, effort(&d.Formula), exact}
}

// addPower says what the planned trials can find, and draws power by trials.
func (p *planPart) addPower(title, what string, d *plan.Detect) {
	if d.Planned != nil {
		p.say("With the %s %s planned: power %s.", count(int64(d.Planned.Trials)), what, percent(d.Planned.Power))
	}
	if len(d.Curve) < 2 {
		return
	}
	c := blank(title + " by " + what)
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
