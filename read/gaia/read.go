// Package gaia reads answers to the questions of GAIA in the form of Open Deep Research
// (huggingface/smolagents, Apache-2.0), which many agents took over: an answer a line.
//
// It exists because the agents that run GAIA keep their answers themselves, and this is
// the form that they share. The answers alone have no verdict: is_correct is what GAIA's
// scorer says of them, and without it nobody has judged an answer. Each file is a run of
// its own, and a question that is answered again has attempts.
package gaia

import (
	"io"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with an answer. Its steps may be longer than a head,
// and id and verdict stand behind them.
func Sniff(head []byte) bool {
	return jsonwalk.FirstLineKeys(head).Has("question", "augmented_question", "prediction")
}

// Read reads answers, one a line. What is wrong with them is a problem in the sink; the
// error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	var attempts trialfields.Attempts
	return jsonwalk.Lines(r, to, func(v jsonwalk.Value) {
		t := envelope.Trial{Key: envelope.Key{Test: v.Get("task_id").Text(), Variant: v.Get("agent_name").Text()}}
		if t.Test == "" {
			v.Reject("it has no task_id")
			return
		}
		judge(&t, v)
		t.DurationMS = jsonwalk.Between(v.Get("start_time"), v.Get("end_time"))
		t.Tokens = tokens(v.Get("token_counts"))
		if level := v.Get("task").Text(); level != "" {
			trialfields.AddLabel(&t, "level", level)
		}
		t.Attempt = attempts.Next(t.Key)
		to.Trial(&t)
	}, "task_id", "augmented_question")
}

// judge gives the trial its status. An agent that broke off has no answer: that is an
// error, which counts, as it counts in GAIA.
func judge(t *envelope.Trial, v jsonwalk.Value) {
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
		t.Message = "expected " + jsonwalk.Short(failure.FirstLine(v.Get("true_answer").String())) + ", answered " + jsonwalk.Short(failure.FirstLine(answer))
	}
	if v.Get("iteration_limit_exceeded").Bool().V {
		t.RawStatus = "iteration limit exceeded"
	}
	trialfields.AddCheck(t, envelope.Check{Name: "near correct", Status: trialfields.PassFail(v.Get("is_near_correct").Bool())}, "")
	t.Output = words.Head(answer, 4<<10)
}

// tokens are those of the agents together. Where counting them broke, zeros are written.
func tokens(counts jsonwalk.Value) envelope.Opt[int64] {
	if !counts.IsObject() {
		return envelope.Opt[int64]{}
	}
	in, out := counts.Get("input").Count(), counts.Get("output").Count()
	return envelope.Opt[int64]{V: in.V + out.V, OK: in.V+out.V > 0}
}
