package wire

import (
	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
)

// The tables below are the JSON form of the types of a test, key by key in the
// order of their tags. A new field of these types is a new row here.

var testFields = []codec.Member[envelope.Test]{
	codec.UnlessNone("suite", codec.Terms[string](), func(t *envelope.Test) *string { return &t.Suite }),
	codec.Always("test", codec.Texts[string](), func(t *envelope.Test) *string { return &t.Key.Test }),
	codec.UnlessNone("variant", codec.Terms[string](), func(t *envelope.Test) *string { return &t.Variant }),
	codec.UnlessNone("file", codec.Terms[string](), func(t *envelope.Test) *string { return &t.File }),
	codec.UnlessNone("line", codec.Wholes[int](), func(t *envelope.Test) *int { return &t.Line }),
	codec.UnlessNone("owners", codec.ListsOf(codec.Terms[string]()), func(t *envelope.Test) *[]string { return &t.Owners }),
	codec.UnlessNone("labels", codec.MapsOf(codec.Terms[string]()), func(t *envelope.Test) *map[string]string { return &t.Labels }),
	codec.UnlessNone("labels_varying", codec.ListsOf(codec.Terms[string]()), func(t *envelope.Test) *[]string { return &t.Varies }),
	codec.Always("status", codec.Terms[envelope.Status](), func(t *envelope.Test) *envelope.Status { return &t.Status }),
	codec.UnlessNone("kind", codec.Terms[envelope.Kind](), func(t *envelope.Test) *envelope.Kind { return &t.Kind }),
	codec.Always("flaky", codec.Flags, func(t *envelope.Test) *bool { return &t.Flaky }),
	codec.UnlessNone("cost_limited", codec.Flags, func(t *envelope.Test) *bool { return &t.CostLimited }),
	codec.UnlessNone("ended", codec.Terms[envelope.How](), func(t *envelope.Test) *envelope.How { return &t.Ended }),
	codec.UnlessNone("endings", codec.ListsOf(codec.Object(endingFields)), func(t *envelope.Test) *[]envelope.Ending { return &t.Endings }),
	codec.UnlessNone("quarantined", codec.Flags, func(t *envelope.Test) *bool { return &t.Quarantined }),
	codec.UnlessNone("quarantine", codec.Pointed(quarantineFields), func(t *envelope.Test) **envelope.InQuarantine { return &t.Quarantine }),
	codec.Always("verdict", codec.Object(verdictFields), verdictOf),
	codec.Always("trials", codec.Object(trialCountFields), func(t *envelope.Test) *envelope.TrialCounts { return &t.Trials }),
	codec.Always("rate", codec.Object(ratesFields), func(t *envelope.Test) *envelope.Rates { return &t.Rate }),
	codec.UnlessNone("reliability", codec.Pointed(reliabilityFields), func(t *envelope.Test) **envelope.Reliability { return &t.Reliability }),
	codec.UnlessNone("score", codec.Pointed(scoreFields), func(t *envelope.Test) **envelope.Score { return &t.Score }),
	codec.UnlessNone("duration_ms", codec.Pointed(spreadFields), func(t *envelope.Test) **envelope.Spread { return &t.DurationMS }),
	codec.UnlessNone("setup_ms", known(codec.Reals), func(t *envelope.Test) *envelope.Opt[float64] { return &t.SetupMS }),
	codec.UnlessNone("cost_usd", known(codec.Reals), func(t *envelope.Test) *envelope.Opt[float64] { return &t.CostUSD }),
	codec.UnlessNone("setup_cost_usd", known(codec.Reals), func(t *envelope.Test) *envelope.Opt[float64] { return &t.SetupCost }),
	codec.UnlessNone("cost_per_success_usd", known(codec.Reals), func(t *envelope.Test) *envelope.Opt[float64] { return &t.CostPerSuccess }),
	codec.UnlessNone("cost_to_verdict_usd", known(codec.Reals), func(t *envelope.Test) *envelope.Opt[float64] { return &t.CostToVerdict }),
	codec.UnlessNone("tokens", known(codec.Wholes[int64]()), func(t *envelope.Test) *envelope.Opt[int64] { return &t.Tokens }),
	codec.UnlessNone("tool_calls", known(codec.Wholes[int64]()), func(t *envelope.Test) *envelope.Opt[int64] { return &t.ToolCalls }),
	codec.Always("rows", rows, func(t *envelope.Test) *envelope.Rows { return t.Rows }),
	codec.UnlessNone("details", codec.ListsOf(codec.Object(detailFields)), func(t *envelope.Test) *[]envelope.Detail { return &t.Details }),
	codec.UnlessNone("checks", codec.MapsOf(codec.Object(checkRateFields)), func(t *envelope.Test) *map[string]envelope.CheckRate { return &t.Checks }),
	codec.UnlessNone("transcripts", codec.ListsOf(envelope.TranscriptKind), func(t *envelope.Test) *[]envelope.Transcript { return &t.Transcripts }),
	codec.UnlessNone("parting", codec.Pointed(partingFields), func(t *envelope.Test) **envelope.Parting { return &t.Parting }),
	codec.UnlessNone("causes", codec.ListsOf(codec.Object(testCauseFields)), func(t *envelope.Test) *[]envelope.TestCause { return &t.Causes }),
	codec.UnlessNone("history", codec.Pointed(pastFields), func(t *envelope.Test) **envelope.Past { return &t.History }),
}

