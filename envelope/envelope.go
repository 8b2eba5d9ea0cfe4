package envelope

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/internal/each"
)

// Schema is the name of the wire format of an Envelope.
const Schema = "tribunal/envelope/v1"

// TrialSchema is the name of the wire format of a stream of trials.
const TrialSchema = "tribunal/trials/v1"

// Envelope is a judged run, made by verdict.Seal. Renderers read it and never change it.
type Envelope struct {
	Run     RunHeader
	Policy  Effective
	Summary Summary
	Metrics []Metric
	Suites  []Suite
	// Steps are the tool calls, which rows name by place. Texts are shared by several
	// turns. Both are in the order of their first use.
	Steps    []Step
	Texts    []string
	Reasons  []Reason
	Tests    []Test // by suite, test, variant
	Gate     Gate
	Problems []Problem

	sum TrialsSum // set by KeepSum
}

// Bracket is the pass rate if all excluded trials had failed (Lo) or passed (Hi).
type Bracket struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Rates are the pass rates of a test or run. A rate is nil if its denominator is 0.
type Rates struct {
	PerProtocol   *Rate    `json:"per_protocol,omitempty"`    // passed / counted
	IntentToTreat *Rate    `json:"intent_to_treat,omitempty"` // passed / (counted + excluded)
	Bracket       *Bracket `json:"bracket,omitempty"`
}

// TrialCounts counts trials. Excluded counts by class, with skipped trials under "skip".
type TrialCounts struct {
	Planned  Opt[int64]     `json:"planned,omitzero"`
	Total    int            `json:"total"`
	Counted  int            `json:"counted"`
	Passed   int            `json:"passed"`
	Excluded map[string]int `json:"excluded"`
}

// AnyTest reports whether like holds for one of the tests. It does not copy them.
func AnyTest(tests []Test, like func(*Test) bool) bool {
	for i := range tests {
		if like(&tests[i]) {
			return true
		}
	}
	return false
}

// Add adds the trials of a test.
func (c *TrialCounts) Add(o TrialCounts) {
	c.Total += o.Total
	c.Counted += o.Counted
	c.Passed += o.Passed
	for class, n := range o.Excluded {
		c.Excluded[class] += n
	}
}

// Counts are numbers of tests by status.
type Counts struct {
	Tests        int `json:"tests"`
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Error        int `json:"error"`
	Skip         int `json:"skip"`
}

func (c Counts) Of(s Status) int { return *c.of(s) }

func (c *Counts) Add(s Status) {
	c.Tests++
	*c.of(s)++
}

func (c *Counts) of(s Status) *int {
	switch s {
	case Pass:
		return &c.Pass
	case Fail:
		return &c.Fail
	case Inconclusive:
		return &c.Inconclusive
	case Error:
		return &c.Error
	case Skip:
		return &c.Skip
	}
	return new(int)
}

// Stopped is set if outcomes decided how many trials tests have, which biases the share of
// passed trials.
type Stopped struct {
	Tests int `json:"tests"` // that ended at a verdict
	// P is the p-value of the test whether numbers of trials depend on outcomes. It is
	// absent if trials record that they do.
	P Opt[float64] `json:"p,omitzero"`
	// Rate is the unbiased estimate, each test once; absent below two tests.
	Rate *Rate `json:"rate,omitempty"`
}

