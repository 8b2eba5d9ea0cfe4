package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
)

// Plan is what a run is begun with, and what a process that goes on with it must have as well.
type Plan struct {
	Command []string // with everything that decides what a trial is; it is not written, only compared
	Policy  envelope.Effective
	Seed    int64
	// Tests are the tests of the run. A sweep, which learns them from its first output,
	// has none before.
	Tests Tests
}

// sum tells one plan from another, but for its tests, which stand in the journal.
func (p Plan) sum() string {
	text, err := json.Marshal([]any{p.Command, p.Policy.Rule, p.Policy.Threshold, p.Seed})
	if err != nil {
		panic("journal: plain data that does not marshal: " + err.Error()) // a threshold is finite
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ChangedError is the error of a plan that is not the one a run was begun with.
type ChangedError struct {
	Dir         string
	Differences []string
}

// Error implements error.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("resuming %s: the run was begun with another plan (%s): resume with the same settings, or begin a new run",
		e.Dir, strings.Join(e.Differences, "; "))
}

// Check compares a plan with the one that the run was begun with. The error is a
// *ChangedError that names all that differs.
func (j *Journal) Check(now Plan) error {
	was := j.header.Plan
	found := policyChanges(was.Policy, now.Policy)
	if was.Seed != now.Seed {
		found = append(found, fmt.Sprintf("the seed was %d and is %d", was.Seed, now.Seed))
	}
	same := now
	same.Policy, same.Seed = was.Policy, was.Seed
	if same.sum() != j.plan {
		found = append(found, "the command is another one, or how its trials are read or compared")
	}
	if len(was.Tests) > 0 && len(now.Tests) > 0 {
		found = append(found, testChanges(was.Tests, now.Tests)...)
	}
	if len(found) > 0 {
		return &ChangedError{Dir: j.dir, Differences: found}
	}
	return nil
}

// judging is the part of a policy that decides verdicts, as JSON by key.
func judging(p envelope.Effective) map[string]string {
	part := envelope.Policy{
		Rule: p.Rule, Threshold: p.Threshold, Confidence: p.Confidence, MinTrials: p.MinTrials, Alpha: p.Alpha, Beta: p.Beta, Gap: p.Gap,
		Adjust: p.Adjust, ScoreThreshold: p.ScoreThreshold, MinCoverage: p.MinCoverage, DetectEmptyRuns: p.DetectEmptyRuns,
		ScoreRange: p.ScoreRange, Overrides: p.Overrides,
	}
	text, err := json.Marshal(part)
	var parts map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil {
		panic("journal: plain data that does not marshal: " + err.Error())
	}
	out := map[string]string{}
	for key, value := range parts {
		out[key] = string(value)
	}
	return out
}

func policyChanges(was, now envelope.Effective) (found []string) {
	before, after := judging(was), judging(now)
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		switch a, b := before[key], after[key]; {
		case a == b:
		case a == "" || b == "" || key == "overrides":
			found = append(found, key+map[bool]string{true: " was given", false: " is given"}[b == ""])
		default:
			found = append(found, fmt.Sprintf("%s was %s and is %s", key, a, b))
		}
	}
	return found
}

// testChanges names the tests that came, went, or have another fixed number of
// trials: the first of each, and how many there are.
func testChanges(was, now Tests) (found []string) {
	before := map[envelope.Key]Test{}
	for _, t := range was {
		before[t.Key] = t
	}
	var fresh, other []string
	for _, t := range now {
		old, known := before[t.Key]
		delete(before, t.Key)
		switch {
		case !known:
			fresh = append(fresh, t.Key.String())
		case old.Elsewhere != t.Elsewhere:
			other = append(other, t.Key.String()+" is of another shard")
		case !maps.Equal(old.Labels, t.Labels):
			other = append(other, t.Key.String()+" has other labels")
		case old.Trials != t.Trials && !t.Sequential:
			other = append(other, fmt.Sprintf("%s had %d trials and has %d", t.Key, old.Trials, t.Trials))
		}
	}
	var gone []string
	for _, t := range was {
		if _, missing := before[t.Key]; missing {
			gone = append(gone, t.Key.String())
			delete(before, t.Key)
		}
	}
	return slices.Concat(first("new test", fresh), first("missing test", gone), first("test", other))
}

