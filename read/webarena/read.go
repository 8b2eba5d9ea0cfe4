// Package webarena reads the eval_result.json of WebArena-Verified (Apache-2.0), which is
// of one attempt at one task.
//
// It exists because its words mislead whoever reads them by their names: a task with the
// status error was not judged to its end, and what is wrong stands in the assertions of
// its evaluators. Runs are folders, so each file is a run of its own.
package webarena

import (
	"cmp"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts the result of a task.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && keys.Has("task_id", "intent_template_id", "sites", "status", "evaluators_results")
}

// Read reads one file, buffered up to 64 MiB. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	return jsonwalk.Document(r, to, func(t *jsonwalk.Text) error {
		v, err := t.Value()
		if err == nil {
			v.Deliver(func(v jsonwalk.Value) { task(v, to) })
		}
		return err
	})
}

// statuses are how a task, an evaluator or an assertion ended. A task may match in part,
// which its score says as well.
var statuses = map[string]envelope.Status{"success": envelope.Pass, "failure": envelope.Fail, "partial_match": envelope.Fail, "error": envelope.Error}

func task(v jsonwalk.Value, to envelope.Sink) {
	id, raw := v.Get("task_id").Text(), v.Get("status").Text()
	status, known := statuses[raw]
	switch {
	case id == "":
		v.Reject("its task_id is missing or neither a text nor a number")
		return
	case !known:
		v.Reject("its status is not success, failure, partial_match or error")
		return
	}
	t := envelope.Trial{Key: envelope.Key{Suite: sites(v.Get("sites")), Test: id}, Attempt: envelope.Some[int32](0), Status: status, RawStatus: raw, Score: v.Get("score").Number()}
	for _, name := range []string{"intent_template_id", "task_revision"} {
		if value := v.Get(name).Text(); value != "" {
			trialfields.AddLabel(&t, name, value)
		}
	}
	why := v.Get("error_msg").String()
	for evaluator := range v.Get("evaluators_results").Items() {
		c := check(evaluator)
		trialfields.AddCheck(&t, c, "evaluator")
		if c.Status == envelope.Pass || status == envelope.Pass {
			continue
		}
		why = cmp.Or(why, c.Reason)
		if actual := evaluator.Get("actual"); t.Output == "" && actual.Present() {
			t.Output = words.Head(actual.String(), 4<<10)
		}
	}
	if status != envelope.Pass {
		t.Message = words.Head(failure.FirstLine(cmp.Or(why, raw)), 500)
	}
	to.Trial(&t)
}

// sites are the sites of a task, of which most have one.
func sites(list jsonwalk.Value) string {
	var names []string
	for site := range list.Items() {
		names = append(names, site.String())
	}
	return strings.Join(names, "+")
}

// check is what an evaluator says, with the assertions that did not hold.
func check(v jsonwalk.Value) envelope.Check {
	c := envelope.Check{Name: v.Get("evaluator_name").Text(), Status: statuses[v.Get("status").Text()], Score: v.Get("score").Number()}
	var reasons []string
	if broken := v.Get("error_msg").String(); broken != "" {
		reasons = append(reasons, broken)
	}
	for assertion := range v.Get("assertions").Items() {
		if statuses[assertion.Get("status").Text()] == envelope.Pass {
			continue
		}
		why := []string{assertion.Get("error_msg").String()}
		for message := range assertion.Get("assertion_msgs").Items() {
			why = append(why, message.String())
		}
		reasons = append(reasons, assertion.Get("assertion_name").String()+": "+strings.TrimSpace(strings.Join(why, " ")))
	}
	c.Reason = strings.Join(reasons, "\n")
	return c
}
