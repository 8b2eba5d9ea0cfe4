package taubench

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

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
	messages.Tell()
	e.calls = conversation.CountCalls(e.turns)
	return nil
}

// tolerance is how far from 1 a reward may be to pass, as in tau-bench itself.
const tolerance = 1e-6

// fill makes a trial of an element, or says why it is none.
func (e *element) fill(t *envelope.Trial) (reason string) {
	*t = envelope.Trial{}
	if !e.isObject {
		return "it is not an object"
	}
	if t.Test = e.task.text; t.Test == "" {
		return "its task_id is missing, empty or neither a number nor a text"
	}
	if t.Attempt, reason = attempt(e.trial); reason != "" {
		return reason
	}
	if e.failed {
		e.fillError(t)
		return ""
	}
	return e.fillReward(t)
}

// fillError makes a trial of an element whose harness gave up. The reward 0 and
// the empty conversation that tau-bench then writes are no measurements.
func (e *element) fillError(t *envelope.Trial) {
	t.Status, t.ErrorClass = envelope.Error, envelope.ClassInfrastructure
	t.Message, _, _ = strings.Cut(strings.TrimSpace(e.err.text), "\n")
	t.Output = e.traceback.text
	t.Message = cmp.Or(t.Message, "error without a message")
}

func (e *element) fillReward(t *envelope.Trial) (reason string) {
	if !e.reward.number {
		return "its reward is missing or no number"
	}
	reward, err := strconv.ParseFloat(e.reward.text, 64)
	if err != nil {
		return "its reward is out of range"
	}
	t.Score, t.ToolCalls, t.Transcript = envelope.Some(reward), e.calls, e.turns
	t.Status = envelope.Pass
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
