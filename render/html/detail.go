package html

import (
	"maps"
	"slices"

	"tribunal/envelope"
)

// detail is a test opened.
type detail struct {
	Reason string
	Words  []string // what else the verdict rests on, a sentence each
	Source *source
	Trials *kept
	Charts []*chart
	Curve  *curve
	Facts  []factGroup
	Strip  []letters // the whole of it, when the line of the test could not hold it
}

// opener makes the details of the tests of a run.
type opener struct {
	commit string
	source sourceURL
	many   bool
	drawn  int
}

// From manyTests tests on, a test whose trials were all alike has no drawings
// and few explanations, because its line says it all, and drawnDetails tests of
// the others have drawings, the first of the page: thousands of them would make
// a page that nobody can load. What a drawing shows is in words in any case.
const (
	manyTests    = 500
	drawnDetails = 500
)

func newOpener(e *envelope.Envelope, o Options) (*opener, error) {
	source, err := parseSourceURL(o.SourceURL)
	return &opener{commit: e.Run.Commit, source: source, many: len(e.Tests) >= manyTests}, err
}

func (o *opener) detail(t *envelope.Test, stripWhole bool) detail {
	d := detail{Reason: line(t.Verdict.Reason), Facts: factGroups(t), Trials: newKept(t), Source: o.source.of(t, o.commit)}
	if !stripWhole {
		d.Strip = longStrip(t.Rows.Outcome)
	}
	if t.Reliability != nil {
		d.Curve = newCurve(t.Reliability.Curve)
	}
	if o.many && alike(t) {
		d.Words = sentences(changeWords(&t.Verdict))
		return d
	}
	d.Words = verdictSentences(&t.Verdict)
	if o.drawn++; !o.many || o.drawn <= drawnDetails {
		d.Charts = testCharts(t)
		d.Curve.draw()
	}
	return d
}

// alike reports a test whose trials all came to the same.
func alike(t *envelope.Test) bool {
	return t.Trials.Passed == t.Trials.Total || t.Trials.Passed == 0
}

// testCharts are the drawings of a test, as far as there is anything to see.
func testCharts(t *envelope.Test) []*chart {
	all := []*chart{
		evidenceChart(&t.Verdict),
		histogramChart("Scores of the counted trials", newHistogram(&t.Rows, t.Rows.Score), number),
		histogramChart("Times of the counted trials", newHistogram(&t.Rows, t.Rows.DurationMS), duration),
		histogramChart("Costs of the counted trials", newHistogram(&t.Rows, t.Rows.CostUSD), dollars),
	}
	return slices.DeleteFunc(all, func(c *chart) bool { return c == nil })
}

func labelFacts(labels map[string]string) facts {
	var f facts
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		f = append(f, fact{name(label, "no name"), name(labels[label], "empty")})
	}
	return f
}
