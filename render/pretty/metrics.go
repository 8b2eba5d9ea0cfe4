package pretty

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

// mostMetrics is how many metrics are listed.
const mostMetrics = 50

const meanTitle = "Posterior mean"

// metrics writes the metrics of the run, a row a metric, with its note under it.
func (r *report) metrics() error {
	all := r.e.Metrics
	if len(all) == 0 || r.e.Policy.Metrics != policy.MetricsAll {
		return nil
	}
	var rows [][]string
	for i := range all[:min(len(all), mostMetrics)] {
		rows = append(rows, r.metricRow(&all[i]))
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
	if n := len(all) - mostMetrics; n > 0 {
		r.text("", "", r.sign.ellipsis+" and "+words.Plural(n, "more metric", "more metrics"), 2)
	}
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
	variant, fewer := "", 0
	for i := range r.e.Metrics {
		m := &r.e.Metrics[i]
		name := r.metricName(&envelope.Metric{Name: m.Name, Params: m.Params})
		if !standing.HasShortName(m) || name == "pass^1" || !m.Value.OK {
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
	if s != "" && fewer > 0 {
		s += r.ink.faint.Render("  without " + words.Plural(fewer, "test with", "tests with") + " fewer trials")
	}
	return s
}

// metricsRemark says whose interval it is. It stands beside two numbers, and the
// nearer one to a reader's mind can lie outside it.
func (r *report) metricsRemark(columns []placed) string {
	if !has(columns, meanTitle) || !has(columns, intervalColumn) {
		return ""
	}
	return r.ink.faint.Render(r.sign.dot + "the" +
		number(" ", r.e.Policy.Confidence, words.Level) + " interval is of the posterior mean; Value may lie outside it")
}

func (r *report) metricRow(m *envelope.Metric) []string {
	between := ""
	if m.Lo.OK && m.Hi.OK {
		between = "[" + words.Decimal(m.Lo.V) + ", " + words.Decimal(m.Hi.V) + "]"
	}
	return []string{r.metricName(m), number("", m.Value, words.Decimal), number("", m.Mu, words.Decimal), between,
		words.Count(m.TestsUsed) + "/" + words.Count(m.TestsTotal)}
}

func (r *report) metricName(m *envelope.Metric) string { return r.field(standing.MetricName(m)) }