var testCauseFields = []codec.Member[envelope.TestCause]{
	codec.Always("id", codec.Terms[string](), func(c *envelope.TestCause) *string { return &c.ID }),
	codec.Always("trials", codec.Wholes[int](), func(c *envelope.TestCause) *int { return &c.Trials }),
}

var checkRateFields = []codec.Member[envelope.CheckRate]{
	codec.Always("n", codec.Wholes[int](), func(c *envelope.CheckRate) *int { return &c.N }),
	codec.Always("passed", codec.Wholes[int](), func(c *envelope.CheckRate) *int { return &c.Passed }),
	codec.UnlessNone("rate", codec.Pointed(rateFields), func(c *envelope.CheckRate) **envelope.Rate { return &c.Rate }),
	codec.UnlessNone("score", codec.Pointed(scoreFields), func(c *envelope.CheckRate) **envelope.Score { return &c.Score }),
}

var partingFields = []codec.Member[envelope.Parting]{
	codec.Always("level", codec.Terms[string](), func(p *envelope.Parting) *string { return &p.Level }),
	codec.Always("depth", codec.Wholes[int](), func(p *envelope.Parting) *int { return &p.Depth }),
	codec.UnlessNone("shared", codec.Numbers[int](), func(p *envelope.Parting) *[]int { return &p.Shared }),
	codec.Always("n", codec.Wholes[int](), func(p *envelope.Parting) *int { return &p.N }),
	codec.Always("branches", codec.ListsOf(codec.Object(branchFields)), func(p *envelope.Parting) *[]envelope.Branch { return &p.Branches }),
	codec.Always("nodes", codec.Wholes[int](), func(p *envelope.Parting) *int { return &p.Nodes }),
	codec.UnlessNone("p", known(codec.Reals), func(p *envelope.Parting) *envelope.Opt[float64] { return &p.P }),
	codec.UnlessNone("p_adjusted", known(codec.Reals), func(p *envelope.Parting) *envelope.Opt[float64] { return &p.Adjusted }),
	codec.UnlessNone("method", codec.Terms[string](), func(p *envelope.Parting) *string { return &p.Method }),
}

