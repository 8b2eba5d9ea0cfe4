package html

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type detail struct {
	Reason string
	Change string // what would make it another verdict
	Source *source
	Inside *inside
	Trials *kept
	More   *more // nil where it travels as data
}

type more struct {
	Words  []string // what else the verdict rests on, a sentence each
	Charts []*chart
	Curve  *curve
	Facts  []factGroup
	Strip  strip // the whole of it, when the line of the test could not hold it
	Past   *past
}

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
	ignored := each.Of(e.Policy.IgnoreSteps, func(tool string) string { return name(tool, "") })
	return &opener{run: e, kinds: standing.KindTitles(e), ordinary: standing.Ordinary(e), commit: e.Run.Commit,
		source: source, steps: e.Steps, texts: e.Texts, ignored: strings.Join(ignored, "\n")}, err
}

func (o *opener) detail(t *envelope.Test, static int) *detail {
	return &detail{Reason: o.reason(t), Change: changeWords(t.Verdict), Source: o.source.of(t, o.commit),
		Inside: o.newInside(t, static), Trials: o.newKept(t)}
}

func newMore(t *envelope.Test, pictures bool) *more {
	m := &more{Words: verdictSentences(t.Verdict), Past: newPast(t)}
	if s := standing.Misjudged(t); s != "" {
		m.Words = append(m.Words, "Judge and person differ. "+strings.ToUpper(s[:1])+s[1:]+".")
	}
	for _, g := range factsOf {
		var f facts
		if g.add(&f, t); len(f) > 0 {
			m.Facts = append(m.Facts, factGroup{g.title, f})
		}
	}
	if !fitsLine(t.Rows.Outcome) {
		m.Strip = longStrip(t.Rows.Outcome)
	}
	if t.Reliability != nil {
		m.Curve = newCurve(t.Reliability.Curve)
	}
	if pictures {
		m.Charts = drawn(
			evidenceChart(t.Verdict),
			histogramChart("Scores of the counted trials", newHistogram(t.Rows, t.Rows.Score()), number),
			histogramChart("Times of the counted trials", newHistogram(t.Rows, t.Rows.DurationMS()), duration),
			histogramChart("Costs of the counted trials", newHistogram(t.Rows, t.Rows.CostUSD()), dollars),
		)
		m.Curve.draw()
	}
	return m
}

func alike(t *envelope.Test) bool { return t.Trials.Passed == t.Trials.Total || t.Trials.Passed == 0 }

func drawn(all ...*chart) []*chart {
	return slices.DeleteFunc(all, func(c *chart) bool {
		return c == nil
	})
}

func labelFacts(labels map[string]string) facts {
	return each.Of(slices.Sorted(maps.Keys(labels)), func(of string) fact { return fact{name(of, "no name"), name(labels[of], "empty")} })
}

// reason is what the verdict says; "" where the row beside it says the same: of the rule
// all, that so many trials did not pass, and of the rule any, that none did.
func (o *opener) reason(t *envelope.Test) string {
	if (t.Verdict.Rule == "all" || t.Verdict.Rule == "any") && t.Status == envelope.Fail && t.Trials.Counted > 0 && t.Quarantine == nil {
		return ""
	}
	return line(t.Verdict.Reason)
}

type factGroup struct {
	Title string
	Facts facts
}

var factsOf = []struct {
	title string
	add   func(*facts, *envelope.Test)
}{
	{"Verdict", addVerdict}, {"Reliability", addReliability}, {"Trials", addTrials}, {"Score", addScore},
	{"Time and cost", addSpent}, {"About", addAbout},
}

func addVerdict(f *facts, t *envelope.Test) {
	v := t.Verdict
	f.add("rule", name(v.Rule, ""))
	f.add("threshold", v.Threshold.Text("", number))
	f.add("confidence", v.Confidence.Text("", percent))
	f.add("judged", count(v.Passed)+" of "+plural(v.N, "trial")+" passed")
	if v.Interval != nil {
		f.add("interval", words.Join(", ", number(v.Interval.Lo)+" to "+number(v.Interval.Hi), name(v.Interval.Method, "")))
	}
	f.add("statistic", v.Statistic.Text("", number))
	f.add("stopped at trial", v.StoppedAt.Text("", count))
	f.add("p-value", v.PValue.Text("", number))
	f.add("p-value, adjusted", v.PAdjusted.Text("", number))
	f.add("verdict before adjusting", name(string(v.RawStatus), ""))
	f.add("valid under peeking", v.ValidUnderPeeking.Text("", yesNo))
}

func addReliability(f *facts, t *envelope.Test) {
	r := t.Reliability
	if r == nil {
		return
	}
	f.add("runs", count(r.Runs))
	f.add("pass@k", wholePercent(r.PassAtK))
	f.add("rate^k", wholePercent(r.PassHatK))
	f.add("all passed", wholePercent(r.AllPassed))
	f.add("variance amplification", wholePercent(r.VarianceAmplification))
	f.add("graceful degradation", wholePercent(r.GracefulDegradation))
}

