package flat

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// HELM is per_instance_stats.json of HELM (Apache-2.0).
//
// It exists because it is where HELM keeps the single instances of a run. An instance
// is a test, its perturbation the variant, and train_trial_index tells its trials, which
// other examples in the prompt part. Scenario and model stand only in the name of the
// folder. Which metric decides is in none of its files: it is the first of those of
// which 1 is right, and an instance that has none was not scored.
var HELM = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		return inArray && keys.Has("instance_id", "stats")
	},
	records: elements, test: "instance_id", of: "perturbation.name",
	judge: judgeMeans,
}

// preferredMetrics are metrics of which 1 is right.
var preferredMetrics = [...]string{"exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match",
	"chain_of_thought_correctness",
	"final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "code_eval_acc", "pass", "ifeval_strict_accuracy"}

func judgeMeans(t *envelope.Trial, v jsonwalk.Value) (notCounted string) {
	means := map[string]envelope.Opt[float64]{}
	for one := range v.Get("stats").Items() {
		name := one.Get("name", "name").Text()
		if mean := one.Get("mean"); mean.Present() && !means[name].OK {
			means[name] = mean.Number()
		}
	}
	prompt, answer := means["num_prompt_tokens"], means["num_completion_tokens"]
	if !answer.OK {
		answer = means["num_output_tokens"]
	}
	if sum := prompt.V + answer.V; (prompt.OK || answer.OK) && sum >= 0 && sum < 1<<53 {
		t.Tokens = envelope.Some(int64(sum))
	}
	if s := means["inference_runtime"]; s.OK {
		t.DurationMS = trialfields.Milliseconds(s.V, 1000)
	}
	for _, name := range preferredMetrics {
		score := means[name]
		if !score.OK {
			continue
		}
		t.Score, t.Labels = score, []envelope.Label{{Name: "metric", Value: name}}
		t.Status = trialfields.PassFail(envelope.Some(score.V >= 1))
		if t.Status == envelope.Fail {
			t.Message = fmt.Sprintf("%s %v", name, score.V)
		}
		return ""
	}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "no metric of which 1 is right"
	return ""
}
