package flat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// EvalPlus reads eval_results.json of EvalPlus (Apache-2.0): every sample of every task of
// HumanEval+ and MBPP+.
//
// A sample passes if it passes the tests of the dataset and those of EvalPlus ("base + extra"), or
// those of the dataset if only they ran. Model and temperature are only in the name of the file or
// folder.
var EvalPlus = Format{
	// Under the name of a task stand the samples, or before 2024 what came of each.
	Sniff: func(head []byte) bool { return jsonwalk.DocumentKeys(head).Has("date", "hash", "eval") },
	records: func(rd *reader, _ jsonwalk.KeySet) any {
		return jsonwalk.Members{"eval": func(t *jsonwalk.Text) error {
			return t.Object(func(id string) error {
				s := &samples{reader: rd, key: taskKey(id)}
				if t.Next() == '[' {
					return t.Objects(s.sample)
				}
				return t.One(s.older)
			})
		}}
	},
}

// taskKey makes a suite of the dataset that a task is of: HumanEval/0.
func taskKey(id string) envelope.Key {
	if dataset, number, ok := strings.Cut(id, "/"); ok && number != "" {
		return envelope.Key{Suite: dataset, Test: number}
	}
	return envelope.Key{Test: cmp.Or(id, "(unnamed)")}
}

type samples struct {
	*reader
	key   envelope.Key
	count int32
}

func (s *samples) sample(v jsonwalk.Value) {
	if !v.Get("base_status").Present() && !v.Get("plus_status").Present() {
		s.count++
		v.Reject("it has neither base_status nor plus_status")
		return
	}
	base := ranTests{"base", v.Get("base_status"), lastOf(v.Get("base_fail_tests"))}
	plus := ranTests{"plus", v.Get("plus_status"), lastOf(v.Get("plus_fail_tests"))}
	s.emit(base, plus, v.Get("solution"))
}

// older reads the samples of a task as they were written before February 2024: two lists, of
// the status and the outcomes of single tests of each sample. That of the added tests is
// empty where they were not run.
func (s *samples) older(v jsonwalk.Value) {
	all, added := statuses(v.Get("base")), statuses(v.Get("plus"))
	if len(all) == 0 {
		v.Reject("it has no readable samples")
		return
	}
	if len(added) > 0 && len(added) != len(all) {
		v.Reject(fmt.Sprintf("base has the results of %s, but plus of %d", words.Plural(len(all), "sample", "samples"), len(added)))
		return
	}
	for i, status := range all {
		plus := ranTests{name: "plus"}
		if len(added) > 0 {
			plus.status = added[i]
		}
		s.emit(ranTests{name: "base", status: status}, plus, jsonwalk.Value{})
	}
}

func statuses(results jsonwalk.Value) (all []jsonwalk.Value) {
	for result := range results.Items() {
		all = append(all, result.First())
	}
	return all
}

// ranTests is what came of the tests of one kind.
type ranTests struct {
	name   string
	status jsonwalk.Value // absent or null where they were not run
	failed jsonwalk.Value // the input of one that failed
}

func (s *samples) emit(base, plus ranTests, solution jsonwalk.Value) {
	t := envelope.Trial{Key: s.key, Attempt: envelope.Some(s.count), Status: envelope.Pass}
	s.count++
	base.setOutcome(&t)
	if plus.status.Present() {
		plus.setOutcome(&t)
	}
	if t.Status != envelope.Pass {
		t.Output = failure.Ends(solution.String())
	}
	s.to.Trial(&t)
}

// setOutcome takes what came of the tests: everything but their passing fails the sample, as
// EvalPlus counts it, also no status at all.
func (r *ranTests) setOutcome(t *envelope.Trial) {
	c := envelope.Check{Name: r.name, Status: envelope.Fail}
	switch status := r.status.String(); status {
	case "pass", "success":
		c.Status = envelope.Pass
	case "timeout", "timed out":
		t.ErrorClass, c.Reason = envelope.ClassTimeout, "took too long"
	case "fail", "failed":
		c.Reason = "failed"
	default:
		c.Reason = fmt.Sprintf("status %q", jsonwalk.Short(status))
	}
	if c.Status == envelope.Fail {
		if r.failed.There() {
			c.Reason += " on " + jsonwalk.Short(r.failed.String())
		}
		if t.Status == envelope.Pass {
			t.Status, t.Message = envelope.Fail, r.name+" tests: "+c.Reason
		}
	}
	trialfields.AddCheck(t, c, "")
}

// lastOf is the last of a list: EvalPlus stops at the first test that fails, unless it is
// asked for details.
func lastOf(list jsonwalk.Value) (last jsonwalk.Value) {
	for v := range list.Items() {
		last = v
	}
	return last
}

