package html

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// detail is a test opened: what it says in words, and more.
type detail struct {
	Reason string
	Change string // what would make it another verdict
	Source *source
	Inside *inside
	Trials *kept
	More   *more // nil where it travels as data
}

// more is the pictures and the numbers of a test.
type more struct {
	Words  []string // what else the verdict rests on, a sentence each
	Charts []*chart
	Curve  *curve
	Facts  []factGroup
	Strip  strip // the whole of it, when the line of the test could not hold it
}

// opener makes the details of the tests of a run.
type opener struct {
	run      *envelope.Envelope
	commit   string
	kinds    []string // the titles of the kinds
	ordinary bool     // each test has one trial, and its line no rate
	source   sourceURL
	steps    []envelope.Step
	texts    []string
	// ignored are the tools that are no steps, a line each.
	ignored string
	// images are nil where none are put into the page.
	images *images
}

func newOpener(e *envelope.Envelope, o Options) (*opener, error) {
	source, err := parseSourceURL(o.SourceURL)
	var ignored []string
	for _, tool := range e.Policy.IgnoreSteps {
		ignored = append(ignored, name(tool, ""))
	}
	return &opener{run: e, kinds: standing.KindTitles(e), ordinary: standing.Ordinary(e), commit: e.Run.Commit,
		source: source, steps: e.Steps, texts: e.Texts, ignored: strings.Join(ignored, "\n")}, err
}

// detail is what a test says in words; static is how many of its conversations are.
func (o *opener) detail(t *envelope.Test, static int) *detail {
	return &detail{Reason: o.reason(t), Change: changeWords(t.Verdict), Source: o.source.of(t, o.commit),
		Inside: o.newInside(t, static), Trials: o.newKept(t)}
}

// newMore is the rest of a test opened. Without pictures, what they would show
// is in words still.
func newMore(t *envelope.Test, pictures bool) *more {
	m := &more{Words: append(verdictSentences(t.Verdict), misjudged(t)...), Facts: factGroups(t)}
	if !fitsLine(t.Rows.Outcome) {
		m.Strip = longStrip(t.Rows.Outcome)
	}
	if t.Reliability != nil {
		m.Curve = newCurve(t.Reliability.Curve)
	}
	if pictures {
		m.Charts = testCharts(t)
		m.Curve.draw()
	}
	return m
}

// misjudged is the sentence of the trials of which a person said other than the judge.
func misjudged(t *envelope.Test) []string {
	s := standing.Misjudged(t)
	if s == "" {
		return nil
	}
	return []string{"Judge and person differ. " + strings.ToUpper(s[:1]) + s[1:] + "."}
}

// alike reports a test whose trials all came to the same.
func alike(t *envelope.Test) bool {
	return t.Trials.Passed == t.Trials.Total || t.Trials.Passed == 0
}

// testCharts are the drawings of a test, as far as there is anything to see.
func testCharts(t *envelope.Test) []*chart {
	all := []*chart{
		evidenceChart(t.Verdict),
		histogramChart("Scores of the counted trials", newHistogram(t.Rows, t.Rows.Score()), number),
		histogramChart("Times of the counted trials", newHistogram(t.Rows, t.Rows.DurationMS()), duration),
		histogramChart("Costs of the counted trials", newHistogram(t.Rows, t.Rows.CostUSD()), dollars),
	}
	return slices.DeleteFunc(all, func(c *chart) bool { return c == nil })
}

func labelFacts(labels map[string]string) facts {
	if len(labels) == 0 {
		return nil
	}
	var f facts
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		f = append(f, fact{name(label, "no name"), name(labels[label], "empty")})
	}
	return f
}

// reason is what the verdict says; "" where the row beside it says the same: of the rule
// all, that so many trials did not pass, and of the rule any, that none did.
func (o *opener) reason(t *envelope.Test) string {
	if (t.Verdict.Rule == "all" || t.Verdict.Rule == "any") && t.Status == envelope.Fail && t.Trials.Counted > 0 && t.Quarantine == nil {
		return ""
	}
	return line(t.Verdict.Reason)
}