// Summary has the numbers of the run. Sums are absent if no trial reports the field.
type Summary struct {
	Counts
	Flaky       int         `json:"flaky"`
	NotRun      int         `json:"not_run,omitempty"`     // of Error, those of KindNotRun
	Quarantined int         `json:"quarantined,omitempty"` // tests for which a quarantine is in force
	Excused     int         `json:"excused,omitempty"`     // of these, those that did not pass
	Trials      TrialCounts `json:"trials"`
	Rate        Rates       `json:"rate"`
	Clusters    *Clusters   `json:"clusters,omitempty"`
	// Like is the rate of similar tests, by test or by the cluster_by of the policy. It is
	// absent if fewer than two have counted trials.
	Like *Clusters `json:"like,omitempty"`
	// Score is the mean score of counted trials. It is absent if all are 0 or 1, if one is out
	// of range, and with Stopped.
	Score   *Rate    `json:"score,omitempty"`
	Stopped *Stopped `json:"stopped,omitempty"`
	// WallMS is from the start of the first trial to the end of the last, if they are of one run.
	WallMS         Opt[float64] `json:"wall_ms,omitzero"`
	DurationMS     Opt[float64] `json:"duration_ms,omitzero"`
	SetupMS        Opt[float64] `json:"setup_ms,omitzero"`
	CostUSD        Opt[float64] `json:"cost_usd,omitzero"`
	SetupCostUSD   Opt[float64] `json:"setup_cost_usd,omitzero"`
	CostPerSuccess Opt[float64] `json:"cost_per_success_usd,omitzero"`
	CostToVerdict  Opt[float64] `json:"cost_to_verdict_usd,omitzero"`
	Tokens         Opt[int64]   `json:"tokens,omitzero"`
	ToolCalls      Opt[int64]   `json:"tool_calls,omitzero"`
	// Saved are trials that were not started because their tests had verdicts. Beyond were
	// started all the same, and CostUSD includes them. EarlySaves are trials of a fixed
	// number that could not change a verdict.
	Saved      *Savings `json:"saved,omitempty"`
	Beyond     *Savings `json:"beyond,omitempty"`
	EarlySaves *Savings `json:"early_saves,omitempty"`
	// StepsUsed compares the outcomes of trials with and without each tool, smallest p first.
	StepsUsed []StepUse `json:"steps_used,omitempty"`
	// Labels compares the judge with labels of people. Votes, by check, measures judgements
	// that vary within a trial.
	Labels *Labels              `json:"labels,omitempty"`
	Votes  map[string]VoteParts `json:"votes,omitempty"`
	// Causes are the faults behind failing trials, those in most tests first, at most 50.
	// OtherCauses counts the rest.
	Causes      []Cause      `json:"causes,omitempty"`
	OtherCauses *OtherCauses `json:"other_causes,omitempty"`
	// Variants are what came of each variant, where there are several.
	Variants []Variant `json:"variants,omitempty"`
}

// Variant is what came of the tests of a variant.
type Variant struct {
	Name string `json:"name"` // empty for tests without one
	Counts
	Flaky   int          `json:"flaky"`
	Trials  TrialCounts  `json:"trials"`
	Rate    *Rate        `json:"rate,omitempty"` // passed / counted
	CostUSD Opt[float64] `json:"cost_usd,omitzero"`
}

// Savings are some of the planned trials, and their cost at the mean of their tests, if it
// is known.
type Savings struct {
	Trials  int64        `json:"trials"`
	Of      int64        `json:"of"` // planned for all tests of the run
	CostUSD Opt[float64] `json:"cost_usd,omitzero"`
}

// Clusters has the correlation of trials in a cluster, and a rate whose interval allows for it.
type Clusters struct {
	By           string       `json:"by"`
	Count        int          `json:"count"`
	ICC          Opt[float64] `json:"icc,omitzero"`           // intraclass correlation
	DesignEffect Opt[float64] `json:"design_effect,omitzero"` // variance of the rate over the binomial one
	EffectiveN   Opt[float64] `json:"effective_n,omitzero"`   // independent trials that would say as much
	Rate         *Rate        `json:"rate,omitempty"`         // the mean of clusters, with its bounded-mean interval
	Note         string       `json:"note,omitempty"`
}

type Suite struct {
	Name string `json:"name"`
	Counts
	Flaky      int          `json:"flaky"`
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	CostUSD    Opt[float64] `json:"cost_usd,omitzero"`
}

