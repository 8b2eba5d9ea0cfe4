package html

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

type comparisonPage struct {
	Frame                frame.Frame
	Badge                badge
	By, Candidates, Base string
	Sides                facts
	Exit                 int
	Answers              []string
	Next                 string
	Contrasts            []contrastTop
	Parts                []folded
	Filters              []filter
	Groups               []comparedGroup
	Many                 bool
}

// WriteComparison writes a comparison as one HTML document, with the promises of Write.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	return writePage(w, comparisonKind, "comparison", newComparisonPage(c))
}

var comparisonKind = frame.Of(templates.Comparison)

func newComparisonPage(c *compare.Comparison) comparisonPage {
	d := c.Document()
	p := comparisonPage{Badge: newBadge(c.Gate.Status), By: name(c.By, ""), Base: name(c.Base.Name, "base"), Exit: d.Gate.Exit,
		Answers: each.Of(d.Gate.Reasons, line), Next: line(d.Next), Parts: comparisonParts(c)}
	var names []string
	for i := range c.Contrasts {
		names = append(names, name(c.Contrasts[i].Candidate.Name, "candidate"))
		about := d.Parts[i].About
		if len(c.Contrasts) > 1 {
			about[1].Label = names[i]
		}
		p.Sides = append(p.Sides, linesOf(about[min(i, 1):2])...)
		p.Contrasts = append(p.Contrasts, newContrastTop(c, i, &d.Parts[i]))
	}
	p.Candidates = strings.Join(names, ", ")
	p.Filters, p.Groups, p.Many = comparedGroups(c)
	p.Frame = comparisonKind().Frame(shorten(p.Badge.Word+" · "+p.Candidates+" against "+p.Base, titleRunes))
	return p
}

func linesOf(all []block.Fact) (f facts) {
	for _, one := range all {
		f.add(cmp.Or(line(one.Label), "Tally"), line(words.Join(" · ", append(slices.Clone(one.Names), words.Join(" ", one.Mark, one.Words))...)))
	}
	return f
}

func comparisonParts(c *compare.Comparison) []folded {
	var out []folded
	if len(c.Problems) > 0 {
		out = append(out, problemPart(c.Problems))
	}
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		of := words.If(len(c.Contrasts) > 1, " in "+name(x.Candidate.Name, "candidate"))
		out = append(out, insidePart("Checks"+of, "passed it", x.Checks)...)
		out = append(out, insidePart("Tools"+of, "called it", x.Tools)...)
		out = append(out, singlePart("New"+of, x.New)...)
		out = append(out, singlePart("Gone"+of, x.Gone)...)
	}
	return append(out, inputsPart(c))
}

const mostParts = 200

func insidePart(title, did string, all []compare.Part) []folded {
	if len(all) == 0 {
		return nil
	}
	t := newTable(title, "Over the tests that have it; base and candidate: trials that "+did+", of all", "name", "state", "#base",
		"#candidate", "#points", "interval", "#p", "#adjusted p", "#tests", "#with enough trials")
	for _, x := range all[:min(len(all), mostParts)] {
		t.row(slices.Concat([]string{name(x.Name, "no name"), x.State.Word(), x.Base.String(), x.Candidate.String()}, changeCells(&x.Change),
			[]string{count(x.Tests), count(x.Informative)})...)
	}
	t.Caption += words.If(len(all) > mostParts, "; "+count(len(all)-mostParts)+" more are in the json report")
	return []folded{{Title: title, Note: count(len(all)), Tables: []*table{t}}}
}

const mostSingles = 1000

func singlePart(title string, tests []compare.Single) []folded {
	if len(tests) == 0 {
		return nil
	}
	t := newTable(title, "", "test", "verdict", "#passed")
	for _, s := range tests[:min(len(tests), mostSingles)] {
		t.row(name(s.Key.RunnerName(), "no name"), newBadge(s.Status).Word, kOfN(s.Trials))
	}
	t.Caption = words.If(len(tests) > mostSingles, "The first of them; "+count(len(tests)-mostSingles)+" more are in the json report")
	return []folded{{Title: title, Note: plural(len(tests), "test"), Open: len(tests) <= openProblems, Tables: []*table{t}}}
}

