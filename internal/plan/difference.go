package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// byScores is for the interval of a mean score: it shrinks with the root of the trials around a mean and a deviation that stay. A fail
// that did not stand among many tests needs a p-value that is smaller by the factor.
func (u *Unsettled) byScores(t *envelope.Test, p envelope.Effective, factor float64) int {
	by, _ := rule.ByName(p.Rule)
	scores := by.ScoresOf(rule.SampleOf(t.Rows), p)
	_, outside := rule.MeanOf(scores, p)
	distinct, so := slices.Compact(slices.Sorted(slices.Values(scores))), stats.MomentsOf(scores)
	switch {
	case by.Ranged && outside != nil:
		u.never(outside.Error())
	case so.N < 2 || so.N < rule.FewestScores && !by.Ranged:
		u.Why = "it has too few scores to show how much they vary"
	case so.Mean == p.Threshold.V:
		u.never(fmt.Sprintf("its mean score so far is exactly the threshold %s: more trials like these would not decide it",
			plainNumber(p.Threshold.V)))
	case len(distinct) < rule.FewestScores && !by.Ranged:
		u.never(fmt.Sprintf("its scores have %s, and rule %s needs %d: use --rule bounded-mean",
			words.Plural(len(distinct), "distinct value", "distinct values"), p.Rule, rule.FewestScores))
	case by.Ranged:
		return u.scoresUntil(byBound(by, t, p, factor), so.Mean, p)
	default:
		return u.scoresUntil(func(n int) bool { // Student's interval leaves the threshold out, without solving for its ends
			tail := stats.StudentTBelow(-math.Abs(so.Mean-p.Threshold.V)/(so.Deviation/math.Sqrt(float64(n))), n-1)
			return tail < (1-p.Confidence.V)/2 && (t.Verdict.RawStatus == "" || tail*factor <= level(p))
		}, so.Mean, p)
	}
	return 0
}

// scoresUntil is the number of further trials until so many settle it, as more do.
func (u *Unsettled) scoresUntil(settles func(n int) bool, mean float64, p envelope.Effective) int {
	least := max(1, p.MinTrials.Or(1)-u.Trials)
	reach := least
	for reach < farthest && !settles(u.Trials+reach) {
		reach *= 2
	}
	more := least + sort.Search(max(0, min(reach, farthest)+1-least), func(i int) bool { return settles(u.Trials + least + i) })
	if more > farthest {
		u.Why = fmt.Sprintf("its mean score so far, %s, is too near the threshold %s: even %s more trials would not decide it",
			plainNumber(mean), plainNumber(p.Threshold.V), words.Count(farthest))
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
		s := &rule.Sample{Outcomes: slices.Repeat(seen.Outcomes, times)[:n], Scores: slices.Repeat(seen.Scores, times)[:n],
			Own: slices.Repeat(seen.Own, times)[:min(n, times*len(seen.Own))]} // nothing if no trial has a score
		below := by.PValue(s, p) // which gives trials without a score theirs
		return by.Scores(rule.Summarise(s.Scores), p) != stats.Undecided && (t.Verdict.RawStatus == "" || below*factor <= level(p))
	}
}

// Gap is a difference of mean pass rates over the same tests that was seen and is not sure yet.
type Gap struct {
	Difference float64
	// Variance is that of the difference, Within the part of it that more trials of the
	// same tests make smaller; the rest is how far the tests differ.
	Variance, Within float64
	Groups           int  // of tests, that the variance was estimated from
	Signs            bool // decide by a sign-flip test of the groups, whose p is at least 2^(1-Groups)
	Tests, Trials    int  // of each side
	Alpha, Power     float64
}

// Required is what would make the difference sure with the power asked for, if it goes on as seen: so many more trials a side, spread
// evenly over the tests, or so many more tests like these. Either is absent where no number would do, or more than a million.
type Required struct {
	Trials envelope.Opt[int] `json:"trials,omitzero"`
	Tests  envelope.Opt[int] `json:"tests,omitzero"`
}

