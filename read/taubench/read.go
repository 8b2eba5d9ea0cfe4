// Package taubench reads the result files of tau-bench (sierra-research, MIT):
// one JSON array with an object per trial.
//
// It exists because these files are where pass^k comes from, and hold several
// trials of every task. They are large, nearly all of it conversation, which is
// kept for the trials that are shown.
// The files do not say suite or model; both stand in their names, which a
// reader does not know.
package taubench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
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

// Sniff reports whether head starts with an array whose first element has the
// keys of a trial. Only the first of these need be in the head.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("task_id", "reward", "info", "traj", "trial")
	const enough = 3
	return inArray && keys.Has("task_id") && found >= enough
}

// Read reads one result file. An element that is no trial is a problem in the sink, and
// reading goes on behind it; where the file is no JSON, it stops.
func Read(r io.Reader, to envelope.Sink) error {
	return jsonwalk.Strict(r, to, func(text *jsonwalk.Text) error {
		if text.Next() != '[' {
			return text.Stop("the file is not an array of trials")
		}
		rd, index := &reader{Text: text, to: to}, -1
		return text.Array(func() error { index++; return rd.element(index) })
	})
}

type reader struct {
	*jsonwalk.Text
	to    envelope.Sink
	trial envelope.Trial
	turns conversation.Reader

	reckoned reckoning
}

// reckoning is what the reward of a trial was made of. tau-bench gives 1 where the
// database is as the expected calls leave it and all that was to be said was said. It
// writes r_actions, or where something was to be said what was and r_outputs alone; of
// a conversation that was broken off before its end it writes nothing.
//
// Which of the expected calls a trial did not make is our comparison, and a reason at
// most: to read what nobody asked for is no fault.
type reckoning struct {
	there  bool
	broken bool         // it is null
	info   bytes.Buffer // reward_info without blanks
	checks []envelope.Check
	text   bytes.Buffer
	called bytes.Buffer // the arguments of all calls without blanks
	made   []call       // those that no expected call was found for yet
	missed []call
	said   []byte
	work   int // that is left for comparing, in bytes
}

type call struct {
	name      string
	arguments jsonwalk.Value
}

// keep keeps a reward_info until the conversation is known, which stands behind it.
func (r *reckoning) keep(info jsonwalk.Value) {
	r.info.Reset()
	r.broken = !info.Present()
	r.there = info.IsObject() && json.Compact(&r.info, info.Raw()) == nil
}

// fill gives a trial the checks of its reward, and one that failed the reason.
func (r *reckoning) fill(t *envelope.Trial) {
	if r.broken && t.Status == envelope.Fail {
		t.Message += ": the conversation was broken off before it was judged"
		t.Reasons = []string{"broken off before it was judged"}
	}
	if !r.there {
		return
	}
	reward := jsonwalk.Detached("reward_info", r.info.Bytes())
	why := ""
	if t.Transcript != nil {
		why = r.compared(t.Transcript, reward.Get("actions"))
	}
	r.checked(t.Status, reward.Get("info"), why)
	t.Checks, t.Reasons = r.checks, r.reasons(why != "")
	if t.Status == envelope.Fail {
		t.Message = strings.Join(append([]string{t.Message}, r.wrong(why)...), ": ")
	}
}

// checked are the database and what was to be said.
func (r *reckoning) checked(status envelope.Status, info jsonwalk.Value, why string) {
	r.checks = r.checks[:0]
	if same := info.Get("r_actions").Number(); same.OK {
		r.check(database, same.V == 1, why)
	} else if said := info.Get("r_outputs").Number(); said.OK && said.V == 1 {
		r.check(database, status == envelope.Pass, why)
	}
	for output, said := range info.Get("outputs").Members() {
		if met := said.Bool(); met.OK {
			r.check(says+trialfields.CheckName(output), met.V, why)
		}
	}
}

const database, says = "database", "says "

func (r *reckoning) check(name string, met bool, why string) {
	c := envelope.Check{Name: name, Status: envelope.Pass}
	if !met {
		c.Status, c.Reason = envelope.Fail, why
	}
	r.checks = append(r.checks, c)
}

// reasons name what was other than expected: of a trial that passed as well, because only
// what is rare among these goes with failing.
func (r *reckoning) reasons(compared bool) (all []string) {
	if compared {
		names := map[string][2]bool{} // missed, made
		for _, c := range r.missed {
			names[c.name] = [2]bool{true, names[c.name][1]}
		}
		for _, c := range r.made {
			names[c.name] = [2]bool{names[c.name][0], true}
		}
		for name, is := range names {
			switch name = trialfields.CheckName(name); is {
			case [2]bool{true, true}:
				all = append(all, "other arguments: "+name)
			case [2]bool{true, false}:
				all = append(all, "missing call: "+name)
			default:
				all = append(all, "unexpected call: "+name)
			}
		}
	}
	for _, c := range r.checks {
		if output, ok := strings.CutPrefix(c.Name, says); ok && c.Status == envelope.Fail {
			all = append(all, "not said: "+output)
		}
	}
	slices.Sort(all)
	return all
}

