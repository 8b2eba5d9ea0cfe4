package compare

import (
	"math"

	"tribunal/envelope"
)

// Schema is the name of the wire format of a Comparison.
const Schema = "tribunal/comparison/v1"

// State is what the trials say of a difference.
type State string

// The states; see the package comment for their definitions.
const (
	Regressed  State = "regressed"
	Improved   State = "improved"
	Equivalent State = "equivalent"
	Unresolved State = "unresolved"
)

// States lists the states in the order people want to read them.
var States = []State{Regressed, Improved, Unresolved, Equivalent}

// What reports say of tests beside their states: it may be chance.
const (
	NewlyBroken State = "newly-broken"
	NewlyFlaky  State = "newly-flaky"
	NewFails    State = "new-fails" // no trial of base counts, if base has it at all
	NotTried    State = "not-tried" // trials of base count, and none now
)

// Groups are what reports list tests under, in the order people want to read them. "" did not run.
var Groups = []State{Regressed, NewlyBroken, NewFails, NotTried, Improved, Unresolved, Equivalent, ""}

// Comparison is a base run and what it is compared with: one other run, or each
// other value of a label.
type Comparison struct {
	Settings  Settings           `json:"settings"`
	By        string             `json:"by,omitempty"` // the label whose values are compared; "" for two runs
	Base      Side               `json:"base"`
	Contrasts []Contrast         `json:"contrasts"`
	Gate      Gate               `json:"gate"`
	Problems  []envelope.Problem `json:"problems"`
	Look      string             `json:"-"` // both runs as arguments of the next command, or ""

	own []envelope.Problem // those of no side
}

// Settings are the options the comparison was made under, and the family of
// tests that its p-values are adjusted over.
type Settings struct {
	Confidence float64 `json:"confidence"`
	Alpha      float64 `json:"alpha"`
	Margin     float64 `json:"margin"`
	Adjust     string  `json:"adjust"`
	Pairing    string  `json:"pairing"`
	ClusterBy  string  `json:"cluster_by,omitempty"` // what makes tests move together
	Sequential bool    `json:"sequential,omitempty"` // looked at after every pair
	// SequentialTest is how, where it is not by betting.
	SequentialTest string   `json:"sequential_test,omitempty"`
	FailOn         []string `json:"fail_on"`
	// Asked is the number of differences tested, Able of those that could reach
	// alpha with their number of trials: the family. The others cannot be
	// rejected whatever happens, and cost nobody anything. Of a sequential comparison both
	// are the tests of the base, once for each candidate.
	Asked int `json:"asked"`
	Able  int `json:"able"`
	// EnoughPairs is how many pairs of a test are compared by pairs, where one of the able tests has fewer.
	EnoughPairs int `json:"enough_pairs,omitempty"`
}

// Side is one run in numbers, all of its tests.
type Side struct {
	Name       string                `json:"name"` // what people call it
	Run        envelope.RunHeader    `json:"run"`
	Tests      int                   `json:"tests"`
	Trials     envelope.TrialCounts  `json:"trials"`
	Rate       envelope.Rates        `json:"rate"`
	DurationMS envelope.Opt[float64] `json:"duration_ms,omitzero"` // in all, without setup
	CostUSD    envelope.Opt[float64] `json:"cost_usd,omitzero"`
}

// Contrast is one candidate against the base.
type Contrast struct {
	Candidate Side     `json:"candidate"`
	Summary   Summary  `json:"summary"`
	Run       Overall  `json:"run"`
	Tests     []Test   `json:"tests"` // on both sides, by suite, test, variant
	New       []Single `json:"new"`
	Gone      []Single `json:"gone"`
	Look      string   `json:"-"` // the candidate as arguments of report, or ""
	Failed    string   `json:"-"` // the same as arguments of run --only-failed
	// Checks and Tools are what the trials of both sides say of each check, and of
	// calling each tool, within tests; the surest change first.
	Checks []Part `json:"checks,omitempty"`
	Tools  []Part `json:"tools,omitempty"`

	// Tests judged by scores and compared by passes, tests with no part in a run of scores,
	// and of a sequential comparison those that joined late, and those without a pair.
	cut, unscored, late, waiting int
	joined                       bool   // the candidate joined a sequential comparison late
	failing                      []Test // new ones that fail, with a candidate's side alone
}

// Summary counts the tests. NotRun are those on both sides of which neither has
// a counted trial; they have no state.
type Summary struct {
	Tests       int `json:"tests"`
	Regressed   int `json:"regressed"`
	Improved    int `json:"improved"`
	Unresolved  int `json:"unresolved"`
	Equivalent  int `json:"equivalent"`
	NotRun      int `json:"not_run"`
	New         int `json:"new"`
	Gone        int `json:"gone"`
	NewlyFlaky  int `json:"newly_flaky"`
	NewlyBroken int `json:"newly_broken"`
	NewFails    int `json:"new_fails"` // on the candidate alone, or without a counted trial of the base
	NotTried    int `json:"not_tried"` // tests on both sides without a counted trial of the candidate
}

