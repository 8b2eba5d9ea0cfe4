package html

import (
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

type trials struct {
	Words string
	Rates []rate
	Facts facts // counts, and what they took
	Stats facts // what else the numbers rest on
}

type rate struct {
	Name, Note              string
	Value, Interval, Method string
	Plot                    plot
}

func newTrials(h *envelope.Header, s *envelope.Summary) trials {
	c := &s.Trials
	out := trials{Words: count(c.Passed) + " of " + plural(c.Counted, "counted trial") + " passed.", Rates: ratesOf(&s.Rate)}
	out.Facts.add("planned", c.Planned.Text("", count))
	out.Facts.add("total", count(c.Total))
	out.Facts.add("counted", count(c.Counted))
	out.Facts.add("passed", count(c.Passed))
	out.Facts = append(out.Facts, excluded(c.Excluded)...)
	out.Facts = append(out.Facts, spending(h, s)...)
	if like := s.Like; like != nil && like.Rate != nil {
		out.Rates = slices.Insert(out.Rates, min(1, len(out.Rates)), newRate("on similar tests", standing.SimilarTo(like), like.Rate))
	}
	if s.Clusters != nil {
		out.addClusters(s.Clusters)
	}
	out.addLabels(s)
	for _, name := range slices.Sorted(maps.Keys(s.Votes)) {
		out.Stats.add("votes on "+line(name), standing.Votes(s.Votes[name], true))
	}
	return out
}

func (t *trials) addLabels(s *envelope.Summary) {
	l := s.Labels
	if l == nil {
		return
	}
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
			r.Plot = ratePlot(of.rate, l.Threshold)
			t.Rates = append(t.Rates, r)
		}
	}
	t.Stats.add("judge", standing.Judge(s))
	t.Stats.add("corrected", standing.Corrected(s, true))
}

func (t *trials) addClusters(c *envelope.Clusters) {
	by := name(c.By, "cluster")
	t.Stats.add("clusters by "+by, count(c.Count))
	t.Stats.add("intraclass correlation", c.ICC.Text("", number))
	t.Stats.add("design effect", c.DesignEffect.Text("", number))
	t.Stats.add("effective trials", c.EffectiveN.Text("", number))
	t.Stats.add("clusters", line(c.Note))
}

func excluded(classes map[string]int) (f facts) {
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		label := "excluded: " + name(class, "no class")
		if class == string(envelope.Skip) {
			label = "skipped"
		}
		f.add(label, count(classes[class]))
	}
	return f
}

func spending(h *envelope.Header, s *envelope.Summary) facts {
	var f facts
	f.add("time", s.DurationMS.Text("", duration))
	f.add("setup time", s.SetupMS.Text("", duration))
	f.add("cost", s.CostUSD.Text("", dollars))
	f.add("cost per passed trial", s.CostPerSuccess.Text("", dollars))
	f.add("cost up to the verdicts", s.CostToVerdict.Text("", dollars))
	f.add("setup cost", s.SetupCostUSD.Text("", dollars))
	f.add("setup of the run", h.SetupMS.Text("", duration))
	f.add("setup cost of the run", h.SetupCostUSD.Text("", dollars))
	f.add("tokens", s.Tokens.Text("", count))
	f.add("tool calls", s.ToolCalls.Text("", count))
	f.add("saved", standing.Saved(s))
	f.add("uncounted", standing.Beyond(s))
	f.add("unneeded", standing.EarlySaves(s))
	return f
}

func ratesOf(r *envelope.Rates) []rate {
	var out []rate
	if r.PerProtocol != nil {
		out = append(out, newRate("on these tests", "per protocol: excluded trials left out", r.PerProtocol))
	}
	if r.IntentToTreat != nil {
		out = append(out, newRate("intent to treat", "excluded trials count as failed", r.IntentToTreat))
	}
	if b := r.Bracket; b != nil {
		words, point := span(b.Lo, b.Hi), ""
		if b.Lo == b.Hi {
			point = at(b.Lo)
		}
		out = append(out, rate{Name: "bracket", Note: "if all excluded trials had failed, or passed", Interval: words,
			Plot: plot{Words: "bracket " + words, Interval: intervalPath(b.Lo, b.Hi), Point: point}})
	}
	return out
}

func newRate(label, note string, r *envelope.Rate) rate {
	return rate{Name: label, Note: note, Value: percent(r.Value), Interval: span(r.Lo, r.Hi), Method: methodWords(r.Method, r.Confidence),
		Plot: ratePlot(r, envelope.Opt[float64]{})}
}

func rateWords(r *envelope.Rate) string {
	if r == nil {
		return ""
	}
	return words.Join(", ", percent(r.Value), span(r.Lo, r.Hi), methodWords(r.Method, r.Confidence))
}

func methodWords(method string, confidence float64) string {
	return words.Join(", ", name(method, ""), words.If(confidence > 0, percent(confidence)))
}

type matrix struct {
	Note     string
	Variants []string
	Rows     []matrixRow
}

type matrixRow struct {
	Name  string
	Cells []*matrixCell // nil where the test was not run
}

type matrixCell struct {
	ID     string
	Badge  badge
	Passed string
}

const (
	matrixVariants = 24 // wider, it is no table a person reads, and its size no longer follows the run's
	matrixRows     = 500
)

