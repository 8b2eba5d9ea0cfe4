package html

import (
	"fmt"
	"strings"

	"tribunal/compare"
	"tribunal/envelope"
)

// contrastTop is one candidate as a whole.
type contrastTop struct {
	ID, Title, State string
	Words, Tally     string
	Rates            []comparedRate
	Facts            facts
	Inside           []string // what changed within trials
}

// comparedRate is a rate of one side, or the difference of both.
type comparedRate struct {
	Name, Note, Value, Interval, Method string
	Plot                                *plot
	Forest                              *forest
}

// forest is a difference on the axis from -1 to 1: coordinates for
// comparison.html, and the same in words.
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

// stateBadge is a state as a word and the class that comparison.css colours it by.
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
	top := contrastTop{ID: "run-" + count(int64(i+1)), Title: "The run", Words: line(run.Sentence()), Tally: plural(int64(x.Summary.Tests), "test") + ": " + x.Summary.Tally()}
	if len(c.Contrasts) > 1 {
		top.Title = name(x.Candidate.Name, "candidate")
	}
	if d := run.Difference; d != nil {
		top.State = strings.ToLower(stateTitles[run.State])
		top.Rates = append(top.Rates, sideRate("base", x, run.Base), sideRate("candidate", x, run.Candidate), comparedRate{Name: "change",
			Note: "within tests", Value: d.Points(), Interval: d.Interval(), Method: intervalWords(d.Method) + ", " + percent(c.Settings.Confidence), Forest: newForest(d, c.Settings.Margin)})
	}
	top.Facts.add("score", line(run.ScoreWords()))
	top.Facts.add("typical time", tookWords(run.DurationMS, x.SureWords(compare.Took), duration))
	top.Facts.add("typical cost", tookWords(run.CostUSD, x.SureWords(compare.Paid), dollars))
	for _, said := range x.InsideWords() {
		top.Inside = append(top.Inside, line(said))
	}
	return top
}

func sideRate(word string, x *compare.Contrast, t compare.Trials) comparedRate {
	if x.ByScore() {
		return comparedRate{Name: word, Note: plural(int64(t.N), "trial"), Value: t.Score(), Method: "mean score, each test once"}
	}
	r := comparedRate{Name: word, Note: kOfN(t)}
	if t.Rate != nil {
		p := ratePlot(t.Rate, envelope.Opt[float64]{})
		r.Value, r.Interval, r.Method, r.Plot = percent(t.Rate.Value), span(t.Rate.Lo, t.Rate.Hi), name(t.Rate.Method, ""), &p
	}
	return r
}

func intervalWords(method string) string {
	switch method {
	case compare.IntervalPaired:
		return "Tango"
	case compare.IntervalPlain:
		return "Newcombe"
	case compare.IntervalScore:
		return "score, over tests"
	case compare.IntervalCluster:
		return "clustered by test"
	case compare.IntervalGroup:
		return "clustered by group"
	case compare.IntervalT:
		return "Student's t of pairs"
	case compare.IntervalWelch:
		return "Welch's t"
	case compare.IntervalBetting:
		return "betting on pairs, at all times"
	}
	return name(method, "")
}

// tookWords is what trials took before and now.
func tookWords(m *compare.Measurement, single string, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	return unit(m.Base) + " before, " + unit(m.Candidate) + " now: " + strings.Replace(m.Relative(), "~", "no clear change", 1) + optional(m.PValue, func(p float64) string { return " (p " + pWords(p) + ")" }) + m.ApartFrom() + line(single)
}
