package flat

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// GAIA is answers to the questions of GAIA in the form of Open Deep Research
// (huggingface/smolagents, Apache-2.0), which many agents took over: an answer a line.
//
// It exists because the agents that run GAIA keep their answers themselves, and this is
// the form that they share. The answers alone have no verdict: is_correct is what GAIA's
// scorer says of them, and without it nobody has judged an answer. Each file is a run of
// its own, and a question that is answered again has attempts.
var GAIA = Format{
	// Its steps may be longer than a head, and id and verdict stand behind them.
	Sniff: func(head []byte) bool {
		return jsonwalk.FirstLineKeys(head).Has("question", "augmented_question", "prediction")
	},
	keys: []string{"task_id", "augmented_question"}, test: "task_id", of: "agent_name",
	judge: func(t *envelope.Trial, v jsonwalk.Value) string {
		judgeAnswer(t, v)
		t.DurationMS = jsonwalk.Between(v.Get("start_time"), v.Get("end_time"))
		if counts := v.Get("token_counts"); counts.IsObject() { // zeros where counting broke
			sum := counts.Get("input").Count().V + counts.Get("output").Count().V
			t.Tokens = envelope.Opt[int64]{V: sum, OK: sum > 0}
		}
		trialfields.Label(t, "level", v.Get("task").Text())
		return ""
	},
}

// judgeAnswer gives the trial its status. An agent that broke off has no answer: that is an
// error, which counts, as it counts in GAIA.
func judgeAnswer(t *envelope.Trial, v jsonwalk.Value) {
	correct, answer, broke := v.Get("is_correct").Bool(), v.Get("prediction").String(), v.Get("agent_error").String()
	t.Status = trialfields.PassFail(correct)
	switch {
	case t.Status == envelope.Pass:
		return
	case t.Status == "":
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
		t.Message = "nobody scored it: it has no is_correct, which GAIA's scorer tells of prediction and true_answer"
	case broke != "":
		t.Status, t.Message = envelope.Error, failure.Reason(broke, 3)
	default:
		t.Message = "expected " + jsonwalk.Short(failure.FirstLine(v.Get("true_answer").String())) + ", answered " +
			jsonwalk.Short(failure.FirstLine(answer))
	}
	if v.Get("iteration_limit_exceeded").Bool().V {
		t.RawStatus = "iteration limit exceeded"
	}
	trialfields.AddCheck(t, envelope.Check{Name: "near correct", Status: trialfields.PassFail(v.Get("is_near_correct").Bool())}, "")
	t.Output = words.Head(answer, 4<<10)
}
