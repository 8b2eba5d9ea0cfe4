package envelope_test

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
