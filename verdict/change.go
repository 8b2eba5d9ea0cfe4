package verdict

import "tribunal/envelope"

// foreseen is how many further trials of one kind an envelope looks ahead.
const foreseen = 1000

// foresee says of every test that did not pass, and was tried, how many further
// passes or failures in a row would change that. A test that passed needs no
// more trials, and one whose money is spent gets none.
func foresee(env *envelope.Envelope, policies *overrider) error {
	seen := map[situation][]envelope.Change{}
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Status == envelope.Pass || t.Status == envelope.Skip || t.CostLimited {
			continue
		}
		r, err := policies.of(&envelope.Tally{Key: t.Key, Labels: t.Labels})
		if err != nil {
			return err
		}
		s := sampleFrom(t)
		where, common := situationOf(t, s, r)
		found, known := seen[where]
		if !common || !known {
			found = changesOf(t, s, r)
		}
		if common {
			seen[where] = found
		}
		t.Verdict.Changes = found
	}
	return nil
}

// situation is all that the future of a test depends on, when that is no more
// than numbers.
type situation struct {
	rule              int // see ruled.id
	n, passed, left   int
	status, rawStatus envelope.Status
}

// situationOf says where a test is, and whether tests that are there have one
// future: not where scores, retries or the order of trials count. What a
// sequential rule that has not stopped says next depends on the counts alone.
func situationOf(t *envelope.Test, s *Sample, r ruled) (situation, bool) {
	ordered := r.rule.Sequential && (t.Verdict.StoppedAt.OK || s.N() < r.policy.MinTrials.V)
	common := s.Retries == 0 && !(r.rule.scored && s.HasScores) && !ordered
	return situation{r.id, s.N(), s.Passed, excluded(t.Trials), t.Status, t.Verdict.RawStatus}, common
}

func changesOf(t *envelope.Test, s *Sample, r ruled) []envelope.Change {
	var out []envelope.Change
	for _, outcome := range []envelope.Status{envelope.Pass, envelope.Fail} {
		n, status := newFuture(t, s, r, outcome == envelope.Pass, foreseen).firstChange()
		if n > 0 {
			out = append(out, envelope.Change{Outcome: outcome, Trials: n, Status: status})
		}
	}
	return out
}
