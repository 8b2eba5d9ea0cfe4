package harbor

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// tolerance is how far below 1 a reward may be to pass.
const tolerance = 1e-6

// one delivers the trial of a trial's file.
func (rd *reader) one(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: v.Get("source").Text(), Test: v.Get("task_name").Text(), Variant: variant(v.Get("agent_info"))}}
	if t.Test == "" {
		v.Reject("its task_name is missing or neither a text nor a number")
		return
	}
	t.Attempt = rd.attempts.Next(t.Key)
	t.StartedAt = v.Get("started_at").Time()
	t.DurationMS, t.SetupMS = durations(v)
	spent := v.Get("agent_result")
	t.CostUSD = spent.Get("cost_usd").Amount()
	if in, out := spent.Get("n_input_tokens").Count(), spent.Get("n_output_tokens").Count(); in.OK || out.OK {
		t.Tokens = envelope.Some(in.V + out.V)
	}
	rewards := v.Get("verifier_result", "rewards")
	exception := v.Get("exception_info")
	judge(t, reward(rewards), exception.Get("exception_type").Text())
	if t.Status != envelope.Pass {
		if message := failure.FirstLine(exception.Get("exception_message").Text()); message != "" {
			t.Message = message
		}
		t.Output = exception.Get("exception_traceback").Text()
	}
	for name, each := range rewards.Members() {
		if name != "reward" && each.IsNumber() {
			trialfields.AddLabel(t, "reward."+name, each.Text())
		}
	}
	rd.transcript(v)
	rd.to.Trial(t)
}

// variant is agent and model, as far as they are known.
func variant(info jsonwalk.Value) string {
	model := info.Get("model_info")
	var words []string
	for _, v := range []jsonwalk.Value{info.Get("name"), model.Get("provider"), model.Get("name")} {
		if word := v.Text(); word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, "/")
}

// durations are that of the agent, and that of what was set up for it. Where
// the parts are not known the whole is.
func durations(v jsonwalk.Value) (agent, setup envelope.Opt[float64]) {
	for _, part := range []string{"environment_setup", "agent_setup"} {
		if took := span(v.Get(part)); took.OK {
			setup = envelope.Some(setup.V + took.V)
		}
	}
	if agent = span(v.Get("agent_execution")); !agent.OK && !setup.OK {
		agent = span(v)
	}
	return agent, setup
}

func span(v jsonwalk.Value) envelope.Opt[float64] {
	return jsonwalk.Between(v.Get("started_at"), v.Get("finished_at"))
}

// reward is the one named reward, or the only one.
func reward(rewards jsonwalk.Value) envelope.Opt[float64] {
	if one := rewards.Get("reward"); one.Present() {
		return one.Number()
	}
	n, only := 0, jsonwalk.Value{}
	for _, each := range rewards.Members() {
		n, only = n+1, each
	}
	if n == 1 {
		return only.Number()
	}
	return envelope.Opt[float64]{}
}

// judge gives a trial its status and class. With a reward the verifier has
// spoken, whatever happened before; without one nobody has.
func judge(t *envelope.Trial, reward envelope.Opt[float64], exception string) {
	t.Score, t.RawStatus = reward, exception
	switch {
	case !reward.OK:
		t.Status, t.Message = envelope.Error, "no reward"
	case reward.V >= 1-tolerance:
		t.Status = envelope.Pass
	default:
		t.Status, t.Message = envelope.Fail, "reward "+strconv.FormatFloat(reward.V, 'g', -1, 64)
	}
	if exception != "" {
		t.ErrorClass = class(exception, reward.OK)
		if t.Status != envelope.Pass {
			t.Message = failure.FirstLine(exception)
		}
	} else if !reward.OK {
		t.ErrorClass = envelope.ClassInfrastructure
	}
}

// class is the class of an exception. One that did not keep the verifier from
// judging is the trial's own, except a timeout.
func class(exception string, judged bool) string {
	switch {
	case strings.Contains(exception, "Setup") || strings.Contains(exception, "Environment"):
		return envelope.ClassPreValidation
	case strings.Contains(exception, "Timeout"):
		return envelope.ClassTimeout
	case judged:
		return exception
	}
	return envelope.ClassInfrastructure
}

// number is a reward as the file of a job has it: as a key.
func number(text string) envelope.Opt[float64] {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(f)
}
