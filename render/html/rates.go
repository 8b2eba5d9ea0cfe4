package html

import (
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// trials says what became of the trials of the run.
type trials struct {
	Words string
	Rates []rate
	Facts facts
}

// rate is a pass rate in words and as a drawing.
type rate struct {
	Name, Note              string
	Value, Interval, Method string
	Plot                    plot
}

func newTrials(h *envelope.Header, s *envelope.Summary) trials {
	c := &s.Trials
	out := trials{Words: count(int64(c.Passed)) + " of " + plural(int64(c.Counted), "counted trial") + " passed.", Rates: ratesOf(&s.Rate)}
	if c.Planned.OK {
		out.Facts.add("planned", count(c.Planned.V))
	}
	out.Facts.add("total", count(int64(c.Total)))
	out.Facts.add("counted", count(int64(c.Counted)))
	out.Facts.add("passed", count(int64(c.Passed)))
	out.Facts = append(out.Facts, excluded(c.Excluded)...)
	out.Facts = append(out.Facts, spending(h, s)...)
	if like := s.Like; like != nil && like.Rate != nil {
		out.Rates = slices.Insert(out.Rates, min(1, len(out.Rates)), newRate("on tests like these", standing.SimilarTo(like), like.Rate))
	}
	if s.Clusters != nil {
		out.addClusters(s.Clusters)
	}
	out.addLabels(s)
	for _, name := range slices.Sorted(maps.Keys(s.Votes)) {
		out.Facts.add("votes on "+line(name), standing.Votes(s.Votes[name]))
	}
	return out
}

// addLabels says what people's labels say of the judge, and the pass rates that are
// corrected by them.
func (t *trials) addLabels(s *envelope.Summary) {
	l := s.Labels
	if l == nil {
		return
	}
	threshold := l.Threshold
	for _, of := range []struct {
		label, note string
		rate        *envelope.Rate
	}{
		{"corrected by Rogan and Gladen", "by the judge's sensitivity and specificity", l.RoganGladen},
		{"corrected, prediction-powered", "by what the judge is off among labelled trials", l.Powered},
		{"by labels alone", "of labelled trials", l.Truth},
	} {
		if of.rate != nil {
			r := newRate(of.label, of.note, of.rate)
			r.Plot = ratePlot(of.rate, threshold)
			t.Rates = append(t.Rates, r)
		}
	}
	t.Facts.add("judge", standing.Judge(s))
	t.Facts.add("corrected", standing.Corrected(s))
}

// addClusters says how much the trials of one cluster resemble each other.
func (t *trials) addClusters(c *envelope.Clusters) {
	by := name(c.By, "cluster")
	t.Facts.add("clusters by "+by, count(int64(c.Count)))
	t.Facts.add("intraclass correlation", optional(c.ICC, number))
	t.Facts.add("design effect", optional(c.DesignEffect, number))
	t.Facts.add("effective trials", optional(c.EffectiveN, number))
	t.Facts.add("clusters", line(c.Note))
}

// excluded is a fact for each class of trials that were left out.
func excluded(classes map[string]int) facts {
	if len(classes) == 0 {
		return nil
	}
	var f facts
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		label := "excluded: " + name(class, "no class")
		if class == string(envelope.Skip) {
			label = "skipped"
		}
		f.add(label, count(int64(classes[class])))
	}
	return f
}

func spending(h *envelope.Header, s *envelope.Summary) facts {
	var f facts
	f.add("time", optional(s.DurationMS, duration))
	f.add("setup time", optional(s.SetupMS, duration))
	f.add("cost", optional(s.CostUSD, dollars))
	f.add("cost per passed trial", optional(s.CostPerSuccess, dollars))
	f.add("cost up to the verdicts", optional(s.CostToVerdict, dollars))
	f.add("setup cost", optional(s.SetupCostUSD, dollars))
	f.add("setup of the run", optional(h.SetupMS, duration))
	f.add("setup cost of the run", optional(h.SetupCostUSD, dollars))
	f.add("tokens", optional(s.Tokens, count))
	f.add("tool calls", optional(s.ToolCalls, count))
	f.add("saved", standing.Saved(s, count, dollars))
	f.add("beyond verdicts", standing.Beyond(s, count, dollars))
	f.add("unneeded", standing.EarlySaves(s, count, dollars))
	return f
}

// ratesOf are both pass rates and the bracket, as far as they are known.
func ratesOf(r *envelope.Rates) []rate {
	var out []rate
	if r.PerProtocol != nil {
		out = append(out, newRate("on these tests", "per protocol: excluded trials left out", r.PerProtocol))
	}
	if r.IntentToTreat != nil {
		out = append(out, newRate("intent to treat", "excluded trials as not passed", r.IntentToTreat))
	}
	if b := r.Bracket; b != nil {
		words, point := span(b.Lo, b.Hi), ""
		if b.Lo == b.Hi {
			point = at(b.Lo)
		}
		out = append(out, rate{Name: "bracket", Note: "excluded trials all failed, or all passed", Interval: words,
			Plot: plot{Words: "bracket " + words, Interval: intervalPath(b.Lo, b.Hi), Point: point}})
	}
	return out
}

func newRate(label, note string, r *envelope.Rate) rate {
	return rate{Name: label, Note: note, Value: percent(r.Value), Interval: span(r.Lo, r.Hi), Method: methodWords(r.Method, r.Confidence),
		Plot: ratePlot(r, envelope.Opt[float64]{})}
}

func methodWords(method string, confidence float64) string {
	words := name(method, "")
	if confidence > 0 {
		words = join(words, percent(confidence))
	}
	return words
}
