// Package verdict turns a counted Run into a judged Envelope.
//
// It exists so that every number and every decision of a report is made in one place and once: Seal
// is the only maker of an envelope.Envelope, and renderers show what it found. The package holds
// the policy (defaults, layers, valid ranges) and adjusting for many tests. The rules that judge a
// test are in internal/verdict/rule, the gate that becomes the exit code is in internal/verdict/gate.
//
// It leaves out counting (package envelope/count), numerics (package stats) and everything about bytes.
package verdict

import (
	"cmp"
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

// judge gives a test its status and verdict, which it writes to v. It returns the rule that did.
func judge(t *envelope.Test, v *envelope.Verdict, s *rule.Sample, r *ruled, header *envelope.RunHeader) rule.Rule {
	by, found := decide(t, s, r)
	if missing, ok := notStarted(t, header); ok {
		found = missing
	}
	*v = found.Verdict
	t.Status, t.Verdict = found.Status, v
	if v.ValidUnderPeeking.V {
		withdrawPeeking(v, s, t.Rows)
	}
	v.Rule, v.N, v.Passed = by.Name, s.N(), s.Passed
	v.Statistic = envelope.Finite(v.Statistic.Or(math.NaN()))
	if i := v.Interval; i != nil && !(envelope.Finite(i.Lo).OK && envelope.Finite(i.Hi).OK) {
		v.Interval = nil
	}
	t.Score = by.Score(s, r.policy.Confidence.V)
	return by
}

// withdrawPeeking takes back that a verdict is valid no matter how often you look where the trials do not bear it: retries
// are no trials of their own, and trials that share a place may find another order at the next look.
func withdrawPeeking(v *envelope.Verdict, s *rule.Sample, rows *envelope.Rows) {
	unplaced := rows.OrderTies()
	if unplaced > 0 {
		v.Reason += fmt.Sprintf("; %d trials share run and attempt with others, so their order may change; give each process its own run",
			unplaced)
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
		return by, word(envelope.Error, "given up after %s: more of the commands of its suite failed than max_error_rate allows",
			words.Plural(s.N(), "counted trial", "counted trials"))
	case t.Ended == envelope.EndedCheck && s.N() > 0:
		return by, word(envelope.Error, "no further trial could be started after %s", words.Plural(s.N(), "counted trial", "counted trials"))
	case s.N() == 0 && t.CostLimited:
		return by, word(envelope.Error, "no trial counts: the cost limit was reached before the first (%s)", classes(t.Trials.Excluded))
	case where == untried:
		all := "all " + words.Count(t.Trials.Total) + " trials were skipped"
		return by, word(envelope.Skip, "%s", cmp.Or(words.If(t.Trials.Total == 1, "its only trial was skipped"), all))
	case where == voided:
		return by, word(envelope.Error, "no trial counts: %s excluded (%s)", words.Plural(left, "trial", "trials"), classes(t.Trials.Excluded))
	case where == thin:
		found := word(envelope.Inconclusive, "only %s of %s count, below the coverage of %s asked for (%s)",
			words.Plural(s.N(), "trial", "trials"), words.Plural(s.N()+left, "trial", "trials"), words.Level(p.MinCoverage.V),
			classes(t.Trials.Excluded))
		found.Verdict.MinCoverage = p.MinCoverage
		return by, found
	case where == few:
		return by, word(envelope.Inconclusive, "%s counted, at least %d are asked for", words.Plural(s.N(), "trial", "trials"),
			p.MinTrials.V).WithThreshold(*p)
	case repeats:
		return by, rule.JudgeChains(s, by)
	}
	found := by.Judge(s, *p)
	if t.CostLimited {
		found.Verdict.Reason += fmt.Sprintf("; %s not counted: the cost limit was reached",
			words.Plural(t.Trials.Excluded[envelope.ClassCostLimit], "later trial is", "later trials are"))
	}
	if by.ThreeWay && s.Retries > 0 {
		found.Verdict.Reason += "; " + words.Plural(s.Retries, "trial is a retry", "trials are retries") + ", and retries are not independent"
	}
	return by, found
}

// byRepeats reports a test of several repeats, some of them with retries, where one try that passes is enough for a repeat:
// then its rule judges repeats. Any other rule for retries judges all trials.
func (r *ruled) byRepeats(s *rule.Sample) bool {
	return r.retry != nil && r.retry.Name == unnamedRetry && s.Retries > 0 && len(s.Chains) > 1
}

// listed reports a test that the journal of a run names, whatever came of it.
func listed(t *envelope.Test) bool { return t.Ended != "" || t.Trials.Planned.OK || len(t.Endings) > 0 }

// why says in words why a test has fewer trials than it was to have.
func why(t *envelope.Test) string {
	if t.CostLimited || t.Ended == envelope.EndedCost {
		return "the cost limit was reached"
	}
	ended := map[envelope.How]string{
		envelope.EndedTime:           "the time limit was reached",
		envelope.EndedCut:            "the run was stopped",
		envelope.EndedSetup:          "the setup of the run failed",
		envelope.EndedInfrastructure: "too many trials failed for infrastructure reasons",
		envelope.EndedCheck:          "a later trial could not be started",
		"":                           "the run has not ended",
	}
	return cmp.Or(ended[t.Ended], "its other trials are not in this input")
}

// notStarted is the verdict on a test that a journal lists and of which there is no trial. That another shard runs it is no
// fault where the journal of one shard is read alone; where several are, its shard is missing.
func notStarted(t *envelope.Test, header *envelope.RunHeader) (rule.Judgement, bool) {
	switch {
	case t.Trials.Total > 0 || !listed(t):
		return rule.Judgement{}, false
	case len(t.Endings) == 0 || !t.Endings[0].Elsewhere:
		return word(envelope.Error, "%s: %s", cmp.Or(words.If(t.NotRun(), "not run"), "not started"), why(t)), true
	case len(header.Headers) == 0:
		return word(envelope.Skip, "not started: another shard runs it"), true
	}
	return word(envelope.Error, "not started: the journal of the shard that runs it is not among the inputs"), true
}

// unfinished reports a test that is inconclusive because missing trials could change its
// verdict: that they came out as they did may be why they ended where they did. What a
// limit of cost or time left of it is judged by a rule that has two answers.
func unfinished(t *envelope.Test, by *rule.Rule, p *envelope.Effective, counted, passed int, status envelope.Status) bool {
	return (by.ThreeWay || !atLimit(t)) && provisional(t, by, p, counted, passed, status)
}

// atLimit reports a test that ended at a limit of its run or of the report.
func atLimit(t *envelope.Test) bool {
	return t.CostLimited || t.Ended == envelope.EndedCost || t.Ended == envelope.EndedTime
}

// undecided says how many tests a limit of cost or time left undecided, or with a verdict
// that the trials which were not run, or do not count, could change.
func undecided(env *envelope.Envelope, rules []*ruled) string {
	var cost, time, costOpen, timeOpen, failed int
	for i := range env.Tests {
		t := &env.Tests[i]
		if !atLimit(t) || t.Status != envelope.Inconclusive && !Provisional(t, rules[i].policy) {
			continue
		}
		all, open := &time, &timeOpen
		if t.CostLimited {
			all, open = &cost, &costOpen
			failed += len(each.Where(t.Rows.Given[affordable(t):], func(g envelope.Given) bool { return g.Status() == envelope.Fail }))
		}
		if *all++; t.Status == envelope.Inconclusive {
			*open++
		}
	}
	left := func(limit string, tests, open int) string {
		if tests > open {
			return "the " + limit + " limit left out trials that may change " + words.Plural(tests, "verdict", "verdicts")
		}
		return words.If(tests > 0, "the "+limit+" limit left "+words.Plural(tests, "test", "tests")+" undecided")
	}
	return words.Join(", ", left("cost", cost, costOpen), left("time", time, timeOpen)) +
		words.If(failed > 0, "; "+words.Count(failed)+" of the uncounted trials failed")
}

// Missing is how many trials a resumed run still asks for of a test, at most.
func Missing(t *envelope.Test) int {
	if !listed(t) || t.Ended != "" && !t.Ended.Again() {
		return 0
	}
	return max(0, int(t.Trials.Planned.V)-t.Trials.Excluded[string(envelope.Skip)]-t.Trials.Counted)
}

// Provisional reports that the missing trials of a judged test could change its verdict.
func Provisional(t *envelope.Test, p envelope.Effective) bool {
	by, err := rule.ByName(p.Rule)
	return err == nil && (t.Trials.Counted == 0 && atLimit(t) || provisional(t, &by, &p, t.Verdict.N, t.Verdict.Passed, t.Status))
}

// provisional reports that trials are missing of a test which was to have a fixed number
// of them, and that they could change its verdict. status is that of the trials there are.
func provisional(t *envelope.Test, by *rule.Rule, p *envelope.Effective, counted, passed int, status envelope.Status) bool {
	if by.Sequential || counted == 0 || t.Ended == envelope.EndedCheck {
		return false
	}
	missing := t.Trials.Excluded[envelope.ClassCostLimit]
	if listed(t) && (t.Ended == "" || t.Ended.Short()) {
		if !t.Trials.Planned.OK {
			return true
		}
		missing = int(t.Trials.Planned.V) - t.Trials.Excluded[string(envelope.Skip)] - counted
	}
	if missing <= 0 {
		return false
	}
	ruled := *p
	ruled.Rule = by.Name
	decide := DecideFor(ruled)
	if decide == nil {
		return true // a further score can be any
	}
	least := rule.StatusOf(decide(passed, counted-passed+missing)) // one more pass makes no verdict worse
	most := rule.StatusOf(decide(passed+missing, counted-passed))
	return least != most || least != status
}

func cutShort(t *envelope.Test, counted int) string {
	ran := words.Plural(counted, "trial was", "trials were") + " run"
	switch {
	case !listed(t):
		ran = words.Of(counted, counted+t.Trials.Excluded[envelope.ClassCostLimit], "trial", "trials") +
			words.Verb(counted, " counts", " count")
	case t.Trials.Planned.OK:
		ran = words.Of(int64(counted), t.Trials.Planned.V, "trial", "trials") + words.Verb(counted, " was run", " were run")
	}
	if left := excluded(t.Trials); left > 0 {
		ran += fmt.Sprintf(", besides %s excluded (%s)", words.Plural(left, "that is", "that are"), classes(t.Trials.Excluded))
	}
	return fmt.Sprintf("%s: %s, and the missing trials could change the verdict", ran, why(t))
}