var branchFields = []codec.Member[envelope.Branch]{
	codec.UnlessNone("name", codec.Terms[string](), func(b *envelope.Branch) *string { return &b.Name }),
	codec.UnlessNone("digest", codec.Terms[string](), func(b *envelope.Branch) *string { return &b.Digest }),
	codec.UnlessNone("arguments", codec.Terms[string](), func(b *envelope.Branch) *string { return &b.Arguments }),
	codec.UnlessNone("ended", codec.Flags, func(b *envelope.Branch) *bool { return &b.Ended }),
	codec.UnlessNone("unknown", codec.Flags, func(b *envelope.Branch) *bool { return &b.Unknown }),
	codec.UnlessNone("others", codec.Wholes[int](), func(b *envelope.Branch) *int { return &b.Others }),
	codec.Always("passed", codec.Wholes[int](), func(b *envelope.Branch) *int { return &b.Passed }),
	codec.Always("n", codec.Wholes[int](), func(b *envelope.Branch) *int { return &b.N }),
	codec.Always("lo", codec.Reals, func(b *envelope.Branch) *float64 { return &b.Lo }),
	codec.Always("hi", codec.Reals, func(b *envelope.Branch) *float64 { return &b.Hi }),
	codec.UnlessNone("trials", codec.Numbers[int](), func(b *envelope.Branch) *[]int { return &b.Trials }),
}

var endingFields = []codec.Member[envelope.Ending]{
	codec.UnlessNone("run", codec.Terms[string](), func(e *envelope.Ending) *string { return &e.Run }),
	codec.UnlessNone("trials", known(codec.Wholes[int64]()), func(e *envelope.Ending) *envelope.Opt[int64] { return &e.Trials }),
	codec.UnlessNone("how", codec.Terms[envelope.How](), func(e *envelope.Ending) *envelope.How { return &e.How }),
	codec.UnlessNone("elsewhere", codec.Flags, func(e *envelope.Ending) *bool { return &e.Elsewhere }),
	codec.UnlessNone("beyond", codec.Wholes[int64](), func(e *envelope.Ending) *int64 { return &e.Beyond }),
	codec.UnlessNone("beyond_usd", known(codec.Reals), func(e *envelope.Ending) *envelope.Opt[float64] { return &e.BeyondUSD }),
}

var pastFields = []codec.Member[envelope.Past]{
	codec.Always("state", codec.Terms[string](), func(p *envelope.Past) *string { return &p.State }),
	codec.Always("evidence", codec.Texts[string](), func(p *envelope.Past) *string { return &p.Evidence }),
	codec.Always("strip", codec.Texts[string](), func(p *envelope.Past) *string { return &p.Strip }),
	codec.Always("runs", codec.Wholes[int](), func(p *envelope.Past) *int { return &p.Runs }),
	codec.Always("state_runs", codec.Wholes[int](), func(p *envelope.Past) *int { return &p.StateRuns }),
	codec.UnlessNone("before", codec.Pointed(beforeFields), func(p *envelope.Past) **envelope.Before { return &p.Before }),
}

var beforeFields = []codec.Member[envelope.Before]{
	codec.Always("passed", codec.Wholes[int](), func(b *envelope.Before) *int { return &b.Passed }),
	codec.Always("counted", codec.Wholes[int](), func(b *envelope.Before) *int { return &b.Counted }),
}

var quarantineFields = []codec.Member[envelope.InQuarantine]{
	codec.Always("match", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Match }),
	codec.UnlessNone("owner", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Owner }),
	codec.UnlessNone("reason", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Reason }),
	codec.UnlessNone("ticket", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Ticket }),
	codec.UnlessNone("since", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Since }),
	codec.Always("expires", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.Expires }),
	codec.UnlessNone("at_least", known(codec.Reals), func(q *envelope.InQuarantine) *envelope.Opt[float64] { return &q.AtLeast }),
	codec.Always("state", codec.Terms[string](), func(q *envelope.InQuarantine) *string { return &q.State }),
	codec.UnlessNone("p_value", known(codec.Reals), func(q *envelope.InQuarantine) *envelope.Opt[float64] { return &q.PValue }),
	codec.Always("excused", codec.Flags, func(q *envelope.InQuarantine) *bool { return &q.Excused }),
}

