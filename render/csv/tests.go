package csv

import (
	"io"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/internal/audit"
	"tribunal/internal/compare/rank"
	"tribunal/render/internal/standing"
)

// testColumns is the table of tests. Statuses, flags and rules come first, then
// counts, rates, scores, sums, and the words at the end.
var testColumns = []column[envelope.Test]{
	{"suite", func(t *envelope.Test) string { return words(t.Suite) }},
	{"test", func(t *envelope.Test) string { return words(t.Test) }},
	{"variant", func(t *envelope.Test) string { return words(t.Variant) }},
	{"id", func(t *envelope.Test) string { return id(t.Key) }},
	{"status", func(t *envelope.Test) string { return words(string(t.Status)) }},
	{"flaky", func(t *envelope.Test) string { return strconv.FormatBool(t.Flaky) }},
	{"cost_limited", func(t *envelope.Test) string { return strconv.FormatBool(t.CostLimited) }},
	{"quarantined", func(t *envelope.Test) string { return strconv.FormatBool(t.Quarantined) }},
	{"rule", func(t *envelope.Test) string { return words(t.Verdict.Rule) }},
	{"threshold", func(t *envelope.Test) string { return optional(t.Verdict.Threshold) }},
	{"confidence", func(t *envelope.Test) string { return optional(t.Verdict.Confidence) }},
	{"trials", func(t *envelope.Test) string { return strconv.Itoa(t.Trials.Total) }},
	{"counted", func(t *envelope.Test) string { return strconv.Itoa(t.Trials.Counted) }},
	{"passed", func(t *envelope.Test) string { return strconv.Itoa(t.Trials.Passed) }},
	{"excluded", func(t *envelope.Test) string {
		return strconv.Itoa(t.Trials.Total - t.Trials.Counted - t.Trials.Excluded[string(envelope.Skip)])
	}},
	{"skipped", func(t *envelope.Test) string { return strconv.Itoa(t.Trials.Excluded[string(envelope.Skip)]) }},
	{"rate", known(perProtocol, value)},
	{"rate_lo", known(perProtocol, lower)},
	{"rate_hi", known(perProtocol, upper)},
	{"intent_to_treat", known(intentToTreat, value)},
	{"intent_to_treat_lo", known(intentToTreat, lower)},
	{"intent_to_treat_hi", known(intentToTreat, upper)},
	{"bracket_lo", known(bracket, func(b *envelope.Bracket) float64 { return b.Lo })},
	{"bracket_hi", known(bracket, func(b *envelope.Bracket) float64 { return b.Hi })},
	{"verdict_n", func(t *envelope.Test) string { return strconv.Itoa(t.Verdict.N) }},
	{"verdict_passed", func(t *envelope.Test) string { return strconv.Itoa(t.Verdict.Passed) }},
	{"verdict_lo", known(interval, func(iv *envelope.Interval) float64 { return iv.Lo })},
	{"verdict_hi", known(interval, func(iv *envelope.Interval) float64 { return iv.Hi })},
	{"statistic", func(t *envelope.Test) string { return optional(t.Verdict.Statistic) }},
	{"stopped_at", func(t *envelope.Test) string { return integer(t.Verdict.StoppedAt.V, t.Verdict.StoppedAt.OK) }},
	{"p_value", func(t *envelope.Test) string { return optional(t.Verdict.PValue) }},
	{"p_adjusted", func(t *envelope.Test) string { return optional(t.Verdict.PAdjusted) }},
	{"raw_status", func(t *envelope.Test) string { return words(string(t.Verdict.RawStatus)) }},
	{"pass_at_k", reliability(func(r *envelope.Reliability) int { return r.PassAtK })},
	{"passhat_k", reliability(func(r *envelope.Reliability) int { return r.PassHatK })},
	{"all_passed", reliability(func(r *envelope.Reliability) int { return r.AllPassed })},
	{"variance_amplification", reliability(func(r *envelope.Reliability) int { return r.VarianceAmplification })},
	{"graceful_degradation", reliability(func(r *envelope.Reliability) int { return r.GracefulDegradation })},
	{"score", known(score, func(s *envelope.Score) float64 { return s.Value })},
	{"score_mean", known(score, func(s *envelope.Score) float64 { return s.Mean })},
	{"score_min", known(score, func(s *envelope.Score) float64 { return s.Min })},
	{"score_max", known(score, func(s *envelope.Score) float64 { return s.Max })},
	{"duration_ms", known(duration, func(d *envelope.Spread) float64 { return d.Total })},
	{"duration_p50_ms", part(duration, func(d *envelope.Spread) string { return optional(d.P50) })},
	{"duration_p95_ms", part(duration, func(d *envelope.Spread) string { return optional(d.P95) })},
	{"setup_ms", func(t *envelope.Test) string { return optional(t.SetupMS) }},
	{"cost_usd", func(t *envelope.Test) string { return optional(t.CostUSD) }},
	{"setup_cost_usd", func(t *envelope.Test) string { return optional(t.SetupCost) }},
	{"tokens", func(t *envelope.Test) string { return integer(t.Tokens.V, t.Tokens.OK) }},
	{"tool_calls", func(t *envelope.Test) string { return integer(t.ToolCalls.V, t.ToolCalls.OK) }},
	{"outcomes", func(t *envelope.Test) string { return words(t.Rows.Outcome.String()) }},
	{"file", func(t *envelope.Test) string { return words(t.File) }},
	{"line", func(t *envelope.Test) string { return integer(t.Line, t.Line > 0) }},
	{"labels", func(t *envelope.Test) string { return object(t.Labels) }},
	{"reason", func(t *envelope.Test) string { return words(t.Verdict.Reason) }},
	{"message", func(t *envelope.Test) string { return standing.FirstMessage(t, words) }},
	{"excused", func(t *envelope.Test) string { return strconv.FormatBool(t.Excused()) }},
	{"quarantine_state", part(quarantine, func(q *envelope.InQuarantine) string { return words(q.State) })},
	{"quarantine_expires", part(quarantine, func(q *envelope.InQuarantine) string { return words(q.Expires) })},
	{"quarantine_owner", part(quarantine, func(q *envelope.InQuarantine) string { return words(q.Owner) })},
	{"quarantine_ticket", part(quarantine, func(q *envelope.InQuarantine) string { return words(q.Ticket) })},
	{"quarantine_reason", part(quarantine, func(q *envelope.InQuarantine) string { return words(q.Reason) })},
	{"duration_p50_lo_ms", part(duration, func(d *envelope.Spread) string { return optional(d.P50Lo) })},
	{"duration_p50_hi_ms", part(duration, func(d *envelope.Spread) string { return optional(d.P50Hi) })},
}

