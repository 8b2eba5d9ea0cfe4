// Package swebench reads what an evaluation by SWE-bench (MIT) leaves: the run report,
// which has lists of ids, and the report.json of a single instance.
//
// The run report says how one attempt at each instance ended, and no reason; the trajectories of SWE-agent and
// mini-swe-agent beside it have the conversations. Several reports are several runs. An instance that was never submitted
// is a skip. One in error_ids may have a patch that does not apply, so it counts as not passed. The report of a single
// instance says which of its tests failed; beside a run report it is skipped.
package swebench

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Folders are those in which SWE-bench leaves the reports of the single instances of a
// run, beside the run report.
var Folders = []string{"logs", "run_evaluation"}

// Sniff reports whether head starts a run report or the report of an instance. The lists
// are long, so a head may be cut before the last of them.
func Sniff(head []byte) bool { return isRun(head) || isInstance(head) }

func isRun(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	newer := keys.Has("resolved_ids") && keys.HasAny("schema_version", "submitted_ids", "completed_ids", "unresolved_ids")
	return !inArray && !keys.HasAny("results", "pass_at_k") &&
		(newer || keys.Has("total_instances", "resolved_instances", "submitted_instances"))
}

// older is how the list of resolved instances was called before the others had their names.
const older = "resolved"

// failures are the counts of instances that were judged and not resolved.
var failures = []string{"unresolved_instances", "empty_patch_instances", "error_instances"}

// lists are the lists of a report, from what says most of an instance to what
// says least.
var lists = []struct {
	name   string
	status envelope.Status
	raw    string
	class  string
	says   string
}{
	{"resolved_ids", envelope.Pass, "resolved", "", ""},
	{"unresolved_ids", envelope.Fail, "unresolved", "", "not resolved"},
	{"empty_patch_ids", envelope.Fail, "empty_patch", "", "empty patch"},
	{"error_ids", envelope.Error, "", "", "no report: the patch did not apply or the harness broke"},
	{"completed_ids", envelope.Fail, "completed", "", "completed and not resolved"},
	{"failed_ids", envelope.Error, "failed", "", "its evaluation failed"},
	{"pending_ids", envelope.Error, "pending", envelope.ClassPreValidation, "its evaluation had not ended"},
	{"incomplete_ids", envelope.Skip, "incomplete", "", "not submitted"},
}

// ReadIn reads one report, and the trajectories of its instances in the folder around it,
// nil for none.
func ReadIn(r io.Reader, to envelope.Sink, folder conversation.Folder) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: &runfailure.Watch{Sink: to}, folder: folder, ids: map[string]listed{}, seen: map[int]bool{}}
	if isInstance(head) {
		return jsonwalk.Read(whole, to, jsonwalk.Keyed(rd.instance))
	}
	err := jsonwalk.Document(whole, to, func(t *jsonwalk.Text) error {
		err := t.Object(func(key string) error { return rd.member(t, key) })
		rd.whole = err == nil
		return err
	})
	rd.emitInstances()
	rd.to.Counted(rd.failed, "instances")
	return err
}

type reader struct {
	to     *runfailure.Watch
	folder conversation.Folder
	failed int // instances, as the report counts them
	ids    map[string]listed
	seen   map[int]bool // the lists that were read
	whole  bool         // the report was read to its end
}

// listed is where an instance stands: in the first of lists that has it.
type listed struct{ rank, line, column int }

func (rd *reader) member(t *jsonwalk.Text, key string) error {
	if slices.Contains(failures, key) {
		return t.Any(func(v jsonwalk.Value) { rd.failed += int(v.Count().V) })
	}
	for rank, list := range lists {
		if list.name != key && (rank > 0 || key != older) {
			continue
		}
		v, err := t.Value()
		if err != nil || !v.Present() || key == older && !v.IsArray() {
			return err
		}
		if !v.IsArray() {
			v.Reject("it is not a list of ids")
			return nil
		}
		rd.seen[rank] = true
		line, column := v.Place()
		for item := range v.Items() {
			id := item.Text()
			if was, ok := rd.ids[id]; id != "" && (!ok || rank < was.rank) {
				rd.ids[id] = listed{rank, line, column}
			}
		}
		v.Report()
	}
	return nil
}

