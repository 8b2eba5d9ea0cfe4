// Package harbor reads the result.json of Harbor (Terminal-Bench 2), of a trial and of a job.
//
// A trial has no number, only a random suffix on its name, and its conversation is in agent/trajectory.json. An agent that
// ran out of time may have been verified all the same. The file of a job has only the reward or exception of each trial; a
// job is read from its file, with a warning, or from those of its trials, never from both.
package harbor

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Folders are those of a trial, beside its file: what the agent and the verifier
// wrote, what was copied out, and the same for each step of a task with steps.
var Folders = []string{"agent", "verifier", "artifacts", "steps"}

// Sniff reports whether head starts the file of a trial or of a job.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return isTrial(keys) || isJob(keys)
}

// Summarises reports whether head starts the file of a job: the trials it lists
// have files of their own beside it.
func Summarises(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && isJob(keys)
}

func isTrial(keys jsonwalk.KeySet) bool {
	return keys.Has("task_name", "trial_name") && keys.HasAny("verifier_result", "agent_info", "task_checksum", "task_id", "exception_info")
}

func isJob(keys jsonwalk.KeySet) bool { return keys.Has("n_total_trials", "stats") }

// ReadIn reads one file, buffered up to 64 MiB, and the trajectory of its trial in the folder around it, nil
// for none.
func ReadIn(r io.Reader, to envelope.Sink, folder conversation.Folder) error {
	head, whole := jsonwalk.Head(r)
	keys, _ := jsonwalk.Keys(head)
	rd := &reader{to: to, folder: folder}
	each := rd.one
	if isJob(keys) {
		each = rd.job
	}
	return jsonwalk.Read(whole, to, jsonwalk.Object(each))
}

type reader struct {
	to       envelope.Sink
	folder   conversation.Folder
	attempts trialfields.Attempts
	warned   bool // that no reward is the one that decides
	trial    envelope.Trial
}

func (rd *reader) one(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: v.Get("source").Text(), Test: v.Get("task_name").Text(),
		Variant: variant(v.Get("agent_info"))}}
	if t.Test == "" {
		v.Reject("its task_name is missing or neither a string nor a number")
		return
	}
	t.Attempt = rd.attempts.Next(t.Key)
	t.StartedAt = v.Get("started_at").Time()
	t.DurationMS, t.SetupMS = durations(v)
	spent := v.Get("agent_result")
	t.CostUSD = spent.Get("cost_usd").Amount()
	t.Tokens = trialfields.Sum(spent.Get("n_input_tokens").Count(), spent.Get("n_output_tokens").Count())
	given := v.Get("verifier_result", "rewards")
	all := rewardsOf(given)
	rd.warnOfSeveral(v, all)
	exception := v.Get("exception_info")
	setOutcome(t, all, exception.Get("exception_type").Text())
	if t.Status != envelope.Pass {
		t.Message = cmp.Or(failure.FirstLine(exception.Get("exception_message").Text()), t.Message)
		t.Output = exception.Get("exception_traceback").Text()
	}
	for name, each := range given.Members() {
		if name != "reward" && each.IsNumber() {
			trialfields.AddLabel(t, "reward."+name, each.Text())
		}
	}
	if rd.folder != nil {
		rd.folder.Beside(t, trajectoryFile, func(message string) { v.Warn(envelope.CodeField, message) }, readTrajectory)
	}
	rd.to.Trial(t)
}