func addTrials(f *facts, t *envelope.Test) {
	f.add("total", count(t.Trials.Total))
	f.add("counted", count(t.Trials.Counted))
	f.add("passed", count(t.Trials.Passed))
	*f = append(*f, excluded(t.Trials.Excluded)...)
	f.add("pass rate, counted trials", rateWords(t.Rate.PerProtocol))
	f.add("pass rate, excluded as not passed", rateWords(t.Rate.IntentToTreat))
	if b := t.Rate.Bracket; b != nil {
		f.add("bracket", span(b.Lo, b.Hi))
	}
}

func addScore(f *facts, t *envelope.Test) {
	s := t.Score
	if s == nil {
		return
	}
	f.add("score", number(s.Value))
	f.add("mean", number(s.Mean))
	f.add("smallest", number(s.Min))
	f.add("largest", number(s.Max))
	f.add("standard deviation", s.StdDev.Text("", number))
	if s.Lo.OK && s.Hi.OK {
		f.add("interval of the mean", number(s.Lo.V)+" to "+number(s.Hi.V))
	}
}

func addSpent(f *facts, t *envelope.Test) {
	if d := t.DurationMS; d != nil {
		f.add("median time", d.P50.Text("", duration))
		if d.P50Lo.OK && d.P50Hi.OK {
			f.add("interval of the median time", duration(d.P50Lo.V)+" to "+duration(d.P50Hi.V))
		}
		f.add("95th percentile", d.P95.Text("", duration))
		f.add("total time", duration(d.Total))
	}
	f.add("setup time", t.SetupMS.Text("", duration))
	f.add("cost", t.CostUSD.Text("", dollars))
	f.add("cost per passed trial", t.CostPerSuccess.Text("", dollars))
	f.add("cost up to the verdict", t.CostToVerdict.Text("", dollars))
	f.add("setup cost", t.SetupCost.Text("", dollars))
	f.add("tokens", t.Tokens.Text("", count))
	f.add("tool calls", t.ToolCalls.Text("", count))
}

func addAbout(f *facts, t *envelope.Test) {
	f.add("owners", line(strings.Join(t.Owners, ", ")))
	*f = append(*f, labelFacts(t.Labels)...)
	f.add("labels that vary", words.List(t.Varies, func(label string) string { return name(label, "no name") }))
}

type past struct {
	Facts facts
	Strip strip // the latest runs
}

func newPast(t *envelope.Test) *past {
	p := t.History
	if p == nil {
		return nil
	}
	out := &past{}
	out.Facts.add("state", name(p.State, "")+", from "+plural(p.StateRuns, "run"))
	out.Facts.add("evidence", name(p.Evidence, ""))
	out.Strip = each.Of(strings.Split(name(p.Strip, ""), ""), func(letter string) letters {
		return letters{Class: strings.ToLower(letter), Letters: letter}
	})
	return out
}

func verdictSentences(v *envelope.Verdict) []string {
	return words.Present(ruleWords(v), stoppingWords(v), adjustmentWords(v), peekingWords(v))
}

// ruleWords are the rule's own, its numbers kept with their units.
func ruleWords(v *envelope.Verdict) string {
	by, err := rule.ByName(v.Rule)
	if err != nil || by.Explains == nil {
		return ""
	}
	return strings.ReplaceAll(by.Explains(v), " %", nbsp+"%")
}

func stoppingWords(v *envelope.Verdict) string {
	if !v.StoppedAt.OK || v.StoppedAt.V >= v.N {
		return ""
	}
	later := cmp.Or(words.If(v.Contradicted != nil, "contradict it, so it is withdrawn."), "do not change it.")
	return "Decided at trial " + count(v.StoppedAt.V) + " of " + count(v.N) + "; the later ones " + later
}

func adjustmentWords(v *envelope.Verdict) string {
	return words.If(v.PAdjusted.OK, "Adjusted for the number of tests: p "+v.PValue.Text("", number)+" becomes "+number(v.PAdjusted.V)+
		words.If(v.RawStatus != "", ", so "+newBadge(v.RawStatus).Word+" becomes UNDECIDED")+".")
}

func changeWords(v *envelope.Verdict) string {
	var all []string
	for _, c := range v.Changes {
		kind := map[envelope.Status][2]string{envelope.Pass: {"pass", "passes"}, envelope.Fail: {"failure", "failures"}}[c.Outcome]
		if kind[0] == "" || c.Trials < 1 {
			continue
		}
		more := count(c.Trials) + " more " + kind[1] + " in a row"
		if c.Trials == 1 {
			more = "1 more " + kind[0]
		}
		all = append(all, more+" would make it "+newBadge(c.Status).Word)
	}
	if v.PAdjusted.OK {
		return words.Around("Alone, before adjusting for the number of tests: ", strings.Join(all, ", "), ".")
	}
	return words.Around("What would change it: ", strings.Join(all, ", "), ".")
}

func peekingWords(v *envelope.Verdict) string {
	switch {
	case !v.ValidUnderPeeking.OK:
		return ""
	case v.ValidUnderPeeking.V:
		return "Valid no matter how often you looked before stopping."
	case v.Hypotheses != nil:
		return "Not valid here if you looked repeatedly; the reason says why."
	}
	return "Valid only if you fixed the number of trials before you looked at results."
}