// Required answers by the normal approximation, with Student's t for the groups:
//
//	Variance - Within + Within/m <= (Difference / (t + z(power)))^2
//
// for m times the trials, and Variance/m for m times the tests.
func (g Gap) Required() Required {
	var out Required
	if g.Difference == 0 || g.Tests < 1 || g.Trials < 1 {
		return out
	}
	between, fewest := math.Max(0, g.Variance-g.Within), 0
	if g.Signs {
		fewest = int(math.Ceil(1 - math.Log2(g.Alpha)))
	}
	if room := g.bound(g.Groups) - between; room > 0 && g.Groups >= fewest {
		each := math.Ceil((g.Within/room - 1) * float64(g.Trials) / float64(g.Tests))
		if more := math.Max(1, each) * float64(g.Tests); more <= mostTrials {
			out.Trials = envelope.Some(int(more))
		}
	}
	size := float64(g.Tests) / float64(max(1, g.Groups)) // tests of a group
	variance := math.Max(g.Variance, g.Within)
	for groups := max(2, g.Groups+1, fewest); float64(groups)*size <= mostTrials; groups += 1 + groups/1000 {
		if variance*float64(max(1, g.Groups))/float64(groups) <= g.bound(groups) {
			out.Tests = envelope.Some(int(math.Ceil(float64(groups)*size)) - g.Tests)
			break
		}
	}
	return out
}

func (g Gap) bound(groups int) float64 {
	quantile := stats.Z(1 - g.Alpha)
	if groups > 1 {
		quantile = stats.StudentT(1-g.Alpha, groups-1)
	}
	root := g.Difference / (quantile + math.Sqrt2*math.Erfinv(2*g.Power-1))
	return root * root
}

// Difference says how many trials distinguish two pass rates, by a two-sided test at 1 - Confidence: Fisher's exact test for trials of
// their own, McNemar's for pairs of trials of the same tasks.
type Difference struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Confidence float64 `json:"confidence"`
	Power      float64 `json:"power"`
	Unpaired   Detect  `json:"unpaired"` // trials are those of each side
	// Paired is nil unless the share of discordant pairs is given.
	Paired *Paired `json:"paired,omitempty"`
	// Sequential is nil unless it is asked for, and where it would take too many pairs.
	Sequential *Sequential `json:"sequential,omitempty"`
	// PairedFrom is the least share of discordant pairs that the difference
	// allows; Independent is the share if pairs had nothing in common.
	PairedFrom  float64 `json:"discordant_at_least"`
	Independent float64 `json:"discordant_if_independent"`
}

// Detect is how many trials it takes. Exact is absent where it would be more than a few thousand, for which the formula is as good.
type Detect struct {
	Formula Effort  `json:"formula"`         // normal approximation
	Exact   *Effort `json:"exact,omitempty"` // the fewest at which the exact test has the power
	// Planned is the power of the exact test with the planned trials.
	Planned *Power  `json:"planned,omitempty"`
	Curve   []Power `json:"curve,omitempty"`
}

// Paired is a Detect of pairs, with the share of them that is discordant.
type Paired struct {
	Discordant float64 `json:"discordant"`
	Detect
}

// Sequential is how many pairs it takes when they are looked at one by one, as by compare --sequential: exact, of one test.
type Sequential struct {
	Discordant float64 `json:"discordant"`
	Mean       Effort  `json:"mean"`   // on average, the pairs rounded up
	Enough     Effort  `json:"enough"` // the fewest within which it is found with the power
}

func (s *Sequential) words(power float64) string {
	pairs := func(e Effort) string {
		return words.Plural(e.Trials, "pair", "pairs") + words.If(e.CostUSD.OK, " ("+words.Dollars(e.CostUSD.V)+")")
	}
	return fmt.Sprintf("If %s of the pairs are discordant, compare --sequential takes %s on average, and %s of the time at most %s.",
		words.Fraction(s.Discordant), pairs(s.Mean), words.Level(power), pairs(s.Enough))
}

