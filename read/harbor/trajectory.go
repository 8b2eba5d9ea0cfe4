package harbor

import (
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// trajectoryFile is where an agent that writes one leaves its trajectory, beside the
// file of the trial, in the Agent Trajectory Interchange Format (ATIF).
const trajectoryFile = "agent/trajectory.json"

func (rd *reader) transcript(v jsonwalk.Value) {
	if rd.folder != nil {
		rd.folder.Beside(&rd.trial, trajectoryFile, func(message string) { v.Warn(envelope.CodeField, message) }, readTrajectory)
	}
}

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
	turn := envelope.Turn{Role: source, Reasoning: v.Get("reasoning_content").String()}
	if role, known := sources[source]; known {
		turn.Role = role
	}
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
