package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/stats"
)

// How p-values are adjusted for the number of tests.
const (
	AdjustHolm = "holm" // no false REGRESSED at all, with probability 1 - alpha
	AdjustBH   = "bh"   // few false ones among all
	AdjustNone = "none"
)

// Adjustments are the values of Options.Adjust, the default first.
var Adjustments = []string{AdjustHolm, AdjustBH, AdjustNone}

// How trials are paired.
const (
	PairAuto = "auto" // by number where both sides number their trials
	PairNone = "none"
)

// Pairings are the values of Options.Pairing.
var Pairings = []string{PairAuto, PairNone}

// What a sequential comparison tests pairs by.
const (
	TestBetting = "betting" // any difference, by bets: holds for any number of pairs
	TestGSPRT   = "gsprt"   // the margin against 0, by likelihood ratios: asymptotic
)

// SequentialTests are the values of Options.SequentialTest, the default first.
var SequentialTests = []string{TestBetting, TestGSPRT}

// What makes a comparison fail.
const (
	OnRegressed   = "regressed"
	OnUnresolved  = "unresolved"
	OnGone        = "gone"
	OnNewlyFlaky  = "newly-flaky"
	OnNewlyBroken = "newly-broken"
	OnNewFails    = "new-fails"
	OnNone        = "none"
)

// FailOns lists the values of Options.FailOn, the default first.
var FailOns = []string{OnRegressed, OnUnresolved, OnGone, OnNewlyFlaky, OnNewlyBroken, OnNewFails, OnNone}

// Options say how to compare. Confidence and Margin are fractions.
type Options struct {
	Confidence float64
	Margin     float64 // the largest loss of pass rate that does not matter
	Adjust     string
	Pairing    string
	// ClusterBy is what makes tests move together: suite, file, or a label that is the
	// same on every trial of a test. Empty: each test moves on its own.
	ClusterBy string
	// Sequential: what is said holds no matter how often you look, after every pair.
	Sequential bool
	// SequentialTest is how: empty is TestBetting.
	SequentialTest string
	FailOn         []string
}

// Defaults are 95 % confidence, a margin of 5 points, holm, pairs where there
// are any, and failing on a regression alone.
func Defaults() Options {
	return Options{Confidence: 0.95, Margin: 0.05, Adjust: AdjustHolm, Pairing: PairAuto, FailOn: []string{OnRegressed}}
}

// Check reports every option that is out of its range.
func (o Options) Check() error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(!(o.Confidence >= 0.8 && o.Confidence <= 0.999), "confidence %s is out of range: give 80 to 99.9 percent",
		words.Level(o.Confidence))
	refuse(!(o.Margin >= 0 && o.Margin < 1), "--margin %v is out of range: give a difference of rates or scores from 0 to below 1, "+
		"such as 0.05 or 5%%", o.Margin)
	refuse(o.Sequential && o.Pairing == PairNone,
		"--sequential needs pairs; leave out --pairing none, or leave out --sequential and compare once, at the end")
	refuse(o.Sequential && o.ClusterBy != "",
		"--sequential cannot compare groups; leave out --cluster-by, or leave out --sequential and compare once, at the end")
	if o.SequentialTest != "" {
		errs = append(errs, known("sequential-test", o.SequentialTest, SequentialTests))
		refuse(!o.Sequential, "--sequential-test %s needs --sequential; give both", o.SequentialTest)
	}
	refuse(o.SequentialTest == TestGSPRT && o.Margin == 0, "--sequential-test gsprt needs a --margin above 0")
	errs = append(errs, known("adjust", o.Adjust, Adjustments), known("pairing", o.Pairing, Pairings))
	for _, word := range o.FailOn {
		errs = append(errs, known("fail-on", word, FailOns))
	}
	refuse(slices.Contains(o.FailOn, OnNone) && len(o.FailOn) > 1, "--fail-on none excludes other values; leave out the others, or none")
	return errors.Join(errs...)
}

func known(name, word string, all []string) error {
	if slices.Contains(all, word) {
		return nil
	}
	return suggest.Unknown(name, word, all)
}

func (o Options) alpha() float64 {
	const digits = 1e12 // 1 - 0.95 is 0.05, not 0.050000000000000044
	return float64(int64((1-o.Confidence)*digits+0.5)) / digits
}

// enoughPairs are so many that half of them, if all got worse, show it: a test that always passed and now passes every
// other time has no more. Fewer are compared as independent trials, which errs on the safe side where pairs are alike.
func (o Options) enoughPairs() int { return 2 * (1 - int(math.Floor(math.Log2(o.alpha())))) }

func (o Options) adjust(p []float64) []float64 {
	switch o.Adjust {
	case AdjustHolm:
		return stats.Holm(p)
	case AdjustBH:
		return stats.BenjaminiHochberg(p)
	}
	return p
}

// Ranked lists the tests of both sides, and new ones that fail, by Groups, and within a group the
// surer first. That a test is newly flaky moves it nowhere: among many steady ones some always are.
func (c *Contrast) Ranked() []*Test {
	out := append(each.Pointers(c.Tests), each.Pointers(c.failing)...)
	slices.SortFunc(out, func(a, b *Test) int {
		return cmp.Or(cmp.Compare(slices.Index(Groups, a.Group()), slices.Index(Groups, b.Group())),
			cmp.Compare(a.PAdjusted.Or(2), b.PAdjusted.Or(2)), cmp.Compare(a.PValue.Or(2), b.PValue.Or(2)),
			cmp.Compare(drop(a), drop(b)), a.Key.Compare(b.Key)) // of no two tests the same
	})
	return out
}

// Group is what reports list the test under.
func (t *Test) Group() State {
	switch {
	case t.Base.Status == "", t.Base.N == 0 && t.Candidate.N > 0 && t.Candidate.Status == envelope.Fail:
		return NewFails
	case t.Base.N > 0 && t.Candidate.N == 0:
		return NotTried
	case t.Newly == Broken && t.State != Regressed:
		return NewlyBroken
	}
	return t.State
}

// Worse is what is worse about the test, "" where nothing is.
func (t *Test) Worse() State {
	switch g := t.Group(); {
	case g == Regressed, g == NewlyBroken, g == NewFails, g == NotTried:
		return g
	case t.Newly == Flaky:
		return NewlyFlaky
	}
	return ""
}

func drop(t *Test) float64 {
	if t.Difference == nil {
		return 2
	}
	return t.Difference.Value
}

// Shown picks the tests that a report for people lists, ranked: at most changed
// that have changed, are newly broken, or new and fail, and at most maybe of those whose trials
// only point to a change. The others are counted by group.
func (c *Contrast) Shown(changed, maybe int) (shown []*Test, hidden map[State]int) {
	hidden = map[State]int{}
	for _, t := range c.Ranked() {
		left := &changed
		if t.Group() == Unresolved {
			left = &maybe
		}
		_, scored := Scored(t)
		notable := t.State.changed() || t.Worse() != "" || t.State == Unresolved && (t.Difference == nil || t.Difference.Value != 0)
		if !notable && scored == "" || *left == 0 {
			hidden[t.Group()]++
			continue
		}
		*left--
		shown = append(shown, t)
	}
	return shown, hidden
}
