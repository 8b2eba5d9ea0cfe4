package envelope

import (
	"strings"

	"tribunal/envelope/cause"
)

// Reason is why trials did not pass. Trials with the same masked text share it.
type Reason struct {
	Key   cause.Key `json:"key,omitempty"`   // of the message; "" without one
	Names []string  `json:"names,omitempty"` // what the reader names, sorted
	First string    `json:"first,omitempty"` // the smallest message, by bytes, that has the key
	Last  string    `json:"last,omitempty"`  // the largest, where it is another
}

// Largest is the largest message, by bytes, of the reason.
func (r *Reason) Largest() string {
	if r.Last == "" {
		return r.First
	}
	return r.Last
}

// Cause is one fault behind failing trials.
type Cause struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	By     string `json:"by"`     // how it was found: name, text, test or class
	Tests  int    `json:"tests"`  // in which trials failed for it
	Trials int    `json:"trials"` // that failed for it
	First  Place  `json:"first"`
}

// Place is a trial of a test.
type Place struct {
	Key
	Trial int    `json:"trial"` // its row, 0-based
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// OtherCauses are the causes that a summary does not list.
type OtherCauses struct {
	Causes int `json:"causes"`
	Trials int `json:"trials"` // a trial with several causes counts for each
}

// TestCause is a cause and the trials of a test that failed for it.
type TestCause struct {
	ID     string `json:"id"`
	Trials int    `json:"trials"`
}

// Kind says in one word what a reader wants to know of a test.
type Kind string

// The kinds of tests, in the order in which reports show them.
const (
	KindRegressed Kind = "regressed" // the history says that it got worse
	KindBroken    Kind = "broken"    // it failed, and no trial passed
	KindFlaky     Kind = "flaky"     // it failed, and some trials passed
	KindLowScore  Kind = "low-score" // it failed by its mean score, or although every counted trial passed
	KindErrored   Kind = "errored"   // nothing could be counted
	KindNotRun    Kind = "not-run"   // a stop or a limit of the run left it without a trial
	KindUndecided Kind = "undecided" // it is inconclusive
	KindExcused   Kind = "excused"   // a quarantine excuses its failure
	KindUnstable  Kind = "unstable"  // it passed although some trials failed
	KindSkipped   Kind = "skipped"
	KindPassed    Kind = "passed"
)

// Interval is an interval of a pass rate or a mean score.
type Interval struct {
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Method string  `json:"method,omitempty"`
}

// Rate is a pass rate as a fraction of 1, with its interval.
type Rate struct {
	Value      float64 `json:"value"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Method     string  `json:"method"`
	Confidence float64 `json:"confidence"`
}

// The levels that trials are compared at, of which a Parting has one.
const (
	PartNames     = "names"     // steps by the name of the tool
	PartArguments = "arguments" // steps by name and arguments
)

// How a p-value of where trials part came about.
const (
	PExact        = "exact"
	PPermutations = "permutations" // drawn: the tables are too many
	PChi2         = "cmh"          // of Cochran, Mantel and Haenszel: the states are too many
)

// MostBranches is how many branches of a Parting are kept; those of the fewest
// trials are one together.
const MostBranches = 12

// Parting is the place where the ways of a test's trials part that goes furthest
// with how they ended. It is exploratory: found by looking at all places.
type Parting struct {
	Level    string       `json:"level"`
	Depth    int          `json:"depth"`            // steps before it, equal in all its trials
	Shared   []int        `json:"shared,omitempty"` // these, as places among the steps of the run
	N        int          `json:"n"`                // trials here
	Branches []Branch     `json:"branches"`         // those that pass most first
	Nodes    int          `json:"nodes"`            // places where trials diverge, at both levels
	P        Opt[float64] `json:"p,omitzero"`       // none under 7 trials of the test
	Adjusted Opt[float64] `json:"p_adjusted,omitzero"`
	Method   string       `json:"method,omitempty"` // how p was computed
}

// Branch is one way on: a step, the end, or several ways together.
type Branch struct {
	Name      string  `json:"name,omitempty"`
	Digest    string  `json:"digest,omitempty"`    // of its arguments, at their level
	Arguments string  `json:"arguments,omitempty"` // in short, where they distinguish it from another branch and a conversation of it was kept
	Ended     bool    `json:"ended,omitempty"`     // no further step
	Unknown   bool    `json:"unknown,omitempty"`   // further steps, which are not kept
	Others    int     `json:"others,omitempty"`    // so many ways together
	Passed    int     `json:"passed"`
	N         int     `json:"n"`
	Lo        float64 `json:"lo"` // Wilson interval of the pass rate
	Hi        float64 `json:"hi"`
	Trials    []int   `json:"trials,omitempty"` // rows
}

// StepUse is what calling a tool goes with, within the tests where some trials
// called it and some did not, and some passed and some did not.
type StepUse struct {
	Name       string  `json:"name"`
	Tests      int     `json:"tests"`      // such tests
	Difference float64 `json:"difference"` // P(pass | called) less P(pass | not called), Mantel-Haenszel
	P          float64 `json:"p"`
	Adjusted   float64 `json:"p_adjusted"` // Benjamini-Hochberg over all tools
	Method     string  `json:"method"`
}

// Past is what a history shows of a test up to this run. It is neither counted
// nor judged: it is written beside the verdict where a history is at hand.
type Past struct {
	State    string `json:"state"`    // such as STABLE, FLAKY or BROKEN
	Evidence string `json:"evidence"` // in words
	// Strip has a mark for each of the latest runs, this one last: P all trials
	// passed, M some, F none, X none counted, S skipped, . not in the run.
	Strip string `json:"strip"`
	Runs  int    `json:"runs"` // that were looked at, this one included
	// StateRuns is how many runs the state rests on: those with a counted trial of the test.
	StateRuns int `json:"state_runs"`
	// Before are the trials of the runs that started before the quarantine entry of
	// the test began; nil without such an entry or such trials.
	Before *Before `json:"before,omitempty"`
}

// Worse reports whether the history says that the test got worse: it broke after it had
// passed, or its rate falls. A test that began to be flaky is flaky.
func (p *Past) Worse() bool {
	return p.State == "DRIFTING DOWN" || p.State == "BROKEN" && strings.ContainsAny(p.Strip, "PM")
}

// Before is how often a test passed until something began.
type Before struct {
	Passed  int `json:"passed"`
	Counted int `json:"counted"` // at least 1
}

// Labels is what people's labels of some trials say of the judge that decided all, and of the pass
// rate behind its errors. The labelled trials must be a random part of those that count.
type Labels struct {
	Labelled  int `json:"labelled"`            // counted trials with a label
	Trials    int `json:"trials"`              // counted trials
	Uncounted int `json:"uncounted,omitempty"` // labels of trials that do not count
	// Categories is how many categories labels and judge use, 0 where labels are pass and
	// fail alone. With them Kappa is of equal and unequal ones, and Agree counts the equal.
	Categories int `json:"categories,omitempty"`
	Agree      int `json:"agree,omitempty"`
	// Who passed a trial that is labelled pass or fail: both, the judge alone, the label alone, neither.
	BothPass  int `json:"both_pass"`
	JudgeOnly int `json:"judge_only"`
	LabelOnly int `json:"label_only"`
	Neither   int `json:"neither"`

	Sensitivity *Rate     `json:"sensitivity,omitempty"` // share passed of those that the label passes
	Specificity *Rate     `json:"specificity,omitempty"` // share not passed of those that it fails
	Kappa       *Estimate `json:"kappa,omitempty"`       // Cohen's
	Truth       *Rate     `json:"truth,omitempty"`       // pass rate by the labels alone
	// RoganGladen and Powered are the pass rate of all counted trials corrected by the
	// labels. Where one is absent, Notes say why.
	RoganGladen *Rate    `json:"rogan_gladen,omitempty"`
	Powered     *Rate    `json:"prediction_powered,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	// Verdicts are those of the rates against Threshold, which is that of the run or
	// else that of the tests; absent where there is none.
	Threshold Opt[float64]  `json:"threshold,omitzero"`
	Verdicts  *RateVerdicts `json:"verdicts,omitempty"`
}

// RateVerdicts are pass, fail or inconclusive, each by the interval of its rate: the
// judge's own, and the corrected ones that there are.
type RateVerdicts struct {
	Raw         Status `json:"raw"`
	RoganGladen Status `json:"rogan_gladen,omitempty"`
	Powered     Status `json:"prediction_powered,omitempty"`
	// Labels is that of the labels alone, where every counted trial has one: nothing is
	// left to be corrected, and they are the pass rate.
	Labels Status `json:"labels,omitempty"`
}

// Turn reports a corrected verdict that is not that of the judge's own rate.
func (v *RateVerdicts) Turn() bool {
	turns := func(s Status) bool { return s != "" && s != v.Raw }
	return turns(v.RoganGladen) || turns(v.Powered) || turns(v.Labels)
}

// Estimate is a number with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// VoteParts say of a check that was judged several times in a trial how its
// judgements vary within tests: by judging a trial again, and by trying a test again.
type VoteParts struct {
	Trials int       `json:"trials"` // counted ones with a judgement
	Votes  int       `json:"votes"`
	Judge  *Estimate `json:"judge,omitempty"` // variance of judging a trial again
	Agent  *Estimate `json:"agent,omitempty"` // variance of trying a test again
	Share  *Estimate `json:"judge_share,omitempty"`
	// Alpha is Krippendorff's, of votes for and against; absent where all are the same.
	Alpha Opt[float64] `json:"alpha,omitzero"`
	// Graded are the trials with votes between pass and fail, which count as either here.
	Graded int `json:"graded,omitempty"`
}
