package serenity

import (
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// ranks are the words for how a test or a step ended (net.thucydides.model.domain.TestResult),
// the worst last, in the order of TestResultList.
var ranks = []string{"UNDEFINED", "SUCCESS", "ABORTED", "SKIPPED", "IGNORED", "PENDING", "UNSUCCESSFUL", "FAILURE", "ERROR", "COMPROMISED"}

// worse is the worse of two words. One that nobody knows is the worst.
func worse(a, b string) string {
	if rank(a) < rank(b) {
		return b
	}
	return a
}

func rank(result string) int {
	if i := slices.Index(ranks, result); i >= 0 || result == "" {
		return i
	}
	return len(ranks)
}

// isBad reports whether a result fails the run, as far as it alone says.
func isBad(result string) bool { return rank(result) >= slices.Index(ranks, "UNSUCCESSFUL") }

// result is how the test ended. Steps and rows that failed fail one that is said to have
// passed, and say how one ended that does not say so itself.
func (o *outcome) result() string {
	result := o.Result
	if result != "" && result != "SUCCESS" {
		return result
	}
	add := func(part string) {
		if isBad(part) || o.Result == "" {
			result = worse(result, part)
		}
	}
	for _, s := range o.Steps {
		add(s.Result)
	}
	for _, r := range o.Table.Rows {
		add(r.Result)
	}
	return result
}

// judge sets how a trial ended, and its steps.
func (o *outcome) judge(t *envelope.Trial, result string, steps []step) {
	t.RawStatus = result
	t.Status, t.ErrorClass = o.status(result)
	for _, s := range steps {
		if status, _ := o.status(s.Result); !isHistory(s) {
			trialfields.AddCheck(t, envelope.Check{Name: s.Description, Status: status, Reason: s.cause().Message}, "step")
		}
	}
}

// status is what a result means. Nothing says of one that was compromised that it was not
// the test's own doing, so that it counts; a step of Cucumber that nobody wrote fails the run.
func (o *outcome) status(result string) (status envelope.Status, class string) {
	switch result {
	case "":
		return "", ""
	case "SUCCESS":
		return envelope.Pass, ""
	case "FAILURE", "UNSUCCESSFUL":
		return envelope.Fail, ""
	case "PENDING":
		if o.Source == "Cucumber" && !o.Manual && !o.isPutOff() {
			return envelope.Error, envelope.ClassPreValidation
		}
		return envelope.Skip, ""
	case "IGNORED", "SKIPPED", "ABORTED":
		return envelope.Skip, ""
	}
	return envelope.Error, ""
}

// isPutOff reports whether a tag says that a scenario is not to be run yet.
func (o *outcome) isPutOff() bool {
	return slices.ContainsFunc(o.Tags, func(t tag) bool {
		return slices.Contains([]string{"pending", "wip", "skip", "ignore"}, strings.ToLower(t.Name))
	})
}

// A test that passed when it was tried again (test.retry.count) has the tag
// {"name":"Retries: 2","type":"unstable test"} and a step with the reasons of all tries
// before (BaseStepListener.lastTestPassedAfterRetries). One that failed each time has neither.
const (
	unstable = "unstable test"
	retries  = "Retries: "
	history  = "UNSTABLE TEST:"
	bullet   = "* "
	maxTries = 1000 // that are believed to have left nothing else behind
)

func isHistory(s step) bool { return strings.HasPrefix(s.Description, history) }

// retries is how often the test was tried again.
func (o *outcome) retries() int {
	for _, t := range o.Tags {
		if count, is := strings.CutPrefix(t.Name, retries); is && t.Type == unstable {
			n, _ := strconv.Atoi(count)
			return min(max(n, 0), maxTries)
		}
	}
	return 0
}

// tried delivers the tries before the last, which all failed.
func (o *outcome) tried(attempts *trialfields.Attempts, to envelope.Sink) {
	reasons := o.reasons()
	for i := range o.retries() {
		t := o.trial(o.Name)
		t.Status, t.RawStatus, t.Retry = envelope.Fail, "", i > 0
		if t.Message = "failed, and was tried again; its reason is not in the report"; i < len(reasons) {
			t.Message = reasons[i]
		}
		attempts.Send(&t, to)
	}
}

// reasons are those of the tries before the last, in their order.
func (o *outcome) reasons() (reasons []string) {
	for _, s := range o.Steps {
		if !isHistory(s) {
			continue
		}
		for _, line := range strings.Split(s.Description, "\n"+bullet)[1:] {
			reasons = append(reasons, failure.Reason(line, 3))
		}
	}
	return reasons
}
