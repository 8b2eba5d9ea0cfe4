package pretty

import (
	"slices"
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
	columns, rows = r.fitCells(columns, rows)
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
	return r.ink.faint.Render(r.sign.dot + "the" + number(" ", r.e.Policy.Confidence, words.Level) + " interval is of the posterior mean; Value may lie outside it")
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

// fitCells sizes the columns to their cells and to the terminal, which goes without some
// of them when it is narrow.
func (r *sheet) fitCells(columns []placed, rows [][]string) ([]placed, [][]string) {
	drop := func(i int) {
		columns = slices.Delete(columns, i, i+1)
		for n := range rows {
			rows[n] = slices.Delete(rows[n], i, i+1)
		}
	}
	for i := len(columns) - 1; i >= 0; i-- {
		widest := 0
		for _, row := range rows {
			widest = max(widest, width(row[i]))
		}
		if widest == 0 {
			drop(i)
			continue
		}
		columns[i].width = max(width(columns[i].title), widest)
		if most := columns[i].most; most > 0 {
			columns[i].width = min(columns[i].width, max(most, width(columns[i].title)))
		}
	}
	if r.width == 0 {
		return columns, rows
	}
	for leastSum(columns) > r.width {
		last := leastKept(columns)
		if last < 0 {
			break
		}
		drop(last)
	}
	room := r.width - leastSum(columns)
	for i := range columns {
		more := min(room, columns[i].width-columns[i].least())
		columns[i].width = max(columns[i].least()+more, min(4, columns[i].width))
		room -= more
		for n := range rows {
			rows[n][i] = cut(rows[n][i], columns[i].width, r.sign.ellipsis)
		}
	}
	return columns, rows
}

// leastKept is the column to drop first, -1 when none is left to drop: the one that is
// kept least, or the last of more than two where none is rated.
func leastKept(columns []placed) int {
	at := -1
	for i, c := range columns {
		if c.keep > 0 && (at < 0 || c.keep < columns[at].keep) {
			at = i
		}
	}
	rated := slices.ContainsFunc(columns, func(c placed) bool { return c.rated })
	if at < 0 && !rated && len(columns) > 2 {
		return len(columns) - 1
	}
	return at
}