type Metric struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params,omitempty"`
	Value  Opt[float64]   `json:"value,omitzero"`
	// Mu, Sigma, Lo and Hi are mean, deviation and interval of the posterior of the metric.
	// Value is that of the observed trials, without a prior.
	Mu         Opt[float64] `json:"mu,omitzero"`
	Sigma      Opt[float64] `json:"sigma,omitzero"`
	Lo         Opt[float64] `json:"lo,omitzero"`
	Hi         Opt[float64] `json:"hi,omitzero"`
	TestsUsed  int          `json:"tests_used"`
	TestsTotal int          `json:"tests_total"`
	Variant    string       `json:"variant,omitempty"`
	Note       string       `json:"note,omitempty"`
}

type Test struct {
	Key
	File        string            `json:"file,omitempty"`
	Line        int               `json:"line,omitempty"`
	Owners      []string          `json:"owners,omitempty"` // of its file, by CODEOWNERS
	Labels      map[string]string `json:"labels,omitempty"`
	Varies      []string          `json:"labels_varying,omitempty"` // labels that differ from trial to trial
	Status      Status            `json:"status"`
	Kind        Kind              `json:"kind,omitempty"`
	Flaky       bool              `json:"flaky"`
	CostLimited bool              `json:"cost_limited,omitempty"`
	// DetailsClear and ConversationsClear report that the texts of details and transcripts were
	// scanned while they were counted and hold no known secret or placeholder of one. Names of
	// runs and error classes are not scanned.
	DetailsClear       bool `json:"-"`
	ConversationsClear bool `json:"-"`
	// Ended is how the test ended, from the journal of tribunal run. Of several runs it is
	// the least complete; Endings has all.
	Ended   How      `json:"ended,omitempty"`
	Endings []Ending `json:"endings,omitempty"`
	// Quarantined is set while a quarantine is in force. Quarantine is set if an entry matches.
	Quarantined bool          `json:"quarantined,omitempty"`
	Quarantine  *InQuarantine `json:"quarantine,omitempty"`
	// Verdict is never nil. Tests with equal verdicts share one, so do not change it.
	Verdict     *Verdict     `json:"verdict"`
	Trials      TrialCounts  `json:"trials"`
	Rate        Rates        `json:"rate"`
	Reliability *Reliability `json:"reliability,omitempty"`
	Score       *Score       `json:"score,omitempty"`
	DurationMS  *Spread      `json:"duration_ms,omitempty"`
	SetupMS     Opt[float64] `json:"setup_ms,omitzero"`
	CostUSD     Opt[float64] `json:"cost_usd,omitzero"`
	SetupCost   Opt[float64] `json:"setup_cost_usd,omitzero"`
	// CostPerSuccess is the cost by counted passes, both of trials with a cost. CostToVerdict
	// is the cost of trials until a sequential rule stopped, or of all. Neither includes
	// trials after a cost limit.
	CostPerSuccess Opt[float64] `json:"cost_per_success_usd,omitzero"`
	CostToVerdict  Opt[float64] `json:"cost_to_verdict_usd,omitzero"`
	Tokens         Opt[int64]   `json:"tokens,omitzero"`
	ToolCalls      Opt[int64]   `json:"tool_calls,omitzero"`
	Rows           *Rows        `json:"rows"`
	Details        []Detail     `json:"details,omitempty"`
	// Checks has the pass rate of each check; CheckNames lists them in order.
	Checks map[string]CheckRate `json:"checks,omitempty"`
	// Transcripts are conversations of some trials, in the order of rows: of the first that
	// did not pass, and the first that did.
	Transcripts []Transcript `json:"transcripts,omitempty"`
	Parting     *Parting     `json:"parting,omitempty"` // absent if its trials do not diverge
	Causes      []TestCause  `json:"causes,omitempty"`  // those with the most trials first
	History     *Past        `json:"history,omitempty"` // absent without --history
}

