// Package eee reads the samples of Every Eval Ever, *_samples.jsonl of its schema
// instance_level_eval.
//
// It exists because evaluations of many harnesses are shared in this form. An
// evaluation is a suite, a sample a test and the model its variant; a sample that is
// there again has attempts. What is correct decides; a sample that ended by an error is
// one, unless its answer is correct all the same.
package eee

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a sample.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	return keys.Has("evaluation_id", "sample_id") && keys.HasAny("schema_version", "interaction_type", "model_id")
}

// Read reads samples, one a line. What is wrong with them is a problem in the sink;
// the error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	var attempts trialfields.Attempts
	return jsonwalk.Lines(r, to, func(v jsonwalk.Value) {
		t := envelope.Trial{Key: envelope.Key{Suite: v.Get("evaluation_name").Text(), Test: v.Get("sample_id").Text(), Variant: v.Get("model_id").Text()}}
		if t.Test == "" {
			v.Reject("it has no sample_id")
			return
		}
		judge(&t, v)
		t.Attempt = attempts.Next(t.Key)
		to.Trial(&t)
	}, "sample_id")
}

func judge(t *envelope.Trial, v jsonwalk.Value) {
	of := v.Get("evaluation")
	correct, said := of.Get("is_correct").Bool(), v.Get("error").Text()
	t.Score = of.Get("score").Number()
	t.Status = trialfields.PassFail(correct)
	switch {
	case said != "" && t.Status != envelope.Pass:
		t.Status, t.Message = envelope.Error, failure.Reason(said, 3)
		if failure.TimedOut(said) || said == "timeout" {
			t.ErrorClass = envelope.ClassTimeout
		}
	case t.Status == "" && !t.Score.OK:
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "nobody scored it"
	}
	t.DurationMS = v.Get("performance", "latency_ms").Amount()
	t.Tokens = v.Get("token_usage", "total_tokens").Count()
	t.ToolCalls = of.Get("tool_calls_count").Index()
	if messages := v.Get("messages"); messages.Present() {
		t.Transcript = conversation.Turns(messages)
		return
	}
	t.Transcript = []envelope.Turn{conversation.Say("user", v.Get("input", "raw").Text())}
	for answer := range v.Get("output", "raw").Items() {
		t.Transcript = append(t.Transcript, conversation.Say("assistant", answer.Text()))
	}
}
