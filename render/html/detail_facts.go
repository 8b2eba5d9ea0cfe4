package html

import "tribunal/envelope"

// factGroup is some facts under a heading.
type factGroup struct {
	Title string
	Facts facts
}

// factGroups is what an opened test says in numbers.
func factGroups(t *envelope.Test) []factGroup {
	all := [...]factGroup{
		{"Verdict", verdictFacts(t)}, {"Reliability", reliabilityFacts(t.Reliability)}, {"Trials", trialFacts(t)},
		{"Score", scoreFacts(t.Score)}, {"Time and cost", spentFacts(t)}, {"Over runs", pastFacts(t.History)}, {"About", aboutFacts(t)},
	}
	out := make([]factGroup, 0, len(all))
	for _, g := range all {
		if len(g.Facts) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func verdictFacts(t *envelope.Test) facts {
	v, f := &t.Verdict, make(facts, 0, 8)
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
	return f
}

func reliabilityFacts(r *envelope.Reliability) facts {
	if r == nil {
		return nil
	}
	return facts{
		{"runs", count(int64(r.Runs))}, {"pass@k", wholePercent(r.PassAtK)}, {"pass^k", wholePercent(r.PassHatK)}, {"all passed", wholePercent(r.AllPassed)},
		{"variance amplification", wholePercent(r.VarianceAmplification)}, {"graceful degradation", wholePercent(r.GracefulDegradation)},
	}
}

// trialFacts are both rates and what was excluded; the counts themselves are
// in the line of the test when nothing was.
func trialFacts(t *envelope.Test) facts {
	f := append(make(facts, 0, 8), fact{"total", count(int64(t.Trials.Total))}, fact{"counted", count(int64(t.Trials.Counted))}, fact{"passed", count(int64(t.Trials.Passed))})
	f = append(f, excluded(t.Trials.Excluded)...)
	rates := [...]struct {
		label string
		rate  *envelope.Rate
	}{{"pass rate, counted trials", t.Rate.PerProtocol}, {"pass rate, excluded as not passed", t.Rate.IntentToTreat}}
	for _, r := range rates {
		if r.rate != nil {
			shown := append(appendPercent(make([]byte, 0, 64), r.rate.Value), ", "...)
			f.add(r.label, join(string(appendSpan(shown, r.rate.Lo, r.rate.Hi)), methodWords(r.rate.Method, r.rate.Confidence)))
		}
	}
	if b := t.Rate.Bracket; b != nil {
		f.add("bracket", span(b.Lo, b.Hi))
	}
	return f
}

func scoreFacts(s *envelope.Score) facts {
	if s == nil {
		return nil
	}
	f := facts{{"score", number(s.Value)}, {"mean", number(s.Mean)}, {"smallest", number(s.Min)}, {"largest", number(s.Max)}}
	f.add("standard deviation", optional(s.StdDev, number))
	if s.Lo.OK && s.Hi.OK {
		f.add("interval of the mean", number(s.Lo.V)+" to "+number(s.Hi.V))
	}
	return f
}

func spentFacts(t *envelope.Test) facts {
	f := make(facts, 0, 8)
	if d := t.DurationMS; d != nil {
		f = append(f, fact{"median time", duration(d.P50)}, fact{"95th percentile", duration(d.P95)}, fact{"total time", duration(d.Total)})
	}
	f.add("setup time", optional(t.SetupMS, duration))
	f.add("cost", optional(t.CostUSD, dollars))
	f.add("cost per passed trial", optional(t.CostPerSuccess, dollars))
	f.add("cost up to the verdict", optional(t.CostToVerdict, dollars))
	f.add("setup cost", optional(t.SetupCost, dollars))
	f.add("tokens", optional(t.Tokens, count))
	f.add("tool calls", optional(t.ToolCalls, count))
	return f
}

func aboutFacts(t *envelope.Test) facts {
	f := labelFacts(t.Labels)
	f.add("labels that vary", listWords(t.Varies, func(label string) string { return name(label, "no name") }))
	return f
}

// pastFacts is what the history says of the test. The strip is in letters that a
// reader can search for; the page of the trend draws it.
func pastFacts(p *envelope.Past) facts {
	if p == nil {
		return nil
	}
	var f facts
	f.add("state over "+plural(int64(p.Runs), "run"), name(p.State, ""))
	f.add("evidence", name(p.Evidence, ""))
	f.add("latest runs, this one last", name(p.Strip, ""))
	f.add("in which", "P: all trials passed, M: some, F: none, X: none counted, S: skipped, a dot: not in the run")
	return f
}
