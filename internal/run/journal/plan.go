package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Plan is the plan of a run. A process that resumes the run must have the same.
type Plan struct {
	Command []string // all that defines a trial; compared by checksum, not written
	Policy  envelope.Effective
	Seed    int64
	// Tests are the tests of the run. If the run learns them from its first output, the
	// list is empty until then.
	Tests Tests
}

// sum is a checksum of the plan without its tests, which are lines of the journal.
func (p Plan) sum() string {
	text, err := json.Marshal([]any{p.Command, p.Policy.Rule, p.Policy.Threshold, p.Seed})
	if err != nil {
		panic("journal: plain data that does not marshal: " + err.Error()) // a threshold is finite
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ChangedError reports that a run cannot be resumed with this plan.
type ChangedError struct {
	Dir         string
	Differences []string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("resuming %s: the run was begun with other settings (%s): resume with the same settings, or begin a new run",
		e.Dir, strings.Join(e.Differences, "; "))
}

// Check compares a plan with that of the run. The error is a *ChangedError with all
// differences.
func (j *Journal) Check(now Plan) error {
	was := j.header.Plan
	found := policyChanges(was.Policy, now.Policy)
	if was.Seed != now.Seed {
		found = append(found, fmt.Sprintf("the seed was %d and is %d", was.Seed, now.Seed))
	}
	same := now
	same.Policy, same.Seed = was.Policy, was.Seed
	if same.sum() != j.plan {
		found = append(found, "the command has changed, or how its output is read or compared")
	}
	if len(was.Tests) > 0 && len(now.Tests) > 0 {
		found = append(found, testChanges(was.Tests, now.Tests)...)
	}
	if len(found) > 0 {
		return &ChangedError{Dir: j.dir, Differences: found}
	}
	return nil
}

// judging returns the keys of a policy that decide verdicts, with their JSON.
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
		case a == b, before["rule"] != after["rule"] && (a == "" || b == "") && key != "threshold" && key != "overrides": // as its rule has it
		case a == "" || b == "" || key == "overrides":
			given := key + map[bool]string{true: " was given", false: " is given"}[b == ""]
			found = append(found, cmp.Or(words.If(key == "overrides", "the policy of single tests changed"), given))
		default:
			found = append(found, fmt.Sprintf("%s was %s and is %s", key, a, b))
		}
	}
	return found
}

// testChanges describes new, missing and changed tests: the first of each kind, and
// how many there are.
func testChanges(was, now Tests) (found []string) {
	before := map[envelope.Key]Test{}
	for _, t := range was {
		before[t.Key] = t
	}
	var fresh, other, gone []string
	planned := func(n int) string {
		return cmp.Or(words.If(n > 0, words.Plural(n, "planned trial", "planned trials")), "no fixed number of trials")
	}
	for _, t := range now {
		old, known := before[t.Key]
		delete(before, t.Key)
		switch {
		case !known:
			fresh = append(fresh, t.Key.String())
		case old.Elsewhere != t.Elsewhere:
			other = append(other, t.Key.String()+" (of another shard)")
		case !maps.Equal(old.Labels, t.Labels):
			other = append(other, t.Key.String()+" (other labels)")
		case old.Trials != t.Trials && !t.Sequential:
			other = append(other, fmt.Sprintf("%s (%s before, now %s)", t.Key, planned(old.Trials), planned(t.Trials)))
		}
	}
	for _, t := range was {
		if _, missing := before[t.Key]; missing {
			gone = append(gone, t.Key.String())
			delete(before, t.Key)
		}
	}
	return slices.Concat(first("new test", fresh), first("missing test", gone), first("changed test", other))
}

func first(what string, names []string) []string {
	switch len(names) {
	case 0:
		return nil
	case 1:
		return []string{what + ": " + names[0]}
	}
	return []string{fmt.Sprintf("%d %ss, such as %s", len(names), what, names[0])}
}

// Line is a line of a journal after the first: Tests, Start, Held, Trial, Beyond,
// Cut, Ended, Resume, Setup, Note or End.
type Line interface{ line() }

type (
	// Tests are tests of the run, with those of other shards. A later line replaces
	// a test.
	Tests []Test

	// Start is the start of a process, written before it exists. If it runs several
	// tests, each has a line with the same ID and Number.
	Start struct {
		envelope.Key
		Attempt int       `json:"attempt"`
		Try     int       `json:"try"`
		At      time.Time `json:"at"`
		ID      string    `json:"id"`
		Slot    int       `json:"slot"`
		// Number counts the starts of a group of tests that share a process.
		Number envelope.Opt[int] `json:"number,omitzero"`
		// Check is set if the process is a check of the test, not a trial.
		Check bool `json:"check,omitempty"`
	}

	// Held is a trial that ended before an earlier one of its test. When the earlier
	// one ends, it becomes a Trial.
	Held struct{ *envelope.Trial }
	// Trial is a trial that counts, in the order of the attempts of its test.
	Trial struct{ *envelope.Trial }
	// Beyond is a trial that ended after the end of its test.
	Beyond struct{ *envelope.Trial }

	// Cut is a start that was cut off, so that it is not a trial.
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
	// Resume marks that another process resumes the run.
	Resume struct {
		At   time.Time `json:"at"`
		Boot string    `json:"boot,omitempty"`
	}
	// Setup has the time and cost of setting up the run, once per process.
	Setup struct {
		At      time.Time             `json:"at"`
		MS      float64               `json:"setup_ms"`
		CostUSD envelope.Opt[float64] `json:"setup_cost_usd,omitzero"`
	}
	// Note is a remark for readers of the run about a test, or about the run if it
	// names no test.
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

// Finished is the End of a complete run, which needs no resuming.
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
	Trials int               `json:"trials,omitempty"` // most trials that count
	// Elsewhere is set for tests of other shards.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Sequential is set if the rule allows more trials on resuming. It is not written.
	Sequential bool `json:"-"`
}

// Header is the first line of a journal.
type Header struct {
	Run  envelope.Header // without planned trials, which are unknown if tests stop early
	Plan Plan
	// Boot identifies the boot of the machine. Processes of an earlier boot are gone.
	Boot string
}