var verdictFields = []codec.Member[envelope.Verdict]{
	codec.Always("rule", codec.Terms[string](), func(v *envelope.Verdict) *string { return &v.Rule }),
	codec.UnlessNone("threshold", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.Threshold }),
	codec.UnlessNone("confidence", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.Confidence }),
	codec.Always("n", codec.Wholes[int](), func(v *envelope.Verdict) *int { return &v.N }),
	codec.Always("passed", codec.Wholes[int](), func(v *envelope.Verdict) *int { return &v.Passed }),
	codec.UnlessNone("statistic", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.Statistic }),
	codec.UnlessNone("interval", codec.Pointed(intervalFields), func(v *envelope.Verdict) **envelope.Interval { return &v.Interval }),
	codec.UnlessNone("stopped_at", known(codec.Wholes[int]()), func(v *envelope.Verdict) *envelope.Opt[int] { return &v.StoppedAt }),
	codec.UnlessNone("contradicted_after_stop", codec.Pointed(contradictedFields), func(v *envelope.Verdict) **envelope.Contradicted { return &v.Contradicted }),
	codec.UnlessNone("hypotheses", codec.Pointed(hypothesesFields), func(v *envelope.Verdict) **envelope.Hypotheses { return &v.Hypotheses }),
	codec.UnlessNone("evidence", codec.ListsOf(codec.Object(evidenceFields)), func(v *envelope.Verdict) *[]envelope.Evidence { return &v.Evidence }),
	codec.UnlessNone("p_value", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.PValue }),
	codec.UnlessNone("p_adjusted", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.PAdjusted }),
	codec.UnlessNone("raw_status", codec.Terms[envelope.Status](), func(v *envelope.Verdict) *envelope.Status { return &v.RawStatus }),
	codec.UnlessNone("min_coverage", known(codec.Reals), func(v *envelope.Verdict) *envelope.Opt[float64] { return &v.MinCoverage }),
	codec.UnlessNone("valid_under_peeking", known(codec.Flags), func(v *envelope.Verdict) *envelope.Opt[bool] { return &v.ValidUnderPeeking }),
	codec.Always("reason", codec.Terms[string](), func(v *envelope.Verdict) *string { return &v.Reason }),
	codec.UnlessNone("changes", codec.ListsOf(codec.Object(changeFields)), func(v *envelope.Verdict) *[]envelope.Change { return &v.Changes }),
}

var changeFields = []codec.Member[envelope.Change]{
	codec.Always("outcome", codec.Terms[envelope.Status](), func(c *envelope.Change) *envelope.Status { return &c.Outcome }),
	codec.Always("trials", codec.Wholes[int](), func(c *envelope.Change) *int { return &c.Trials }),
	codec.Always("status", codec.Terms[envelope.Status](), func(c *envelope.Change) *envelope.Status { return &c.Status }),
}

var contradictedFields = []codec.Member[envelope.Contradicted]{
	codec.Always("n", codec.Wholes[int](), func(c *envelope.Contradicted) *int { return &c.N }),
	codec.Always("passed", codec.Wholes[int](), func(c *envelope.Contradicted) *int { return &c.Passed }),
	codec.Always("p_value", codec.Reals, func(c *envelope.Contradicted) *float64 { return &c.PValue }),
	codec.Always("level", codec.Reals, func(c *envelope.Contradicted) *float64 { return &c.Level }),
}

var intervalFields = []codec.Member[envelope.Interval]{
	codec.Always("lo", codec.Reals, func(i *envelope.Interval) *float64 { return &i.Lo }),
	codec.Always("hi", codec.Reals, func(i *envelope.Interval) *float64 { return &i.Hi }),
	codec.UnlessNone("method", codec.Terms[string](), func(i *envelope.Interval) *string { return &i.Method }),
}

var hypothesesFields = []codec.Member[envelope.Hypotheses]{
	codec.Always("p0", codec.Reals, func(h *envelope.Hypotheses) *float64 { return &h.P0 }),
	codec.Always("p1", codec.Reals, func(h *envelope.Hypotheses) *float64 { return &h.P1 }),
	codec.Always("alpha", codec.Reals, func(h *envelope.Hypotheses) *float64 { return &h.Alpha }),
	codec.Always("beta", codec.Reals, func(h *envelope.Hypotheses) *float64 { return &h.Beta }),
}

