package envelope

// Policy is what somebody asks for: how trials are to be counted and judged. It
// is a layer (flags, a file, the header of a runner) and holds what that layer
// says, everything else absent. What holds in the end is an Effective one.
type Policy struct {
	// Config names the file that said a part of it, for people: nothing is judged by it.
	Config string `json:"config,omitempty"`

	// Rule is the name of the rule; RetryRule, when not empty, replaces it for
	// tests whose extra trials are retries.
	Rule      string `json:"rule,omitempty"`
	RetryRule string `json:"retry_rule,omitempty"`

	Threshold      Opt[float64] `json:"threshold,omitzero"`       // pass rate or mean score to hold, 0..1
	ScoreThreshold Opt[float64] `json:"score_threshold,omitzero"` // lowest score at which a trial without a status passes
	ScoreRange     string       `json:"score_range,omitempty"`    // lowest and highest score, LOW..HIGH; 0..1 if absent
	Confidence     Opt[float64] `json:"confidence,omitzero"`      // a fraction: 0.95
	MinTrials      Opt[int]     `json:"min_trials,omitzero"`      // fewer counted trials are inconclusive, three-way rules only
	TreatAs        string       `json:"treat_as,omitempty"`       // what an inconclusive test does to the exit code

	// RunThreshold judges the run as a whole: its pass rate, as RunScope means it.
	RunThreshold Opt[float64] `json:"run_threshold,omitzero"`
	RunScope     string       `json:"run_scope,omitempty"`
	// RuleNamed says of a run that is judged as a whole under the rules of no name, all
	// and any for retries, that somebody named them: then its tests count as well.
	RuleNamed Opt[bool] `json:"rule_named,omitzero"`

	Alpha  Opt[float64] `json:"alpha,omitzero"` // chance of a FAIL at the threshold, sequential rules
	Beta   Opt[float64] `json:"beta,omitzero"`  // chance of a PASS at threshold - gap, sequential rules
	Gap    Opt[float64] `json:"gap,omitzero"`   // distance of the two hypotheses, sequential rules
	Adjust string       `json:"adjust,omitempty"`
	Family string       `json:"family,omitempty"`

	MinCoverage     Opt[float64] `json:"min_coverage,omitzero"` // counted / (counted + excluded), below it inconclusive
	DetectEmptyRuns Opt[bool]    `json:"detect_empty_runs,omitzero"`

	CostLimitUSD    Opt[float64] `json:"cost_limit_usd,omitzero"`     // trials of a test after its spend reached this are not counted
	RunCostLimitUSD Opt[float64] `json:"run_cost_limit_usd,omitzero"` // the same over all tests in order

	OnConflict  string `json:"on_conflict,omitempty"`
	KeepDetails string `json:"keep_details,omitempty"` // a number, "all" or "none"
	// KeepTranscripts is how many conversations of trials that did not pass are kept of
	// a test: a number, "all" or "none"; absent is 3.
	KeepTranscripts string    `json:"keep_transcripts,omitempty"`
	Lenient         Opt[bool] `json:"lenient,omitzero"`
	Strict          Opt[bool] `json:"strict,omitzero"` // what puts the run in doubt is an error
	AllowEmpty      Opt[bool] `json:"allow_empty,omitzero"`
	RunnerFailed    Opt[bool] `json:"runner_failed,omitzero"` // its exit code said so: a run without a failed trial fails

	// Fewer trials of the run, or fewer tests, are an error of the input.
	ExpectTrials Opt[int64] `json:"expect_trials,omitzero"`
	ExpectTests  Opt[int64] `json:"expect_tests,omitzero"`

	Metrics string       `json:"metrics,omitempty"` // default, all or none
	Metric  []MetricCall `json:"metric,omitempty"`  // metrics with parameters of their own, in place of those of the set
	// depths of the metrics; absent: 1, 2, 4, … as far as every test has trials
	K               []int        `json:"k,omitempty"`
	Tau             Opt[float64] `json:"tau,omitzero"`               // share of k that must pass, g_pass_at_k_tau
	Lambda          Opt[float64] `json:"lambda,omitzero"`            // exponent of pass@k, geo_spectrum
	CategoryWeights []float64    `json:"category_weights,omitempty"` // reward of each category, 0 first
	PriorAlpha      Opt[float64] `json:"prior_alpha,omitzero"`       // Beta prior of each pass rate
	PriorBeta       Opt[float64] `json:"prior_beta,omitzero"`
	ClusterBy       string       `json:"cluster_by,omitempty"` // test, suite, variant or a label

	// IgnoreSteps are tools without effect: where trials part is found as if nobody
	// had called them.
	IgnoreSteps []string `json:"ignore_steps,omitempty"`

	// Redact false leaves secrets in the texts; absent, they are taken out. The
	// patterns and fields are hidden beside the well-known credentials.
	Redact         Opt[bool]       `json:"redact,omitzero"`
	RedactPatterns []RedactPattern `json:"redact_patterns,omitempty"`
	RedactFields   []string        `json:"redact_fields,omitempty"`

	// Quarantine excuses failures of known flaky tests, of at most so many tests.
	Quarantine    []Quarantine `json:"quarantine,omitempty"`
	QuarantineCap Opt[int]     `json:"quarantine_cap,omitzero"`

	Gates     []GateExpr `json:"gates,omitempty"`
	Overrides []Override `json:"overrides,omitempty"`
}