func first(what string, names []string) []string {
	switch len(names) {
	case 0:
		return nil
	case 1:
		return []string{what + ": " + names[0]}
	}
	return []string{fmt.Sprintf("%ss: %s and %d more", what, names[0], len(names)-1)}
}

// Line is a line of a journal behind its first: Tests, Start, Held, Trial, Beyond,
// Cut, Ended, Resume, Setup, Note or End.
type Line interface{ line() }

type (
	// Tests are the tests of the run: all of them, also those of other shards. What
	// a later one says of a test holds.
	Tests []Test

	// Start is a start, written before its process exists. One that starts trials of
	// several tests has a line for each, with the same ID and Number.
	Start struct {
		envelope.Key
		Attempt int       `json:"attempt"`
		Try     int       `json:"try"`
		At      time.Time `json:"at"`
		ID      string    `json:"id"`
		Slot    int       `json:"slot"`
		// Number is that of the start among those of its group, where one start is of
		// several tests.
		Number envelope.Opt[int] `json:"number,omitzero"`
		// Check is the check of the test and no trial.
		Check bool `json:"check,omitempty"`
	}

	// Held is a trial that ended before one that started earlier. It is a Trial when
	// that has ended.
	Held struct{ *envelope.Trial }
	// Trial is a trial in the order of the attempts of its test: one that is counted.
	Trial struct{ *envelope.Trial }
	// Beyond is a trial behind the end of its test.
	Beyond struct{ *envelope.Trial }

	// Cut is a start that was cut off and is no trial.
	Cut struct {
		envelope.Key
		Attempt int    `json:"attempt"`
		Try     int    `json:"try"`
		Why     string `json:"why"` // interrupt, time, lost or ended
	}
	// Ended is the end of a test.
	Ended struct {
		envelope.Key
		How envelope.How `json:"how"`
	}
	// Resume is where another process goes on with the run.
	Resume struct {
		At   time.Time `json:"at"`
		Boot string    `json:"boot,omitempty"`
	}
	// Setup is what setting up the run took, once for each process of it.
	Setup struct {
		At      time.Time             `json:"at"`
		MS      float64               `json:"setup_ms"`
		CostUSD envelope.Opt[float64] `json:"setup_cost_usd,omitzero"`
	}
	// Note is something that whoever reads the run must know of a test, or of the run
	// where it names none.
	Note struct {
		Code string `json:"code"`
		envelope.Key
		Count   int    `json:"count,omitempty"`
		Message string `json:"message"`
	}
	// End is the end of the run.
	End struct {
		How string `json:"how"`
	}
)

// Finished is how a run ended that a resumed one has nothing to add to.
const Finished = "finished"

func (Tests) line()  {}
func (Start) line()  {}
func (Held) line()   {}
func (Trial) line()  {}
func (Beyond) line() {}
func (Cut) line()    {}
func (Ended) line()  {}
func (Resume) line() {}
func (Setup) line()  {}
func (Note) line()   {}
func (End) line()    {}

// Test is one test of a run.
type Test struct {
	envelope.Key
	Labels map[string]string `json:"labels,omitempty"`
	Trials int               `json:"trials,omitempty"` // that count at most
	// Elsewhere marks a test that another shard runs.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Sequential is a test whose rule allows for more trials on resuming. It is not written.
	Sequential bool `json:"-"`
}

// Header is the first line of a journal.
type Header struct {
	Run  envelope.Header // without planned trials, which a run that stops at verdicts does not know
	Plan Plan
	// Boot tells one start of the machine from another: processes of an earlier one are gone.
	Boot string
}
