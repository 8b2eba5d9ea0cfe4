// Package helm reads per_instance_stats.json of HELM (Apache-2.0).
//
// It exists because it is where HELM keeps the single instances of a run. An instance
// is a test, its perturbation the variant, and train_trial_index tells its trials, which
// other examples in the prompt part. Scenario and model stand only in the name of the
// folder. Which metric decides is in none of its files: it is the first of those of
// which 1 is right, and an instance that has none was not scored.
package helm

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with instances.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return inArray && keys.Has("instance_id", "stats")
}

// preferred are metrics of which 1 is right.
var preferred = [...]string{"exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "chain_of_thought_correctness",
	"final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "code_eval_acc", "pass", "ifeval_strict_accuracy"}

// Read reads one file. What is wrong with it is a problem in the sink; the error is
// that of r.
func Read(r io.Reader, to envelope.Sink) error {
	var attempts trialfields.Attempts
	return jsonwalk.Document(r, to, func(d *jsonwalk.Text) error {
		return d.Objects(func(v jsonwalk.Value) {
			t := envelope.Trial{Key: envelope.Key{Test: v.Get("instance_id").Text(), Variant: v.Get("perturbation", "name").Text()}}
			if t.Test == "" {
				v.Reject("it has no instance_id")
				return
			}
			judge(&t, v.Get("stats"))
			t.Attempt = attempts.Next(t.Key)
			to.Trial(&t)
		})
	})
}

// judge takes the means of the metrics.
func judge(t *envelope.Trial, stats jsonwalk.Value) {
	means := map[string]envelope.Opt[float64]{}
	for one := range stats.Items() {
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
	for _, name := range preferred {
		score := means[name]
		if !score.OK {
			continue
		}
		t.Score, t.Labels = score, []envelope.Label{{Name: "metric", Value: name}}
		t.Status = trialfields.PassFail(envelope.Some(score.V >= 1))
		if t.Status == envelope.Fail {
			t.Message = fmt.Sprintf("%s %v", name, score.V)
		}
		return
	}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "no metric of which 1 is right"
}
