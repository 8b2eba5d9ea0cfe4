package html

import (
	"encoding/hex"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type row struct {
	namedTest
	ID              string
	Kind, Status    string // a word of the schema, and what people call it
	Bare, Open      bool   // Bare is a name that is only a number
	Flags           []string
	Passed          string
	Rate            *rate
	Strip           strip
	Time, Cost, Why string
	Detail          *detail // nil where it travels as data
}

func (o *opener) line(t *envelope.Test) row {
	kind := standing.KindIn(o.run, t)
	r := row{namedTest: namedOf(t.Key), ID: testID(t.Key), Kind: string(kind), Status: strings.ToLower(o.kinds[kindPlaces[kind]]),
		Time: t.MedianMS().Text("", duration), Cost: t.CostUSD.Text("", dollars), Why: o.why(t)}
	if t.Status != envelope.Pass && t.Owners != nil {
		r.Why = strings.TrimPrefix(r.Why+" · "+line(standing.Owners(t)), " · ")
	}
	r.Flags, _ = flags(t)
	if r.Bare = strings.Trim(r.Test, "0123456789") == "" && r.Suite == ""; o.ordinary {
		return r
	}
	r.Passed = passedOf(t)
	if p := t.Rate.PerProtocol; p != nil {
		value, interval := standing.Judged(t)
		if i := t.Verdict.Interval; t.ByScore() && i != nil {
			p = &envelope.Rate{Value: t.Score.Mean, Lo: i.Lo, Hi: i.Hi}
		}
		r.Rate = &rate{Value: strings.Replace(value, " ", nbsp, 1), Interval: interval, Plot: wordlessPlot(p, t.Verdict.Threshold)} // the words stand beside it
	}
	r.Strip, _ = shortStrip(t.Rows.Outcome)
	return r
}

type namedTest struct{ Suite, Between, Test, Variant string }

func namedOf(k envelope.Key) namedTest {
	suite, between := suiteOf(k)
	return namedTest{suite, between, name(k.Test, "no name"), name(k.Variant, "")}
}

func suiteOf(k envelope.Key) (suite, between string) {
	if suite, between = k.RunnerSuite(); name(suite, "") == "" {
		return "", ""
	}
	return name(suite, ""), between
}

// testID is the place of a test in the page, the same in every run that has it:
// names can be of any length and hold anything, so it is made of a hash.
func testID(k envelope.Key) string {
	sum := standing.Digest(k.Suite, k.Test, k.Variant)
	return string(hex.AppendEncode([]byte("t-"), sum[:8]))
}

type flagKind struct {
	word string
	has  func(*envelope.Test) bool
}

var flagKinds = []flagKind{
	{"COST", func(t *envelope.Test) bool { return t.CostLimited }},
	{"QUARANTINED", func(t *envelope.Test) bool { return t.Quarantined }},
	inState(trend.Broken), inState(trend.NewFlaky), inState(trend.DriftingDown), inState(trend.DriftingUp),
	inState(trend.Fixed), inState(trend.New),
}

func inState(s trend.State) flagKind {
	return flagKind{string(s), func(t *envelope.Test) bool { return t.History != nil && t.History.State == string(s) }}
}

func flags(t *envelope.Test) (out []string, bits int) {
	for i, f := range flagKinds {
		if f.has(t) {
			out, bits = append(out, f.word), bits|1<<i
		}
	}
	return out, bits
}

func passedOf(t *envelope.Test) string { return count(t.Trials.Passed) + "/" + count(t.Trials.Counted) }

// why is the shortest answer to why a test is not a plain pass: what went wrong most
// often, or for an undecided test what is missing. What its line says in any case is none.
func (o *opener) why(t *envelope.Test) string {
	whys := why.Spoken(o.run, t)
	switch {
	case t.Status == envelope.Inconclusive && t.Verdict.Reason != "":
		return lead(standing.Reason(t))
	case len(whys) == 0:
		if t.Status == envelope.Pass || t.KindOf() == envelope.KindSkipped || t.KindOf().Red() && t.Trials.Passed < t.Trials.Counted && t.Quarantine == nil {
			return ""
		}
		return lead(t.Verdict.Reason)
	case t.Trials.Total == 1 || t.Trials.Counted == 0:
		return lead(whys[0].Text())
	}
	return count(whys[0].Trials) + "× " + lead(whys[0].Text()) + words.If(len(whys) > 1, " · "+plural(len(whys)-1, "other reason"))
}

// table is any plain table: the first cell of a row is its heading.
type table struct {
	Title   string // for those who hear the page
	Caption string // for everybody; "" where a heading says it
	Columns []column
	Rows    [][]cell
}

type column struct {
	Name   string
	Number bool // aligned to the right
	Axis   []string
}

type cell struct {
	Text   string
	Number bool
	Span   *spanMark // drawn in place of the text
}

// newTable returns a table without rows. A heading that starts with # is of a column of numbers.
func newTable(title, caption string, headings ...string) *table {
	t := &table{Title: title, Caption: caption}
	for _, h := range headings {
		number := h[0] == '#'
		if number {
			h = h[1:]
		}
		t.Columns = append(t.Columns, column{Name: h, Number: number})
	}
	return t
}

func (t *table) row(texts ...string) {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{Text: text, Number: t.Columns[i].Number}
	}
	t.Rows = append(t.Rows, row)
}