// newMatrix returns nil for a run of one variant.
func newMatrix(e *envelope.Envelope) *matrix {
	rows := standing.ByName(e.Tests)
	variants := standing.Variants(rows)
	if len(variants) < 2 {
		return nil
	}
	m := &matrix{Note: plural(len(variants), "variant")}
	if len(variants) > matrixVariants {
		m.Note += ", too many to show side by side"
		return m
	}
	m.Variants = each.Of(variants, func(v string) string { return name(v, "no variant") })
	m.Note = plural(len(rows), "test") + " × " + m.Note
	if len(rows) > matrixRows {
		rows = slices.DeleteFunc(rows, func(of []envelope.Test) bool {
			return len(of) == len(variants) && !envelope.AnyTest(of, func(t *envelope.Test) bool { return t.Status != envelope.Pass })
		})
		rows = rows[:min(len(rows), matrixRows)]
		m.Note += "; shown are " + count(len(rows)) + " that do not pass under every variant"
	}
	m.Rows = each.Of(rows, func(of []envelope.Test) matrixRow { return newMatrixRow(e, of, variants) })
	return m
}

func newMatrixRow(e *envelope.Envelope, of []envelope.Test, variants []string) matrixRow {
	title := envelope.Key{Suite: name(of[0].Suite, ""), Test: name(of[0].Test, "no name")}
	row := matrixRow{Name: title.RunnerName(), Cells: make([]*matrixCell, len(variants))}
	for i := range of {
		t := &of[i]
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		row.Cells[at] = &matrixCell{testID(t.Key), newBadge(t.Status), passedOf(t)}
		if t.Status == envelope.Fail {
			row.Cells[at].Badge.Word = standing.MarkOf(e, t)
		}
	}
	return row
}

// policyWords is the policy as a sentence or two. It names what the policy
// says and explains no rule: the reason of each verdict does that.
func policyWords(p *envelope.Effective) string {
	says := "Judged by the rule " + name(p.Rule, "of the default policy") + p.Threshold.Text(" at threshold ", number) +
		p.Confidence.Text(", confidence ", percent) +
		p.MinTrials.Text(", at least ", func(n int) string { return plural(n, "trial") })
	says += words.If(p.RetryRule != "" && p.RetryRule != p.Rule, "; tests that were retried by the rule "+name(p.RetryRule, ""))
	says += "."
	if adjust := name(p.Adjust, "none"); adjust != "none" {
		says += " Adjusted for many tests by " + adjust + words.Around(" (family: ", name(p.Family, ""), ")") + "."
	}
	says += words.Around(" Undecided is treated as ", name(p.TreatAs, ""), ".")
	if n := len(p.Overrides); n > 0 {
		says += " " + plural(n, "override") + " for some tests."
	}
	return says
}

func policyFacts(p *envelope.Policy) facts {
	var f facts
	for i := range policy.Keys {
		if k := &policy.Keys[i]; k.IsSet(p) {
			f.add(k.Title, settingWords(k, p))
		}
	}
	return f
}

func settingWords(k *policy.Key, p *envelope.Policy) string {
	switch v := k.In(p).(type) {
	case *string:
		return name(*v, "")
	case *envelope.Opt[bool]:
		return yesNo(v.V)
	case *envelope.Opt[float64]:
		return map[policy.Unit]func(float64) string{policy.Plain: number, policy.Share: percent, policy.Dollars: dollars}[k.Unit](v.V)
	case *envelope.Opt[int]:
		return count(v.V)
	case *envelope.Opt[int64]:
		return count(v.V)
	case *[]int:
		return words.List(*v, count)
	case *[]float64:
		return words.List(*v, number)
	case *[]string:
		return words.List(*v, func(word string) string { return name(word, "?") })
	case *[]envelope.Quarantine:
		return words.List(*v, func(q envelope.Quarantine) string { return quarantineWords(&q) })
	case *[]envelope.GateExpr:
		return words.List(*v, func(g envelope.GateExpr) string { return name(g.Name, "gate") + ": " + name(g.Expr, "") })
	case *[]envelope.MetricCall:
		return words.List(*v, func(m envelope.MetricCall) string {
			return name(m.Name, "metric") + "(" + paramWords(m.Params) + ")"
		})
	case *[]envelope.RedactPattern:
		return words.List(*v, func(r envelope.RedactPattern) string {
			return name(r.Kind, "pattern") + ": " + name(r.Pattern, "not shown")
		})
	}
	return ""
}

func quarantineWords(q *envelope.Quarantine) string {
	return name(q.Match, "no test") + words.Around(" from ", name(q.Since, "")) + " until " + name(q.Expires, "no date") +
		words.Around(", owner ", name(q.Owner, "")) + words.Around(", ticket ", name(q.Ticket, "")) +
		q.AtLeast.Text(", at least ", number) + words.Around(": ", line(q.Reason))
}

func overrideTable(overrides []envelope.Override) *table {
	t := newTable("Overrides", "Overrides; later ones win", "tests", "labels", "policy")
	for i := range overrides {
		o := &overrides[i]
		t.row(name(o.Match, "all"), labelWords(o.Labels), factWords(policyFacts(&o.Policy)))
	}
	return t
}

func labelWords(labels map[string]string) string {
	return words.ByName(labels, func(label, value string) string { return name(label, "") + "=" + name(value, "") })
}

func factWords(fs facts) string {
	return words.List(fs, func(f fact) string { return f.Name + " " + f.Value })
}