// Of is the number of tests in the state.
func (s Summary) Of(state State) int { return *s.of(state) }

func (s *Summary) of(state State) *int {
	return map[State]*int{Regressed: &s.Regressed, Improved: &s.Improved, Unresolved: &s.Unresolved, Equivalent: &s.Equivalent,
		"": &s.NotRun}[state]
}

func (s *Summary) add(t *Test) {
	s.Tests++
	*s.of(t.State)++
	switch t.Newly {
	case Flaky:
		s.NewlyFlaky++
	case Broken:
		s.NewlyBroken++
	}
	switch t.Group() {
	case NewFails:
		s.NewFails++
	case NotTried:
		s.NotTried++
	}
}

// Single is a test that only one side has.
type Single struct {
	envelope.Key
	Status envelope.Status `json:"status"`
	Trials
}

// What a test newly is; no statement about its true rate.
const (
	Flaky  = "flaky"  // every trial of base passed, some of the candidate did not
	Broken = "broken" // no trial of the candidate passed, some of base did
)

// Test is one test on both sides.
type Test struct {
	envelope.Key
	File       string       `json:"file,omitempty"`
	Line       int          `json:"line,omitempty"`
	State      State        `json:"state,omitempty"` // "" when neither side has a counted trial
	Newly      string       `json:"newly,omitempty"`
	Reason     string       `json:"reason"`
	Base       SideOfTest   `json:"base"`
	Candidate  SideOfTest   `json:"candidate"`
	Finding                 // of the pass rates, or of the mean scores where these decide
	Scores     *ScoreChange `json:"scores,omitempty"` // beside a state that passes have
	DurationMS *Measurement `json:"duration_ms,omitempty"`
	CostUSD    *Measurement `json:"cost_usd,omitempty"`
	// Checks are those of a test that changed, and of others those that changed.
	Checks []CheckOfTest `json:"checks,omitempty"`
	// FirstDifference is where a trial of a test that changed parts from the nearest
	// one of the other side that ended otherwise. It is an example, no statistics.
	FirstDifference *FirstDifference `json:"first_difference,omitempty"`
	// Failure is the most frequent reason of the candidate, of a test that regressed or is newly
	// broken or flaky; nil where nothing is known.
	Failure *Failure `json:"failure,omitempty"`
}

// Failure is a reason of failing trials.
type Failure struct {
	Trials  int    `json:"trials"`
	Message string `json:"message"`
}

// SideOfTest is what one run says of a test.
type SideOfTest struct {
	Status envelope.Status `json:"status"`
	Trials
	// Outcomes is the strip of all trials, a letter each (see envelope.Outcome).
	Outcomes string `json:"outcomes"`
}

// Trials are the trials compared: counted ones that are no retries.
type Trials struct {
	N        int            `json:"n"`
	Passed   int            `json:"passed"`
	Excluded int            `json:"excluded,omitempty"` // tried and not counted
	Retries  int            `json:"retries,omitempty"`  // counted by the run, left out here
	Rate     *envelope.Rate `json:"rate,omitempty"`     // of N, with its Wilson interval
	// MeanScore is that of N, where scores are compared; of a run the mean over tests.
	MeanScore envelope.Opt[float64] `json:"mean_score,omitzero"`
}

// Finding is a difference of pass rates, or of mean scores, and how sure it is.
type Finding struct {
	Difference *Difference `json:"difference,omitempty"`
	// Pairs are the trials with a partner of the same number on the other side;
	// nil when they are not paired. Too few are compared by fisher-exact. Of scores they count which side scored higher, and
	// those that scored the same as both.
	Pairs *Pairs `json:"pairs,omitempty"`
	// Method is the test behind the p-value: mcnemar-exact or fisher-exact, for a
	// run mcnemar-exact or cochran-mantel-haenszel; paired-betting or paired-gsprt for
	// both where the comparison is sequential; of scores permutation or sign-changes, for
	// a run student-t.
	Method    string                `json:"method,omitempty"`
	PValue    envelope.Opt[float64] `json:"p_value,omitzero"`
	PAdjusted envelope.Opt[float64] `json:"p_adjusted,omitzero"` // absent outside the family
	// LeastP is the smallest p-value that so many passes of so many trials could
	// have given.
	LeastP      envelope.Opt[float64] `json:"least_p,omitzero"`
	NonInferior bool                  `json:"non_inferior"`
	// DecidedAfter is the number of pairs after which a sequential comparison had its
	// state, and of a run of rounds of a pair of every test; 0 while it has none.
	DecidedAfter int `json:"decided_after,omitempty"`
	// DesignEffect is by how much the variance between runs exceeds that of
	// independent trials, where it is accounted for.
	DesignEffect envelope.Opt[float64] `json:"design_effect,omitzero"`
	// StandsUpTo is the correlation of the trials of a run above which the state would
	// not stand, where nothing is known of it.
	StandsUpTo envelope.Opt[float64] `json:"stands_up_to_icc,omitzero"`

	share float64 // of scores: the variance of paired trials, of that of independent ones
}