// variant is agent and model, as far as they are known.
func variant(info jsonwalk.Value) string {
	model := info.Get("model_info")
	return words.Join("/", info.Get("name").Text(), model.Get("provider").Text(), model.Get("name").Text())
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

type rewards map[string]envelope.Opt[float64]

func rewardsOf(v jsonwalk.Value) rewards {
	all := rewards{}
	for name, each := range v.Members() {
		all[name] = each.Number()
	}
	return all
}

// decisive is the one named reward, or the only one. Of several of other names the least is
// as sure as can be: it is 1 where all are.
func (r rewards) decisive() (one envelope.Opt[float64], several bool) {
	if named, is := r["reward"]; is {
		return named, false
	}
	for _, each := range r {
		if !each.OK {
			return each, len(r) > 1
		}
		if !one.OK || each.V < one.V {
			one = each
		}
	}
	return one, len(r) > 1
}

// String lists rewards for people.
func (r rewards) String() string {
	return words.Some(slices.Sorted(maps.Keys(r)), func(name string) string {
		return words.If(r[name].OK, jsonwalk.Short(name)+" "+inDigits(r[name].V))
	})
}

func inDigits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// tellSeveral tells once that nothing says which of several rewards decides. Harbor's own
// metrics take one reward.
func (rd *reader) warnOfSeveral(v jsonwalk.Value, all rewards) {
	if _, several := all.decisive(); several && !rd.warned {
		rd.warned = true
		v.Warn("several-rewards", "none of the rewards "+all.String()+" is called reward: a trial passes where all of them are 1")
	}
}

// setOutcome gives a trial its status and class. With a reward the verifier has
// spoken, whatever happened before; without one nobody has.
func setOutcome(t *envelope.Trial, all rewards, exception string) {
	reward, several := all.decisive()
	if t.RawStatus = exception; !several {
		t.Score = reward
	}
	const tolerance = 1e-6 // how far below 1 a reward may be to pass
	switch {
	case !reward.OK:
		t.Status, t.Message = envelope.Error, "no reward"
	case reward.V >= 1-tolerance:
		t.Status = envelope.Pass
	case several:
		t.Status, t.Message = envelope.Fail, "not all rewards are 1: "+all.String()
	default:
		t.Status, t.Message = envelope.Fail, "reward "+inDigits(reward.V)
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

// outcome is what the statistics of a job say of one trial.
type outcome struct {
	rewards   rewards
	exception string
}

func (rd *reader) job(v jsonwalk.Value) {
	header := envelope.Header{ID: v.Get("id").Text(), PlannedTrials: v.Get("n_total_trials").Count()}
	if !v.Get("started_at").Time().IsZero() { // nearly always without a zone
		header.StartedAt = v.Get("started_at").Text()
	}
	rd.to.Header(header, nil)
	trials := 0
	for name, eval := range v.Get("stats", "evals").Members() {
		trials += rd.eval(name, eval)
	}
	if trials > 0 {
		v.Warn("job-statistics", "these trials come from the statistics of a job, without durations and costs; name the result.json of its "+
			"trials instead")
	}
}

// eval delivers the trials of one agent, model and dataset. Retries of the job
// are gone from the statistics.
func (rd *reader) eval(name string, eval jsonwalk.Value) int {
	outcomes := map[string]outcome{}
	for reward, values := range eval.Get("reward_stats").Members() {
		for text, trials := range values.Members() {
			for trial := range trials.Items() {
				name := trial.Text()
				if outcomes[name].rewards == nil {
					outcomes[name] = outcome{rewards: rewards{}}
				}
				outcomes[name].rewards[reward] = trialfields.Finite(text) // a key
			}
		}
	}
	for exception, trials := range eval.Get("exception_stats").Members() {
		for trial := range trials.Items() {
			was := outcomes[trial.Text()]
			was.exception = exception
			outcomes[trial.Text()] = was
		}
	}
	delete(outcomes, "") // what was no name
	for _, trial := range slices.Sorted(maps.Keys(outcomes)) {
		rd.warnOfSeveral(eval, outcomes[trial].rewards)
		t := &rd.trial
		*t = envelope.Trial{Key: envelope.Key{Test: task(trial), Variant: name}, Labels: []envelope.Label{{Name: "trial", Value: trial}}}
		setOutcome(t, outcomes[trial].rewards, outcomes[trial].exception)
		rd.attempts.Send(t, rd.to)
	}
	return len(outcomes)
}

// task is the name of a trial without its random suffix.
func task(name string) string {
	if at := strings.LastIndex(name, "__"); at > 0 {
		return name[:at]
	}
	return name
}

// trajectoryFile is where an agent that writes one leaves its trajectory, beside the
// file of the trial, in the Agent Trajectory Interchange Format (ATIF).
const trajectoryFile = "agent/trajectory.json"

// readTrajectory reads a trajectory, and tells what of its steps could not be read.
func readTrajectory(r io.Reader) (turns []envelope.Turn, faults []string, err error) {
	whole, _, err := conversation.Whole(r)
	if err != nil {
		return nil, nil, err
	}
	steps := jsonwalk.Detached("steps", whole).Get("steps")
	if !steps.IsArray() {
		return nil, nil, errors.New("it has no list of steps")
	}
	turns = turnsOf(steps)
	return turns, steps.Faults(), nil
}

// sources are the roles of those who take the steps of a trajectory.
var sources = map[string]string{"agent": envelope.RoleAssistant, "user": envelope.RoleUser, "system": envelope.RoleSystem}

// turnsOf makes a turn of every step, and one of every result that was observed.
func turnsOf(steps jsonwalk.Value) []envelope.Turn {
	turns, tools, began := []envelope.Turn{}, map[string]string{}, jsonwalk.Value{}
	for step := range steps.Items() {
		if !step.IsObject() || len(turns) >= conversation.MostTurns {
			continue
		}
		at := step.Get("timestamp")
		if !began.IsText() {
			began = at
		}
		turn := said(step)
		turn.AtMS = jsonwalk.Between(began, at)
		for call := range step.Get("tool_calls").Items() {
			c := envelope.ToolCall{ID: call.Get("tool_call_id").String(), Name: call.Get("function_name").String(),
				Arguments: call.Get("arguments").String()}
			turn.ToolCalls = append(turn.ToolCalls, c)
			tools[c.ID] = c.Name
		}
		turns = append(turns, turn)
		for result := range step.Get("observation", "results").Items() {
			id := result.Get("source_call_id").String()
			seen := said(result)
			turns = append(turns, envelope.Turn{Role: envelope.RoleTool, Text: seen.Text, Attachments: seen.Attachments, ToolCallID: id,
				Name: tools[id], AtMS: turn.AtMS})
		}
	}
	return turns
}

// said is what a step or a result says: a text, or parts of which some are pictures.
func said(v jsonwalk.Value) envelope.Turn {
	source := v.Get("source").Text()
	turn := envelope.Turn{Role: cmp.Or(sources[source], source), Reasoning: v.Get("reasoning_content").String()}
	used := v.Get("metrics")
	turn.CostUSD = used.Get("cost_usd").Amount()
	turn.Tokens = trialfields.Sum(used.Get("prompt_tokens").Count(), used.Get("completion_tokens").Count())
	content := v.Get("message")
	if !content.Present() {
		content = v.Get("content")
	}
	if !content.IsArray() {
		turn.Text = content.String()
		return turn
	}
	for part := range content.Items() {
		if text := part.Get("text"); text.Present() {
			turn.Text += text.String()
		} else if path := part.Get("source", "path").String(); path != "" {
			turn.Attachments = append(turn.Attachments,
				envelope.Attachment{Path: "agent/" + path, MediaType: part.Get("source", "media_type").Text()})
		}
	}
	return turn
}