// SeveralRuns reports whether the trials are of more than one run, so that a trial needs the
// name of its run.
func (t *Test) SeveralRuns() bool {
	for i := 1; i < t.Rows.Len() && t.Rows.Run().Used(); i++ {
		if t.Rows.Run().ID(i) != t.Rows.Run().ID(0) {
			return true
		}
	}
	return slices.ContainsFunc(t.Details, func(d Detail) bool { return d.Run != t.Details[0].Run })
}

type Verdict struct {
	Rule       string       `json:"rule"`
	Threshold  Opt[float64] `json:"threshold,omitzero"`
	Confidence Opt[float64] `json:"confidence,omitzero"`
	N          int          `json:"n"`      // trials judged
	Passed     int          `json:"passed"` // of these
	Statistic  Opt[float64] `json:"statistic,omitzero"`
	Interval   *Interval    `json:"interval,omitempty"`
	StoppedAt  Opt[int]     `json:"stopped_at,omitzero"` // the trial, 1-based, at which a sequential rule stopped
	// Contradicted is set if the trials after a pass reject it, which withdraws it.
	Contradicted *Contradicted `json:"contradicted_after_stop,omitempty"`
	// Hypotheses and Evidence are those of a sequential rule.
	Hypotheses *Hypotheses  `json:"hypotheses,omitempty"`
	Evidence   []Evidence   `json:"evidence,omitempty"`
	PValue     Opt[float64] `json:"p_value,omitzero"`
	PAdjusted  Opt[float64] `json:"p_adjusted,omitzero"`
	RawStatus  Status       `json:"raw_status,omitempty"` // before adjusting for many tests, if that changed it
	// MinCoverage is the share of trials that had to count, if too few did.
	MinCoverage Opt[float64] `json:"min_coverage,omitzero"`
	// ValidUnderPeeking says whether the error rates hold no matter how often you look;
	// absent for rules without error rates.
	ValidUnderPeeking Opt[bool] `json:"valid_under_peeking,omitzero"`
	Reason            string    `json:"reason"` // in words
	// Changes are further trials that would change the status, before adjusting. There are
	// none for a pass, or if 1,000 trials change nothing.
	Changes []Change `json:"changes,omitempty"`
}

// Contradicted has the trials after a sequential rule stopped with a pass, and their exact
// one-sided p-value against a rate at the threshold, which is at most Level.
type Contradicted struct {
	N      int     `json:"n"`
	Passed int     `json:"passed"`
	PValue float64 `json:"p_value"`
	Level  float64 `json:"level"`
}

// Change is the Status after Trials further trials in a row with one Outcome, pass or fail.
type Change struct {
	Outcome Status `json:"outcome"`
	Trials  int    `json:"trials"`
	Status  Status `json:"status"`
}

