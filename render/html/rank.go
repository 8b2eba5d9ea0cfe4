package html

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"tribunal/compare"
	"tribunal/compare/rank"
	"tribunal/envelope"
)

// WriteRanking writes a ranking as one HTML document, with the promises of Write: the
// frame and the parts are those of a plan.
func WriteRanking(w io.Writer, r *rank.Ranking) error {
	if r == nil {
		return errors.New("html: no ranking to write")
	}
	kind, err := planKind()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	page := planPage{Frame: kind.Frame(shorten("Ranking · "+line(r.Sentence()), titleRunes)), Title: "Ranking by " + name(r.By, "run"), About: line(r.Words())}
	for _, part := range []*planPart{rankedPart(r), duelPart(r), missingPart(r), troublePart(r.Problems)} {
		if part != nil {
			page.Parts = append(page.Parts, *part)
		}
	}
	return writePage(w, kind, "plan", page)
}

// rankedPart is who is the best, and the variants in their order.
func rankedPart(r *rank.Ranking) *planPart {
	part := &planPart{ID: "ranked", Title: "Who is the best", Lines: []string{line(r.Sentence())}}
	if r.Gate.ExitCode != 0 {
		part.say("%s (exit %d): %s.", newBadge(r.Gate.Status).Word, r.Gate.ExitCode, line(strings.Join(r.Gate.Reasons, "; ")))
	}
	if len(r.Variants) == 0 {
		return part
	}
	passed := "#passed"
	if r.Of == compare.OfScores {
		passed = "#scored"
	}
	titles := []string{"variant", "#place", "#can be", "#probability of being the best", "#" + strings.ToLower(r.Measure()), "#interval", passed, "#cost per success", "would tell it from the first"}
	if r.Variants[0].HeadToHead != nil {
		titles = append(titles, "head to head")
	}
	t := newTable("Variants in their order", "", titles...)
	for i := range r.Variants {
		v := &r.Variants[i]
		cells := []string{name(v.Name, "no name"), count(int64(v.Place)), v.Places(), percent(v.IsBest), valued(r, v.Mean.Value), spanned(r, v),
			r.Trials(v), costWords(v), rank.TellingWords(v.Telling)}
		if v.HeadToHead != nil {
			cells = append(cells, v.Duels())
		}
		t.row(cells...)
	}
	part.Tables = append(part.Tables, t.compact())
	if r.OnUnit() {
		part.Pictures = append(part.Pictures, rateForest(r))
	}
	if p := frontierPicture(r); p != nil && r.OnUnit() {
		part.Pictures = append(part.Pictures, *p)
	}
	part.note("Can be: the places that are not ruled out. They and the intervals hold for all variants at once. The probability of being the best is a belief, not an error rate: it supposes that nothing was known before.")
	return part
}

// valued is a pass rate, or a mean score, and spanned its interval.
func valued(r *rank.Ranking, v float64) string {
	if r.Of == compare.OfScores {
		return r.Value(v)
	}
	return percent(v)
}

func spanned(r *rank.Ranking, v *rank.Variant) string {
	if r.Of == compare.OfScores {
		return r.Value(v.Mean.Lo) + " to " + r.Value(v.Mean.Hi)
	}
	return span(v.Mean.Lo, v.Mean.Hi)
}

func costWords(v *rank.Variant) string {
	s := optional(v.CostUSD, dollars)
	if v.Beaten.V {
		s += ", beaten"
	}
	return s
}

// The rows of a forest plot, and how much of a name stands beside one, in runes.
const (
	forestRow                = 26
	forestLeft, forestRight  = 170, 840
	forestName, forestLength = 26, 860
)

// rateForest draws the rates and their intervals, one below the other.
func rateForest(r *rank.Ranking) picture {
	bottom := float64(pictureTop + forestRow*len(r.Variants))
	c := &chart{Title: r.Measure() + "s with intervals that hold at once", Width: forestLength, Height: int(bottom) + 24}
	x := scale{lo: 0, hi: 1, from: forestLeft, to: forestRight}
	c.mark("line", "frame", "", horizontal(bottom, forestLeft, forestRight))
	grid := ""
	for _, rate := range []float64{0, 0.25, 0.5, 0.75, 1} {
		grid += vertical(x.at(rate), pictureTop, bottom)
		c.text(x.at(rate), bottom+16, "middle", valued(r, rate))
	}
	c.mark("line", "grid", "", grid)
	data := newTable(r.Measure()+"s", "", "variant", "#"+strings.ToLower(r.Measure()), "#interval")
	for i := range r.Variants {
		v := &r.Variants[i]
		y := pictureTop + forestRow*(float64(i)+0.5)
		who := name(v.Name, "no name")
		c.text(forestLeft-6, y+4, "end", shorten(who, forestName))
		class, shape := "two", "circle"
		if v.From == 1 {
			class, shape = "one", "square"
		}
		c.mark("line", class, "", horizontal(y, x.at(v.Mean.Lo), x.at(v.Mean.Hi)))
		c.Marks = append(c.Marks, mark{Kind: "dot", Class: class, Path: shapePath(shape, spot{x.at(v.Mean.Value), y}),
			Title: shorten(who, scatterTitle) + ": " + valued(r, v.Mean.Value) + ", " + spanned(r, v)})
		data.row(who, valued(r, v.Mean.Value), spanned(r, v))
	}
	c.say("squares may be the best, circles are surely worse than another")
	return picture{Title: r.Measure() + "s", Note: "The mean over the tests and its interval. A square may be the best; a circle is surely worse than another variant.", Chart: c, Data: data}
}