var insideColumns = []column[envelope.Test]{
	{"failing_checks", func(t *envelope.Test) string { return words(standing.FailingChecks(t)) }},
	{"parting", func(t *envelope.Test) string { return words(standing.Parting(t)) }},
}

func perProtocol(t *envelope.Test) *envelope.Rate   { return t.Rate.PerProtocol }
func intentToTreat(t *envelope.Test) *envelope.Rate { return t.Rate.IntentToTreat }
func value(r *envelope.Rate) float64                { return r.Value }
func lower(r *envelope.Rate) float64                { return r.Lo }
func upper(r *envelope.Rate) float64                { return r.Hi }

func bracket(t *envelope.Test) *envelope.Bracket         { return t.Rate.Bracket }
func interval(t *envelope.Test) *envelope.Interval       { return t.Verdict.Interval }
func score(t *envelope.Test) *envelope.Score             { return t.Score }
func duration(t *envelope.Test) *envelope.Spread         { return t.DurationMS }
func quarantine(t *envelope.Test) *envelope.InQuarantine { return t.Quarantine }

func reliability(part func(*envelope.Reliability) int) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Reliability { return t.Reliability },
		func(r *envelope.Reliability) float64 { return float64(part(r)) })
}

// part is a cell of what a row may have, empty where it has no such thing.
func part[D, T any](of func(*D) *T, cell func(*T) string) func(*D) string {
	return func(row *D) string {
		if x := of(row); x != nil {
			return cell(x)
		}
		return ""
	}
}

func known[D, T any](of func(*D) *T, value func(*T) float64) func(*D) string {
	return part(of, func(x *T) string { return formatNumber(value(x)) })
}

