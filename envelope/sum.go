package envelope

import (
	"fmt"
	"math"

	"tribunal/internal/hash"
)

// TrialsSum identifies trials, whatever their order and whatever their runs and inputs are called:
// reports that keep less than their trials carry it, so that such a report beside what it was made
// from is known for it. It is a sum, so that of inputs together is that of each added up.
//
// It is published, so it has no digest of texts: of two runs that differ in a secret alone, it
// would confirm a guess. Instead it has the reasons of failures, which are redacted.
type TrialsSum struct {
	Trials    int
	sum       uint64
	withTexts uint64 // of the first version, with digests
}

// Add adds what other trials come to.
func (s *TrialsSum) Add(o TrialsSum) {
	s.Trials += o.Trials
	s.sum += o.sum
	s.withTexts += o.withTexts
}

// Since is what came behind an earlier sum of the same trials.
func (s TrialsSum) Since(earlier TrialsSum) TrialsSum {
	return TrialsSum{s.Trials - earlier.Trials, s.sum - earlier.sum, s.withTexts - earlier.withTexts}
}

// SumVersion is how sums end. Those of the first version end with a digit.
const SumVersion = "-2"

// String is the sum as reports carry it, "" of no trials.
func (s TrialsSum) String() string {
	if s.Trials == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%016x"+SumVersion, s.Trials, s.sum)
}

// FirstVersion is the sum as reports of earlier programs carry it.
func (s TrialsSum) FirstVersion() string {
	if s.Trials == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%016x", s.Trials, s.withTexts)
}

// Hash is that of one trial, texts included.
func (s TrialsSum) Hash() uint64 { return hash.Number(hash.Number(0, s.sum), s.withTexts) }

// Hash makes the part of a key that [Rows.Sums] takes.
func (k Key) Hash() uint64 { return hash.Text(hash.Text(hash.Text(0, k.Suite), k.Test), k.Variant) }

// Hash makes the part of a reason that [Rows.Sums] takes.
func (r Reason) Hash() uint64 {
	h := hash.Text(0, string(r.Key))
	for _, name := range r.Names {
		h = hash.Text(h, name)
	}
	return h
}

// Sums passes on those of the trials, made of the hashes of their tests, which are lost, and
// of the reasons that they refer to. The name of its run is no part of a trial's, for a
// run without one is called after its file; nor are words that a report hides.
func (r *Rows) Sums(tests, reasons []uint64, each func(trial int, sum TrialsSum)) {
	r.hash(tests)
	why, texts := r.Reason(), r.Digest()
	for i, h := range tests {
		sum := TrialsSum{1, h, h}
		if reason, ok := why.At(i); ok {
			sum.sum = hash.Field(h, hashedReason, reasons[reason])
		}
		if digest, ok := texts.At(i); ok {
			sum.withTexts = hash.Field(h, hashedDigest, uint64(digest))
		}
		each(i, sum)
	}
}

// hash makes of the hashes of their tests those of the trials, without texts and
// reasons. It goes by columns, and those that nobody uses cost nothing.
func (r *Rows) hash(tests []uint64) {
	for i, given := range r.Given {
		tests[i] = hash.Field(tests[i], hashedGiven, uint64(given))
	}
	for i, retry := range r.Retry() {
		if retry {
			tests[i] = hash.Field(tests[i], hashedRetry, 1)
		}
	}
	for i, label := range r.Truth() {
		if label != 0 {
			tests[i] = hash.Field(tests[i], hashedTruth, uint64(label))
		}
	}
	hashWholes(tests, hashedAttempt, r.Attempt())
	hashWholes(tests, hashedCategory, r.Category())
	hashWholes(tests, hashedToolCalls, r.ToolCalls())
	hashReals(tests, hashedScore, r.Score())
	hashReals(tests, hashedDuration, r.DurationMS())
	hashReals(tests, hashedSetup, r.SetupMS())
	hashReals(tests, hashedCost, r.CostUSD())
	hashReals(tests, hashedSetupCost, r.SetupCost())
	hashWholes(tests, hashedTokens, r.Tokens())
	hashWholes(tests, hashedStart, r.StartedAt())
}

// What a cell stands for in a hash, so that the same number elsewhere is another: odd
// multiples of the golden ratio. Reports carry sums: no place is ever given to another field.
const (
	hashedGiven = (2*iota + 1) * 0x9e3779b97f4a7c15 & math.MaxUint64
	hashedRetry
	hashedTruth
	hashedAttempt
	hashedCategory
	hashedToolCalls
	hashedScore
	hashedDuration
	hashedSetup
	hashedCost
	hashedSetupCost
	hashedTokens
	hashedStart
	hashedDigest
	hashedError
	hashedReason
)

func hashWholes[T int32 | int64](to []uint64, constant uint64, c Column[T]) {
	for i, v := range c {
		if !isAbsent(v) {
			to[i] = hash.Field(to[i], constant, uint64(v))
		}
	}
}

func hashReals(to []uint64, constant uint64, c Column[float64]) {
	for i, v := range c {
		if v == v { // it is present: no NaN
			to[i] = hash.Field(to[i], constant, math.Float64bits(v))
		}
	}
}

// SumOfErrors is that of what could not be read. A report with errors is never one on
// the same trials without them, or its errors would be lost with it.
func SumOfErrors(problems []Problem) (sum TrialsSum) {
	for _, p := range problems {
		if p.IsOfReading() {
			sum.sum += hash.Number(hash.Text(hashedError, p.Code), uint64(p.Line))
		}
	}
	sum.withTexts = sum.sum
	return sum
}