// frontierPicture draws what a success costs against the rate; nil without the costs of
// two.
func frontierPicture(r *rank.Ranking) *picture {
	var points []*rank.Variant
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range r.Variants {
		if v := &r.Variants[i]; v.Beaten.OK && finite(v.CostUSD.V) {
			points = append(points, v)
			lo, hi = min(lo, v.CostUSD.V), max(hi, v.CostUSD.V)
		}
	}
	if len(points) < 2 || !finite(hi-lo) {
		return nil
	}
	measure := strings.ToLower(r.Measure())
	a := axis{words: "cost per success, US dollars", value: dollars, tick: dollars, step: tickStep, round: roundNumbers}
	p := &picture{Title: "Cost against " + measure, Chart: blank("Cost per success against " + measure + " of " + plural(int64(len(points)), "variant")),
		Note: "Cheaper is to the left, better is up; the numbers are the places. A square is not beaten: no other variant passes as often and costs less, or more often and costs no more."}
	x := scale{lo: lo, hi: hi, from: pictureLeft + 10, to: pictureRight - 10, log: lo > 0 && hi/lo > scatterWide}
	y := p.Chart.rateAxis()
	if lo < hi {
		p.Chart.valueAxis(x, a)
	} else {
		p.Chart.tick(x.at(lo), dollars(lo))
		p.Chart.axisTitle(a.words)
	}
	p.Data = newTable("Cost against "+measure, "", "variant", "#"+measure, "#cost per success", "beaten")
	for _, v := range points {
		class, shape := "one", "square"
		if v.Beaten.V {
			class, shape = "two", "circle"
		}
		who := name(v.Name, "no name")
		p.Chart.text(x.at(v.CostUSD.V), y.at(v.Mean.Value)-7, "middle", count(int64(v.Place)))
		p.Chart.Marks = append(p.Chart.Marks, mark{Kind: "dot", Class: class, Path: shapePath(shape, spot{x.at(v.CostUSD.V), y.at(v.Mean.Value)}),
			Title: shorten(who, scatterTitle) + ": " + valued(r, v.Mean.Value) + ", " + dollars(v.CostUSD.V)})
		p.Data.row(who, valued(r, v.Mean.Value), dollars(v.CostUSD.V), yesNo(v.Beaten.V))
	}
	p.Chart.say("squares are not beaten in both by any other")
	return p
}

// mostDuels is how many variants are shown against each other.
const mostDuels = 30

// duelPart is every variant against those below it.
func duelPart(r *rank.Ranking) *planPart {
	n := len(r.Variants)
	if n < 2 {
		return nil
	}
	part := &planPart{ID: "pairs", Title: "Every two of them"}
	if n > mostDuels {
		part.note("%s are too many to show every two: the json report has them.", plural(int64(n), "variant"))
		return part
	}
	titles := []string{"variant"}
	for i := 1; i < n; i++ {
		titles = append(titles, "#"+name(r.Variants[i].Name, "no name"))
	}
	above := "Percentage points that the variant of the row passes more often than that of the column"
	if r.Of == compare.OfScores {
		above = "By how much the mean score of the variant of the row is above that of the column"
	}
	part.note("%s, with intervals that hold at once; sure, or ~ where chance may explain it.", above)
	t := newTable("Every two variants", "", titles...)
	for i := range n - 1 {
		row := []string{name(r.Variants[i].Name, "no name")}
		for j := 1; j < n; j++ {
			text := ""
			if j > i {
				p := r.Between(i, j)
				text = p.Points() + " " + p.Difference.Interval()
				if p.Sure {
					text = "sure " + text
				}
			}
			row = append(row, text)
		}
		t.row(row...)
	}
	part.Tables = append(part.Tables, t)
	return part
}

// missingPart lists the tests that are not ranked.
func missingPart(r *rank.Ranking) *planPart {
	if len(r.Missing) == 0 {
		return nil
	}
	part := &planPart{ID: "missing", Title: "Not ranked"}
	part.say("%s that not every variant tried.", plural(int64(len(r.Missing)), "test"))
	t := newTable("Tests that are not ranked", "", "test", "not tried by")
	for i := range r.Missing[:min(len(r.Missing), mostUnsettled)] {
		m := &r.Missing[i]
		t.row(name(m.Key.String(), "no name"), line(strings.Join(m.Without, ", ")))
	}
	if more := len(r.Missing) - mostUnsettled; more > 0 {
		part.note("And %s more.", count(int64(more)))
	}
	part.Tables = append(part.Tables, t)
	return part
}

// troublePart is what is wrong with the input.
func troublePart(all []envelope.Problem) *planPart {
	if len(all) == 0 {
		return nil
	}
	folded := problemPart(all)
	return &planPart{ID: "problems", Title: folded.Title, Tables: folded.Tables}
}