var evidenceFields = []codec.Member[envelope.Evidence]{
	codec.Always("name", codec.Terms[string](), func(e *envelope.Evidence) *string { return &e.Name }),
	codec.UnlessNone("fail_at", known(codec.Reals), func(e *envelope.Evidence) *envelope.Opt[float64] { return &e.FailAt }),
	codec.UnlessNone("pass_at", known(codec.Reals), func(e *envelope.Evidence) *envelope.Opt[float64] { return &e.PassAt }),
	codec.Always("step", codec.Wholes[int](), func(e *envelope.Evidence) *int { return &e.Step }),
	codec.Always("path", codec.Numbers[float64](), func(e *envelope.Evidence) *[]float64 { return &e.Path }),
}

var trialCountFields = []codec.Member[envelope.TrialCounts]{
	codec.UnlessNone("planned", known(codec.Wholes[int64]()), func(c *envelope.TrialCounts) *envelope.Opt[int64] { return &c.Planned }),
	codec.Always("total", codec.Wholes[int](), func(c *envelope.TrialCounts) *int { return &c.Total }),
	codec.Always("counted", codec.Wholes[int](), func(c *envelope.TrialCounts) *int { return &c.Counted }),
	codec.Always("passed", codec.Wholes[int](), func(c *envelope.TrialCounts) *int { return &c.Passed }),
	codec.Always("excluded", codec.MapsOf(codec.Wholes[int]()), func(c *envelope.TrialCounts) *map[string]int { return &c.Excluded }),
}

var ratesFields = []codec.Member[envelope.Rates]{
	codec.UnlessNone("per_protocol", codec.Pointed(rateFields), func(r *envelope.Rates) **envelope.Rate { return &r.PerProtocol }),
	codec.UnlessNone("intent_to_treat", codec.Pointed(rateFields), func(r *envelope.Rates) **envelope.Rate { return &r.IntentToTreat }),
	codec.UnlessNone("bracket", codec.Pointed(bracketFields), func(r *envelope.Rates) **envelope.Bracket { return &r.Bracket }),
}

var rateFields = []codec.Member[envelope.Rate]{
	codec.Always("value", codec.Reals, func(r *envelope.Rate) *float64 { return &r.Value }),
	codec.Always("lo", codec.Reals, func(r *envelope.Rate) *float64 { return &r.Lo }),
	codec.Always("hi", codec.Reals, func(r *envelope.Rate) *float64 { return &r.Hi }),
	codec.Always("method", codec.Terms[string](), func(r *envelope.Rate) *string { return &r.Method }),
	codec.Always("confidence", codec.Reals, func(r *envelope.Rate) *float64 { return &r.Confidence }),
}

var bracketFields = []codec.Member[envelope.Bracket]{
	codec.Always("lo", codec.Reals, func(b *envelope.Bracket) *float64 { return &b.Lo }),
	codec.Always("hi", codec.Reals, func(b *envelope.Bracket) *float64 { return &b.Hi }),
}

var reliabilityFields = []codec.Member[envelope.Reliability]{
	codec.Always("runs", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.Runs }),
	codec.Always("pass_at_k", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.PassAtK }),
	codec.Always("passhat_k", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.PassHatK }),
	codec.Always("all_passed", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.AllPassed }),
	codec.Always("variance_amplification", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.VarianceAmplification }),
	codec.Always("graceful_degradation", codec.Wholes[int](), func(r *envelope.Reliability) *int { return &r.GracefulDegradation }),
	codec.Always("curve", codec.Numbers[int](), func(r *envelope.Reliability) *[]int { return &r.Curve }),
}