// emitInstances delivers the instances, sorted. Of a report that is cut off only what
// no later list could change is delivered.
func (rd *reader) emitInstances() {
	for _, id := range slices.Sorted(maps.Keys(rd.ids)) {
		at := rd.ids[id]
		rank := at.rank
		if !rd.whole && rank > 0 && !rd.seen[0] {
			continue
		}
		list := lists[rank]
		if list.name == "completed_ids" && (!rd.whole || !rd.seen[0]) {
			continue // nobody says whether it was resolved
		}
		t := envelope.Trial{Key: envelope.Key{Test: id}, Attempt: envelope.Some[int32](0), Status: list.status, RawStatus: list.raw,
			ErrorClass: list.class, Message: list.says}
		rd.trajectory(&t, at)
		rd.to.Trial(&t)
	}
}

// firstMember is how the report of an instance begins: the id, and in it what SWE-bench
// writes first.
var firstMember = regex.Of(`^\s*\{\s*"[^"\\]+"\s*:\s*\{\s*"patch_is_None"\s*:`)

func isInstance(head []byte) bool { return firstMember().Match(head) }

// graded are the lists of tests that decide: those that the patch is to mend, and those
// that it must not break.
var graded = []string{"FAIL_TO_PASS", "PASS_TO_PASS"}

func (rd *reader) instance(id string, v jsonwalk.Value) {
	resolved := v.Get("resolved").Bool()
	if id == "" || !resolved.OK {
		v.Reject("it does not say whether it was resolved")
		return
	}
	t := envelope.Trial{Key: envelope.Key{Test: id}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "resolved"}
	var failed []string
	for _, name := range graded {
		tests := v.Get("tests_status", name)
		passed, broken := tests.Get("success").Strings(), tests.Get("failure").Strings()
		all := len(passed) + len(broken)
		if all == 0 {
			continue
		}
		c := envelope.Check{Name: name, Status: envelope.Pass, Score: envelope.Some(float64(len(passed)) / float64(all))}
		if len(broken) > 0 {
			c.Status = envelope.Fail
			failed = append(failed, fmt.Sprintf("%d of %d %s tests failed", len(broken), all, name))
			c.Reason = fmt.Sprintf("%d of %d failed: %s", len(broken), all, strings.Join(broken, ", "))
		}
		trialfields.AddCheck(&t, c, "")
	}
	if !resolved.V {
		t.Status, t.RawStatus, t.Message = envelope.Fail, "unresolved", "not resolved"
		switch {
		case v.Get("patch_is_None").Bool().V || v.Get("patch_exists").Bool() == envelope.Some(false):
			t.RawStatus, t.Message = "empty_patch", "empty patch"
		case v.Get("patch_successfully_applied").Bool() == envelope.Some(false):
			t.Message = "not resolved: the patch did not apply"
		case len(failed) > 0:
			t.Message = "not resolved: " + strings.Join(failed, ", ")
		}
	}
	rd.to.Trial(&t)
}

// places are where agents leave the trajectory of an instance, from the folder of the
// run: SWE-agent 1, mini-swe-agent, and SWE-agent before that.
var places = []string{"ID/ID.traj", "ID/ID.traj.json", "ID.traj"}

// trajectory reads what the agent did from the file that it left beside the report. That
// there is none is no news: most agents leave none, or leave it elsewhere.
func (rd *reader) trajectory(t *envelope.Trial, at listed) {
	if rd.folder == nil || t.Status == envelope.Skip {
		return
	}
	warn := func(message string) {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeField, Line: at.line, Column: at.column,
			Message: message})
	}
	read := func(r io.Reader) ([]envelope.Turn, []string, error) { return agent(t, r) }
	for _, place := range places {
		if rd.folder.Beside(t, strings.ReplaceAll(place, "ID", t.Test), warn, read) {
			return
		}
	}
}