// wrong is what did not hold, in words.
func (r *reckoning) wrong(why string) []string {
	const most = 5
	var all []string
	for _, c := range r.checks {
		switch {
		case c.Status == envelope.Pass || len(all) == most:
		case c.Name == database:
			all = append(all, "the database differs")
		default:
			all = append(all, "not met: "+c.Name)
		}
	}
	if why != "" {
		all = append(all, why)
	}
	if len(all) == 0 {
		return nil
	}
	return []string{strings.Join(all, "; ")}
}

// What is compared at most, a hundred times what tasks have: files may be made to take
// long.
const mostMissed, mostCompared = 1000, 1 << 22

// compared says which expected calls a trial did not make, and which it made that
// nobody expected.
func (r *reckoning) compared(turns []envelope.Turn, expected jsonwalk.Value) string {
	r.calls(turns)
	r.missed, r.work = r.missed[:0], mostCompared
	for action := range expected.Items() {
		if len(r.missed) == mostMissed || r.work < 0 {
			return "" // nobody knows
		}
		if c := (call{action.Get("name").Text(), action.Get("kwargs")}); !r.take(c) {
			r.missed = append(r.missed, c)
		}
	}
	if len(r.missed)+len(r.made) == 0 {
		return "every expected call was made, and no other"
	}
	r.said = appendCalls(r.said[:0], "missing calls: ", r.missed)
	if len(r.missed) > 0 && len(r.made) > 0 {
		r.said = append(r.said, "; "...)
	}
	return string(appendCalls(r.said, "unexpected calls: ", r.made))
}

func (r *reckoning) calls(turns []envelope.Turn) {
	r.made = r.made[:0]
	r.called.Reset()
	r.called.WriteByte('[')
	for i := range turns {
		for _, c := range turns[i].ToolCalls {
			r.text.Reset()
			r.text.WriteString(c.Arguments)
			if len(r.made) > 0 {
				r.called.WriteByte(',')
			}
			if json.Compact(&r.called, r.text.Bytes()) != nil {
				r.called.WriteString("null") // equal to no arguments
			}
			r.made = append(r.made, call{name: c.Name})
		}
	}
	r.called.WriteByte(']')
	at := 0
	for arguments := range jsonwalk.Detached("arguments", r.called.Bytes()).Items() {
		r.made[at].arguments = arguments
		at++
	}
}

// take takes a call that was expected from those that were made, if it is there.
func (r *reckoning) take(wanted call) bool {
	i := slices.IndexFunc(r.made, func(c call) bool { return c.name == wanted.name && r.equal(c.arguments, wanted.arguments) })
	if i >= 0 {
		r.made = slices.Delete(r.made, i, i+1)
	}
	return i >= 0
}

func (r *reckoning) equal(a, b jsonwalk.Value) bool {
	r.work -= len(a.Raw()) + len(b.Raw())
	switch {
	case bytes.Equal(a.Raw(), b.Raw()):
		return true
	case r.work < 0:
		return false
	case a.IsObject() && b.IsObject():
		return r.equalMembers(a, b)
	case a.IsArray() && b.IsArray():
		return slices.EqualFunc(slices.Collect(a.Items()), slices.Collect(b.Items()), r.equal)
	case a.IsNumber() && b.IsNumber():
		return a.Number() == b.Number()
	}
	const escape = '\\' // without one a text is written in one way
	return a.IsText() && b.IsText() && bytes.IndexByte(a.Raw(), escape)+bytes.IndexByte(b.Raw(), escape) > -2 && a.Text() == b.Text()
}

func (r *reckoning) equalMembers(a, b jsonwalk.Value) bool {
	left := 0
	for range b.Members() {
		left++
	}
	for key, value := range a.Members() {
		if !r.equal(value, b.Get(key)) {
			return false
		}
		left--
	}
	return left == 0
}

// appendCalls appends calls behind what they are, if there are any: of many the last
// few, for tasks end with what changes the database.
func appendCalls(to []byte, what string, all []call) []byte {
	const most = 3
	if len(all) == 0 {
		return to
	}
	to = append(to, what...)
	if before := len(all) - most; before > 0 {
		to = append(to, words.Plural(before, "other call", "other calls")+", "...)
		all = all[before:]
	}
	for i, c := range all {
		if i > 0 {
			to = append(to, ", "...)
		}
		to = c.append(to)
	}
	return to
}

// append appends a call in a few words, such as cancel_reservation(reservation_id:
// "FDZ0T5").
func (c call) append(to []byte) []byte {
	const most = 60
	to = append(append(to, c.name...), '(')
	begin := len(to)
	for key, value := range c.arguments.Members() {
		if len(to) > begin {
			to = append(to, ", "...)
		}
		to = append(append(append(to, key...), ": "...), value.Raw()...)
	}
	if len(to)-begin > most {
		to = append(to[:begin], words.Head(string(to[begin:]), most)...)
	}
	return append(to, ')')
}