type trial struct {
	*envelope.Test
	row      int
	id       string
	message  map[int]string // of the kept details, by row
	adaptive string         // "true" where outcomes decided how many trials there are
}

// trialColumns is the table of trials. trial is the place in the test, from 1;
// attempt is what the runner said, from 0, as in a stream of trials.
var trialColumns = []column[trial]{
	{"suite", func(t *trial) string { return words(t.Suite) }},
	{"test", func(t *trial) string { return words(t.Test.Test) }},
	{"variant", func(t *trial) string { return words(t.Variant) }},
	{"id", func(t *trial) string { return t.id }},
	{"trial", func(t *trial) string { return strconv.Itoa(t.row + 1) }},
	{"attempt", func(t *trial) string { return integer(t.Rows.Attempt().At(t.row)) }},
	{"run", func(t *trial) string { return words(t.Rows.Run().At(t.row)) }},
	{"outcome", func(t *trial) string { return outcomes[t.Rows.Outcome[t.row]] }},
	{"status", func(t *trial) string { return words(string(t.given())) }},
	{"raw_status", func(t *trial) string { return words(t.Rows.RawStatus().At(t.row)) }},
	{"error_class", func(t *trial) string { return words(t.Rows.ErrorClass().At(t.row)) }},
	{"retry", func(t *trial) string { return strconv.FormatBool(t.Rows.Retry().At(t.row)) }},
	{"score", func(t *trial) string { return decimal(t.Rows.Score(), t.row) }},
	{"category", func(t *trial) string { return integer(t.Rows.Category().At(t.row)) }},
	{"duration_ms", func(t *trial) string { return decimal(t.Rows.DurationMS(), t.row) }},
	{"setup_ms", func(t *trial) string { return decimal(t.Rows.SetupMS(), t.row) }},
	{"cost_usd", func(t *trial) string { return decimal(t.Rows.CostUSD(), t.row) }},
	{"setup_cost_usd", func(t *trial) string { return decimal(t.Rows.SetupCost(), t.row) }},
	{"tokens", func(t *trial) string { return integer(t.Rows.Tokens().At(t.row)) }},
	{"tool_calls", func(t *trial) string { return integer(t.Rows.ToolCalls().At(t.row)) }},
	{"started_at", (*trial).startedAt},
	{"message", func(t *trial) string { return t.message[t.row] }},
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "errored", envelope.Excluded: "excluded",
	envelope.Skipped: "skipped",
}

// given is the status the trial came with, "" when it came with a score only.
func (t *trial) given() envelope.Status {
	if t.row >= len(t.Rows.Given) {
		return ""
	}
	return t.Rows.Given[t.row].Status()
}

