package csv

import (
	"strconv"

	"tribunal/envelope"
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
	{"excluded", func(t *envelope.Test) string { return strconv.Itoa(excluded(t)) }},
	{"skipped", func(t *envelope.Test) string { return strconv.Itoa(t.Trials.Excluded[string(envelope.Skip)]) }},
	{"rate", known(perProtocol, value)},
	{"rate_lo", known(perProtocol, lower)},
	{"rate_hi", known(perProtocol, upper)},
	{"intent_to_treat", known(intentToTreat, value)},
	{"intent_to_treat_lo", known(intentToTreat, lower)},
	{"intent_to_treat_hi", known(intentToTreat, upper)},
	{"bracket_lo", bracket(func(b *envelope.Bracket) float64 { return b.Lo })},
	{"bracket_hi", bracket(func(b *envelope.Bracket) float64 { return b.Hi })},
	{"verdict_n", func(t *envelope.Test) string { return strconv.Itoa(t.Verdict.N) }},
	{"verdict_passed", func(t *envelope.Test) string { return strconv.Itoa(t.Verdict.Passed) }},
	{"verdict_lo", interval(func(iv *envelope.Interval) float64 { return iv.Lo })},
	{"verdict_hi", interval(func(iv *envelope.Interval) float64 { return iv.Hi })},
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
	{"score", score(func(s *envelope.Score) float64 { return s.Value })},
	{"score_mean", score(func(s *envelope.Score) float64 { return s.Mean })},
	{"score_min", score(func(s *envelope.Score) float64 { return s.Min })},
	{"score_max", score(func(s *envelope.Score) float64 { return s.Max })},
	{"duration_ms", duration(func(d *envelope.Spread) float64 { return d.Total })},
	{"duration_p50_ms", percentile(func(d *envelope.Spread) envelope.Opt[float64] { return d.P50 })},
	{"duration_p95_ms", percentile(func(d *envelope.Spread) envelope.Opt[float64] { return d.P95 })},
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
	{"quarantine_state", quarantine(func(q *envelope.InQuarantine) string { return q.State })},
	{"quarantine_expires", quarantine(func(q *envelope.InQuarantine) string { return q.Expires })},
	{"quarantine_owner", quarantine(func(q *envelope.InQuarantine) string { return q.Owner })},
	{"quarantine_ticket", quarantine(func(q *envelope.InQuarantine) string { return q.Ticket })},
	{"quarantine_reason", quarantine(func(q *envelope.InQuarantine) string { return q.Reason })},
	{"duration_p50_lo_ms", percentile(func(d *envelope.Spread) envelope.Opt[float64] { return d.P50Lo })},
	{"duration_p50_hi_ms", percentile(func(d *envelope.Spread) envelope.Opt[float64] { return d.P50Hi })},
}

// insideColumns are those on the inside of trials.
var insideColumns = []column[envelope.Test]{
	{"failing_checks", func(t *envelope.Test) string { return words(standing.FailingChecks(t)) }},
	{"parting", func(t *envelope.Test) string { return words(standing.Parting(t)) }},
}

// quarantine is a text of the entry that matches the test, if one does.
func quarantine(text func(*envelope.InQuarantine) string) func(*envelope.Test) string {
	return func(t *envelope.Test) string {
		if t.Quarantine == nil {
			return ""
		}
		return words(text(t.Quarantine))
	}
}

func excluded(t *envelope.Test) int {
	return t.Trials.Total - t.Trials.Counted - t.Trials.Excluded[string(envelope.Skip)]
}

func perProtocol(t *envelope.Test) *envelope.Rate   { return t.Rate.PerProtocol }
func intentToTreat(t *envelope.Test) *envelope.Rate { return t.Rate.IntentToTreat }
func value(r *envelope.Rate) float64                { return r.Value }
func lower(r *envelope.Rate) float64                { return r.Lo }
func upper(r *envelope.Rate) float64                { return r.Hi }

func bracket(part func(*envelope.Bracket) float64) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Bracket { return t.Rate.Bracket }, part)
}

func interval(part func(*envelope.Interval) float64) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Interval { return t.Verdict.Interval }, part)
}

func score(part func(*envelope.Score) float64) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Score { return t.Score }, part)
}

func percentile(of func(*envelope.Spread) envelope.Opt[float64]) func(*envelope.Test) string {
	return func(t *envelope.Test) string {
		if t.DurationMS == nil {
			return ""
		}
		return optional(of(t.DurationMS))
	}
}

func duration(part func(*envelope.Spread) float64) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Spread { return t.DurationMS }, part)
}

func reliability(part func(*envelope.Reliability) int) func(*envelope.Test) string {
	return known(func(t *envelope.Test) *envelope.Reliability { return t.Reliability },
		func(r *envelope.Reliability) float64 { return float64(part(r)) })
}

// known is a cell that is empty when the test has no such thing.
func known[T any](of func(*envelope.Test) *T, part func(*T) float64) func(*envelope.Test) string {
	return func(t *envelope.Test) string {
		if x := of(t); x != nil {
			return number(part(x))
		}
		return ""
	}
}
