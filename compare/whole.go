package compare

import (
	"tribunal/envelope"
	"tribunal/stats"
	"tribunal/verdict/rule"
)

// Sampled are the trials compared of a run, counted once for many comparisons.
type Sampled struct {
	Envelope *envelope.Envelope
	tests    map[envelope.Key]*sample
}

// Sample counts the trials of a judged run: counted ones that are no retries.
func Sample(e *envelope.Envelope) Sampled {
	s := Sampled{Envelope: e, tests: make(map[envelope.Key]*sample, len(e.Tests))}
	for i := range e.Tests {
		one := countsOf(&e.Tests[i])
		s.tests[e.Tests[i].Key] = &one
	}
	return s
}

// Scores are what the trials of a test scored; a pass without a score is 1.
func (s Sampled) Scores(k envelope.Key) stats.Scored {
	if one := s.tests[k]; one != nil {
		return stats.ScoredOf(one.points())
	}
	return stats.Scored{}
}

// BasisOf is what runs are compared by: mean scores, where those of some of the tests decide
// in all of the runs. Where these go beyond 0 to 1, left are the tests that have none, which
// then cannot be compared with the others.
func BasisOf(runs []Sampled, keys []envelope.Key) (b Basis, left []envelope.Key) {
	var without []envelope.Key
	for _, k := range keys {
		decide, graded := true, false
		for _, run := range runs {
			one := run.tests[k]
			decide = decide && one != nil && one.scored && rule.ScoresDecide(one.test)
			if graded = graded || one != nil && one.graded; decide {
				b.Outside = b.Outside || one.scale.outside()
			}
		}
		if decide {
			b.Scores = b.Scores || graded
		} else {
			without = append(without, k)
		}
	}
	if b.Outside = b.Outside && b.Scores; b.Outside {
		left = without
	}
	return b, left
}

// Trials are those of a test, zeros where the run does not have it.
func (s Sampled) Trials(k envelope.Key) Trials {
	if one := s.tests[k]; one != nil {
		return one.Trials
	}
	return Trials{}
}

// Test is the judged test, nil where the run does not have it.
func (s Sampled) Test(k envelope.Key) *envelope.Test {
	if one := s.tests[k]; one != nil {
		return one.test
	}
	return nil
}

// Duels counts the pairs of trials of the same test and number by who scored higher; a
// trial without a score has 1 for a pass and 0 otherwise.
func Duels(first, second Sampled, keys []envelope.Key) (won, lost, tied int) {
	for _, k := range keys {
		a, b := first.tests[k], second.tests[k]
		if a == nil || b == nil {
			continue
		}
		for _, rows := range partners(a, b) {
			switch x, y := rule.PointsOf(a.test.Rows, rows[0]), rule.PointsOf(b.test.Rows, rows[1]); {
			case x > y:
				won++
			case x < y:
				lost++
			default:
				tied++
			}
		}
	}
	return won, lost, tied
}

// Whole is the difference of two runs over these tests, as [Runs] finds it for the
// run as a whole, and nothing of single tests. Groups are the names of those that the
// tests belong to, a name a test; nil leaves out what groups say. Tests without trials
// on a side have no part in it; with none left there is no difference.
func Whole(base, candidate Sampled, keys []envelope.Key, groups []string, by Basis, o Options) (Overall, error) {
	all := Overall{State: Unresolved}
	tests := strata{Basis: by}
	var names []string
	matches, known := make([]match, len(keys)), newIntervals()
	for i, k := range keys {
		b, c := base.tests[k], candidate.tests[k]
		if b == nil || c == nil || b.N == 0 || c.N == 0 {
			continue
		}
		matches[i] = match{base: *b, candidate: *c, known: known, Test: &Test{Key: k}}
		matches[i].lookAtScores()
		matches[i].Finding = matches[i].find(nil, o)
	}
	for i := range matches {
		m := &matches[i]
		if m.Test == nil || m.Difference == nil {
			continue
		}
		all.Tests++
		all.Base.Add(m.base.Trials)
		all.Candidate.Add(m.candidate.Trials)
		tests.add(m)
		if groups != nil {
			names = append(names, groups[i])
		}
	}
	if all.Tests == 0 {
		return all, nil
	}
	all.Finding = tests.finding(o)
	tests.fill(&all, o)
	if names != nil {
		if err := tests.group(&all, names, o); err != nil {
			return all, err
		}
	}
	all.NonInferior = all.Difference.above(-o.Margin)
	return all, nil
}
