package terminalbench

import (
	"regexp"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/walk"
)

// trialName is <task>.<i>-of-<n>, and the run behind it; task ids contain dots,
// so the last i-of-n counts.
var trialName = regexp.MustCompile(`^.*\.([0-9]+)-of-[0-9]+(?:\.(.*))?$`)

// classes are the failure modes with a class. A mode that is not here, such as
// context_length_exceeded, is the agent's own failure.
var classes = map[string]string{
	"agent_timeout":             envelope.ClassTimeout,
	"test_timeout":              envelope.ClassTimeout,
	"parse_error":               envelope.ClassInfrastructure,
	"unknown_agent_error":       envelope.ClassInfrastructure,
	"agent_installation_failed": envelope.ClassInfrastructure,
}

// one delivers one trial.
func (rd *reader) one(v walk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: v.Get("task_id").Text()}}
	if t.Test == "" {
		v.Reject("its task_id is missing or neither a text nor a number")
		return
	}
	resolved := v.Get("is_resolved")
	if !resolved.There() {
		v.Reject("it does not say is_resolved")
		return
	}
	rd.number(v.Get("trial_name").Text())
	t.Status = status(resolved)
	if mode := v.Get("failure_mode").Text(); mode != "unset" && mode != "none" {
		t.RawStatus, t.ErrorClass = mode, classes[mode]
	}
	t.StartedAt = v.Get("trial_started_at").Time()
	t.DurationMS = walk.Between(v.Get("trial_started_at"), v.Get("trial_ended_at"))
	t.Tokens = tokens(v)
	if t.Status != envelope.Pass {
		t.Message = message(v.Get("parser_results"), t)
	}
	rd.to.Trial(t)
}

// number takes attempt and run from the name of the trial.
func (rd *reader) number(name string) {
	t := &rd.trial
	if m := trialName.FindStringSubmatch(name); m != nil {
		t.Run = m[2]
		if i, err := strconv.ParseInt(m[1], 10, 32); err == nil && i > 0 {
			t.Attempt = envelope.Some(int32(i - 1))
			return
		}
	}
	t.Attempt = rd.attempts.Next(t.Key)
}

// status is an error where Terminal-Bench itself says null: nobody judged.
func status(resolved walk.Value) envelope.Status {
	switch is := resolved.Bool(); {
	case !is.OK:
		return envelope.Error
	case is.V:
		return envelope.Pass
	}
	return envelope.Fail
}

// tokens of 0 are unknown ones.
func tokens(v walk.Value) envelope.Opt[int64] {
	in, out := v.Get("total_input_tokens").Count(), v.Get("total_output_tokens").Count()
	if in.V+out.V == 0 {
		return envelope.Opt[int64]{}
	}
	return envelope.Some(in.V + out.V)
}

// message names the checks that failed.
func message(results walk.Value, t *envelope.Trial) string {
	const most = 5
	var failed []string
	n := 0
	for name, result := range results.Members() {
		if result.Text() != "passed" {
			if n++; n <= most {
				failed = append(failed, walk.Short(walk.FirstLine(name)))
			}
		}
	}
	switch {
	case n > most:
		return "failed: " + strings.Join(failed, ", ") + " and " + strconv.Itoa(n-most) + " more"
	case n > 0:
		return "failed: " + strings.Join(failed, ", ")
	}
	return walk.FirstLine(t.RawStatus)
}
