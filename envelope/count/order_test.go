package count_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/verdict"
)

// TestShardsThatCollideAreNotFailedByTheirOrder: shards of a test that holds its
// threshold exactly number their attempts alike and name no run. Both sequential
// rules promise to fail it once in twenty times at most. Sorted by outcome it
// would be 87 and 99 times of 100.
func TestShardsThatCollideAreNotFailedByTheirOrder(t *testing.T) {
	const times, promised = 400, 0.05
	for _, c := range []struct{ shards, attempts int }{{10, 6}, {60, 1}} {
		for _, rule := range []string{"sprt", "anytime"} {
			r := rand.New(rand.NewPCG(20260101, uint64(c.shards)))
			failed := 0
			for range times {
				if verdictOf(t, rule, collisions(r, 0.9, c.shards, c.attempts)) == envelope.Fail {
					failed++
				}
			}
			if got := float64(failed) / times; got > promised || failed == 0 {
				t.Errorf("%s, %d shards of %d: failed %v of the time, want some and at most %v", rule, c.shards, c.attempts, got, promised)
			}
		}
	}
}

// collisions are the trials of shards that know nothing of each other, of a test
// with a true pass rate.
func collisions(r *rand.Rand, rate float64, shards, attempts int) []input {
	var in []input
	for shard := range shards {
		var trials []envelope.Trial
		for attempt := range attempts {
			status := envelope.Fail
			if r.Float64() < rate {
				status = envelope.Pass
			}
			trial := numbered("", int32(attempt), status, "")
			trial.DurationMS = envelope.Some(100 + 50*r.Float64())
			trials = append(trials, trial)
		}
		in = append(in, input{fmt.Sprintf("shard-%d", shard), trials})
	}
	return in
}

// verdictOf judges one test against a rate of 0.9.
func verdictOf(t *testing.T, rule string, in []input) envelope.Status {
	t.Helper()
	policy, err := verdict.Resolve(envelope.Policy{Rule: rule, Threshold: envelope.Some(0.9), KeepDetails: "none"})
	if err != nil {
		t.Fatal(err)
	}
	env, err := verdict.Seal(countOne(policy.OnConflict, in...), policy)
	if err != nil {
		t.Fatal(err)
	}
	return env.Tests[0].Status
}

// TestTrialsThatDifferInTheirOutcomeAlone stand in either order about as often.
func TestTrialsThatDifferInTheirOutcomeAlone(t *testing.T) {
	var passed, failed []envelope.Trial
	for attempt := range int32(200) {
		passed = append(passed, numbered("", attempt, envelope.Pass, ""))
		failed = append(failed, numbered("", attempt, envelope.Fail, ""))
	}
	strip := given(countOne("extend", input{"a", passed}, input{"b", failed}))
	first := 0
	for pair := range slices.Chunk([]byte(strip), 2) {
		if pair[0] == 'F' {
			first++
		}
	}
	if first < 75 || first > 125 { // 3.5 deviations
		t.Errorf("the failure stands first in %d of 200 pairs", first)
	}
}

// TestTrialsOfOnePositionStandAsTheyBegan where all of them say when they did.
func TestTrialsOfOnePositionStandAsTheyBegan(t *testing.T) {
	began := func(second int, status envelope.Status) envelope.Trial {
		trial := numbered("", 0, status, "")
		trial.StartedAt, trial.DurationMS = time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC), envelope.Some(float64(second))
		return trial
	}
	P, F := envelope.Pass, envelope.Fail
	trials := []envelope.Trial{began(1, P), began(2, P), began(3, F), began(4, P), began(5, F), began(6, P), began(7, P), began(8, F)}
	const want = "PPFPFPPF"
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		r.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got := given(countOne("extend", input{"a", trials})); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	untimed := numbered("", 0, F, "when this began is not known")
	if got := given(countOne("extend", input{"a", append(trials, untimed)})); strings.Contains(got, want) {
		t.Errorf("%s: one of them does not say when it began, and the others stand as they began", got)
	}
}

