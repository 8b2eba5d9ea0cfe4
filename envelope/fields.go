package envelope

// The tables below are the JSON form of the types of a test, key by key in the
// order of their tags. A new field of these types is a new row here.

var testFields = []member[Test]{
	unlessNone("suite", terms[string](), func(t *Test) *string { return &t.Suite }),
	always("test", words[string](), func(t *Test) *string { return &t.Key.Test }),
	unlessNone("variant", terms[string](), func(t *Test) *string { return &t.Variant }),
	unlessNone("file", terms[string](), func(t *Test) *string { return &t.File }),
	unlessNone("line", wholes[int](), func(t *Test) *int { return &t.Line }),
	unlessNone("labels", mapsOf(terms[string]()), func(t *Test) *map[string]string { return &t.Labels }),
	unlessNone("labels_varying", listsOf(terms[string]()), func(t *Test) *[]string { return &t.Varies }),
	always("status", terms[Status](), func(t *Test) *Status { return &t.Status }),
	always("flaky", flags, func(t *Test) *bool { return &t.Flaky }),
	unlessNone("cost_limited", flags, func(t *Test) *bool { return &t.CostLimited }),
	unlessNone("ended", terms[How](), func(t *Test) *How { return &t.Ended }),
	unlessNone("endings", listsOf(object(endingFields)), func(t *Test) *[]Ending { return &t.Endings }),
	unlessNone("quarantined", flags, func(t *Test) *bool { return &t.Quarantined }),
	unlessNone("quarantine", pointed(quarantineFields), func(t *Test) **InQuarantine { return &t.Quarantine }),
	always("verdict", object(verdictFields), func(t *Test) *Verdict { return &t.Verdict }),
	always("trials", object(trialCountFields), func(t *Test) *TrialCounts { return &t.Trials }),
	always("rate", object(ratesFields), func(t *Test) *Rates { return &t.Rate }),
	unlessNone("reliability", pointed(reliabilityFields), func(t *Test) **Reliability { return &t.Reliability }),
	unlessNone("score", pointed(scoreFields), func(t *Test) **Score { return &t.Score }),
	unlessNone("duration_ms", pointed(spreadFields), func(t *Test) **Spread { return &t.DurationMS }),
	unlessNone("setup_ms", known(reals), func(t *Test) *Opt[float64] { return &t.SetupMS }),
	unlessNone("cost_usd", known(reals), func(t *Test) *Opt[float64] { return &t.CostUSD }),
	unlessNone("setup_cost_usd", known(reals), func(t *Test) *Opt[float64] { return &t.SetupCost }),
	unlessNone("cost_per_success_usd", known(reals), func(t *Test) *Opt[float64] { return &t.CostPerSuccess }),
	unlessNone("cost_to_verdict_usd", known(reals), func(t *Test) *Opt[float64] { return &t.CostToVerdict }),
	unlessNone("tokens", known(wholes[int64]()), func(t *Test) *Opt[int64] { return &t.Tokens }),
	unlessNone("tool_calls", known(wholes[int64]()), func(t *Test) *Opt[int64] { return &t.ToolCalls }),
	always("rows", rowsKind, func(t *Test) *Rows { return t.Rows }),
	unlessNone("details", listsOf(object(detailFields)), func(t *Test) *[]Detail { return &t.Details }),
	unlessNone("history", pointed(pastFields), func(t *Test) **Past { return &t.History }),
}

var endingFields = []member[Ending]{
	unlessNone("run", terms[string](), func(e *Ending) *string { return &e.Run }),
	unlessNone("trials", known(wholes[int64]()), func(e *Ending) *Opt[int64] { return &e.Trials }),
	unlessNone("how", terms[How](), func(e *Ending) *How { return &e.How }),
	unlessNone("elsewhere", flags, func(e *Ending) *bool { return &e.Elsewhere }),
}

var pastFields = []member[Past]{
	always("state", terms[string](), func(p *Past) *string { return &p.State }),
	always("evidence", words[string](), func(p *Past) *string { return &p.Evidence }),
	always("strip", words[string](), func(p *Past) *string { return &p.Strip }),
	always("runs", wholes[int](), func(p *Past) *int { return &p.Runs }),
	unlessNone("before", pointed(beforeFields), func(p *Past) **Before { return &p.Before }),
}

var beforeFields = []member[Before]{
	always("passed", wholes[int](), func(b *Before) *int { return &b.Passed }),
	always("counted", wholes[int](), func(b *Before) *int { return &b.Counted }),
}