type element struct {
	isObject            bool
	task, reward, trial scalar
	failed              bool // info has an error: the harness gave up
	err, traceback      scalar
	turns               []envelope.Turn
	calls               envelope.Opt[int32] // tool calls in the conversation
	reckoned            *reckoning
}

// element reads one element and delivers its trial. An error says that the
// file is no JSON from here on.
func (rd *reader) element(index int) error {
	e := element{isObject: rd.Next() == '{', reckoned: &rd.reckoned}
	rd.reckoned.there, rd.reckoned.broken = false, false
	line, column := rd.Place()
	if err := rd.members(func(key string) error { return rd.member(&e, key) }); err != nil {
		return err
	}
	if reason := e.fill(&rd.trial); reason != "" {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: line, Column: column,
			Message: fmt.Sprintf("element %d is not counted: %s", index, reason)})
		return nil
	}
	rd.to.Trial(&rd.trial)
	return nil
}

func (rd *reader) member(e *element, key string) (err error) {
	switch key {
	case "task_id":
		e.task, err = rd.scalar()
	case "reward":
		e.reward, err = rd.scalar()
	case "trial":
		e.trial, err = rd.scalar()
	case "info":
		e.failed, e.err, e.traceback, e.reckoned.there = false, scalar{}, scalar{}, false
		err = rd.members(func(key string) error { return rd.info(e, key) })
	case "traj":
		err = rd.conversation(e)
	}
	return err
}

func (rd *reader) info(e *element, key string) (err error) {
	switch key {
	case "error":
		e.err, err = rd.scalar()
		e.failed = e.err.there
	case "traceback":
		e.traceback, err = rd.scalar()
	case "reward_info":
		var info jsonwalk.Value
		info, err = rd.Kept()
		e.reckoned.keep(info)
	}
	return err
}

// conversation takes the messages of a trial, and counts the tool calls in them.
func (rd *reader) conversation(e *element) error {
	e.turns, e.calls = nil, envelope.Opt[int32]{}
	messages, err := rd.Kept()
	if err != nil {
		return err
	}
	e.turns = rd.turns.Turns(messages)
	messages.Report()
	e.calls = conversation.CountCalls(e.turns)
	return nil
}

// fill makes a trial of an element, or says why it is none.
func (e *element) fill(t *envelope.Trial) (reason string) {
	*t = envelope.Trial{}
	if !e.isObject {
		return "it is not an object"
	}
	if t.Test = e.task.text; t.Test == "" {
		return "its task_id is missing, empty or neither a number nor a string"
	}
	if t.Attempt, reason = attempt(e.trial); reason != "" {
		return reason
	}
	if e.failed {
		// The reward 0 and the empty conversation that tau-bench then writes are no measurements.
		t.Status, t.ErrorClass, t.Output = envelope.Error, envelope.ClassInfrastructure, e.traceback.text
		t.Message = cmp.Or(failure.FirstLine(e.err.text), "error without a message")
		return ""
	}
	return e.fillReward(t)
}

func (e *element) fillReward(t *envelope.Trial) (reason string) {
	if !e.reward.number {
		return "its reward is missing or not a number"
	}
	reward, err := strconv.ParseFloat(e.reward.text, 64)
	if err != nil {
		return "its reward is out of range"
	}
	t.Score, t.ToolCalls, t.Transcript = envelope.Some(reward), e.calls, e.turns
	t.Status = envelope.Pass
	const tolerance = 1e-6 // how far from 1 a reward may be to pass, as in tau-bench itself
	if math.Abs(reward-1) > tolerance {
		t.Status, t.Message = envelope.Fail, "reward "+strconv.FormatFloat(reward, 'g', -1, 64)
	}
	e.reckoned.fill(t)
	return ""
}

type scalar struct {
	there  bool // it is something else than null
	number bool
	text   string // "" for what is neither
}

// scalar takes the value that comes next.
func (rd *reader) scalar() (scalar, error) {
	switch rd.Next() {
	case 'n':
		return scalar{}, rd.Skip()
	case '{', '[', 't', 'f':
		return scalar{there: true}, rd.Skip()
	}
	v, err := rd.Kept()
	return scalar{v.Present(), v.IsNumber(), v.Text()}, err
}

// members takes an object; what is none has none.
func (rd *reader) members(member func(key string) error) error {
	if rd.Next() != '{' {
		return rd.Skip()
	}
	return rd.Object(member)
}

func attempt(value scalar) (_ envelope.Opt[int32], reason string) {
	if !value.there {
		return envelope.Opt[int32]{}, ""
	}
	n, err := strconv.ParseInt(value.text, 10, 32)
	if err != nil || n < 0 || !value.number {
		return envelope.Opt[int32]{}, "its trial is not an integer of 0 or more"
	}
	return envelope.Some(int32(n)), ""
}