// agent takes a trajectory into the trial: the conversation, what it cost, and how the
// agent ended, which is no verdict. What SWE-agent keeps of each step again, up to the
// whole conversation so far, is skipped.
func agent(t *envelope.Trial, file io.Reader) (turns []envelope.Turn, faults []string, err error) {
	sink := &firstProblem{}
	said := func(v jsonwalk.Value) {
		if v.Present() {
			turns, faults = conversation.Turns(v), v.Faults()
			beside(turns, v)
			v.Faults()
		}
	}
	err = jsonwalk.Read(file, sink, jsonwalk.Members{"history": said, "messages": said, // of SWE-agent, of mini-swe-agent
		"info": func(v jsonwalk.Value) {
			spent(t, v)
			v.Faults() // are not told: the trial has a verdict of its own
		}})
	switch {
	case err != nil:
		return nil, nil, err
	case sink.first != "" && turns == nil:
		return nil, nil, errors.New(sink.first)
	case sink.first != "":
		faults = append(faults, "its end: "+sink.first)
	case turns == nil:
		return nil, nil, errors.New("it has neither a history nor messages")
	}
	if !t.Tokens.OK {
		t.Tokens = tokens(turns)
	}
	return turns, faults, nil
}

// beside takes what stands beside the messages, where each made one turn: in SWE-agent
// the call that a tool answers, in a list of one, and in mini-swe-agent what an answer
// took.
func beside(turns []envelope.Turn, messages jsonwalk.Value) {
	n := 0
	for message := range messages.Items() {
		if message.IsObject() {
			n++
		}
	}
	if n != len(turns) {
		return
	}
	i, began, tools := 0, envelope.Opt[float64]{}, map[string]string{}
	for message := range messages.Items() {
		if !message.IsObject() {
			continue
		}
		turn := &turns[i]
		i++
		for _, call := range turn.ToolCalls {
			tools[call.ID] = call.Name
		}
		for id := range message.Get("tool_call_ids").Items() {
			if turn.Role == envelope.RoleTool {
				turn.ToolCallID, turn.Name = id.String(), tools[id.String()]
			}
		}
		extra := message.Get("extra")
		if used := extra.Get("response", "usage", "total_tokens"); used.IsNumber() {
			turn.Tokens = used.Count()
		}
		if cost := extra.Get("cost"); cost.IsNumber() {
			turn.CostUSD = cost.Amount()
		}
		if at := extra.Get("timestamp"); at.IsNumber() {
			if !began.OK {
				began = at.Amount()
			}
			turn.AtMS = trialfields.Milliseconds(at.Amount().V-began.V, 1000)
		}
	}
}

func tokens(turns []envelope.Turn) (sum envelope.Opt[int64]) {
	for _, turn := range turns {
		if turn.Tokens.OK {
			sum = envelope.Some(sum.V + turn.Tokens.V)
		}
	}
	return sum
}

// spent takes how the agent ended and what it took, from what it says of itself.
func spent(t *envelope.Trial, info jsonwalk.Value) {
	trialfields.Label(t, "exit_status", info.Get("exit_status").Text())
	stats := info.Get("model_stats")
	t.CostUSD = stats.Get("instance_cost").Amount()
	t.Tokens = trialfields.Sum(stats.Get("tokens_sent").Count(), stats.Get("tokens_received").Count())
}

// firstProblem keeps the first problem of a trajectory, since a trial reports only one.
type firstProblem struct {
	jsonwalk.Silent
	first string
}

func (h *firstProblem) Problem(p envelope.Problem) {
	if h.first == "" {
		h.first = fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
	}
}