// mostSequential bounds the discordant pairs that are followed: the work grows with their square.
const mostSequential = 10000

func (q Question) oneByOne(d stats.Difference, share float64) (*Sequential, error) {
	fall := d.Rate1 - d.Rate2
	course, ok := stats.FollowPairs((share-fall)/2, (share+fall)/2, 1-q.Confidence, mostSequential)
	if !ok {
		return nil, fmt.Errorf("the rates are too near each other for --sequential: more than %d discordant pairs may be needed; leave it "+
			"out to plan a fixed number of trials", mostSequential)
	}
	effort := func(n int) Effort { return Effort{Trials: n, CostUSD: cost(q.PriceUSD, 2*float64(n))} }
	return &Sequential{Discordant: share, Mean: effort(int(math.Ceil(course.Mean))), Enough: effort(course.Pairs(q.Power))}, nil
}

// Power is how surely the exact test finds the difference with some trials.
type Power struct {
	Trials int     `json:"trials"`
	Power  float64 `json:"power"`
}

// mostExact bounds the trials for which the power of an exact test is summed: its work grows with their square.
const mostExact = 3000

func (q Question) difference() (*Difference, error) {
	d := stats.Difference{Rate1: q.Rates[0], Rate2: q.Rates[1], Confidence: q.Confidence}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("--detect: %w", err)
	}
	least, independent := d.Discordance()
	least, independent = Digits(least), Digits(independent)
	out := &Difference{From: d.Rate1, To: d.Rate2, Confidence: q.Confidence, Power: q.Power, PairedFrom: least, Independent: independent}
	sides := 2.0 // both sides are paid for
	unpaired, err := q.detect(d.FormulaRuns(q.Power), sides, d.FisherPower)
	if err != nil {
		return nil, err
	}
	out.Unpaired = *unpaired
	share := q.Discordant.Or(independent)
	if most := Digits(math.Min(d.Rate1+d.Rate2, 2-d.Rate1-d.Rate2)); !(share >= least && share <= most) {
		return nil, fmt.Errorf("--discordant %v is out of range: give %v to %v; independent pairs have %v", share, least, most, independent)
	}
	share = math.Max(share, math.Abs(d.Rate1-d.Rate2))
	if q.Sequential {
		if out.Sequential, err = q.oneByOne(d, share); err != nil {
			return nil, err
		}
	}
	if !q.Discordant.OK {
		return out, nil
	}
	paired, err := q.detect(d.FormulaPairs(q.Power, share), sides, func(n int) float64 { return d.McNemarPower(n, share) })
	if err != nil {
		return nil, err
	}
	out.Paired = &Paired{Discordant: q.Discordant.V, Detect: *paired}
	return out, nil
}

// detect answers for one test. Each of the trials it counts costs as often as there are sides.
func (q Question) detect(formula, sides float64, power func(trials int) float64) (*Detect, error) {
	if !(formula < 1e15) {
		return nil, fmt.Errorf("the two rates are too close: they need more than 10^15 trials; give rates farther apart")
	}
	effort := func(n int) Effort { return Effort{Trials: n, CostUSD: cost(q.PriceUSD, sides*float64(n))} }
	d := &Detect{Formula: effort(int(math.Ceil(formula - 1e-9)))}
	if q.Trials.OK && q.Trials.V <= mostExact {
		d.Planned = &Power{Trials: q.Trials.V, Power: Digits(power(q.Trials.V))}
	}
	if d.Formula.Trials > mostExact*9/10 {
		return d, nil
	}
	n, ok := stats.RunsForPower(formula, q.Power, mostExact, power)
	if !ok {
		return d, nil
	}
	e := effort(n)
	d.Exact = &e
	for _, part := range []float64{0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5} {
		if at := int(part * float64(n)); at >= 1 && at <= mostExact {
			d.Curve = append(d.Curve, Power{Trials: at, Power: Digits(power(at))})
		}
	}
	return d, nil
}