var scoreFields = []codec.Member[envelope.Score]{
	codec.Always("value", codec.Reals, func(s *envelope.Score) *float64 { return &s.Value }),
	codec.Always("mean", codec.Reals, func(s *envelope.Score) *float64 { return &s.Mean }),
	codec.Always("min", codec.Reals, func(s *envelope.Score) *float64 { return &s.Min }),
	codec.Always("max", codec.Reals, func(s *envelope.Score) *float64 { return &s.Max }),
	codec.UnlessNone("stddev", known(codec.Reals), func(s *envelope.Score) *envelope.Opt[float64] { return &s.StdDev }),
	codec.UnlessNone("lo", known(codec.Reals), func(s *envelope.Score) *envelope.Opt[float64] { return &s.Lo }),
	codec.UnlessNone("hi", known(codec.Reals), func(s *envelope.Score) *envelope.Opt[float64] { return &s.Hi }),
}

var spreadFields = []codec.Member[envelope.Spread]{
	codec.Always("total", codec.Reals, func(s *envelope.Spread) *float64 { return &s.Total }),
	codec.UnlessNone("p50", known(codec.Reals), func(s *envelope.Spread) *envelope.Opt[float64] { return &s.P50 }),
	codec.UnlessNone("p95", known(codec.Reals), func(s *envelope.Spread) *envelope.Opt[float64] { return &s.P95 }),
	codec.UnlessNone("p50_lo", known(codec.Reals), func(s *envelope.Spread) *envelope.Opt[float64] { return &s.P50Lo }),
	codec.UnlessNone("p50_hi", known(codec.Reals), func(s *envelope.Spread) *envelope.Opt[float64] { return &s.P50Hi }),
}

var detailFields = []codec.Member[envelope.Detail]{
	codec.Always("trial", codec.Wholes[int](), func(d *envelope.Detail) *int { return &d.Trial }),
	codec.UnlessNone("attempt", known(codec.Wholes[int32]()), func(d *envelope.Detail) *envelope.Opt[int32] { return &d.Attempt }),
	codec.UnlessNone("run", codec.Terms[string](), func(d *envelope.Detail) *string { return &d.Run }),
	codec.Always("status", codec.Terms[envelope.Status](), func(d *envelope.Detail) *envelope.Status { return &d.Status }),
	codec.UnlessNone("error_class", codec.Terms[string](), func(d *envelope.Detail) *string { return &d.ErrorClass }),
	codec.UnlessNone("message", codec.Terms[string](), func(d *envelope.Detail) *string { return &d.Message }),
	codec.UnlessNone("output", codec.Texts[string](), func(d *envelope.Detail) *string { return &d.Output }),
	codec.UnlessNone("labels", codec.MapsOf(codec.Terms[string]()), func(d *envelope.Detail) *map[string]string { return &d.Labels }),
	codec.UnlessNone("reasons", codec.MapsOf(codec.Texts[string]()), func(d *envelope.Detail) *map[string]string { return &d.Reasons }),
	codec.UnlessNone("attachments", codec.ListsOf(codec.Object(envelope.AttachmentFields)), func(d *envelope.Detail) *[]envelope.Attachment { return &d.Attachments }),
}

// known is a value that may be absent.
func known[V any](k codec.Kind[V]) codec.Kind[envelope.Opt[V]] { return envelope.OptKind(k) }

// verdictOf is the verdict of a test, none of one that was never judged.
func verdictOf(t *envelope.Test) *envelope.Verdict {
	if t.Verdict == nil {
		return new(envelope.Verdict)
	}
	return t.Verdict
}

// rows are those of a test.
var rows = codec.Kind[envelope.Rows]{
	Write: func(w *codec.Writer, r *envelope.Rows) {
		text, err := r.AppendInRun(w.B)
		if err != nil {
			w.Fail(err)
			return
		}
		w.B = text
	},
	Read: func(p *codec.Parser, r *envelope.Rows) {
		if p.Odd {
			return
		}
		end := r.ConsumeJSON(p.B[p.At:], p.Shared.(*envelope.DecodeState))
		if p.Odd = end < 0; !p.Odd {
			p.At += end
		}
	},
	None: func(*envelope.Rows) bool { return false },
}

// newTestParser is a parser of tests that share something.
func newTestParser(text []byte, shared *envelope.DecodeState) *codec.Parser {
	p := codec.NewParser(text)
	p.Shared = shared
	shared.Reset()
	return p
}
