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
// cost, durations included, and of a few trials in when they began. A sum that costs
// little rules out nearly all runs; those of one sum are compared by a digest.
func sameRuns(env *envelope.Envelope) [][]string {
	alike := alikeRuns(env)
	if len(alike) == 0 {
		return nil
	}
	digests := map[string]hash.Hash{}
	eachTrialOfRuns(env, func(run string, t *envelope.Test, row int) {
		few, is := alike[run]
		if !is {
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
		if few {
			b = binary.BigEndian.AppendUint64(b, uint64(startOf(t, row)))
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

// alikeRuns are runs that can be compared whose sum is that of another, and whether they
// have few trials.
func alikeRuns(env *envelope.Envelope) map[string]bool {
	if !severalRuns(env) {
		return nil
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
		last.add(t, row)
	})
	bySum := map[uint64][]string{}
	for run, l := range runs {
		if l.timed >= comparableTrials || l.digits >= envelope.CertainDigits {
			bySum[l.sum] = append(bySum[l.sum], run)
		}
	}
	alike := map[string]bool{}
	for _, same := range bySum {
		for _, run := range same {
			if len(same) > 1 {
				alike[run] = runs[run].timed < comparableTrials
			}
		}
	}
	return alike
}

// likeness is what tells a run from others.
type likeness struct {
	sum           uint64
	timed, digits int // trials with a time, and the digits that clocks gave the first ones
}

func (l *likeness) add(t *envelope.Test, row int) {
	for _, n := range numbersOf(t, row) {
		l.sum = bits.RotateLeft64(l.sum, 5) ^ n*0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	}
	if ms, ok := t.Rows.DurationMS().At(row); ok && ms > 0 {
		if l.timed++; l.timed < comparableTrials {
			l.digits += envelope.MeasuredDigits(ms)
		}
	}
	if l.timed < comparableTrials && startOf(t, row) != 0 {
		l.digits += envelope.DigitsOfSecond
	}
}

// startOf is when a trial began, 0 where it does not say.
func startOf(t *envelope.Test, row int) int64 {
	at, _ := t.Rows.StartedAt().At(row)
	return at
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
// something: fewer may be equal by chance, unless their times have many digits.
const comparableTrials = 3
