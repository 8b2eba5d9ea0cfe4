package verdict

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/verdict/rule"
)

// judge gives a test its status and verdict, which it writes to v. It returns the rule
// that did.
func judge(t *envelope.Test, v *envelope.Verdict, s *rule.Sample, r *ruled, header *envelope.RunHeader) rule.Rule {
	by, found := decide(t, s, r)
	if missing, ok := notStarted(t, header); ok {
		found = missing
	}
	*v = found.Verdict
	t.Status, t.Verdict = found.Status, v
	if v.ValidUnderPeeking.V {
		doubtPeeking(v, s, t.Rows)
	}
	v.Rule, v.N, v.Passed = by.Name, s.N(), s.Passed
	v.Statistic = envelope.Finite(v.Statistic.Or(math.NaN()))
	if i := v.Interval; i != nil && !(envelope.Finite(i.Lo).OK && envelope.Finite(i.Hi).OK) {
		v.Interval = nil
	}
	t.Score = by.Score(s, r.policy.Confidence.V)
	return by
}

// doubtPeeking takes back that a verdict is valid no matter how often you look where
// the trials do not bear it: retries are no trials of their own, and trials that
// share a place may find another order at the next look.
func doubtPeeking(v *envelope.Verdict, s *rule.Sample, rows *envelope.Rows) {
	unplaced := rows.Unplaced()
	if unplaced > 0 {
		v.Reason += fmt.Sprintf("; %d trials share run and attempt with others, so their order may change; give each process its own run", unplaced)
	}
	if s.Retries > 0 || unplaced > 0 {
		v.ValidUnderPeeking = envelope.Some(false)
	}
}

// decide is what the trials of a test say, as far as all of them are there.
func decide(t *envelope.Test, s *rule.Sample, r *ruled) (rule.Rule, rule.Judgement) {
	by, found := decideThese(t, s, r)
	switch {
	case unfinished(t, &by, &r.policy, s.N(), s.Passed, found.Status):
		found.Status, found.Verdict.Reason = envelope.Inconclusive, cutShort(t, s.N())
	case listed(t) && provisional(t, &by, &r.policy, s.N(), s.Passed, found.Status):
		found.Verdict.Reason += "; " + cutShort(t, s.N())
	}
	t.CostLimited = t.CostLimited || t.Ended == envelope.EndedCost // by the run that started its trials
	return by, found
}

// decideThese is what the trials say that there are.
func decideThese(t *envelope.Test, s *rule.Sample, r *ruled) (rule.Rule, rule.Judgement) {
	p, by, repeats := &r.policy, r.rule, r.byRepeats(s)
	if r.retry != nil && s.Retries > 0 && !repeats {
		by = *r.retry
	}
	left := excluded(t.Trials)
	switch where := standingOf(&by, p, s.N(), left); {
	case t.Trials.Excluded[envelope.ClassErrorRate] > 0:
		return by, word(envelope.Error, "given up after %s: more of the commands of its suite failed than max_error_rate allows", words.Plural(s.N(), "counted trial", "counted trials"))
	case t.Ended == envelope.EndedCheck && s.N() > 0:
		return by, word(envelope.Error, "it could not be tried any more after %s", words.Plural(s.N(), "counted trial", "counted trials"))
	case s.N() == 0 && t.CostLimited:
		return by, word(envelope.Error, "no trial counts: the cost limit was reached before the first (%s)", classes(t.Trials.Excluded))
	case where == untried:
		return by, skipped(t.Trials.Total)
	case where == voided:
		return by, word(envelope.Error, "no trial counts: %s excluded (%s)", words.Plural(left, "trial", "trials"), classes(t.Trials.Excluded))
	case where == thin:
		found := word(envelope.Inconclusive, "only %s of %s count, below the coverage of %s asked for (%s)",
			words.Plural(s.N(), "trial", "trials"), words.Plural(s.N()+left, "trial", "trials"), words.Level(p.MinCoverage.V), classes(t.Trials.Excluded))
		found.Verdict.MinCoverage = p.MinCoverage
		return by, found
	case where == few:
		return by, word(envelope.Inconclusive, "%s counted, at least %d are asked for", words.Plural(s.N(), "trial", "trials"), p.MinTrials.V).WithThreshold(*p)
	case repeats:
		return by, rule.JudgeChains(s, by)
	}
	found := by.Judge(s, *p)
	if t.CostLimited {
		found.Verdict.Reason += fmt.Sprintf("; %d later trials are not counted: the cost limit was reached", t.Trials.Excluded[envelope.ClassCostLimit])
	}
	if by.ThreeWay && s.Retries > 0 {
		found.Verdict.Reason += fmt.Sprintf("; %d of these are retries, which are not independent trials", s.Retries)
	}
	return by, found
}

// byRepeats reports a test of several repeats, some of them with retries, where one
// try that passes is enough for a repeat: then its rule judges repeats. Any other
// rule for retries judges all trials.
func (r *ruled) byRepeats(s *rule.Sample) bool {
	return r.retry != nil && r.retry.Name == unnamedRetry && s.Retries > 0 && len(s.Chains) > 1
}

func skipped(n int) rule.Judgement {
	if n == 1 {
		return word(envelope.Skip, "its only trial was skipped")
	}
	return word(envelope.Skip, "all %s were skipped", words.Plural(n, "trial", "trials"))
}
