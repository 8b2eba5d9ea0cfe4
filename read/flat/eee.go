package flat

import (
	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// EveryEvalEver is the samples of Every Eval Ever, *_samples.jsonl of its schema
// instance_level_eval.
//
// It exists because evaluations of many harnesses are shared in this form. An
// evaluation is a suite, a sample a test and the model its variant; a sample that is
// there again has attempts. What is correct decides; a sample that ended by an error is
// one, unless its answer is correct all the same.
var EveryEvalEver = Format{
	Sniff: func(head []byte) bool {
		keys := jsonwalk.FirstLineKeys(head)
		return keys.Has("evaluation_id", "sample_id") && keys.HasAny("schema_version", "interaction_type", "model_id")
	},
	keys: []string{"sample_id"}, suite: "evaluation_name", test: "sample_id", of: "model_id", tokens: "token_usage.total_tokens",
	judge: judgeSample,
}

func judgeSample(t *envelope.Trial, v jsonwalk.Value) (notCounted string) {
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
	t.ToolCalls = of.Get("tool_calls_count").Index()
	if messages := v.Get("messages"); messages.Present() {
		t.Transcript = conversation.Turns(messages)
		return ""
	}
	t.Transcript = []envelope.Turn{conversation.Say("user", v.Get("input", "raw").Text())}
	for answer := range v.Get("output", "raw").Items() {
		t.Transcript = append(t.Transcript, conversation.Say("assistant", answer.Text()))
	}
	return ""
}