var quarantineFields = []member[InQuarantine]{
	always("match", terms[string](), func(q *InQuarantine) *string { return &q.Match }),
	unlessNone("owner", terms[string](), func(q *InQuarantine) *string { return &q.Owner }),
	unlessNone("reason", terms[string](), func(q *InQuarantine) *string { return &q.Reason }),
	unlessNone("ticket", terms[string](), func(q *InQuarantine) *string { return &q.Ticket }),
	unlessNone("since", terms[string](), func(q *InQuarantine) *string { return &q.Since }),
	always("expires", terms[string](), func(q *InQuarantine) *string { return &q.Expires }),
	unlessNone("at_least", known(reals), func(q *InQuarantine) *Opt[float64] { return &q.AtLeast }),
	always("state", terms[string](), func(q *InQuarantine) *string { return &q.State }),
	unlessNone("p_value", known(reals), func(q *InQuarantine) *Opt[float64] { return &q.PValue }),
	always("excused", flags, func(q *InQuarantine) *bool { return &q.Excused }),
}

var verdictFields = []member[Verdict]{
	always("rule", terms[string](), func(v *Verdict) *string { return &v.Rule }),
	unlessNone("threshold", known(reals), func(v *Verdict) *Opt[float64] { return &v.Threshold }),
	unlessNone("confidence", known(reals), func(v *Verdict) *Opt[float64] { return &v.Confidence }),
	always("n", wholes[int](), func(v *Verdict) *int { return &v.N }),
	always("passed", wholes[int](), func(v *Verdict) *int { return &v.Passed }),
	unlessNone("statistic", known(reals), func(v *Verdict) *Opt[float64] { return &v.Statistic }),
	unlessNone("interval", pointed(intervalFields), func(v *Verdict) **Interval { return &v.Interval }),
	unlessNone("stopped_at", known(wholes[int]()), func(v *Verdict) *Opt[int] { return &v.StoppedAt }),
	unlessNone("contradicted_after_stop", pointed(contradictedFields), func(v *Verdict) **Contradicted { return &v.Contradicted }),
	unlessNone("hypotheses", pointed(hypothesesFields), func(v *Verdict) **Hypotheses { return &v.Hypotheses }),
	unlessNone("evidence", listsOf(object(evidenceFields)), func(v *Verdict) *[]Evidence { return &v.Evidence }),
	unlessNone("p_value", known(reals), func(v *Verdict) *Opt[float64] { return &v.PValue }),
	unlessNone("p_adjusted", known(reals), func(v *Verdict) *Opt[float64] { return &v.PAdjusted }),
	unlessNone("raw_status", terms[Status](), func(v *Verdict) *Status { return &v.RawStatus }),
	unlessNone("valid_under_peeking", known(flags), func(v *Verdict) *Opt[bool] { return &v.ValidUnderPeeking }),
	always("reason", terms[string](), func(v *Verdict) *string { return &v.Reason }),
	unlessNone("changes", listsOf(object(changeFields)), func(v *Verdict) *[]Change { return &v.Changes }),
}

var changeFields = []member[Change]{
	always("outcome", terms[Status](), func(c *Change) *Status { return &c.Outcome }),
	always("trials", wholes[int](), func(c *Change) *int { return &c.Trials }),
	always("status", terms[Status](), func(c *Change) *Status { return &c.Status }),
}

var contradictedFields = []member[Contradicted]{
	always("n", wholes[int](), func(c *Contradicted) *int { return &c.N }),
	always("passed", wholes[int](), func(c *Contradicted) *int { return &c.Passed }),
	always("p_value", reals, func(c *Contradicted) *float64 { return &c.PValue }),
	always("level", reals, func(c *Contradicted) *float64 { return &c.Level }),
}

var intervalFields = []member[Interval]{
	always("lo", reals, func(i *Interval) *float64 { return &i.Lo }),
	always("hi", reals, func(i *Interval) *float64 { return &i.Hi }),
	unlessNone("method", terms[string](), func(i *Interval) *string { return &i.Method }),
}

var hypothesesFields = []member[Hypotheses]{
	always("p0", reals, func(h *Hypotheses) *float64 { return &h.P0 }),
	always("p1", reals, func(h *Hypotheses) *float64 { return &h.P1 }),
	always("alpha", reals, func(h *Hypotheses) *float64 { return &h.Alpha }),
	always("beta", reals, func(h *Hypotheses) *float64 { return &h.Beta }),
}

