package tau2

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// ending is what a termination reason makes of a trial.
type ending struct {
	status envelope.Status // "" when the reward decides
	class  string
}

// endings are the termination reasons of tau2. Of agent_error the agent is to
// blame, so it is a fail.
var endings = map[string]ending{
	"":                        {},
	"user_stop":               {},
	"agent_stop":              {},
	"max_steps":               {envelope.Fail, ""},
	"too_many_errors":         {envelope.Fail, ""},
	"context_window_exceeded": {envelope.Fail, ""},
	"agent_error":             {envelope.Fail, ""},
	"timeout":                 {envelope.Error, envelope.ClassTimeout},
	"infrastructure_error":    {envelope.Error, envelope.ClassInfrastructure},
	"unexpected_error":        {envelope.Error, envelope.ClassInfrastructure},
	"user_error":              {envelope.Error, envelope.ClassInfrastructure},
}

// tolerance is how far from 1 a reward may be to pass, as in tau2 itself.
const tolerance = 1e-6

func (rd *reader) simulation(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: rd.suite, Test: v.Get("task_id").Text(), Variant: rd.model}}
	if t.Test == "" {
		v.Reject("its task_id is missing or neither a text nor a number")
		return
	}
	if !rd.known && !rd.told {
		rd.told = true
		v.Warn("unknown-task", rd.why())
	}
	if t.Attempt = v.Get("trial").Index(); !t.Attempt.OK {
		t.Attempt = rd.attempts.Next(t.Key)
	}
	t.DurationMS, t.CostUSD, t.StartedAt = v.Get("duration").Millis(1000), v.Get("agent_cost").Amount(), v.Get("start_time").Time()
	t.ToolCalls, t.Tokens = spent(v.Get("messages"))
	t.Transcript, t.Checks = rd.turns.Turns(v.Get("messages")), checks(v.Get("reward_info"))
	judge(t, v)
	rd.to.Trial(t)
}

func judge(t *envelope.Trial, v jsonwalk.Value) {
	reward := v.Get("reward_info", "reward").Number()
	if !reward.OK {
		reward = v.Get("reward").Number()
	}
	word := v.Get("termination_reason").Text()
	end, known := endings[word]
	if end.status != "" || !known {
		t.RawStatus = word
	}
	t.Status, t.ErrorClass = end.status, end.class
	if end.status == envelope.Error {
		t.Message, t.Checks = word, nil // the reward is 0, but nobody measured it
		return
	}
	t.Score = reward
	if end.status != "" {
		t.Message = word
		return
	}
	byReward(t, v)
}

func byReward(t *envelope.Trial, v jsonwalk.Value) {
	switch {
	case !t.Score.OK:
		t.Status, t.ErrorClass, t.RawStatus, t.Message = envelope.Error, envelope.ClassPreValidation, "unscored", "no reward"
	case math.Abs(t.Score.V-1) <= tolerance:
		t.Status = envelope.Pass
	default:
		t.Status = envelope.Fail
		t.Message = strings.Join(append([]string{"reward " + strconv.FormatFloat(t.Score.V, 'g', -1, 64)}, unmet(v.Get("reward_info"))...), ": ")
	}
}

// unmet names the checks of a reward that did not hold, the first few of them.
func unmet(info jsonwalk.Value) []string {
	const most = 5
	var words []string
	if match := info.Get("db_check", "db_match").Bool(); match.OK && !match.V {
		words = append(words, "the database differs")
	}
	for check := range info.Get("action_checks").Items() {
		if match := check.Get("action_match").Bool(); match.OK && !match.V && len(words) < most {
			words = append(words, "no action "+jsonwalk.Short(failure.FirstLine(check.Get("action", "name").Text())))
		}
	}
	for check := range info.Get("nl_assertions").Items() {
		if met := check.Get("met").Bool(); met.OK && !met.V && len(words) < most {
			words = append(words, "not met: "+jsonwalk.Short(failure.FirstLine(check.Get("nl_assertion").Text())))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, ", ")}
}

// spent counts the tool calls and tokens of the agent; the simulated user has
// tools and a model too.
func spent(messages jsonwalk.Value) (calls envelope.Opt[int32], tokens envelope.Opt[int64]) {
	if !messages.IsArray() {
		return calls, tokens
	}
	n := 0
	for message := range messages.Items() {
		if message.Get("role").Text() != "assistant" {
			continue
		}
		for range message.Get("tool_calls").Items() {
			n++
		}
		for _, kind := range []string{"prompt_tokens", "completion_tokens"} {
			if used := message.Get("usage", kind).Count(); used.OK && tokens.V <= math.MaxInt64-used.V {
				tokens = envelope.Some(tokens.V + used.V)
			}
		}
	}
	return envelope.Some(int32(min(n, math.MaxInt32-1))), tokens
}

// checks are what a reward is made of: the database, the actions that were expected,
// what was to be said, and the assertions about the environment and in words.
func checks(info jsonwalk.Value) []envelope.Check {
	var out []envelope.Check
	add := func(name string, met, why jsonwalk.Value) {
		if status := trialfields.PassFail(met.Bool()); status != "" && name != "" {
			out = append(out, envelope.Check{Name: jsonwalk.Short(failure.FirstLine(name)), Status: status, Reason: why.String()})
		}
	}
	add("database", info.Get("db_check", "db_match"), jsonwalk.Value{})
	for c := range info.Get("action_checks").Items() {
		add("action "+c.Get("action", "name").Text(), c.Get("action_match"), jsonwalk.Value{})
	}
	for c := range info.Get("env_assertions").Items() {
		add("environment "+c.Get("env_assertion", "func_name").Text(), c.Get("met"), jsonwalk.Value{})
	}
	for c := range info.Get("communicate_checks").Items() {
		add("says "+c.Get("info").Text(), c.Get("met"), c.Get("justification"))
	}
	for c := range info.Get("nl_assertions").Items() {
		add(c.Get("nl_assertion").Text(), c.Get("met"), c.Get("justification"))
	}
	return out
}