func inputsPart(c *compare.Comparison) folded {
	t := newTable("Inputs", "Inputs; trials as delivered, before duplicates are merged", "side", "input", "format", "#trials")
	add := func(side string, h *envelope.RunHeader) {
		for _, s := range h.Sources {
			t.row(side, name(s.Input, "no name"), name(s.Format, ""), count(s.Trials))
		}
	}
	add("base", &c.Base.Run)
	for i := range c.Contrasts {
		add(name(c.Contrasts[i].Candidate.Name, "candidate"), &c.Contrasts[i].Candidate.Run)
	}
	return folded{Title: "Sources", Note: plural(len(t.Rows), "input"), Tables: []*table{t}}
}

func kOfN(t compare.Trials) string { return count(t.Passed) + "/" + count(t.N) }

type contrastTop struct {
	ID, Title, Stands, Policy string
	Rates                     []comparedRate
	Facts                     facts
}

type comparedRate struct {
	Name, Note, Value, Interval, Method string
	Plot                                *plot
	Forest                              *forest
}

type forest struct{ Words, Margin, Interval, Point string }

func newForest(d *compare.Difference, margin float64) *forest {
	if d == nil || d.Outside() {
		return nil
	}
	place := func(v float64) string { return tenth(axisStart + axisLength*(min(max(v, -1), 1)+1)/2) }
	return &forest{
		Words:    fmt.Sprintf("difference %s points, interval %s, margin %s", d.Points(), d.Interval(), compare.Signed(margin)),
		Margin:   "M" + place(-margin) + " 3v12M" + place(margin) + " 3v12",
		Interval: "M" + place(d.Lo) + " 9H" + place(d.Hi),
		Point:    place(d.Value),
	}
}

func stateBadge(s compare.State) badge {
	return badge{strings.ToUpper(s.Title()), strings.ReplaceAll(strings.ToLower(s.Title()), " ", "-")}
}

func newContrastTop(c *compare.Comparison, i int, part *block.Part) contrastTop {
	x := &c.Contrasts[i]
	top := contrastTop{ID: "run-" + count(i+1), Title: "The run", Policy: line(part.About[2].Words), Facts: linesOf(part.Summary)}
	says, numbers := x.StandsWords()
	if top.Stands = line(words.Join(" ", says, numbers)); len(c.Contrasts) > 1 {
		top.Title = name(x.Candidate.Name, "candidate")
	}
	if d := x.Run.Difference; d != nil {
		base, candidate := x.Run.Sides(x.Run.Base, x.Run.Candidate)
		top.Rates = append(top.Rates, sideRate("base", x, base), sideRate("candidate", x, candidate), comparedRate{Name: "change",
			Note: "within tests", Value: d.Points(), Interval: d.Interval(), Method: intervalWords(d.Method) + ", " +
				percent(c.Settings.Confidence), Forest: newForest(d, c.Settings.Margin)})
	}
	return top
}

func sideRate(word string, x *compare.Contrast, t compare.Trials) comparedRate {
	if x.ByScore() {
		return comparedRate{Name: word, Note: plural(t.N, "trial"), Value: t.Score(), Method: "mean score, each test once"}
	}
	r := comparedRate{Name: word, Note: kOfN(t)}
	if t.Rate != nil {
		p := ratePlot(t.Rate, envelope.Opt[float64]{})
		r.Value, r.Interval, r.Method, r.Plot = percent(t.Rate.Value), span(t.Rate.Lo, t.Rate.Hi), name(t.Rate.Method, ""), &p
	}
	return r
}

func intervalWords(method string) string { return cmp.Or(intervalNames[method], name(method, "")) }

var intervalNames = map[string]string{
	compare.IntervalPaired: "Tango", compare.IntervalPlain: "Newcombe", compare.IntervalScore: "score, over tests",
	compare.IntervalCluster: "clustered by test", compare.IntervalGroup: "clustered by group", compare.IntervalT: "Student's t of pairs",
	compare.IntervalWelch: "Welch's t", compare.IntervalBetting: "betting on pairs, valid at any time",
}