// TestLaterRunsStandBehindEarlierOnes, so that a rule that was asked before sees
// first what it saw first.
func TestLaterRunsStandBehindEarlierOnes(t *testing.T) {
	began := func(run string, attempt int32, second int, status envelope.Status) envelope.Trial {
		trial := numbered(run, attempt, status, "")
		if second > 0 {
			trial.StartedAt = time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)
		}
		return trial
	}
	P, F, E := envelope.Pass, envelope.Fail, envelope.Error
	for _, c := range []struct {
		reason, want string
		trials       []envelope.Trial
	}{
		{"numbers in names are numbers", "PFE", []envelope.Trial{numbered("pipeline-9", 0, P, ""), numbered("pipeline-10", 0, F, ""), numbered("pipeline-100", 0, E, "")}},
		{"those of many digits, too", "PF", []envelope.Trial{numbered("99999999999999999999", 0, P, ""), numbered("100000000000000000000", 0, F, "")}},
		{"zeros before them come first", "PFE", []envelope.Trial{numbered("v01.2", 0, P, ""), numbered("v1.2", 0, F, ""), numbered("v01.10", 0, E, "")}},
		{"a name before one that goes on", "PFE", []envelope.Trial{numbered("", 0, P, ""), numbered("a", 0, F, ""), numbered("a1", 0, E, "")}},
		{"by when they began", "PFE", []envelope.Trial{began("c", 0, 1, P), began("b", 0, 2, F), began("a", 0, 3, E)}},
		{"a run begins with its first trial", "PPFF", []envelope.Trial{began("b", 0, 9, P), began("b", 1, 1, P), began("a", 0, 2, F), began("a", 1, 3, F)}},
		{"by name where one of them does not say it", "EFP", []envelope.Trial{began("c", 0, 1, P), began("b", 0, 2, F), began("a", 0, 0, E)}},
		{"by name where they began together", "PFE", []envelope.Trial{began("9", 0, 1, P), began("10", 0, 1, F), began("11", 0, 1, E)}},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		for range 10 {
			r.Shuffle(len(c.trials), func(i, j int) { c.trials[i], c.trials[j] = c.trials[j], c.trials[i] })
			if got := given(countOne("extend", input{"a", c.trials})); got != c.want {
				t.Errorf("%s: %s, want %s", c.reason, got, c.want)
			}
		}
	}
}

// TestAReplacedTrialIsNotWhenItsRunBegan: what is gone does not order what stays,
// or an envelope read back would be another one.
func TestAReplacedTrialIsNotWhenItsRunBegan(t *testing.T) {
	began := func(run string, second int, status envelope.Status) envelope.Trial {
		trial := numbered(run, 0, status, "why")
		trial.StartedAt = time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)
		return trial
	}
	old := input{"old", []envelope.Trial{began("a", 1, envelope.Error), began("b", 2, envelope.Pass)}}
	run := countOne("replace", old, input{"young", []envelope.Trial{began("a", 3, envelope.Fail)}})
	if got := given(run); got != "PF" {
		t.Errorf("%s, want PF: run a is that of second 3 now", got)
	}
	if d := run.Tests[0].Details; len(d) != 1 || d[0].Trial != 1 {
		t.Errorf("details %v, want that of the trial in row 1", d)
	}
}

func TestUnplacedTrials(t *testing.T) {
	timed := func(attempt int32, second int) envelope.Trial {
		trial := numbered("", attempt, envelope.Pass, "")
		trial.StartedAt = time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)
		return trial
	}
	P, F := envelope.Pass, envelope.Fail
	for _, c := range []struct {
		reason string
		trials []envelope.Trial
		want   int
	}{
		{"each has a place of its own", []envelope.Trial{numbered("", 0, P, ""), numbered("", 1, F, ""), numbered("r", 0, P, "")}, 0},
		{"two share one", []envelope.Trial{numbered("", 0, P, ""), numbered("", 0, F, ""), numbered("", 1, P, "")}, 2},
		{"they say when they began", []envelope.Trial{timed(0, 1), timed(0, 2), timed(1, 3)}, 0},
		{"one of them does not", []envelope.Trial{timed(0, 1), timed(0, 2), numbered("", 0, P, ""), timed(1, 4)}, 3},
		{"those without a number stand as they came", []envelope.Trial{{Key: envelope.Key{Test: "t"}, Status: P}, {Key: envelope.Key{Test: "t"}, Status: P}}, 0},
	} {
		if got := countOne("extend", input{"a", c.trials}).Tests[0].Rows.OrderTies(); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
}
