package verdict

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/bits"
	"slices"

	"tribunal/envelope"
)

// sameRuns finds runs whose trials are equal in test, outcome, time, score and
// cost, durations included. A sum that costs little rules out nearly all runs;
// those of one sum are compared by a digest.
func sameRuns(env *envelope.Envelope) [][]string {
	alike := alikeRuns(env)
	if len(alike) == 0 {
		return nil
	}
	digests := map[string]hash.Hash{}
	eachTrialOfRuns(env, func(run string, t *envelope.Test, row int) {
		if !alike[run] {
			return
		}
		if digests[run] == nil {
			digests[run] = sha256.New()
		}
		var b []byte
		for _, name := range []string{t.Suite, t.Test, t.Variant} {
			b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		}
		for _, n := range numbersOf(t, row) {
			b = binary.BigEndian.AppendUint64(b, n)
		}
		digests[run].Write(b)
	})
	byDigest := map[string][]string{}
	for run, h := range digests {
		sum := string(h.Sum(nil))
		byDigest[sum] = append(byDigest[sum], run)
	}
	var out [][]string
	for _, runs := range byDigest {
		if len(runs) > 1 {
			slices.Sort(runs)
			out = append(out, runs)
		}
	}
	slices.SortFunc(out, slices.Compare[[]string])
	return out
}

// alikeRuns are runs with enough timed trials to be compared whose sum is that
// of another.
func alikeRuns(env *envelope.Envelope) map[string]bool {
	if !severalRuns(env) {
		return nil
	}
	type likeness struct {
		sum   uint64
		timed int
	}
	runs := map[string]*likeness{}
	var name string
	var last *likeness
	eachTrialOfRuns(env, func(run string, t *envelope.Test, row int) {
		if last == nil || run != name {
			if last = runs[run]; last == nil {
				last = &likeness{}
				runs[run] = last
			}
			name = run
		}
		for _, n := range numbersOf(t, row) {
			last.sum = bits.RotateLeft64(last.sum, 5) ^ n*0x9e3779b97f4a7c15 // 2^64 by the golden ratio
		}
		if ms, ok := t.Rows.DurationMS().At(row); ok && ms > 0 {
			last.timed++
		}
	})
	bySum := map[uint64][]string{}
	for run, l := range runs {
		if l.timed >= comparableTrials {
			bySum[l.sum] = append(bySum[l.sum], run)
		}
	}
	alike := map[string]bool{}
	for _, runs := range bySum {
		for _, run := range runs {
			if len(runs) > 1 {
				alike[run] = true
			}
		}
	}
	return alike
}

func severalRuns(env *envelope.Envelope) bool {
	if len(env.Tests) == 0 {
		return false
	}
	one := env.Tests[0].Rows.Run().At(0)
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		for row := range rows.Outcome {
			if rows.Run().At(row) != one {
				return true
			}
		}
	}
	return false
}

// eachTrialOfRuns leaves out what was skipped: some reporters of a run say that it took no
// time, and others do not.
func eachTrialOfRuns(env *envelope.Envelope, do func(run string, t *envelope.Test, row int)) {
	for i := range env.Tests {
		t := &env.Tests[i]
		for row, outcome := range t.Rows.Outcome {
			if outcome != envelope.Skipped {
				do(t.Rows.Run().At(row), t, row)
			}
		}
	}
}

// numbersOf are the outcome, time, score and cost of a trial, absent ones as a
// number that is no number.
func numbersOf(t *envelope.Test, row int) [4]uint64 {
	bitsOf := func(c envelope.Column[float64]) uint64 {
		if v, ok := c.At(row); ok {
			return math.Float64bits(v)
		}
		return math.Float64bits(math.NaN())
	}
	r := t.Rows
	return [4]uint64{uint64(r.Outcome[row]), bitsOf(r.DurationMS()), bitsOf(r.Score()), bitsOf(r.CostUSD())}
}

// comparableTrials is how many timed trials there must be for a likeness to say
// something: fewer may be equal by chance.
const comparableTrials = 3
