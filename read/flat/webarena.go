package flat

import (
	"cmp"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// WebArena is the eval_result.json of WebArena-Verified (Apache-2.0), which is
// of one attempt at one task.
//
// It exists because its words mislead whoever reads them by their names: a task with the
// status error was not judged to its end, and what is wrong stands in the assertions of
// its evaluators. Runs are folders, so each file is a run of its own.
var WebArena = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		return !inArray && keys.Has("task_id", "intent_template_id", "sites", "status", "evaluators_results")
	},
	records: document, test: "task_id", score: "score", labels: []string{"intent_template_id", "task_revision"}, once: true,
	unnamed: "its task_id is missing or neither a text nor a number",
	judge:   judgeTask,
}

// taskStatuses are how a task, an evaluator or an assertion ended. A task may match in part,
// which its score says as well.
var taskStatuses = map[string]envelope.Status{"success": envelope.Pass, "failure": envelope.Fail, "partial_match": envelope.Fail,
	"error": envelope.Error}

func judgeTask(t *envelope.Trial, v jsonwalk.Value) string {
	known := false
	t.RawStatus = v.Get("status").Text()
	if t.Status, known = taskStatuses[t.RawStatus]; !known {
		return "its status is not success, failure, partial_match or error"
	}
	t.Suite = strings.Join(v.Get("sites").Strings(), "+") // most have one
	why := v.Get("error_msg").String()
	for evaluator := range v.Get("evaluators_results").Items() {
		c := evaluatorCheck(evaluator)
		trialfields.AddCheck(t, c, "evaluator")
		if c.Status == envelope.Pass || t.Status == envelope.Pass {
			continue
		}
		why = cmp.Or(why, c.Reason)
		if actual := evaluator.Get("actual"); t.Output == "" && actual.Present() {
			t.Output = words.Head(actual.String(), 4<<10)
		}
	}
	if t.Status != envelope.Pass {
		t.Message = words.Lead(failure.FirstLine(cmp.Or(why, t.RawStatus)), 500)
	}
	return ""
}

// evaluatorCheck is what an evaluator says, with the assertions that did not hold.
func evaluatorCheck(v jsonwalk.Value) envelope.Check {
	c := envelope.Check{Name: v.Get("evaluator_name").Text(), Status: taskStatuses[v.Get("status").Text()], Score: v.Get("score").Number()}
	var reasons []string
	if broken := v.Get("error_msg").String(); broken != "" {
		reasons = append(reasons, broken)
	}
	for assertion := range v.Get("assertions").Items() {
		if taskStatuses[assertion.Get("status").Text()] == envelope.Pass {
			continue
		}
		why := append([]string{assertion.Get("error_msg").String()}, assertion.Get("assertion_msgs").Strings()...)
		reasons = append(reasons, assertion.Get("assertion_name").String()+": "+strings.TrimSpace(strings.Join(why, " ")))
	}
	c.Reason = strings.Join(reasons, "\n")
	return c
}