func (t *trial) startedAt() string {
	ns, ok := t.Rows.StartedAt().At(t.row)
	if !ok {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

func decimal(c envelope.Column[float64], row int) string {
	v, ok := c.At(row)
	return optional(envelope.Opt[float64]{V: v, OK: ok})
}

func messages(t *envelope.Test) map[int]string {
	if len(t.Details) == 0 {
		return nil
	}
	out := make(map[int]string, len(t.Details))
	for i := range t.Details {
		out[t.Details[i].Trial] = words(t.Details[i].Message)
	}
	return out
}

// WriteRanking writes a row per variant, the first place first. The error is that of
// the writer.
func WriteRanking(w io.Writer, r *rank.Ranking) error { return rows(w, rankColumns, r.Variants) }

var rankColumns = []column[rank.Variant]{
	{"variant", func(v *rank.Variant) string { return words(v.Name) }},
	{"place", func(v *rank.Variant) string { return strconv.Itoa(v.Place) }},
	{"from", func(v *rank.Variant) string { return strconv.Itoa(v.From) }},
	{"to", func(v *rank.Variant) string { return strconv.Itoa(v.To) }},
	{"is_best", func(v *rank.Variant) string { return formatNumber(v.IsBest) }},
	{"rate", func(v *rank.Variant) string { return formatNumber(v.Mean.Value) }},
	{"lo", func(v *rank.Variant) string { return formatNumber(v.Mean.Lo) }},
	{"hi", func(v *rank.Variant) string { return formatNumber(v.Mean.Hi) }},
	{"shrunken_rate", func(v *rank.Variant) string { return optional(v.ShrunkenRate) }},
	{"trials", func(v *rank.Variant) string { return strconv.Itoa(v.N) }},
	{"passed", func(v *rank.Variant) string { return strconv.Itoa(v.Passed) }},
	{"excluded", func(v *rank.Variant) string { return strconv.Itoa(v.Excluded) }},
	{"cost_per_success_usd", func(v *rank.Variant) string { return optional(v.CostUSD) }},
	{"beaten", func(v *rank.Variant) string { return v.Beaten.Text("", strconv.FormatBool) }},
	{"more_trials", func(v *rank.Variant) string {
		if v.ToSeparate == nil {
			return ""
		}
		return integer(v.ToSeparate.Trials.V, v.ToSeparate.Trials.OK)
	}},
	{"more_tests", func(v *rank.Variant) string {
		if v.ToSeparate == nil {
			return ""
		}
		return integer(v.ToSeparate.Tests.V, v.ToSeparate.Tests.OK)
	}},
}

// WriteGateAudit writes a row per test, the one that is red most often first. The error is
// that of the writer.
func WriteGateAudit(w io.Writer, g *audit.Gate) error { return rows(w, gateAuditColumns, g.Tests) }

var gateAuditColumns = []column[audit.GateTest]{
	{"suite", func(t *audit.GateTest) string { return words(t.Suite) }},
	{"test", func(t *audit.GateTest) string { return words(t.Test) }},
	{"variant", func(t *audit.GateTest) string { return words(t.Variant) }},
	{"by", func(t *audit.GateTest) string { return t.By }},
	{"trials", func(t *audit.GateTest) string { return strconv.Itoa(t.Trials) }},
	{"counted", func(t *audit.GateTest) string { return strconv.Itoa(t.Counted) }},
	{"passed", func(t *audit.GateTest) string { return strconv.Itoa(t.Passed) }},
	{"rate", func(t *audit.GateTest) string { return optional(t.Rate) }},
	{"predicted", func(t *audit.GateTest) string { return formatNumber(t.Predicted.Value) }},
	{"predicted_lo", func(t *audit.GateTest) string { return optional(t.Predicted.Lo) }},
	{"predicted_hi", func(t *audit.GateTest) string { return optional(t.Predicted.Hi) }},
	{"red_runs", func(t *audit.GateTest) string { return strconv.Itoa(t.Red) }},
	{"runs", func(t *audit.GateTest) string { return strconv.Itoa(t.Runs) }},
	{"steady", func(t *audit.GateTest) string { return strconv.FormatBool(t.Steady) }},
}

// WriteTestsAudit writes a row per test, the one that says most for its cost first. The error
// is that of the writer.
func WriteTestsAudit(w io.Writer, a *audit.Tests) error { return rows(w, testsAuditColumns, a.Tests) }

var testsAuditColumns = []column[audit.Item]{
	{"suite", func(t *audit.Item) string { return words(t.Suite) }},
	{"test", func(t *audit.Item) string { return words(t.Test) }},
	{"variant", func(t *audit.Item) string { return words(t.Variant) }},
	{"trials", func(t *audit.Item) string { return strconv.Itoa(t.Trials) }},
	{"passed", func(t *audit.Item) string { return strconv.Itoa(t.Passed) }},
	{"says", func(t *audit.Item) string { return t.Says }},
	{"discrimination", known(discrimination, func(c *audit.Correlation) float64 { return c.Value })},
	{"discrimination_lo", known(discrimination, func(c *audit.Correlation) float64 { return c.Lo })},
	{"discrimination_hi", known(discrimination, func(c *audit.Correlation) float64 { return c.Hi })},
	{"index", func(t *audit.Item) string { return formatNumber(t.Index) }},
	{"cost_usd", func(t *audit.Item) string { return optional(t.CostUSD) }},
	{"index_per_usd", func(t *audit.Item) string { return optional(t.PerUSD) }},
	{"in_subset", func(t *audit.Item) string { return strconv.FormatBool(t.Kept) }},
}

func discrimination(t *audit.Item) *audit.Correlation { return t.Discrimination }