// Effective is the policy that holds: every layer in it, complete and checked, so that whoever has
// the envelope can judge it again and gets the same. Only verdict.Resolve makes one, and reading
// back what was judged under one. On the wire it is a Policy.
type Effective struct{ Policy }

// RunJudgedAlone reports a policy that judges the run and names no rule for all tests: then failed tests are shown, and
// the run alone decides the build. By the default rule, one failed trial of hundreds would fail a run that must hold 90 %.
func (p *Effective) RunJudgedAlone() bool {
	return p.RunThreshold.OK && p.Rule == "all" && p.RetryRule == "any" && !p.RuleNamed.V
}

// Carried is the policy that came with an input, which is one of two.
type Carried struct {
	Asked *Policy    // what the runner asks for
	Held  *Effective // what a report or a journal of ours was judged under
}

// Override is a policy for some tests: those whose name or suite/name matches
// the glob and whose labels have the given values. Later overrides win.
type Override struct {
	Match  string            `json:"match,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Policy Policy            `json:"policy"`
}

// MetricCall is a metric of the run with parameters of its own. Their values are as
// JSON has them: numbers, lists, texts, nil.
type MetricCall struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params,omitempty"`
}

// GateExpr is a condition on the run or on each test: an expression over dot
// paths, such as summary.fail == 0 or reliability.passhat_k >= 80.
type GateExpr struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
}

// RedactPattern is a regular expression (RE2) of what is to be hidden, and the
// kind that stands in its place. In an envelope, a pattern that is itself what
// it hides is left out, and its kind stays.
type RedactPattern struct {
	Kind    string `json:"kind,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// What to do with different trials under one (run, attempt).
const (
	ConflictExtend  = "extend"  // keep all, ordered by content
	ConflictReplace = "replace" // the last input wins
	ConflictError   = "error"   // keep all, and exit 2
)

// Quarantine is an entry of the quarantine of a policy: the failures of known
// flaky tests are excused, by somebody, for a reason and for a time.
type Quarantine struct {
	Match   string `json:"match"` // a glob over suite/test [variant], as of an Override
	Owner   string `json:"owner,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Ticket  string `json:"ticket,omitempty"`
	Since   string `json:"since,omitempty"` // the first day it holds, as 2006-01-02, whole in UTC
	Expires string `json:"expires"`         // the last day
	// AtLeast is the pass rate that a flaky test is taken to have: what the trials
	// show to be worse is no longer the flakiness that was excused.
	AtLeast Opt[float64] `json:"at_least,omitzero"`
}

// The states of a test in quarantine.
const (
	QuarantineInForce = "in-force"  // it holds; see Excused
	QuarantineBroken  = "broken"    // the test fails, and no trial of it passed
	QuarantineSteady  = "not-flaky" // the test fails, and its trials do not both pass and fail
	QuarantineWorse   = "worse"     // the test fails, or a gate is asked of it, and its trials reject the rate of its entry
	QuarantineEarly   = "not-begun" // the run started before the first day
	QuarantineExpired = "expired"
	QuarantineUndated = "undated"  // the run does not say when it was
	QuarantineOverCap = "over-cap" // more tests than the cap allows
)

// InQuarantine is a test that an entry matches, whether it helps the test or not.
type InQuarantine struct {
	Quarantine
	State string `json:"state"`
	// PValue is the exact one-sided p-value of the trials against a rate of AtLeast,
	// of a test that would be excused, by its verdict or by a gate on each test.
	PValue Opt[float64] `json:"p_value,omitzero"`
	// Excused is set when the test does not pass and that does nothing to the build.
	Excused bool `json:"excused"`
}
