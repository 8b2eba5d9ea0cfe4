package pretty

import (
	"cmp"
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

func (r *report) summary() {
	s := &r.e.Summary
	r.line("")
	r.text("", "  ", r.countOfTests(s), 4)
	r.text("", "  ", r.countOfTrials(&s.Trials), 6)
	r.rates(s)
	if len(r.e.Policy.Metric)+len(r.e.Policy.K) == 0 && r.e.Policy.Metrics != policy.MetricsAll { // else the headline has them
		r.labelled("Metrics", r.metricsInOne())
	}
	r.labelled("Spent", standing.Spent(&r.e.Run.Header, s))
	r.labelled("Cost", words.Join(", ",
		s.CostPerSuccess.Text("", func(v float64) string { return words.Dollars(v) + " per passed trial" }),
		s.CostToVerdict.Text("", func(v float64) string { return words.Dollars(v) + " up to the verdicts" })))
	r.labelled("Tools", r.field(standing.StepsUsed(s)))
	r.labelled("Unneeded", standing.EarlySaves(s))
}

// labelled writes a line of numbers behind its word, and nothing without them.
func (r *canvas) labelled(word, numbers string) {
	if numbers != "" {
		label := pad(word, rateLabel, false)
		r.text(label, spaces(label), numbers, 4)
	}
}

// countOfTests is the number of tests by status. Passed and failed are always shown, the others when there are any.
func (r *report) countOfTests(s *envelope.Summary) string {
	failed := standing.FailedTests(r.e, s.Fail)
	if s.Fail > 0 && !r.e.Policy.RunJudgedAlone() {
		failed = r.ink.fail.Render(failed)
	}
	counts := words.Join(", ", r.ink.pass.Render(words.Count(s.Pass)+" passed"), failed,
		words.If(s.Error > s.NotRun, r.ink.err.Render(words.Plural(s.Error-s.NotRun, "error", "errors"))),
		words.If(s.NotRun > 0, r.ink.err.Render(words.Count(s.NotRun)+" not run")), words.If(s.Skip > 0, words.Count(s.Skip)+" skipped"),
		words.If(s.Inconclusive > 0, r.ink.inconclusive.Render(words.Count(s.Inconclusive)+" undecided")))
	// Flaky ones are said in words that nobody adds to the numbers before.
	return r.ink.strong.Render(words.Plural(s.Tests, "test", "tests")+":") + " " + counts +
		words.If(s.Flaky > 0, "; "+r.ink.flag.Render(words.Count(s.Flaky)+" flaky")) +
		words.If(s.QuarantineWords() != "", "; "+r.ink.flag.Render(s.QuarantineWords()))
}

func (r *report) countOfTrials(t *envelope.TrialCounts) string {
	excluded := func(class string, n int) string { return words.Count(n) + " " + r.field(class) }
	return words.Plural(t.Total, "trial", "trials") +
		words.If(t.Planned.OK && t.Planned.V != int64(t.Total), " of "+words.Count(t.Planned.V)+" planned") +
		", " + words.Count(t.Counted) + " counted, " + words.Count(t.Passed) + " passed" +
		words.Around("; excluded: ", words.ByName(t.Excluded, excluded))
}

const rateLabel = 11

func (r *report) rates(s *envelope.Summary) {
	rates := &s.Rate
	label := pad("Pass rate", rateLabel, false)
	write := func(value, meaning string) {
		r.text(label, spaces(label)+"  ", value+"  "+r.ink.faint.Render(meaning), 4)
		label = spaces(label)
	}
	rate := func(rate *envelope.Rate, meaning string) {
		if rate != nil {
			value, between := rateAndInterval(rate.Value, rate.Lo, rate.Hi)
			write(r.ink.strong.Render(pad(value+" %", 5, true))+"  "+between,
				fmt.Sprintf("%s, %s %s", meaning, r.field(rate.Method), words.Level(rate.Confidence)))
		}
	}
	rate(rates.PerProtocol, "of counted trials (per protocol)")
	if s.Like != nil {
		rate(s.Like.Rate, "of similar tests: "+standing.SimilarTo(s.Like))
	}
	if b := rates.Bracket; b != nil && (b.Lo != b.Hi || r.e.Policy.Metrics == policy.MetricsAll) {
		rate(rates.IntentToTreat, "with excluded trials counted as failed (intent to treat)")
		write(pad(words.Percent(b.Lo)+" %", 5, true)+" to "+words.Percent(b.Hi)+" %", "if all excluded trials had failed, or passed (bracket)")
	}
}

func (r *report) clusters(c *envelope.Clusters) string {
	if c == nil {
		return ""
	}
	s := "by " + r.field(c.By)
	if c.Count > 0 {
		s = words.Count(c.Count) + " " + s
	}
	s += c.ICC.Text(", ICC ", words.Short) + c.DesignEffect.Text(", design effect ", words.Short) +
		c.EffectiveN.Text(", effective n ", words.Short)
	s += words.Around(": ", r.field(c.Note))
	return s
}

func (r *report) policy() string {
	p := &r.e.Policy
	s := r.rule(p.Rule, p) + words.If(p.RetryRule != "" && p.RetryRule != p.Rule, "; for retries: "+r.rule(p.RetryRule, p))
	if r.e.Policy.RunJudgedAlone() && len(r.e.Gate.Gates) > 0 { // the run's gate is the first
		s = "only the run is judged: " + r.e.Gate.Gates[0].Expr
	}
	return r.field(s + extras(p) + words.Around("; ", standing.PolicyFile(r.e)))
}

func (r *report) rule(name string, p *envelope.Effective) string {
	by, err := rule.ByName(name)
	if err != nil {
		return r.field(name)
	}
	return by.Asks(*p)
}

func extras(p *envelope.Effective) string {
	s := words.If(p.Adjust != "" && p.Adjust != "none", "; adjusted for many tests: "+p.Adjust+" per "+p.Family) +
		words.If(p.MinCoverage.V > 0, "; at least "+words.Percent(p.MinCoverage.V)+" % of the trials counted")
	switch p.TreatAs {
	case "fail":
		s += "; undecided counts as failed"
	case "exit3":
		s += "; undecided exits with 3"
	}
	if n := len(p.Overrides); n > 0 {
		s += "; " + words.Plural(n, "override", "overrides")
	}
	return s
}

const mostMetrics = 50

const meanTitle = "Posterior mean"

func (r *report) metrics() error {
	all := r.e.Metrics
	if len(all) == 0 || r.e.Policy.Metrics != policy.MetricsAll {
		return nil
	}
	var rows [][]string
	for i := range all[:min(len(all), mostMetrics)] {
		m := &all[i]
		rows = append(rows, []string{r.metricName(m), m.Value.Text("", words.Decimal), m.Mu.Text("", words.Decimal),
			words.If(m.Lo.OK && m.Hi.OK, "["+words.Decimal(m.Lo.V)+", "+words.Decimal(m.Hi.V)+"]"),
			words.Count(m.TestsUsed) + "/" + words.Count(m.TestsTotal)})
	}
	columns := []placed{{column: column{title: "Metric", least: 20, most: 60}}, {column: column{title: "Value", right: true}},
		{column: column{title: meanTitle, right: true}}, {column: column{title: intervalColumn}}, {column: column{title: "Tests", right: true}}}
	columns, rows = r.plainFit(columns, rows)
	for i := range rows {
		if note := r.field(all[i].Note); note != "" {
			rows[i][0] += "\n" + r.ink.faint.Render(cut(r.sign.elbow+" "+note, r.limit, r.sign.ellipsis))
		}
	}
	r.line("")
	r.text("", "  ", r.ink.strong.Render("Metrics")+r.metricsRemark(columns), 3)
	if err := r.table(columns, rows); err != nil {
		return err
	}
	r.more("", len(all)-mostMetrics, "more metric", false)
	return nil
}

// metricsInOne are the metrics of the run in one line, in percent: pass@k and pass^k, of
// which those with k = 1 are one, as are the average and, but for its prior, bayes. The
// table has them all, with their intervals.
func (r *report) metricsInOne() string {
	if r.e.Policy.Metrics == policy.MetricsAll {
		return ""
	}
	var parts []string
	variant, short, fewer := "", "", 0
	for i := range r.e.Metrics {
		m := &r.e.Metrics[i]
		name := r.metricName(&envelope.Metric{Name: m.Name, Params: m.Params})
		if !standing.HasShortName(m) || name == "pass^1" {
			continue
		}
		if !m.Value.OK {
			why, _, _ := strings.Cut(m.Note, "; ")
			short = cmp.Or(short, words.Around(name+": ", why))
			continue
		}
		if m.Variant != variant {
			variant = m.Variant
			name = r.field(variant) + ": " + name
		}
		parts = append(parts, name+together+words.Percent(m.Value.V)+together+"%")
		if m.TestsUsed < m.TestsTotal {
			fewer = max(fewer, m.TestsTotal-m.TestsUsed)
		}
	}
	s := strings.Join(parts, "  ")
	s += words.If(s != "" && fewer > 0, r.ink.faint.Render("  ("+words.Plural(fewer, "test has", "tests have")+" too few trials)"))
	return words.Join("; ", s, short)
}

// metricsRemark says whose interval it is. It stands beside two numbers, and the nearer one to a reader's mind can lie outside it.
func (r *report) metricsRemark(columns []placed) string {
	return words.If(has(columns, meanTitle) && has(columns, intervalColumn), r.ink.faint.Render(r.sign.dot+"the"+
		r.e.Policy.Confidence.Text(" ", words.Level)+" interval is of the posterior mean, except for avg; Value may be outside it"))
}

func (r *report) metricName(m *envelope.Metric) string { return r.field(standing.MetricName(m)) }
