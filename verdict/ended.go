package verdict

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/verdict/rule"
)

// listed reports a test that the journal of a run names, whatever came of it.
func listed(t *envelope.Test) bool { return t.Ended != "" || t.Trials.Planned.OK || len(t.Endings) > 0 }

// why says in words why a test has fewer trials than it was to have.
func why(t *envelope.Test) string {
	if t.CostLimited || t.Ended == envelope.EndedCost {
		return "the cost limit was reached"
	}
	switch t.Ended {
	case envelope.EndedTime:
		return "the time of the run was over"
	case envelope.EndedCut:
		return "the run was stopped"
	case envelope.EndedSetup:
		return "the setup of the run failed"
	case envelope.EndedInfrastructure:
		return "the infrastructure broke too many of them"
	case envelope.EndedCheck:
		return "one of them could not be tried"
	case "":
		return "the run has not ended"
	}
	return "they are not in this input"
}

// notStarted is the verdict on a test that a journal lists and of which there is
// no trial. That another shard runs it is no fault where the journal of one shard
// is read alone; where several are, its shard is missing.
func notStarted(t *envelope.Test, header *envelope.RunHeader) (rule.Judgement, bool) {
	switch {
	case t.Trials.Total > 0 || !listed(t):
		return rule.Judgement{}, false
	case len(t.Endings) == 0 || !t.Endings[0].Elsewhere:
		return word(envelope.Error, "%s: %s", unstarted(t.Ended), why(t)), true
	case len(header.Headers) == 0:
		return word(envelope.Skip, "not started: another shard runs it"), true
	}
	return word(envelope.Error, "not started: the journal of the shard that runs it is not among the inputs"), true
}

// unstarted says of a test without a trial how far it came: what a stop or the time
// of the run cut off was started, and is no trial.
func unstarted(how envelope.How) string {
	switch how {
	case envelope.EndedCut, envelope.EndedTime, "":
		return "no trial of it came to an end"
	}
	return "not started"
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

// undecided says how many tests a limit of cost or time left undecided: their trials that
// were not run, or do not count, could change the verdict.
func undecided(env *envelope.Envelope, rules []*ruled) string {
	cost, time := 0, 0
	for i := range env.Tests {
		t := &env.Tests[i]
		if !atLimit(t) || t.Status != envelope.Inconclusive && !Provisional(t, rules[i].policy) {
			continue
		}
		if t.CostLimited {
			cost++
		} else {
			time++
		}
	}
	var left []string
	for _, limit := range []struct {
		name  string
		tests int
	}{{"cost", cost}, {"time", time}} {
		if limit.tests > 0 {
			left = append(left, "the "+limit.name+" limit left "+words.Plural(limit.tests, "test", "tests")+" undecided")
		}
	}
	return strings.Join(left, ", ")
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

// cutShort says why a test has fewer trials than it was to have.
func cutShort(t *envelope.Test, counted int) string {
	ran := words.Plural(counted, "trial was", "trials were") + " run"
	switch {
	case !listed(t):
		ran = words.Of(counted, counted+t.Trials.Excluded[envelope.ClassCostLimit], "trial counts", "trials count")
	case t.Trials.Planned.OK:
		ran = words.Of(int64(counted), t.Trials.Planned.V, "trial was", "trials were") + " run"
	}
	if left := excluded(t.Trials); left > 0 {
		ran += fmt.Sprintf(", with %s excluded (%s)", words.Plural(left, "that is", "that are"), classes(t.Trials.Excluded))
	}
	return fmt.Sprintf("%s: %s, and the missing trials could change the verdict", ran, why(t))
}