// LiveCodeBench reads *_eval_all.json of LiveCodeBench (MIT), for all scenarios: every sample with
// its grade. Model and scenario are only in the path. *_eval.json has no names of problems.
var LiveCodeBench = Format{
	// The statement and the outputs may be longer than a head, and the grades stand behind them.
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		return inArray && (keys.Has("question_id", "graded_list") ||
			keys.Has("question_id", "contest_id", "contest_date") && keys.HasAny("question_content", "function_name"))
	},
	records: func(rd *reader, _ jsonwalk.KeySet) any { return jsonwalk.Objects(rd.problem) },
}

func (rd *reader) problem(v jsonwalk.Value) {
	key := problemKey(v)
	grades := v.Get("graded_list")
	switch {
	case key.Test == "":
		v.Reject("it has neither id nor question_id")
		return
	case !grades.IsArray():
		v.Reject("it has no graded_list; run LiveCodeBench with --evaluate, and name *_eval_all.json")
		return
	}
	answers, metadata := slices.Collect(v.Get("code_list").Items()), slices.Collect(v.Get("metadata").Items())
	if len(answers) == 0 {
		answers = slices.Collect(v.Get("pred_list").Items())
	}
	n := 0
	for grade := range grades.Items() {
		t := envelope.Trial{Key: key, Status: trialfields.PassFail(grade.Bool())}
		if t.Status == "" {
			t.Status, t.Message = envelope.Error, "its grade is neither true nor false"
		}
		if t.Status != envelope.Pass && n < len(answers) {
			t.Output = failure.Ends(answers[n].String())
		}
		if t.Status == envelope.Fail && n < len(metadata) {
			explainGrade(&t, metadata[n])
		}
		for _, name := range [...]string{"difficulty", "platform"} {
			trialfields.Label(&t, name, v.Get(name).Text())
		}
		rd.to.Send(&t)
		n++
	}
	if n == 0 {
		v.Reject("its graded_list is empty")
	}
}

// problemKey names a problem. Of code to be run in mind and of outputs to be foretold there
// are several to a question, which is what tells them apart.
func problemKey(v jsonwalk.Value) envelope.Key {
	question := v.Get("question_id").Text()
	if id := v.Get("id").Text(); id != "" {
		return envelope.Key{Test: id}
	}
	if id := v.Get("test_id").Text(); id != "" && question != "" {
		return envelope.Key{Test: question, Variant: "test " + id}
	}
	return envelope.Key{Test: question}
}

// explainGrade says why a solution failed, which the grader keeps as JSON in a text.
func explainGrade(t *envelope.Trial, metadata jsonwalk.Value) {
	var said struct {
		Code    int    `json:"error_code"`
		Message string `json:"error_message"`
		Error   string `json:"error"`
		Output  any    `json:"output"`
		Wanted  any    `json:"expected"`
	}
	if json.Unmarshal([]byte(metadata.String()), &said) != nil {
		return
	}
	const tookTooLong = -3 // the code for a solution that reached its time limit
	short := func(v any) string { return jsonwalk.Short(failure.FirstLine(fmt.Sprint(v))) }
	t.Message = failure.FirstLine(said.Message)
	switch {
	case said.Code == tookTooLong:
		t.ErrorClass = envelope.ClassTimeout
	case said.Error != "":
		t.Message += ": " + short(said.Error)
	case t.Message == "Wrong Answer": // others have both in their message
		t.Message = fmt.Sprintf("Wrong Answer: %s != %s", short(said.Output), short(said.Wanted))
	}
}

// TerminalBench is the results.json of Terminal-Bench (version 1), of a whole run and of a
// single trial.
//
// A trial that ran out of time may be resolved; one whose output could not be parsed was not
// judged. The file of a run repeats the files of its trials: the run in trial_name, or the id of the
// trial, makes each count once. Agent and model are in run_metadata.json, which is not read.
var TerminalBench = Format{
	Sniff: func(head []byte) bool {
		keys := jsonwalk.DocumentKeys(head)
		if isTerminalTrial(keys) {
			return true
		}
		if !keys.Has("results") {
			return false
		}
		if at := firstResult().FindSubmatchIndex(head); at != nil {
			first, _ := jsonwalk.Keys(head[at[2]:])
			return isTerminalTrial(first)
		}
		return keys.Has("n_resolved", "resolved_ids")
	},
	records: func(rd *reader, keys jsonwalk.KeySet) any {
		if isTerminalTrial(keys) {
			return jsonwalk.Object(rd.record)
		}
		return rd.terminalRun
	},
	test: "task_id", unnamed: "its task_id is missing or neither a string nor a number",
	judge: judgeTerminal,
	end: func(rd *reader, _ bool) {
		if rd.headed {
			rd.to.Header(rd.header, nil)
		}
	},
}