// Hypotheses are the pass rates that a sequential rule decides between, P1 < P0. Alpha is the
// chance to fail a test at P0, Beta to pass one at P1.
type Hypotheses struct {
	P0    float64 `json:"p0"`
	P1    float64 `json:"p1"`
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// Evidence is a sequential statistic after trial Step, 2 Step, … and the last judged trial,
// with the bounds that stop it.
type Evidence struct {
	Name   string       `json:"name"` // log_likelihood_ratio, log_e_fail or log_e_pass
	FailAt Opt[float64] `json:"fail_at,omitzero"`
	PassAt Opt[float64] `json:"pass_at,omitzero"`
	Step   int          `json:"step"`
	Path   []float64    `json:"path"`
}

// Reliability has the reliability metrics of one test in percent, except Runs.
type Reliability struct {
	Runs                  int   `json:"runs"`
	PassAtK               int   `json:"pass_at_k"`
	PassHatK              int   `json:"passhat_k"`
	AllPassed             int   `json:"all_passed"`
	VarianceAmplification int   `json:"variance_amplification"`
	GracefulDegradation   int   `json:"graceful_degradation"`
	Curve                 []int `json:"curve"`
}

// Score summarises the scores of counted trials. Value is the best for rule any, the worst
// for all, otherwise the mean.
type Score struct {
	Value  float64      `json:"value"`
	Mean   float64      `json:"mean"`
	Min    float64      `json:"min"`
	Max    float64      `json:"max"`
	StdDev Opt[float64] `json:"stddev,omitzero"` // of the sample; absent for one score
	Lo     Opt[float64] `json:"lo,omitzero"`
	Hi     Opt[float64] `json:"hi,omitzero"`
}

// CheckRate is how often a check passed, of the counted trials in which it was not skipped.
type CheckRate struct {
	N      int    `json:"n"`
	Passed int    `json:"passed"`
	Rate   *Rate  `json:"rate,omitempty"`
	Score  *Score `json:"score,omitempty"`
}

// Spread has durations in milliseconds: the sum of all trials, and percentiles of counted ones.
type Spread struct {
	Total float64      `json:"total"`
	P50   Opt[float64] `json:"p50,omitzero"`
	P95   Opt[float64] `json:"p95,omitzero"`
	// P50Lo and P50Hi are the interval of P50 at the confidence of the policy, absent if too
	// few trials have times.
	P50Lo Opt[float64] `json:"p50_lo,omitzero"`
	P50Hi Opt[float64] `json:"p50_hi,omitzero"`
}

// MedianMS is the median time of the counted trials in milliseconds.
func (t *Test) MedianMS() Opt[float64] {
	if t.DurationMS == nil {
		return Opt[float64]{}
	}
	return t.DurationMS.P50
}

// Gate decides the exit code.
type Gate struct {
	Status   Status       `json:"status"` // pass, fail, inconclusive, error
	ExitCode int          `json:"exit_code"`
	Reasons  []string     `json:"reasons"`
	Notices  []GateNotice `json:"notices,omitempty"` // shown next to the status
	Gates    []GateResult `json:"gates,omitempty"`
	// InputErrors counts errors of the input that the policy does not accept, even if a failed
	// test decides the status.
	InputErrors int `json:"input_errors,omitempty"`
}

// GateNotice is what the status of the gate does not show, such as NOTHING PROVED.
type GateNotice struct {
	Says string `json:"says"`
	Why  string `json:"why"`
}

func (n GateNotice) String() string { return n.Says + ": " + n.Why }

// Headline joins the notices for the gate line.
func (g *Gate) Headline() string {
	says := each.Of(g.Notices, func(n GateNotice) string { return n.Says })
	return strings.Join(says, ", ")
}

// Words returns the notices and the reasons, each once.
func (g *Gate) Words() []string {
	notices := each.Of(g.Notices, func(n GateNotice) string { return n.String() })
	others := each.Where(g.Reasons, func(reason string) bool { return !slices.Contains(notices, reason) })
	return append(notices, others...)
}

// GateResult is the outcome of one gate expression.
type GateResult struct {
	Name   string `json:"name"`
	Expr   string `json:"expr"`
	Status Status `json:"status"`
	Saw    string `json:"saw,omitempty"`
}

// Unheld is the reason if the gate does not hold.
func (r *GateResult) Unheld() string { return "gate " + r.Name + " does not hold: " + r.Saw }

// Undecided is the reason if the gate is inconclusive.
func (r *GateResult) Undecided() string { return "gate " + r.Name + " is undecided: " + r.Saw }

// TreatedAsFailed ends the reason of a failure that treat_as caused.
const TreatedAsFailed = ", which this policy treats as failed"

// OnlyRunJudged ends the reason of a failed test that counts for the run alone.
const OnlyRunJudged = "; only the run is judged"

// Excused reports whether a quarantine excuses the failure.
func (t *Test) Excused() bool { return t.Quarantine != nil && t.Quarantine.Excused }

// QuarantineWords describes the tests in quarantine for a line of counts, "" if there are none.
func (s *Summary) QuarantineWords() string {
	switch {
	case s.Quarantined == 0:
		return ""
	case s.Excused == 0:
		return fmt.Sprintf("%d in quarantine", s.Quarantined)
	}
	return fmt.Sprintf("%d in quarantine, %d excused", s.Quarantined, s.Excused)
}
