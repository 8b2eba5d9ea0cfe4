package trend

import (
	"tribunal/envelope"
	"tribunal/internal/words"
)

// Schema is the name of the wire format of a Trend.
const Schema = "tribunal/trend/v1"

// Trend is what a series of runs shows. Only a Builder makes one; renderers read
// it and change nothing.
type Trend struct {
	Window     int     // the runs asked for, the latest; 0 for all
	Stored     int     // the runs there are
	Confidence float64 // of every interval, a fraction; 1 - Confidence is the level of every test
	Runs       []Run   // in order of time
	Tests      []Test  // by suite, test, variant
	Earlier    []Run   // runs before the window, of which evidence over all runs knows
	Notes      []string
}

// Run is one run on the axis of time.
type Run struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Given     string            `json:"run_id,omitempty"` // what its runner calls it
	Commit    string            `json:"commit,omitempty"`
	StartedAt string            `json:"started_at,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Rule      string            `json:"rule,omitempty"`
	envelope.Counts
	Flaky             int                   `json:"flaky"`
	InconclusiveShare envelope.Opt[float64] `json:"inconclusive_share,omitzero"` // of its tests
	Counted           int                   `json:"counted"`
	Passed            int                   `json:"passed"`
	Rate              *envelope.Rate        `json:"rate,omitempty"`
	CostUSD           envelope.Opt[float64] `json:"cost_usd,omitzero"`
	DurationMS        envelope.Opt[float64] `json:"duration_ms,omitzero"`
}

// Point is what one test did in one run.
type Point struct {
	Run      int32 // index into Trend.Runs
	Counted  int32
	Passed   int32
	Excluded int32 // trials that do not count: excluded or skipped
	Status   Code
	Flaky    bool
	Scores   *Scores // nil where no counted trial has one
	// CostUSD is what its trials cost together, DurationMS the median of their
	// durations; NaN when no trial reports it.
	CostUSD, DurationMS float64
}

// Code is the status of a test in one byte, because a trend has millions.
type Code uint8

var statuses = [...]envelope.Status{"", envelope.Pass, envelope.Fail, envelope.Inconclusive, envelope.Error, envelope.Skip}

// CodeOf is the code of a status, 0 for one that is unknown.
func CodeOf(s envelope.Status) Code {
	for i, known := range statuses {
		if s == known {
			return Code(i)
		}
	}
	return 0
}

// Status is the status that the code stands for.
func (c Code) Status() envelope.Status {
	if int(c) < len(statuses) {
		return statuses[c]
	}
	return ""
}

// State is what a series of runs makes of a test.
type State string

// The states; the package comment defines them.
const (
	Unknown      State = "UNKNOWN"
	New          State = "NEW"
	Broken       State = "BROKEN"
	Stable       State = "STABLE"
	Fixed        State = "FIXED"
	NewFlaky     State = "NEW-FLAKY"
	DriftingDown State = "DRIFTING DOWN"
	DriftingUp   State = "DRIFTING UP"
	Flaky        State = "FLAKY"
)

// States lists the states, what needs a look first.
var States = []State{Broken, NewFlaky, DriftingDown, Flaky, New, DriftingUp, Fixed, Unknown, Stable}

// IsFlaky reports a state of tests that pass and fail without a cause that lasts.
func (s State) IsFlaky() bool { return s == Flaky || s == NewFlaky }

// Quiet reports a test that always passed: stable, or too new for a state.
func (t *Test) Quiet() bool {
	return t.State == Stable || t.State == New && t.Passed == t.Counted
}

// Test is one test over the runs.
type Test struct {
	envelope.Key
	Owners   []string // of its file in the latest run that has it
	State    State
	Evidence string // in words
	Strip    string // a mark for every run of the trend, see Mark
	Runs     int    // with a counted trial
	Counted  int
	Passed   int
	Rate     *envelope.Rate // of all its counted trials together
	// ShrunkenRate is its rate drawn towards that of all tests; absent of tests that are
	// compared by their scores, and where the trials of all tests ended alike.
	ShrunkenRate envelope.Opt[float64]
	// ByScore says that its mean score is looked at and not its pass rate, and MeanScore is
	// that of all its counted trials.
	ByScore   bool
	MeanScore envelope.Opt[float64]
	// Inconclusive is the share of its runs in which it was inconclusive.
	Inconclusive envelope.Opt[float64]
	Drift        *Drift // nil below 5 runs, and where all trials ended alike or scored the same
	Ever         *Ever  // evidence over all runs stored; nil where nobody asked for it
	Points       []Point
}

// Drift is the test for a trend of the pass rate, or mean score, over the runs.
type Drift struct {
	Z         float64 `json:"z"` // above 0 for a rising rate
	PValue    float64 `json:"p_value"`
	PAdjusted float64 `json:"p_adjusted"`
}

// Trials are all counted trials of the test: how many passed, or how many were scored.
func (t *Test) Trials() string {
	if t.ByScore {
		return trials(t.Counted)
	}
	return words.Count(t.Passed) + "/" + words.Count(t.Counted)
}

// Score is the mean score as evidence shows it, "" of a test that is not compared by scores.
func (t *Test) Score() string {
	if !t.ByScore {
		return ""
	}
	return score(t.MeanScore.V)
}

// The marks of a strip: what a test did in a run. Of a test compared by its scores the
// status of the run says which of P, M and F it is.
const (
	MarkAbsent  = '.' // it was not in the run
	MarkPassed  = 'P' // every counted trial passed
	MarkMixed   = 'M' // some did
	MarkFailed  = 'F' // none did
	MarkNone    = 'X' // no trial counted
	MarkSkipped = 'S' // every trial was skipped
)

// Mark is the mark of the point in a strip.
func (p Point) Mark() byte {
	switch {
	case p.Counted == 0 && p.Status.Status() == envelope.Skip:
		return MarkSkipped
	case p.Counted == 0:
		return MarkNone
	case p.byScore():
		switch p.Status.Status() {
		case envelope.Pass:
			return MarkPassed
		case envelope.Fail:
			return MarkFailed
		}
		return MarkMixed
	case p.Passed == p.Counted:
		return MarkPassed
	case p.Passed == 0:
		return MarkFailed
	}
	return MarkMixed
}
