package html

import (
	"strings"

	"tribunal/envelope"
)

// factGroup is some facts under a heading.
type factGroup struct {
	Title string
	Facts facts
}

// factsOf are the groups of an opened test: what it says in numbers.
var factsOf = []struct {
	title string
	add   func(*facts, *envelope.Test)
}{
	{"Verdict", addVerdict}, {"Reliability", addReliability}, {"Trials", addTrials}, {"Score", addScore},
	{"Time and cost", addSpent}, {"Over runs", addPast}, {"About", addAbout},
}

// factGroups are the facts of a test that are known.
func factGroups(t *envelope.Test) (out []factGroup) {
	for _, g := range factsOf {
		var f facts
		if g.add(&f, t); len(f) > 0 {
			out = append(out, factGroup{g.title, f})
		}
	}
	return out
}

func addVerdict(f *facts, t *envelope.Test) {
	v := t.Verdict
	f.add("rule", name(v.Rule, ""))
	f.add("threshold", optional(v.Threshold, number))
	f.add("confidence", optional(v.Confidence, percent))
	f.add("judged", count(int64(v.Passed))+" of "+plural(int64(v.N), "trial")+" passed")
	if v.Interval != nil {
		f.add("interval", join(number(v.Interval.Lo)+" to "+number(v.Interval.Hi), name(v.Interval.Method, "")))
	}
	f.add("statistic", optional(v.Statistic, number))
	f.add("stopped at trial", optional(v.StoppedAt, func(n int) string { return count(int64(n)) }))
	f.add("p-value", optional(v.PValue, number))
	f.add("p-value, adjusted", optional(v.PAdjusted, number))
	f.add("verdict before adjusting", name(string(v.RawStatus), ""))
	f.add("valid under peeking", optional(v.ValidUnderPeeking, yesNo))
}

func addReliability(f *facts, t *envelope.Test) {
	r := t.Reliability
	if r == nil {
		return
	}
	f.add("runs", count(int64(r.Runs)))
	f.add("pass@k", wholePercent(r.PassAtK))
	f.add("rate^k", wholePercent(r.PassHatK))
	f.add("all passed", wholePercent(r.AllPassed))
	f.add("variance amplification", wholePercent(r.VarianceAmplification))
	f.add("graceful degradation", wholePercent(r.GracefulDegradation))
}

// addTrials adds both rates and what was excluded; the counts themselves are
// in the line of the test when nothing was.
func addTrials(f *facts, t *envelope.Test) {
	f.add("total", count(int64(t.Trials.Total)))
	f.add("counted", count(int64(t.Trials.Counted)))
	f.add("passed", count(int64(t.Trials.Passed)))
	*f = append(*f, excluded(t.Trials.Excluded)...)
	rates := [...]struct {
		label string
		rate  *envelope.Rate
	}{{"pass rate, counted trials", t.Rate.PerProtocol}, {"pass rate, excluded as not passed", t.Rate.IntentToTreat}}
	for _, r := range rates {
		if r.rate != nil {
			f.add(r.label, join(percent(r.rate.Value)+", "+span(r.rate.Lo, r.rate.Hi), methodWords(r.rate.Method, r.rate.Confidence)))
		}
	}
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
	f.add("standard deviation", optional(s.StdDev, number))
	if s.Lo.OK && s.Hi.OK {
		f.add("interval of the mean", number(s.Lo.V)+" to "+number(s.Hi.V))
	}
}

func addSpent(f *facts, t *envelope.Test) {
	if d := t.DurationMS; d != nil {
		f.add("median time", optional(d.P50, duration))
		if d.P50Lo.OK && d.P50Hi.OK {
			f.add("interval of the median time", duration(d.P50Lo.V)+" to "+duration(d.P50Hi.V))
		}
		f.add("95th percentile", optional(d.P95, duration))
		f.add("total time", duration(d.Total))
	}
	f.add("setup time", optional(t.SetupMS, duration))
	f.add("cost", optional(t.CostUSD, dollars))
	f.add("cost per passed trial", optional(t.CostPerSuccess, dollars))
	f.add("cost up to the verdict", optional(t.CostToVerdict, dollars))
	f.add("setup cost", optional(t.SetupCost, dollars))
	f.add("tokens", optional(t.Tokens, count))
	f.add("tool calls", optional(t.ToolCalls, count))
}

func addAbout(f *facts, t *envelope.Test) {
	f.add("owners", line(strings.Join(t.Owners, ", ")))
	*f = append(*f, labelFacts(t.Labels)...)
	f.add("labels that vary", listWords(t.Varies, func(label string) string { return name(label, "no name") }))
}

// addPast adds what the history says of the test. The strip is in letters that a
// reader can search for; the page of the trend draws it.
func addPast(f *facts, t *envelope.Test) {
	p := t.History
	if p == nil {
		return
	}
	f.add("state", name(p.State, "")+", from "+plural(int64(p.StateRuns), "run"))
	f.add("evidence", name(p.Evidence, ""))
	f.add("latest runs, this one last", name(p.Strip, ""))
	f.add("in which", "P: all trials passed, M: some, F: none, X: none counted, S: skipped, a dot: not in the run")
}
