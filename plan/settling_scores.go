package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"tribunal/envelope"
	"tribunal/stats"
	"tribunal/verdict/rule"
)

// byScores is for the interval of a mean score: it shrinks with the root of the
// trials around a mean and a deviation that stay. A fail that did not stand among
// many tests needs a p-value that is smaller by the factor.
func (u *Unsettled) byScores(t *envelope.Test, p envelope.Effective, factor float64) int {
	by, _ := rule.ByName(p.Rule)
	distinct := slices.Compact(slices.Sorted(slices.Values(rule.SampleOf(t.Rows).Scores)))
	switch {
	case t.Score == nil:
		u.Why = "none of its trials has a score"
	case !t.Score.StdDev.OK:
		u.Why = "it needs two scores before their spread can be told"
	case t.Score.Mean == p.Threshold.V:
		u.never(fmt.Sprintf("its mean score so far is exactly the threshold %s: more trials like these would not decide it", plainNumber(p.Threshold.V)))
	case len(distinct) < rule.FewestScores && !by.Ranged:
		u.never(fmt.Sprintf("its scores have %d distinct values, and rule %s needs %d: use --rule bounded-mean", len(distinct), p.Rule, rule.FewestScores))
	case by.Ranged:
		return u.scoresUntil(byBound(by, t, p, factor), t, p)
	default:
		return u.scoresUntil(func(n int) bool { // Student's interval leaves the threshold out, without solving for its ends
			tail := stats.StudentTBelow(-math.Abs(t.Score.Mean-p.Threshold.V)/(t.Score.StdDev.V/math.Sqrt(float64(n))), n-1)
			return tail < (1-p.Confidence.V)/2 && (t.Verdict.RawStatus == "" || tail*factor <= level(p))
		}, t, p)
	}
	return 0
}

// scoresUntil is the number of further trials until so many settle it, as more do.
func (u *Unsettled) scoresUntil(settles func(n int) bool, t *envelope.Test, p envelope.Effective) int {
	least := max(1, p.MinTrials.Or(1)-u.Trials)
	reach := least
	for reach < farthest && !settles(u.Trials+reach) {
		reach *= 2
	}
	more := least + sort.Search(max(0, min(reach, farthest)+1-least), func(i int) bool { return settles(u.Trials + least + i) })
	if more > farthest {
		u.Why = fmt.Sprintf("its mean score so far, %s, is too near the threshold %s: %d further trials would not decide it", plainNumber(t.Score.Mean), plainNumber(p.Threshold.V), farthest)
		return 0
	}
	return more
}

// byBound is for the bounded mean, whose interval depends on more than a mean and a
// deviation: the trials so far come again in their order.
func byBound(by rule.Rule, t *envelope.Test, p envelope.Effective, factor float64) func(n int) bool {
	seen := rule.SampleOf(t.Rows)
	return func(n int) bool {
		times := n/seen.N() + 1
		s := &rule.Sample{Outcomes: slices.Repeat(seen.Outcomes, times)[:n], Scores: slices.Repeat(seen.Scores, times)[:n], Own: slices.Repeat(seen.Own, times)[:n]}
		below := by.PValue(s, p) // which gives trials without a score theirs
		return by.Scores(rule.Summarise(s.Scores), p) != stats.Undecided && (t.Verdict.RawStatus == "" || below*factor <= level(p))
	}
}
