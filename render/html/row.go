package html

import (
	"encoding/hex"
	"strings"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// row is one test: its line, and behind it everything known of it.
type row struct {
	ID              string
	Kind, Status    string // a word of the schema, and what people call it
	Bare, Open      bool   // Bare is a name that is only a number
	Suite, Between  string // as its runner prints them
	Test, Variant   string
	Flags           []string
	Passed          string
	Rate            *rate
	Strip           strip
	Time, Cost, Why string
	Detail          *detail // nil where it travels as data
}

// line is the line of a test alone.
func (o *opener) line(t *envelope.Test) row {
	r := row{ID: testID(t.Key), Kind: string(t.KindOf()), Status: strings.ToLower(o.kinds[kindPlaces[t.KindOf()]]),
		Test: name(t.Test, "no name"), Variant: name(t.Variant, ""),
		Time: optional(t.MedianMS(), duration), Cost: optional(t.CostUSD, dollars), Why: o.why(t)}
	if t.Status != envelope.Pass && t.Owners != nil {
		r.Why = strings.TrimPrefix(r.Why+" · "+line(standing.Owners(t)), " · ")
	}
	r.Suite, r.Between = suiteOf(t.Key)
	r.Flags, _ = flags(t)
	if r.Bare = strings.Trim(r.Test, "0123456789") == "" && r.Suite == ""; o.ordinary {
		return r
	}
	r.Passed = passedOf(t)
	if p := t.Rate.PerProtocol; p != nil {
		r.Rate = &rate{Value: words.Percent(p.Value) + nbsp + "%", Interval: "[" + words.Percent(p.Lo) + "–" + words.Percent(p.Hi) + "]",
			Plot: wordlessPlot(p, t.Verdict.Threshold)} // the words stand beside it
	}
	r.Strip, _ = shortStrip(t.Rows.Outcome)
	return r
}

// suiteOf is the suite in a test's name, and what stands between it and the test.
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

// flagKinds are the flags beside a badge, by the bits of the index.
var flagKinds = []flagKind{
	{"COST", func(t *envelope.Test) bool { return t.CostLimited }},
	{"QUARANTINED", func(t *envelope.Test) bool { return t.Quarantined }},
	inState(trend.Broken), inState(trend.NewFlaky), inState(trend.DriftingDown), inState(trend.DriftingUp), inState(trend.Fixed), inState(trend.New),
}

// inState is the flag of tests that the history says this of.
func inState(s trend.State) flagKind {
	return flagKind{string(s), func(t *envelope.Test) bool { return t.History != nil && t.History.State == string(s) }}
}

// flags are the flags of a test, in words and as bits.
func flags(t *envelope.Test) (out []string, bits int) {
	for i, f := range flagKinds {
		if f.has(t) {
			out, bits = append(out, f.word), bits|1<<i
		}
	}
	return out, bits
}

func passedOf(t *envelope.Test) string {
	return count(int64(t.Trials.Passed)) + "/" + count(int64(t.Trials.Counted))
}

// why is the shortest answer to why a test is not a plain pass: what went wrong most
// often, or for an undecided test what is missing. What its line says in any case is none.
func (o *opener) why(t *envelope.Test) string {
	whys := standing.Spoken(o.run, t)
	switch {
	case t.Status == envelope.Inconclusive && t.Verdict.Reason != "":
		return lead(t.Verdict.Reason)
	case len(whys) == 0:
		if t.Status == envelope.Pass || t.KindOf() == envelope.KindSkipped || t.KindOf().Red() && t.Trials.Counted > 0 && t.Quarantine == nil {
			return ""
		}
		return lead(t.Verdict.Reason)
	case t.Trials.Total == 1 || t.Trials.Counted == 0:
		return lead(whys[0].Text())
	}
	says := count(int64(whys[0].Trials)) + "× " + lead(whys[0].Text())
	if len(whys) > 1 {
		says += " · " + plural(int64(len(whys)-1), "other reason")
	}
	return says
}
