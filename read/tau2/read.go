// Package tau2 reads what tau2-bench (sierra-research, MIT) writes: a results.json with the simulations inside, or a
// folder of a results.json and a file simulations/<id>.json for each.
//
// tau2 gives reward 0 to whatever did not end well, also to a run that timed out or whose simulated user broke. A
// simulation says neither domain nor model, so its file is read with the results.json above it, and counted once.
package tau2

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// index is the member with a line on each simulation that has a file.
const index = "simulation_index"

// Parts is the folder beside a results.json with the files of its simulations.
const Parts = "simulations"

// Discarded is the folder beside a results.json with simulations that tau2
// discarded, because their user made things up, and ran again.
const Discarded = "hallucination_discarded"

// Whole is the path from the file of a simulation to its results.json.
const Whole = "../results.json"

// PartOf is the path from the file of a simulation to its results.json, "" when
// head starts no such file.
func PartOf(head []byte) string {
	if keys, inArray := jsonwalk.Keys(head); !inArray && isSimulation(keys) {
		return Whole
	}
	return ""
}

// isSimulation tells a simulation by members that none can be without and that
// come before those of any size.
func isSimulation(keys jsonwalk.KeySet) bool {
	return keys.Has("task_id", "start_time", "end_time", "duration", "termination_reason")
}

// Sniff reports whether head starts a results.json or the file of a simulation.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	if isSimulation(keys) {
		return true
	}
	if !keys.Has("info") {
		return false
	}
	// A head may be cut in info or in tasks, before the simulations.
	return keys.Has("simulations") || keys.Has(index) || keys.Has("timestamp") && (keys.Has("tasks") || len(keys) == 2)
}

// Folder is what is known of the folder that an input is in. Its zero value is
// that of an input without one.
type Folder struct {
	// Results opens the results.json of the file of a simulation.
	Results func() (io.ReadCloser, error)
	// Counted reports whether the file of a simulation, by its name in the folder of
	// a results.json, has been read and a trial was in it. It is nil when no such
	// file is read.
	Counted func(name string) bool
	// Any reports whether any such file has been read and a trial was in it. It is nil
	// where Counted is.
	Any func() bool
}

// ReadIn reads one file of a folder, a simulation at a time.
func ReadIn(r io.Reader, to envelope.Sink, folder Folder) error {
	rd := &reader{to: to, folder: folder}
	head, whole := jsonwalk.Head(r)
	if PartOf(head) != "" {
		rd.alone = true
		rd.learn()
		return jsonwalk.Read(whole, to, jsonwalk.Object(rd.simulation))
	}
	err := jsonwalk.Read(whole, to, jsonwalk.Members{
		"info": rd.info,
		"timestamp": func(v jsonwalk.Value) {
			if !v.Time().IsZero() { // nearly always without a zone: nobody knows when
				rd.header.StartedAt = v.Text()
			}
		},
		"tasks": jsonwalk.Objects(func(jsonwalk.Value) { rd.tasks++ }),
		Parts:   rd.from(Parts), index: rd.from(index),
	})
	if rd.trials > 0 && rd.tasks > 0 && rd.tasks < math.MaxInt32 && rd.trials < math.MaxInt32 {
		rd.header.PlannedTrials = envelope.Some(rd.tasks * rd.trials)
	}
	to.Header(rd.header, nil)
	rd.reportFiles()
	return err
}

type reader struct {
	to            envelope.Sink
	folder        Folder
	known         bool // info has been read
	alone         bool // the file of one simulation is read
	warned        bool
	source        string // the member that holds the trials
	suite, model  string
	tasks, trials int64
	header        envelope.Header
	attempts      trialfields.Attempts
	trial         envelope.Trial
	turns         conversation.Reader
	filed         int      // simulations that were counted from their files
	unfiled       []string // names of files of the index that gave no trial
}

// from reads simulations from a member. A file with both says everything twice.
func (rd *reader) from(member string) jsonwalk.Objects {
	return func(v jsonwalk.Value) {
		rd.source = cmp.Or(rd.source, member)
		if rd.source == member && !rd.hasFile(v) {
			rd.simulation(v)
		}
	}
}

