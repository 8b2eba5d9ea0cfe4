package compare

import (
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

// oneRunEach refuses sides of several runs, of which a pair is no pair of trials.
func oneRunEach(sides ...Input) error {
	for _, in := range sides {
		if len(in.Runs) > 1 || len(in.Past) > 0 {
			return fmt.Errorf("comparing %s: a sequential comparison needs one run a side; leave out the other runs and the history, or compare once, at the end", in.Name)
		}
	}
	return nil
}

// somePairs refuses a comparison that would never say anything, however many trials
// come.
func somePairs(matches []match) error {
	both := 0
	for i := range matches {
		switch {
		case len(matches[i].sequence) > 0:
			return nil
		case matches[i].base.N > 0 && matches[i].candidate.N > 0:
			both++
		}
	}
	if both == 0 {
		return nil
	}
	return fmt.Errorf("a sequential comparison needs pairs of trials: of %s with trials on both sides none has trials of the same number; give each trial its number (attempt), the same for the same seed, or compare once, at the end", words.Plural(both, "test", "tests"))
}

// findInPairs is the difference of the pass rates as the pairs show it one after
// another. That most trials have a partner is not asked: the side that is still
// running has fewer.
func (m *match) findInPairs(o Options) Finding {
	partners := m.order.partners(&m.base, &m.candidate)
	if len(partners) == 0 {
		return Finding{}
	}
	for i := range partners {
		m.sequence = append(m.sequence, countPairs(&m.base, &m.candidate, partners[i:i+1]))
	}
	if n := m.order.fewest; len(partners) >= n {
		base, ok := m.base.test.Rows.StartedAt().At(partners[n-1][0])
		candidate, also := m.candidate.test.Rows.StartedAt().At(partners[n-1][1])
		m.decidable = envelope.Opt[int64]{V: max(base, candidate), OK: ok && also}
	}
	return inTurn(m.sequence, o)
}

// findLate marks the tests that joined the base when others could be decided already, and
// returns how many tests the base has without them, and how many candidates came in time: of
// a late one all tests are late. A test that a run lists from its beginning is not late, and
// of one that does not say when it began nobody knows.
func findLate(base *envelope.Envelope, candidates []Input, contrasts []Contrast, matches []match, ends []int) (members, inTime int) {
	decidable, from := int64(math.MaxInt64), 0
	for i := range matches {
		decidable = min(decidable, matches[i].decidable.Or(decidable))
	}
	late := func(t *envelope.Test) bool {
		began := t.Rows.StartedAt().Values()
		return len(began) > 0 && slices.Min(began) > decidable && t.Ended == "" && !t.Trials.Planned.OK
	}
	for i := range candidates {
		tests := candidates[i].Envelope.Tests
		joined := len(tests) > 0 && !slices.ContainsFunc(tests, func(t envelope.Test) bool { return !late(&t) })
		if contrasts[i].joined = joined; !joined {
			inTime++
		}
		for m := from; m < ends[i]; m++ {
			matches[m].late = joined || late(matches[m].base.test)
		}
		from = ends[i]
	}
	for i := range base.Tests {
		if !late(&base.Tests[i]) {
			members++
		}
	}
	return members, inTime
}

// roundsOf are the runs of a sequential comparison as rounds of a pair of every test.
// Rounds that lack a pair of some test are left out: which tests went on may depend
// on what was seen, and so would the mean over them. Late tests have no part in them.
func roundsOf(matches []match) []Pairs {
	var rounds []Pairs
	first := true
	for i := range matches {
		s := matches[i].sequence
		switch {
		case len(s) == 0 || matches[i].late:
			continue
		case first:
			rounds = make([]Pairs, len(s))
		case len(s) < len(rounds):
			rounds = rounds[:len(s)]
		}
		first = false
		for k := range rounds {
			rounds[k].add(s[k])
		}
	}
	return rounds
}

// pairTest is a test of rounds of pairs that holds no matter how often you look.
type pairTest interface {
	PValue() float64
	// Decided is the number of rounds after which the p-value was at most level, and which
	// way: 1 for better, -1 for worse, 0 when it never was.
	Decided(level float64) (rounds, direction int)
	// Within is the number of rounds after which the difference was within the margin.
	Within(margin, alpha float64) (rounds int, ok bool)
}

func (o Options) pairTest(rounds []Pairs) (pairTest, string) {
	if s := sequenceOf(rounds); o.SequentialTest != TestGSPRT {
		return s, MethodBetting
	}
	return stats.PairedGSPRT{Rounds: sequenceOf(rounds), Margin: o.Margin}, MethodGSPRT
}

// inTurn is what rounds of pairs say one after another. The interval is that of bets
// under either test: a ratio of two differences has none. That of a difference that did
// not stay the same may have lost the mean, and is made to hold it.
func inTurn(rounds []Pairs, o Options) Finding {
	f := countedInTurn(rounds, o)
	lo, hi := sequenceOf(rounds).Interval(o.alpha())
	value := f.Difference.Value
	f.Difference = &Difference{Value: value, Lo: math.Min(lo, value), Hi: math.Max(hi, value), Method: IntervalBetting}
	f.NonInferior = lo > -o.Margin
	return f
}

// countedInTurn is what of a finding decides its state: all but the interval, which takes
// most of the time.
func countedInTurn(rounds []Pairs, o Options) Finding {
	var all Pairs
	for _, r := range rounds {
		all.add(r)
	}
	test, method := o.pairTest(rounds)
	value := float64(all.Candidate-all.Base) / float64(all.N())
	return Finding{Difference: &Difference{Value: value}, Pairs: &all, Method: method, PValue: envelope.Some(test.PValue())}
}

func sequenceOf(rounds []Pairs) stats.PairedSequence {
	s := make(stats.PairedSequence, len(rounds))
	for i, r := range rounds {
		s[i] = stats.PairedRound{Candidate: r.Candidate, Base: r.Base, Alike: r.Both + r.Neither}
	}
	return s
}

// settleInTurn returns the state that rounds of pairs came to, at the level that the
// adjustment left for their p-value, and notes after how many rounds it was. The
// evidence says which way a change was: the difference may have turned since.
func (f *Finding) settleInTurn(rounds []Pairs, adjusted envelope.Opt[float64], o Options) State {
	if f.Difference == nil {
		return Unresolved
	}
	test, _ := o.pairTest(rounds)
	if after, ok := test.Within(o.Margin, o.alpha()); ok && math.Abs(f.Difference.Value) < o.Margin {
		f.DecidedAfter = after
		f.NonInferior = true
		return Equivalent
	}
	if !adjusted.OK || adjusted.V > o.alpha() {
		return Unresolved
	}
	const rounding = 1e-9 // of the level, which is a quotient
	after, direction := test.Decided(o.alpha() * f.PValue.V / adjusted.V * (1 + rounding))
	f.DecidedAfter = after
	if direction < 0 {
		return Regressed
	}
	return Improved
}

// turned says that the pairs since a change was found point the other way.
func (f *Finding) turned(s State) string {
	if s == Regressed && f.Difference.Value >= 0 || s == Improved && f.Difference.Value <= 0 {
		return "; the pairs since then undid it: the difference did not stay the same"
	}
	return ""
}

func (f *Finding) decidedWords(one, more string) string {
	if f.DecidedAfter == 0 {
		return ""
	}
	return "; decided after " + words.Plural(f.DecidedAfter, one, more)
}
