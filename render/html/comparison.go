package html

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
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
	Sides                []aboutSide
	Policy, Gate         string
	Reasons              []string
	Contrasts            []contrastTop
	Parts                []folded
	Filters              []filter
	Groups               []comparedGroup
	Many                 bool
}

type aboutSide struct {
	Word  string
	Facts facts
}

// WriteComparison writes a comparison as one HTML document, with the promises of Write.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	return writePage(w, comparisonKind, "comparison", newComparisonPage(c))
}

var comparisonKind = frame.Of(templates.Comparison)

func newComparisonPage(c *compare.Comparison) comparisonPage {
	p := comparisonPage{Badge: newBadge(c.Gate.Status), By: name(c.By, ""), Base: name(c.Base.Name, "base"), Policy: c.Settings.Words(),
		Gate: gateWords(&c.Gate), Sides: []aboutSide{{"base", aboutOf(&c.Base, len(c.Contrasts) > 0 && c.Contrasts[0].ByScore())}}}
	p.Reasons = each.Of(c.Gate.Reasons, line)
	var names []string
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		names = append(names, name(x.Candidate.Name, "candidate"))
		word := "candidate"
		if len(c.Contrasts) > 1 {
			word = names[i]
		}
		p.Sides = append(p.Sides, aboutSide{word, aboutOf(&x.Candidate, x.ByScore())})
		p.Contrasts = append(p.Contrasts, newContrastTop(c, x, i))
	}
	p.Candidates = strings.Join(names, ", ")
	p.Parts = comparisonParts(c)
	p.Filters, p.Groups, p.Many = comparedGroups(c)
	p.Frame = comparisonKind().Frame(shorten(p.Badge.Word+" · "+p.Candidates+" against "+p.Base, titleRunes))
	return p
}

func gateWords(g *compare.Gate) string {
	switch g.Status {
	case envelope.Pass:
		return "No change fails this comparison: exit code 0."
	case envelope.Fail:
		return fmt.Sprintf("The comparison fails: exit code %d.", g.ExitCode)
	}
	return fmt.Sprintf("The input cannot be relied on: exit code %d.", g.ExitCode)
}

// aboutOf is a run in numbers; what passed of scores depends on where they are cut.
func aboutOf(s *compare.Side, byScore bool) facts {
	var f facts
	f.add("", name(s.Run.Name, name(s.Run.ID, "")))
	f.add("commit", name(s.Run.Commit, ""))
	f.add("started", instant(s.Run.StartedAt))
	f.add("", plural(s.Tests, "test"))
	f.add("", plural(s.Trials.Counted, "counted trial"))
	if r := s.Rate.PerProtocol; r != nil && !byScore {
		f.add("pass rate", percent(r.Value))
	}
	f.add("spent", optional(s.CostUSD, dollars))
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
		out = append(out, singlePart("Gone"+of, x.Gone)...)
		out = append(out, singlePart("New"+of, x.New)...)
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
	for i := range all[:min(len(all), mostParts)] {
		x := &all[i]
		points, interval := "", ""
		if d := x.Difference; d != nil {
			points, interval = compare.Signed(d.Value), d.Interval()
		}
		t.row(name(x.Name, "no name"), x.State.Word(), x.Base.String(), x.Candidate.String(), points, interval, optional(x.PValue, pWords),
			optional(x.PAdjusted, pWords), count(x.Tests), count(x.Informative))
	}
	if more := len(all) - mostParts; more > 0 {
		t.Caption += "; " + count(more) + " more are in the json report"
	}
	return []folded{{Title: title, Note: count(len(all)), Tables: []*table{t}}}
}

const mostSingles = 1000

func singlePart(title string, tests []compare.Single) []folded {
	if len(tests) == 0 {
		return nil
	}
	t := newTable(title, "", "test", "verdict", "#passed")
	for i := range tests[:min(len(tests), mostSingles)] {
		s := &tests[i]
		t.row(name(s.Key.RunnerName(), "no name"), newBadge(s.Status).Word, kOfN(s.Trials))
	}
	if more := len(tests) - mostSingles; more > 0 {
		t.Caption = "The first of them; " + count(more) + " more are in the json report"
	}
	return []folded{{Title: title, Note: plural(len(tests), "test"), Open: len(tests) <= openProblems, Tables: []*table{t}}}
}

func inputsPart(c *compare.Comparison) folded {
	t := newTable("Inputs", "Inputs; trials as delivered, before duplicates are put together", "side", "input", "format", "#trials")
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
	ID, Title, State string
	Words, Tally     string
	Rates            []comparedRate
	Facts            facts
	Inside           []string // what changed within trials
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
	if s == "" {
		return badge{"NOT RUN", "not-run"}
	}
	word := s.Word()
	if s == compare.Unresolved {
		word = "UNRESOLVED"
	}
	return badge{word, string(s)}
}

func newContrastTop(c *compare.Comparison, x *compare.Contrast, i int) contrastTop {
	run := &x.Run
	top := contrastTop{ID: "run-" + count(i+1), Title: "The run", Words: line(run.Sentence()), Tally: plural(x.Summary.Tests, "test") +
		": " + x.Summary.Tally()}
	if len(c.Contrasts) > 1 {
		top.Title = name(x.Candidate.Name, "candidate")
	}
	if d := run.Difference; d != nil {
		top.State = strings.ToLower(stateTitles[run.State])
		top.Rates = append(top.Rates, sideRate("base", x, run.Base), sideRate("candidate", x, run.Candidate), comparedRate{Name: "change",
			Note: "within tests", Value: d.Points(), Interval: d.Interval(), Method: intervalWords(d.Method) + ", " +
				percent(c.Settings.Confidence), Forest: newForest(d, c.Settings.Margin)})
	}
	top.Facts.add("score", line(run.ScoreWords()))
	top.Facts.add("typical time", tookWords(run.DurationMS, x.SureWords(compare.Took), duration))
	top.Facts.add("typical cost", tookWords(run.CostUSD, x.SureWords(compare.Paid), dollars))
	top.Inside = each.Of(x.InsideWords(), line)
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
	compare.IntervalWelch: "Welch's t", compare.IntervalBetting: "betting on pairs, at all times",
}

func tookWords(m *compare.Measurement, single string, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	return unit(m.Base) + " before, " + unit(m.Candidate) + " now: " + strings.Replace(m.Relative(), "~", "no clear change", 1) +
		optional(m.PValue, func(p float64) string { return " (p " + pWords(p) + ")" }) + m.ApartFrom() + line(single)
}