func (t *table) compact() *table {
	said := make([]bool, len(t.Columns))
	said[0] = true
	for _, row := range t.Rows {
		for i, c := range row {
			said[i] = said[i] || c.Text != ""
		}
	}
	t.Columns = chosen(t.Columns, said)
	for i, row := range t.Rows {
		t.Rows[i] = chosen(row, said)
	}
	return t
}

func chosen[T any](all []T, which []bool) []T {
	var out []T
	for i, v := range all {
		if which[i] {
			out = append(out, v)
		}
	}
	return out
}

type folded struct {
	Title, Note string
	Open        bool
	Facts       facts
	Tables      []*table
}

// letters is a run of equal outcomes in the strip of a test. Equal neighbours
// share an element: most tests are one run, however many trials they have.
type letters struct{ Class, Letters, Title string }

type strip []letters

// How much of a strip is shown, in letters.
const (
	stripHead = 24   // in the line of a test whose strip is long,
	stripTail = 8    // at its two ends
	stripFull = 2000 // in the opened test
)

var outcomeWords = map[envelope.Outcome]struct{ class, words string }{
	envelope.Passed: {"p", "passed"}, envelope.Failed: {"f", "failed"}, envelope.Errored: {"e", "errored"},
	envelope.Excluded: {"x", "excluded"}, envelope.Skipped: {"s", "skipped"},
}

func shortStrip(all envelope.Outcomes) (strip []letters, whole bool) {
	if fitsLine(all) {
		return runs(all, 0, len(all)), true
	}
	tail := len(all) - stripTail
	return append(append(runs(all, 0, stripHead), gap(tail-stripHead)), runs(all, tail, len(all))...), false
}

func fitsLine(all envelope.Outcomes) bool { return len(all) <= stripHead+stripTail+2 }

func longStrip(all envelope.Outcomes) []letters {
	if len(all) <= stripFull {
		return runs(all, 0, len(all))
	}
	return append(runs(all, 0, stripFull), gap(len(all)-stripFull))
}

func gap(n int) letters {
	return letters{"gap", " +" + count(n) + " ", plural(n, "trial") + " not shown here"}
}

func runs(all envelope.Outcomes, from, to int) []letters {
	var out []letters
	for start, end := range standing.EqualRuns(all[from:to]) {
		out = append(out, equal(all[from+start], from+start, from+end))
	}
	return out
}

func equal(o envelope.Outcome, start, end int) letters {
	w, ok := outcomeWords[o]
	letter := string([]byte{byte(o)})
	if !ok { // of a later version
		w.class, w.words, letter = "x", "unknown", "?"
	}
	return letters{w.class, strings.Repeat(letter, end-start), trialsEnded(start, end, w.words)}
}

func trialsEnded(start, end int, words string) string {
	if end == start+1 {
		return "trial " + count(end) + " " + words
	}
	return "trials " + count(start+1) + " to " + count(end) + " " + words
}
