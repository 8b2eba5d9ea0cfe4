package envelope

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
	// Excused is set when the test does not pass and that does nothing to the
	// build.
	Excused bool `json:"excused"`
}