func (rd *reader) info(v jsonwalk.Value) {
	if !v.Present() {
		return
	}
	rd.known = true
	rd.suite = v.Get("environment_info", "domain_name").Text()
	rd.model = cmp.Or(v.Get("agent_info", "llm").Text(), v.Get("agent_info", "implementation").Text())
	rd.trials = v.Get("num_trials").Count().V
	rd.header.Name, rd.header.Commit = rd.suite, v.Get("git_commit").Text()
	rd.header.Labels = map[string]string{}
	for name, value := range map[string]jsonwalk.Value{"agent": v.Get("agent_info", "implementation"), "user_model": v.Get("user_info", "llm"),
		"seed": v.Get("seed")} {
		if word := value.Text(); word != "" {
			rd.header.Labels[name] = word
		}
	}
}

// codeNoFile marks simulations of an index whose files are missing or broken.
const codeNoFile = "missing-simulation"

// learn takes domain and model from the results.json above the file of a simulation. What is wrong with that
// file is told where it is read itself.
func (rd *reader) learn() {
	if rd.folder.Results == nil {
		return
	}
	file, err := rd.folder.Results()
	if err != nil {
		return // the simulation says that its domain is unknown
	}
	defer file.Close()
	jsonwalk.Member(file, "info", rd.info)
}

// why says why domain and model of a simulation are unknown.
func (rd *reader) why() string {
	if rd.alone {
		return "this simulation says neither domain nor model, and there is no readable " + Whole +
			" that does: keep it in its folder, and name the folder"
	}
	return "the simulations come before info, so their domain and model are unknown"
}

// hasFile reports whether a simulation of results.json was counted from its file.
func (rd *reader) hasFile(v jsonwalk.Value) bool {
	id := v.Get("id").Text()
	if rd.folder.Counted == nil || id == "" {
		return false
	}
	name := Parts + "/" + id + ".json"
	if rd.folder.Counted(name) {
		rd.filed++
		return true
	}
	if rd.source == index {
		rd.unfiled = append(rd.unfiled, name)
	}
	return false
}

// reportFiles reports simulations that have files of their own. For an index
// this is normal, so it reports only those without.
func (rd *reader) reportFiles() {
	if rd.known && rd.source == "" {
		rd.warnOfNone()
	}
	if rd.filed > 0 && rd.source != index {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeDuplicate, Line: 1, Column: 1, Count: rd.filed,
			Message: fmt.Sprintf("Tribunal counts %s of this file only once, from the files below %s/", simulations(rd.filed), Parts)})
	}
	if n := len(rd.unfiled); n > 0 {
		const named = 5
		names := strings.Join(rd.unfiled[:min(n, named)], ", ") + words.If(n > named, fmt.Sprintf(" and %d more", n-named))
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeNoFile, Line: 1, Column: 1, Count: n,
			Message: fmt.Sprintf("no file was read for %s of the index (%s), so the result in the index counts, without tokens and reasons; "+
				"look for the files, or run these again", simulations(n), names)})
	}
}

// warnOfNone warns that a file has no simulations and where to look for them,
// unless their own files were read.
func (rd *reader) warnOfNone() {
	where := "; if there is a folder " + Parts + "/ next to it, name the folder that has both"
	if rd.folder.Counted != nil {
		if rd.folder.Any() {
			return
		}
		where = ", and no file below " + Parts + "/ was read: put that folder next to it, or run these tasks again"
	}
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeNoFile, Line: 1, Column: 1,
		Message: "this file has the settings of a run, but no simulation" + where})
}

func simulations(n int) string { return words.Plural(n, "simulation", "simulations") }

// endings are the termination reasons of tau2. Of agent_error the agent is to
// blame, so it is a fail.
var endings = map[string]struct {
	status envelope.Status // "" when the reward decides
	class  string
}{
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

func (rd *reader) simulation(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: rd.suite, Test: v.Get("task_id").Text(), Variant: rd.model}}
	if t.Test == "" {
		v.Reject("its task_id is missing or empty, or neither a string nor a number")
		return
	}
	if !rd.known && !rd.warned {
		rd.warned = true
		v.Warn("unknown-task", rd.why())
	}
	if t.Attempt = v.Get("trial").Index(); !t.Attempt.OK {
		t.Attempt = rd.attempts.Next(t.Key)
	}
	t.DurationMS, t.CostUSD, t.StartedAt = v.Get("duration").Millis(1000), v.Get("agent_cost").Amount(), v.Get("start_time").Time()
	t.ToolCalls, t.Tokens = spent(v.Get("messages"))
	t.Transcript, t.Checks = rd.turns.Turns(v.Get("messages")), checks(v.Get("reward_info"))
	setOutcome(t, v)
	rd.to.Trial(t)
}

func setOutcome(t *envelope.Trial, v jsonwalk.Value) {
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
	const tolerance = 1e-6 // how far from 1 a reward may be to pass, as in tau2 itself
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
