package swebench

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

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
// whole conversation so far, is passed over.
func agent(t *envelope.Trial, file io.Reader) (turns []envelope.Turn, faults []string, err error) {
	told := &heard{}
	err = jsonwalk.Document(file, told, func(text *jsonwalk.Text) error {
		return text.Object(func(key string) error {
			switch key {
			case "history", "messages": // of SWE-agent, of mini-swe-agent
				v, err := text.Value()
				if err != nil || !v.Present() {
					return err
				}
				turns, faults = conversation.Turns(v), v.Faults()
				beside(turns, v)
			case "info":
				v, err := text.Value()
				spent(t, v) // what is wrong in it is not told: the trial has a verdict of its own
				return err
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return nil, nil, err
	case told.first != "" && turns == nil:
		return nil, nil, errors.New(told.first)
	case told.first != "":
		faults = append(faults, "its end: "+told.first)
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

// tokens are those of all turns, as far as they say how many.
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

// heard keeps the first problem of a trajectory, of which a trial is told in one.
type heard struct {
	jsonwalk.Silent
	first string
}

func (h *heard) Problem(p envelope.Problem) {
	if h.first == "" {
		h.first = fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
	}
}