// firstResult is where the trials of a run begin.
var firstResult = regex.Of(`"results"\s*:\s*(\[\s*\{)`)

// IsTerminalRun reports whether head starts the file of a run: its trials may have files of
// their own.
func IsTerminalRun(head []byte) bool {
	keys, _ := jsonwalk.Keys(head)
	return !isTerminalTrial(keys)
}

func isTerminalTrial(keys jsonwalk.KeySet) bool {
	return keys.Has("task_id") && (keys.Has("is_resolved") || keys.Has("trial_name", "instruction"))
}

func (rd *reader) terminalRun(t *jsonwalk.Text) error {
	rd.headed = true
	resolved, unresolved, accuracy := 0, 0, 1.0 // as the run counts them
	err := t.Members(jsonwalk.Members{"n_resolved": &resolved, "n_unresolved": &unresolved, "accuracy": &accuracy,
		"id": func(v jsonwalk.Value) { rd.header.ID = v.Text() }, "results": jsonwalk.Objects(rd.record)})
	if n := resolved + unresolved; err == nil {
		rd.to.Counts(n, max(unresolved, int(math.Round((1-accuracy)*float64(n)))), "trials")
	}
	return err
}

// trialName is <task>.<i>-of-<n>, and the run behind it; task ids contain dots,
// so the last i-of-n counts.
var trialName = regex.Of(`^.*\.([0-9]+)-of-[0-9]+(?:\.(.*))?$`)

// classOfMode is the class of a failure mode. A judged trial counts, whatever its mode. So does one
// that was not judged because of the agent: context_length_exceeded, unknown_agent_error,
// parse_error, test_timeout. An agent that could not be installed was not tried.
func classOfMode(mode string, judged bool) string {
	switch {
	case mode == "agent_timeout", mode == "test_timeout":
		return envelope.ClassTimeout
	case mode == "agent_installation_failed" && !judged:
		return envelope.ClassInfrastructure
	}
	return ""
}

func judgeTerminal(rd *reader, t *envelope.Trial, v jsonwalk.Value) string {
	resolved := v.Get("is_resolved")
	if !resolved.There() {
		return "it has no is_resolved"
	}
	rd.setAttemptAndRun(t, v)
	t.Status = cmp.Or(trialfields.PassFail(resolved.Bool()), envelope.Error) // null, where nobody judged
	if mode := v.Get("failure_mode").Text(); mode != "unset" && mode != "none" {
		t.RawStatus, t.ErrorClass = mode, classOfMode(mode, t.Status != envelope.Error)
	}
	t.StartedAt = v.Get("trial_started_at").Time()
	t.DurationMS = jsonwalk.Between(v.Get("trial_started_at"), v.Get("trial_ended_at"))
	tokens := v.Get("total_input_tokens").Count().V + v.Get("total_output_tokens").Count().V
	t.Tokens = envelope.Opt[int64]{V: tokens, OK: tokens != 0}
	var failed []string
	for name, result := range v.Get("parser_results").Members() {
		status, _ := envelope.ParseStatus(result.Text())
		trialfields.AddCheck(t, envelope.Check{Name: name, Status: status}, "test")
		if result.IsText() && result.Text() != "passed" || !result.IsText() {
			failed = append(failed, jsonwalk.Short(failure.FirstLine(name)))
		}
	}
	if t.Status != envelope.Pass {
		t.Message = failure.FirstLine(t.RawStatus)
		if len(failed) > 0 {
			t.Message = "failed: " + words.First(failed, 5, func(name string) string { return name })
		}
	}
	return ""
}

// setAttemptAndRun takes attempt and run from the name of the trial. A trial whose name
// does not tell its run is a run of its own, by its id: the file of the job and
// that of the trial say the same one.
func (rd *reader) setAttemptAndRun(t *envelope.Trial, v jsonwalk.Value) {
	t.Run = cmp.Or(v.Get("uuid").Text(), v.Get("id").Text(), v.Get("recording_path").Text())
	if m := trialName().FindStringSubmatch(v.Get("trial_name").Text()); m != nil {
		t.Run = cmp.Or(m[2], t.Run)
		if i, err := strconv.ParseInt(m[1], 10, 32); err == nil && i > 0 {
			t.Attempt = envelope.Some(int32(i - 1))
		}
	} else if t.Run != "" {
		t.Attempt = envelope.Some[int32](0)
	}
}
