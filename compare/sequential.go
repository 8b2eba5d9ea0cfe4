package compare

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

// oneRunEach refuses sides of several runs, of which a pair is no pair of trials.
func oneRunEach(sides ...Input) error {
	for _, in := range sides {
		if len(in.Runs) > 1 || len(in.Past) > 0 {
			return fmt.Errorf("comparing %s: a sequential comparison bets on the pairs of one run a side: leave out the other runs and the history, or compare once, at the end", in.Name)
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
	return betting(m.sequence, o)
}

// roundsOf are the runs of a sequential comparison as rounds of a pair of every test.
// Rounds that lack a pair of some test are left out: which tests went on may depend
// on what was seen, and so would the mean over them.
func roundsOf(matches []match) []Pairs {
	var rounds []Pairs
	first := true
	for i := range matches {
		s := matches[i].sequence
		switch {
		case len(s) == 0:
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

// betting is what bets on rounds of pairs have won. The interval of a difference
// that did not stay the same may have lost the mean, and is made to hold it.
func betting(rounds []Pairs, o Options) Finding {
	var all Pairs
	for _, r := range rounds {
		all.add(r)
	}
	s := sequenceOf(rounds)
	lo, hi := s.Interval(o.alpha())
	value := float64(all.Candidate-all.Base) / float64(all.N())
	return Finding{
		Difference:  &Difference{value, math.Min(lo, value), math.Max(hi, value), IntervalBetting},
		Pairs:       &all,
		Method:      MethodBetting,
		PValue:      envelope.Some(s.PValue()),
		NonInferior: lo > -o.Margin,
	}
}

func sequenceOf(rounds []Pairs) stats.PairedSequence {
	s := make(stats.PairedSequence, len(rounds))
	for i, r := range rounds {
		s[i] = stats.PairedRound{Candidate: r.Candidate, Base: r.Base, Alike: r.Both + r.Neither}
	}
	return s
}

// decidedAfter is the number of rounds after which the state was reached that the
// sequence has now, at the level that the adjustment left for its p-value.
func decidedAfter(s stats.PairedSequence, state State, p, adjusted envelope.Opt[float64], o Options) int {
	rounds := 0
	switch {
	case state == Equivalent:
		rounds, _ = s.Within(o.Margin, o.alpha())
	case state.changed():
		rounds, _ = s.Decided(o.alpha() * p.V / adjusted.V)
	}
	return rounds
}

func (f *Finding) decidedWords(one, more string) string {
	if f.DecidedAfter == 0 {
		return ""
	}
	return "; decided after " + words.Plural(f.DecidedAfter, one, more)
}