// Difference is candidate minus base, a fraction, with its interval.
type Difference struct {
	Value  float64 `json:"value"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Method string  `json:"method"`       // one of the Interval constants
	Of     string  `json:"of,omitempty"` // OfScores for mean scores, as they are; "" for pass rates

	outside bool    // scores go beyond 0 to 1
	least   float64 // half of the least width that the trials can vouch for
}

// above and below report whether a difference beyond the bound is ruled out.
func (d *Difference) above(bound float64) bool { return math.Min(d.Lo, d.Value-d.least) > bound }
func (d *Difference) below(bound float64) bool { return math.Max(d.Hi, d.Value+d.least) < bound }

// Pairs counts pairs of trials by who passed.
type Pairs struct {
	Both      int `json:"both"`
	Base      int `json:"base_only"`
	Candidate int `json:"candidate_only"`
	Neither   int `json:"neither"`
}

// N is the number of pairs.
func (p Pairs) N() int { return p.Both + p.Base + p.Candidate + p.Neither }

func (p Pairs) discordant() int { return p.Base + p.Candidate }

// Overall is the run as a whole: all tests that have trials on both sides.
type Overall struct {
	State     State  `json:"state"`
	Reason    string `json:"reason"`
	Tests     int    `json:"tests"`
	Base      Trials `json:"base"`
	Candidate Trials `json:"candidate"`
	Finding          // its p-value is adjusted over the runs where there are several
	// Scores are the mean scores of the tests that have some, beside a state that passes have.
	Scores *ScoreChange `json:"scores,omitempty"`
	// Uneven says that the trials together point one way, and the tests do not.
	Uneven     bool         `json:"uneven,omitempty"`
	Groups     []Group      `json:"groups,omitempty"` // with cluster_by, by name
	DurationMS *Measurement `json:"duration_ms,omitempty"`
	CostUSD    *Measurement `json:"cost_usd,omitempty"`
	Between    *Between     `json:"between,omitempty"` // nil where nothing is known of it
}

// Group are tests that may move together.
type Group struct {
	Name       string  `json:"name"`
	Tests      int     `json:"tests"`
	Difference float64 `json:"difference"` // the mean over its tests
}

// Measurement compares what trials took, setup left out.
type Measurement struct {
	// Base and Candidate are medians per trial; of a run, the geometric means of
	// the medians of the tests that both sides measured.
	Base      float64 `json:"base"`
	Candidate float64 `json:"candidate"`
	// BaseLo to CandidateHi are the intervals of the medians of a test, each absent where
	// too few trials were measured for one.
	BaseLo      envelope.Opt[float64] `json:"base_lo,omitzero"`
	BaseHi      envelope.Opt[float64] `json:"base_hi,omitzero"`
	CandidateLo envelope.Opt[float64] `json:"candidate_lo,omitzero"`
	CandidateHi envelope.Opt[float64] `json:"candidate_hi,omitzero"`
	NBase       int                   `json:"n_base"`
	NCandidate  int                   `json:"n_candidate"`
	// FromZero and ToZero are how many tests of a run have no place in its means,
	// which know no 0: their median was 0 in the base, or is in the candidate.
	FromZero int `json:"from_zero,omitzero"`
	ToZero   int `json:"to_zero,omitzero"`
	// Change is candidate / base - 1, absent where one of them is 0.
	Change envelope.Opt[float64] `json:"change,omitzero"`
	// PValue is Mann-Whitney's; of a run, van Elteren's over its tests.
	PValue    envelope.Opt[float64] `json:"p_value,omitzero"`
	PAdjusted envelope.Opt[float64] `json:"p_adjusted,omitzero"`
	// Sure says that the adjusted p-value is at most alpha.
	Sure bool `json:"sure"`
}

// Gate is what the comparison does to the build.
type Gate struct {
	Status   envelope.Status `json:"status"` // pass, fail, error
	ExitCode int             `json:"exit_code"`
	Reasons  []string        `json:"reasons"`
}