var evidenceFields = []member[Evidence]{
	always("name", terms[string](), func(e *Evidence) *string { return &e.Name }),
	unlessNone("fail_at", known(reals), func(e *Evidence) *Opt[float64] { return &e.FailAt }),
	unlessNone("pass_at", known(reals), func(e *Evidence) *Opt[float64] { return &e.PassAt }),
	always("step", wholes[int](), func(e *Evidence) *int { return &e.Step }),
	always("path", numbers[float64](), func(e *Evidence) *[]float64 { return &e.Path }),
}

var trialCountFields = []member[TrialCounts]{
	unlessNone("planned", known(wholes[int64]()), func(c *TrialCounts) *Opt[int64] { return &c.Planned }),
	always("total", wholes[int](), func(c *TrialCounts) *int { return &c.Total }),
	always("counted", wholes[int](), func(c *TrialCounts) *int { return &c.Counted }),
	always("passed", wholes[int](), func(c *TrialCounts) *int { return &c.Passed }),
	always("excluded", mapsOf(wholes[int]()), func(c *TrialCounts) *map[string]int { return &c.Excluded }),
}

var ratesFields = []member[Rates]{
	unlessNone("per_protocol", pointed(rateFields), func(r *Rates) **Rate { return &r.PerProtocol }),
	unlessNone("intent_to_treat", pointed(rateFields), func(r *Rates) **Rate { return &r.IntentToTreat }),
	unlessNone("bracket", pointed(bracketFields), func(r *Rates) **Bracket { return &r.Bracket }),
}

var rateFields = []member[Rate]{
	always("value", reals, func(r *Rate) *float64 { return &r.Value }),
	always("lo", reals, func(r *Rate) *float64 { return &r.Lo }),
	always("hi", reals, func(r *Rate) *float64 { return &r.Hi }),
	always("method", terms[string](), func(r *Rate) *string { return &r.Method }),
	always("confidence", reals, func(r *Rate) *float64 { return &r.Confidence }),
}

var bracketFields = []member[Bracket]{
	always("lo", reals, func(b *Bracket) *float64 { return &b.Lo }),
	always("hi", reals, func(b *Bracket) *float64 { return &b.Hi }),
}

var reliabilityFields = []member[Reliability]{
	always("runs", wholes[int](), func(r *Reliability) *int { return &r.Runs }),
	always("pass_at_k", wholes[int](), func(r *Reliability) *int { return &r.PassAtK }),
	always("passhat_k", wholes[int](), func(r *Reliability) *int { return &r.PassHatK }),
	always("all_passed", wholes[int](), func(r *Reliability) *int { return &r.AllPassed }),
	always("variance_amplification", wholes[int](), func(r *Reliability) *int { return &r.VarianceAmplification }),
	always("graceful_degradation", wholes[int](), func(r *Reliability) *int { return &r.GracefulDegradation }),
	always("curve", numbers[int](), func(r *Reliability) *[]int { return &r.Curve }),
}

var scoreFields = []member[Score]{
	always("value", reals, func(s *Score) *float64 { return &s.Value }),
	always("mean", reals, func(s *Score) *float64 { return &s.Mean }),
	always("min", reals, func(s *Score) *float64 { return &s.Min }),
	always("max", reals, func(s *Score) *float64 { return &s.Max }),
	unlessNone("stddev", known(reals), func(s *Score) *Opt[float64] { return &s.StdDev }),
	unlessNone("lo", known(reals), func(s *Score) *Opt[float64] { return &s.Lo }),
	unlessNone("hi", known(reals), func(s *Score) *Opt[float64] { return &s.Hi }),
}

var spreadFields = []member[Spread]{
	always("total", reals, func(s *Spread) *float64 { return &s.Total }),
	always("p50", reals, func(s *Spread) *float64 { return &s.P50 }),
	always("p95", reals, func(s *Spread) *float64 { return &s.P95 }),
}

var detailFields = []member[Detail]{
	always("trial", wholes[int](), func(d *Detail) *int { return &d.Trial }),
	unlessNone("attempt", known(wholes[int32]()), func(d *Detail) *Opt[int32] { return &d.Attempt }),
	unlessNone("run", terms[string](), func(d *Detail) *string { return &d.Run }),
	always("status", terms[Status](), func(d *Detail) *Status { return &d.Status }),
	unlessNone("error_class", terms[string](), func(d *Detail) *string { return &d.ErrorClass }),
	unlessNone("message", terms[string](), func(d *Detail) *string { return &d.Message }),
	unlessNone("output", words[string](), func(d *Detail) *string { return &d.Output }),
	unlessNone("labels", mapsOf(terms[string]()), func(d *Detail) *map[string]string { return &d.Labels }),
}
